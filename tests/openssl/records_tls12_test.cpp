// Records of TLS 1.2's CTR-OMAC suites (RFC 9189), the cipher in the order of ssl/record/methods/tls1_meth.c of OpenSSL
// 3.2 to 3.6. Its MAC is an EVP_MAC here: libssl makes it by methods of an engine, which a provider cannot have.
#include <algorithm>
#include <thread>

#include "openssl/support/records.hpp"
#include "support/vec.hpp"

namespace vsh::test::evp {
namespace {

const Bytes kMacKey = Random(70).bytes(32);

Bytes iv_of(const RecordSuite& s) { return Bytes(kIv.begin(), kIv.begin() + static_cast<long>(s.n() / 2)); }

Bytes header_of(size_t len) { return {23, 3, 3, static_cast<uint8_t>(len >> 8), static_cast<uint8_t>(len)}; }

// One direction of a connection.
struct RecordLayer {
  RecordLayer(const RecordSuite& s, bool is_sending, const Bytes& key, const Bytes& mac_key, const Bytes& iv)
      : suite(s), c(start(vershina(), s.cipher, is_sending, key, iv)), sending(is_sending) {
    const Mac mac = vershina().mac(s.mode);
    m.reset(EVP_MAC_CTX_new(mac.get()));
    EXPECT_TRUE(EVP_MAC_init(m.get(), mac_key.data(), mac_key.size(), nullptr)) << errors();
    // ossl_set_tls_provider_parameters
    int version = 0x0303;
    size_t mac_len = s.n();
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_int("tls-version", &version),
                                 OSSL_PARAM_construct_size_t("tls-mac-size", &mac_len), OSSL_PARAM_construct_end()};
    EXPECT_TRUE(EVP_CIPHER_CTX_set_params(c.get(), params)) << errors();
  }

  // By a copy of the keyed context, as in tls1_mac.
  Bytes mac_of(uint64_t number, const Bytes& text) {
    const Bytes seq = big_endian(number), header = header_of(text.size());
    const MacCtx copy(EVP_MAC_CTX_dup(m.get()));
    Bytes out(suite.n());
    size_t len = 0;
    if (!control(copy.get(), "tlstree", seq.data()) || !EVP_MAC_update(copy.get(), seq.data(), 8) ||
        !EVP_MAC_update(copy.get(), header.data(), header.size()) ||
        !EVP_MAC_update(copy.get(), text.data(), text.size()) ||
        !EVP_MAC_final(copy.get(), out.data(), &len, out.size()))
      return {};
    return out;
  }

  bool process(uint64_t number, Bytes& record) { return sending ? send(number, record) : receive(number, record); }

  // The MAC counts the number on, and the cipher is told so by its length, 1. The last number of all has no next.
  bool send(uint64_t number, Bytes& record) {
    const Bytes mac = mac_of(number, record), seq = big_endian(number), next = big_endian(number + 1);
    if (mac.empty()) return false;
    record.insert(record.end(), mac.begin(), mac.end());
    const bool is_last = number == UINT64_MAX;
    if (!control(c.get(), "tlstree", is_last ? seq.data() : next.data(), is_last ? 0 : 1)) return false;
    int len = 0;
    return EVP_CipherUpdate(c.get(), record.data(), &len, record.data(), static_cast<int>(record.size())) &&
           static_cast<size_t>(len) == record.size();
  }

  bool receive(uint64_t number, Bytes& record) {
    const Bytes seq = big_endian(number);
    if (!control(c.get(), "tlstree", seq.data())) return false;
    int len = 0;
    if (!EVP_CipherUpdate(c.get(), record.data(), &len, record.data(), static_cast<int>(record.size()))) return false;
    void* mac = nullptr;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_ptr("tls-mac", &mac, suite.n()), OSSL_PARAM_construct_end()};
    if (!EVP_CIPHER_CTX_get_params(c.get(), params) || mac != record.data() + len) return false;
    const Bytes sent(record.begin() + len, record.end());
    record.resize(static_cast<size_t>(len));
    return mac_of(number, record) == sent;
  }

  const RecordSuite& suite;
  CipherCtx c;
  MacCtx m;
  bool sending;
};

Bytes slow_record(const RecordSuite& s, uint64_t number, const Bytes& text) {
  const Bytes seq = big_endian(number), header = header_of(text.size());
  Bytes record = text, mac(s.n()), iv = iv_of(s);
  vsh_mac* m = nullptr;
  EXPECT_EQ(vsh_mac_new(&m, s.n() == 16 ? VSH_KUZNYECHIK_MAC : VSH_MAGMA_MAC, record_key(s, kMacKey, number).data(), 32,
                        nullptr),
            VSH_OK);
  for (const Bytes* part : {&seq, &header, &text}) EXPECT_EQ(vsh_mac_update(m, part->data(), part->size()), VSH_OK);
  EXPECT_EQ(vsh_mac_final(m, mac.data(), mac.size()), VSH_OK);
  vsh_mac_free(m);
  record.insert(record.end(), mac.begin(), mac.end());
  // IV + number, modulo 2^(n/2)
  uint64_t sum = 0;
  for (const uint8_t byte : iv) sum = sum << 8 | byte;
  sum += number;
  for (size_t i = 0; i < iv.size(); ++i) iv[iv.size() - 1 - i] = static_cast<uint8_t>(sum >> 8 * i);
  size_t len = 0;
  EXPECT_EQ(vsh_encrypt(record.data(), record.size(), &len, s.block, VSH_CTR_ACPKM, record_key(s, kKey, number).data(),
                        32, iv.data(), iv.size(), record.data(), record.size(), nullptr),
            VSH_OK);
  return record;
}

struct Connection {
  explicit Connection(const RecordSuite& s)
      : writer(s, true, kKey, kMacKey, iv_of(s)), reader(s, false, kKey, kMacKey, iv_of(s)) {}
  RecordLayer writer, reader;
};

TEST(EvpTls12Records, Examples) {
  for (const RecordSuite& s : kTls12) {
    for (const auto& r : vec::read("records.vec", s.name,
                                   {"Key", "MacKey", "IV", "Seqnum", "Aad", "Unit", "Count", "Tag", "Offset", "Out"})) {
      SCOPED_TRACE(r.where());
      const Bytes text(r.number("Count"), r.bytes("Unit")[0]), expected = r.bytes("Out");
      RecordLayer writer(s, true, r.bytes("Key"), r.bytes("MacKey"), r.bytes("IV"));
      RecordLayer reader(s, false, r.bytes("Key"), r.bytes("MacKey"), r.bytes("IV"));
      EXPECT_EQ(header_of(text.size()), r.bytes("Aad"));
      EXPECT_EQ(writer.mac_of(r.number("Seqnum"), text), r.bytes("Tag"));
      Bytes record = text;
      ASSERT_TRUE(writer.send(r.number("Seqnum"), record)) << errors();
      ASSERT_LE(r.number("Offset") + expected.size(), record.size());
      const auto at = record.begin() + static_cast<long>(r.number("Offset"));
      EXPECT_EQ(Bytes(at, at + static_cast<long>(expected.size())), expected);
      ASSERT_TRUE(reader.receive(r.number("Seqnum"), record)) << errors();
      EXPECT_EQ(record, text);
    }
  }
}

TEST(EvpTls12Records, ManyAreTheDefinitionsAtAllLevels) {
  SCOPED_TRACE(seed_note());
  Random random(71);
  for (const RecordSuite& s : kTls12) {
    Connection connection(s);
    RecordNumbers numbers(s, random);
    for (size_t i = 0; i < number_of_records() / std::size(kTls12); ++i) {
      const uint64_t number = numbers.next();
      const Bytes text = random.bytes(random.below(i % 64 ? 40 : 9000));  // beyond sections of ACPKM
      Bytes record = text;
      ASSERT_TRUE(connection.writer.send(number, record)) << s.name << " " << number << "\n" << errors();
      ASSERT_EQ(record, slow_record(s, number, text)) << s.name << " " << number;
      ASSERT_TRUE(connection.reader.receive(number, record)) << s.name << " " << number << "\n" << errors();
      ASSERT_EQ(record, text) << s.name << " " << number;
    }
  }
}

TEST(EvpTls12Records, EveryChangeOfALevelAndTheLastRecord) {
  Random random(72);
  for (const RecordSuite& s : kTls12) {
    Connection connection(s);
    const Bytes text = random.bytes(100);
    for (const uint64_t number : numbers_around_changes(s, random)) {
      Bytes record = text;
      ASSERT_TRUE(connection.writer.send(number, record)) << s.name << " " << number << "\n" << errors();
      EXPECT_EQ(record, slow_record(s, number, text)) << s.name << " " << number;
      ASSERT_TRUE(connection.reader.receive(number, record)) << errors();
    }
    if (s.max == UINT64_MAX) continue;
    for (const uint64_t beyond : {s.max + 1, UINT64_MAX - 1}) {  // RFC 9189 4.3.5: SNMAX
      const Bytes seq = big_endian(beyond), next = big_endian(beyond + 1);
      EXPECT_FALSE(control(connection.writer.c.get(), "tlstree", seq.data())) << s.name << " " << beyond;
      EXPECT_FALSE(control(connection.writer.c.get(), "tlstree", next.data(), 1)) << s.name << " " << beyond;
      EXPECT_FALSE(control(connection.writer.m.get(), "tlstree", seq.data())) << s.name << " " << beyond;
    }
    EXPECT_NE(errors().find(vsh_status_message(VSH_E_LIMIT)), std::string::npos);
  }
}

TEST(EvpTls12Records, ForgedAndTruncatedOnes) {
  Random random(73);
  for (const RecordSuite& s : kTls12) {
    SCOPED_TRACE(s.name);
    Connection connection(s);
    Bytes sealed = random.bytes(30);
    ASSERT_TRUE(connection.writer.send(70, sealed));
    const auto opens = [&](Bytes record, uint64_t number) { return connection.reader.receive(number, record); };
    EXPECT_TRUE(opens(sealed, 70));
    for (size_t i = 0; i < sealed.size(); ++i) {
      Bytes forged = sealed;
      forged[i] ^= 0x10;
      EXPECT_FALSE(opens(forged, 70)) << i;
    }
    for (size_t len = 0; len < sealed.size(); ++len) {
      const Bytes cut(sealed.begin(), sealed.begin() + static_cast<long>(len));
      EXPECT_FALSE(opens(cut, 70)) << len;
      EXPECT_EQ(errors().empty(), len >= s.n()) << len;  // shorter than a MAC: refused, not underflowed
    }
    EXPECT_FALSE(opens(sealed, 71));
    EXPECT_FALSE(opens(sealed, 70 + ~s.c3 + 1));
    EXPECT_TRUE(opens(sealed, 70)) << errors();
  }
}

TEST(EvpTls12Records, CopiesInTheMiddleOfARecord) {
  for (const RecordSuite& s : kTls12) {
    SCOPED_TRACE(s.name);
    Connection connection(s);
    const Bytes text = Random(74).bytes(200), expected = slow_record(s, 99, text), seq = big_endian(99);
    Bytes whole = text, out;
    const Bytes mac = connection.writer.mac_of(99, text);
    whole.insert(whole.end(), mac.begin(), mac.end());
    CipherCtx& c = connection.writer.c;
    ASSERT_TRUE(control(c.get(), "tlstree", seq.data()) && update(c.get(), out, whole.data(), 77)) << errors();
    const CipherCtx copy(EVP_CIPHER_CTX_new());
    ASSERT_TRUE(EVP_CIPHER_CTX_copy(copy.get(), c.get())) << errors();
    const Bytes other = big_endian(5000);
    Bytes elsewhere;
    ASSERT_TRUE(control(c.get(), "tlstree", other.data()) && update(c.get(), elsewhere, whole.data(), 50));
    c.reset();
    ASSERT_TRUE(update(copy.get(), out, whole.data() + 77, whole.size() - 77)) << errors();
    EXPECT_EQ(out, expected);
    for (const uint64_t number : {uint64_t{99}, uint64_t{5000}}) {  // the copy makes its own tree
      const Bytes again = big_endian(number);
      out.clear();
      ASSERT_TRUE(control(copy.get(), "tlstree", again.data()) && update(copy.get(), out, whole.data(), 200));
      const Bytes slow = slow_record(s, number, text);
      EXPECT_EQ(out, Bytes(slow.begin(), slow.begin() + 200)) << number;
    }
  }
}

// Contexts of ciphers and of MACs that are copies of each other share nothing.
TEST(EvpTls12Records, TwoThreads) {
  for (const RecordSuite& s : kTls12) {
    Connection first(s), second(s);
    for (const auto layer : {&Connection::writer, &Connection::reader}) {
      Bytes record = kKey;  // so that there is a tree, and a key of it
      ASSERT_TRUE((first.*layer).sending ? (first.*layer).send(3, record) : !(first.*layer).receive(3, record));
      ASSERT_TRUE(EVP_CIPHER_CTX_copy((second.*layer).c.get(), (first.*layer).c.get())) << errors();
      (second.*layer).m.reset(EVP_MAC_CTX_dup((first.*layer).m.get()));
    }
    size_t wrong[2] = {};
    const auto run = [&](Connection& connection, size_t& failures, uint64_t from) {
      for (uint64_t number = from; number < from + 1500; ++number) {
        const Bytes text = Random(number).bytes(1 + number % 50);
        Bytes record = text;
        failures += !connection.writer.send(number, record);
        failures += number % 50 == 0 && record != slow_record(s, number, text);
        failures += !connection.reader.receive(number, record) || record != text;
      }
    };
    std::thread other(run, std::ref(second), std::ref(wrong[1]), 0xfff0);
    run(first, wrong[0], 0);
    other.join();
    EXPECT_EQ(wrong[0] + wrong[1], 0u) << s.name;
  }
}

TEST(EvpTls12Parameters, Numbers) {
  for (const RecordSuite& s : kTls12) {
    SCOPED_TRACE(s.name);
    Connection connection(s);
    EVP_CIPHER_CTX* const c = connection.writer.c.get();
    EVP_MAC_CTX* const m = connection.writer.m.get();
    const Bytes one = big_endian(1), zero(8);
    for (size_t len = 0; len <= 20; ++len) {
      Bytes exact = one;
      exact.resize(std::max<size_t>(len, 8));
      EXPECT_EQ(control(c, "tlstree", exact.data(), len), len == 0 || len == 1 || len == 8) << len;
      EXPECT_EQ(control(m, "tlstree", exact.data(), len), len == 0 || len == 8) << len;
    }
    EXPECT_FALSE(control(c, "tlstree", zero.data(), 1)) << "no record is before the first";
    for (const size_t len : {0, 1, 8}) {
      EXPECT_FALSE(control(c, "tlstree", nullptr, len)) << len;
      EXPECT_FALSE(control(m, "tlstree", nullptr, len)) << len;
    }
    uint64_t number = 1;
    const OSSL_PARAM integer[] = {OSSL_PARAM_construct_uint64("tlstree", &number), OSSL_PARAM_construct_end()};
    EXPECT_FALSE(EVP_CIPHER_CTX_set_params(c, integer));
    EXPECT_FALSE(EVP_MAC_CTX_set_params(m, integer));
    errors();
    // Nothing passes under the root, nor under a former number, after one that was refused.
    uint8_t byte = 0;
    int len = 0;
    EXPECT_FALSE(EVP_CipherUpdate(c, &byte, &len, &byte, 1));
    EXPECT_FALSE(EVP_MAC_update(m, &byte, 1));
    EXPECT_NE(errors().find("no record's sequence number"), std::string::npos);
  }
  for (const char* name : {"gost-mac", "gost-mac-12", "kuznyechik-omac-acpkm"}) {
    const Mac mac = vershina().mac(name);
    const MacCtx m(EVP_MAC_CTX_new(mac.get()));
    const Bytes zero(8);
    ASSERT_TRUE(EVP_MAC_init(m.get(), kKey.data(), 32, nullptr));
    EXPECT_FALSE(control(m.get(), "tlstree", zero.data())) << name;
  }
  errors();
}

// Neither the message before it, a record or not, goes on behind a number that is refused.
TEST(EvpTls12Parameters, RefusedNumbersEndTheMessage) {
  const Bytes five = big_endian(5), text(20, 3);
  for (const RecordSuite& s : kTls12) {
    SCOPED_TRACE(s.name);
    for (const bool in_record : {false, true}) {
      for (const uint64_t refused : {uint64_t{0}, s.max + 1}) {  // 0: of a wrong length
        if (refused && s.max == UINT64_MAX) continue;
        const CipherCtx c = start(vershina(), s.cipher, true);
        Bytes out;
        ASSERT_TRUE(!in_record || control(c.get(), "tlstree", five.data())) << errors();
        ASSERT_TRUE(update(c.get(), out, text.data(), 20)) << errors();
        EXPECT_FALSE(control(c.get(), "tlstree", big_endian(refused).data(), refused ? 8 : 3));
        errors();
        EXPECT_FALSE(update(c.get(), out, text.data(), 20)) << in_record;
        EXPECT_NE(errors().find("no record's sequence number"), std::string::npos);
        ASSERT_TRUE(control(c.get(), "tlstree", five.data()));
        EXPECT_TRUE(update(c.get(), out, text.data(), 20)) << errors();
      }
    }
  }
}

// A context whose first number was refused is none for messages without records: only a key makes it one.
TEST(EvpTls12Parameters, NothingPassesUnderTheRootBehindARefusedFirstNumber) {
  const Bytes zero(8), text(20, 3);
  for (const RecordSuite& s : kTls12) {
    SCOPED_TRACE(s.name);
    const CipherCtx c = start(vershina(), s.cipher, true);
    const auto encrypts = [&](const uint8_t* key) {
      Bytes out;
      return EVP_CipherInit_ex(c.get(), nullptr, nullptr, key, kIv.data(), 1) && update(c.get(), out, text.data(), 20);
    };
    EXPECT_FALSE(control(c.get(), "tlstree", zero.data(), 7));
    EXPECT_FALSE(encrypts(nullptr));
    EXPECT_NE(errors().find("no record's sequence number"), std::string::npos);
    EXPECT_TRUE(encrypts(kKey.data())) << errors();

    const Mac mac = vershina().mac(s.mode);
    MacCtx m(EVP_MAC_CTX_new(mac.get()));
    const auto authenticates = [&](const uint8_t* key) {
      Bytes tag(s.n());
      size_t len = 0;
      return EVP_MAC_init(m.get(), key, key ? 32 : 0, nullptr) && EVP_MAC_update(m.get(), text.data(), 20) &&
             EVP_MAC_final(m.get(), tag.data(), &len, tag.size());
    };
    ASSERT_TRUE(EVP_MAC_init(m.get(), kKey.data(), 32, nullptr));
    EXPECT_FALSE(control(m.get(), "tlstree", zero.data(), 7));
    errors();
    EXPECT_FALSE(EVP_MAC_update(m.get(), text.data(), 20));
    EXPECT_FALSE(authenticates(nullptr));
    m.reset(EVP_MAC_CTX_dup(m.get()));
    EXPECT_FALSE(authenticates(nullptr));
    EXPECT_NE(errors().find("no record's sequence number"), std::string::npos);
    ASSERT_TRUE(control(m.get(), "tlstree", zero.data()) && authenticates(nullptr)) << errors();
    EXPECT_TRUE(authenticates(kKey.data())) << errors();

    // Within a message, which it lets end.
    Bytes tag(s.n());
    size_t len = 0;
    ASSERT_TRUE(EVP_MAC_init(m.get(), kKey.data(), 32, nullptr) && EVP_MAC_update(m.get(), text.data(), 20));
    EXPECT_FALSE(control(m.get(), "tlstree", zero.data()));
    ASSERT_TRUE(EVP_MAC_final(m.get(), tag.data(), &len, tag.size())) << errors();
    EXPECT_FALSE(authenticates(nullptr));
    errors();

    // Behind another parameter, which is refused.
    size_t wrong = 99;
    Bytes number = zero;
    const OSSL_PARAM of_mac[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &wrong),
                                 OSSL_PARAM_construct_octet_string("tlstree", number.data(), 8),
                                 OSSL_PARAM_construct_end()};
    EXPECT_FALSE(EVP_MAC_init(m.get(), kKey.data(), 32, of_mac));
    EXPECT_FALSE(authenticates(nullptr));
    const OSSL_PARAM of_cipher[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &wrong), of_mac[1],
                                    of_mac[2]};
    EXPECT_FALSE(EVP_CIPHER_CTX_set_params(c.get(), of_cipher));
    errors();
    Bytes out;
    EXPECT_FALSE(update(c.get(), out, text.data(), 20)) << "the last message goes on";
    EXPECT_NE(errors().find("no record's sequence number"), std::string::npos);
  }
}

TEST(EvpTls12Parameters, WrongOrderAndNewKeys) {
  const Bytes zero(8), text(40, 3), second(kKey.begin() + 32, kKey.end());
  for (const RecordSuite& s : kTls12) {
    SCOPED_TRACE(s.name);
    const Cipher cipher = vershina().cipher(s.cipher);
    CipherCtx c(EVP_CIPHER_CTX_new());
    ASSERT_TRUE(EVP_CipherInit_ex(c.get(), cipher.get(), nullptr, nullptr, nullptr, 1));
    EXPECT_FALSE(control(c.get(), "tlstree", zero.data()));
    EXPECT_NE(errors().find("no key is set"), std::string::npos);
    ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, kKey.data(), nullptr, 1));
    EXPECT_FALSE(control(c.get(), "tlstree", zero.data()));
    EXPECT_NE(errors().find("no IV is set"), std::string::npos);
    // A new IV of the connection needs a number, a new key makes it a message without records again.
    c = start(vershina(), s.cipher, true);
    Bytes out;
    ASSERT_TRUE(control(c.get(), "tlstree", zero.data()) && update(c.get(), out, text.data(), 40)) << errors();
    ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, kIv.data(), 1));
    EXPECT_FALSE(update(c.get(), out, text.data(), 40));
    EXPECT_NE(errors().find("no record's sequence number"), std::string::npos);
    ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, second.data(), kIv.data(), 1));
    out.clear();
    ASSERT_TRUE(update(c.get(), out, text.data(), 40)) << errors();
    const CipherName plain = {s.cipher, s.block, VSH_CTR_ACPKM, false};
    EXPECT_EQ(out, reference(plain, true, text, plain.options(), second));

    const Mac mac = vershina().mac(s.mode);
    const MacCtx m(EVP_MAC_CTX_new(mac.get()));
    EXPECT_FALSE(control(m.get(), "tlstree", zero.data()));
    EXPECT_NE(errors().find("no key is set"), std::string::npos);
    ASSERT_TRUE(EVP_MAC_init(m.get(), kKey.data(), 32, nullptr) && EVP_MAC_update(m.get(), text.data(), 5));
    EXPECT_FALSE(control(m.get(), "tlstree", zero.data()));
    EXPECT_NE(errors().find("within a message"), std::string::npos);
    // Key and number in one call; then a key alone, which ends the records.
    Bytes number = big_endian(5), tag(s.n()), expected(s.n());
    size_t len = 0;
    const OSSL_PARAM both[] = {OSSL_PARAM_construct_octet_string("tlstree", number.data(), 0),
                               OSSL_PARAM_construct_octet_string("key", const_cast<uint8_t*>(kKey.data()), 32),
                               OSSL_PARAM_construct_end()};
    const auto tag_is_under = [&](const Bytes& key) {
      vsh_mac* slow = nullptr;
      vsh_mac_new(&slow, s.n() == 16 ? VSH_KUZNYECHIK_MAC : VSH_MAGMA_MAC, key.data(), 32, nullptr);
      vsh_mac_update(slow, text.data(), 40);
      vsh_mac_final(slow, expected.data(), s.n());
      vsh_mac_free(slow);
      return EVP_MAC_update(m.get(), text.data(), 40) && EVP_MAC_final(m.get(), tag.data(), &len, tag.size()) &&
             tag == expected;
    };
    ASSERT_TRUE(EVP_MAC_init(m.get(), nullptr, 0, both)) << errors();
    EXPECT_TRUE(tag_is_under(record_key(s, kKey, 5)));
    ASSERT_TRUE(EVP_MAC_init(m.get(), nullptr, 0, nullptr)) << errors();
    EXPECT_TRUE(tag_is_under(record_key(s, kKey, 5))) << "the record stays";
    ASSERT_TRUE(EVP_MAC_init(m.get(), second.data(), 32, nullptr)) << errors();
    EXPECT_TRUE(tag_is_under(second));
  }
}

TEST(EvpTls12Parameters, TheMacsPlace) {
  const CipherCtx c = start(vershina(), "kuznyechik-ctr-acpkm", false);
  int version = 0x0303;
  size_t len = 17;
  const auto set = [&](OSSL_PARAM p) {
    const OSSL_PARAM params[] = {p, OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(c.get(), params) != 0;
  };
  EXPECT_FALSE(set(OSSL_PARAM_construct_size_t("tls-mac-size", &len)));
  EXPECT_FALSE(set(OSSL_PARAM_construct_octet_string("tls-mac-size", &len, 8)));
  EXPECT_FALSE(set(OSSL_PARAM_construct_octet_string("tls-version", &version, 4)));
  len = 16;
  ASSERT_TRUE(set(OSSL_PARAM_construct_size_t("tls-mac-size", &len)));
  Bytes out;
  ASSERT_TRUE(update(c.get(), out, kKey.data(), 20));
  EXPECT_EQ(out.size(), 20u) << "without tls-version nothing is kept back";
  ASSERT_TRUE(set(OSSL_PARAM_construct_int("tls-version", &version)));
  uint8_t copied[16];
  void* mac = copied;
  OSSL_PARAM as_bytes[] = {OSSL_PARAM_construct_octet_string("tls-mac", copied, 16), OSSL_PARAM_construct_end()};
  OSSL_PARAM as_pointer[] = {OSSL_PARAM_construct_octet_ptr("tls-mac", &mac, 16), OSSL_PARAM_construct_end()};
  ASSERT_TRUE(EVP_CIPHER_CTX_get_params(c.get(), as_pointer));
  EXPECT_EQ(mac, nullptr) << "before there is one";
  EXPECT_FALSE(EVP_CIPHER_CTX_get_params(c.get(), as_bytes));
  errors();
}

}  // namespace
}  // namespace vsh::test::evp
