// Records of TLS 1.3 (RFC 9367): EVP is called in the order of ssl/record/methods/tls13_meth.c of OpenSSL 3.2 to 3.6
// with the GOST engine's patch, which is that of ssl/record/ssl3_record_tls13.c of 3.0 too.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "openssl/support/records.hpp"
#include "support/vec.hpp"

namespace vsh::test::evp {
namespace {

using Number = uint64_t;

// One direction of a connection. Nothing is checked beyond what OpenSSL checks.
struct RecordLayer {
  RecordLayer(const Library& library, const char* name, const char* mode, const Bytes& key, const Bytes& static_iv,
              bool is_sending)
      : c(EVP_CIPHER_CTX_new()), iv(static_iv), tag_len(iv.size()), sending(is_sending) {
    const Cipher cipher = library.cipher(name);
    is_ready = EVP_CipherInit_ex(c.get(), cipher.get(), nullptr, nullptr, nullptr, sending) > 0 &&
               EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv.size()), nullptr) > 0 &&
               EVP_CipherInit_ex(c.get(), nullptr, nullptr, key.data(), nullptr, sending) > 0 &&
               control(c.get(), "tlstree_mode", mode);
    EXPECT_TRUE(is_ready) << name << " " << mode << "\n" << errors();
  }

  // record: content with its type, or ciphertext with its tag; processed in place. header: as on the wire.
  bool process(Number number, Bytes& record) {
    const Bytes seq = big_endian(number);
    if (!sending && record.size() < tag_len + 1) return false;
    const size_t len = record.size() - (sending ? 0 : tag_len), wire = len + tag_len;
    record.resize(wire);
    Bytes nonce = iv;
    for (size_t i = 0; i < 8; ++i) nonce[nonce.size() - 8 + i] ^= seq[i];
    const Bytes header = {23, 3, 3, static_cast<uint8_t>(wire >> 8), static_cast<uint8_t>(wire)};
    if (!control(c.get(), "tlstree", seq.data())) return false;
    int written = 0, last = 0;
    const int tag_size = static_cast<int>(tag_len);
    if (EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, nonce.data(), sending) <= 0 ||
        (!sending && EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_SET_TAG, tag_size, record.data() + len) <= 0))
      return false;
    if (EVP_CipherUpdate(c.get(), nullptr, &written, header.data(), static_cast<int>(header.size())) <= 0 ||
        EVP_CipherUpdate(c.get(), record.data(), &written, record.data(), static_cast<int>(len)) <= 0 ||
        EVP_CipherFinal_ex(c.get(), record.data() + written, &last) <= 0 || static_cast<size_t>(written + last) != len)
      return false;
    if (sending) return EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_GET_TAG, tag_size, record.data() + len) > 0;
    record.resize(len);
    return true;
  }

  CipherCtx c;
  Bytes iv;
  size_t tag_len;  // of both ciphers a block, as IV and nonce are
  bool sending, is_ready = false;
};

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// MGM as RFC 9058 defines it: single blocks of ECB, and products bit by bit.
class SlowMgm {
 public:
  SlowMgm(vsh_cipher_algorithm block, const Bytes& key) : n_(vsh_block_len(block)) {
    vsh_options o = VSH_OPTIONS_INIT;
    o.padding = VSH_PADDING_NONE;
    EXPECT_EQ(vsh_cipher_new(&ecb_, block, VSH_ECB, VSH_ENCRYPT, key.data(), 32, nullptr, 0, &o), VSH_OK);
  }
  SlowMgm(const SlowMgm&) = delete;
  ~SlowMgm() { vsh_cipher_free(ecb_); }

  Bytes seal(Bytes nonce, const Bytes& data, Bytes text) {
    nonce[0] &= 0x7f;
    Bytes y = encrypt(nonce);
    for (size_t i = 0; i < text.size(); ++i) {
      if (i % n_ == 0) keystream_ = encrypt(y), increment(y, n_ / 2, n_);
      text[i] ^= keystream_[i % n_];
    }
    nonce[0] |= 0x80;
    z_ = encrypt(nonce);
    sum_.assign(n_, 0);
    absorb(data);
    absorb(text);
    Bytes lengths(n_);
    for (size_t i = 0; i < n_ / 2; ++i) {
      const size_t shift = 8 * (n_ / 2 - 1 - i);
      lengths[i] = static_cast<uint8_t>(8 * data.size() >> shift);
      lengths[n_ / 2 + i] = static_cast<uint8_t>(8 * text.size() >> shift);
    }
    absorb(lengths);
    return text + encrypt(sum_);
  }

 private:
  Bytes encrypt(const Bytes& block) {
    Bytes out(n_);
    size_t len = 0;
    EXPECT_EQ(vsh_cipher_update(ecb_, out.data(), n_, &len, block.data(), n_), VSH_OK);
    return out;
  }
  static void increment(Bytes& block, size_t from, size_t to) {
    while (to-- > from && ++block[to] == 0) {
    }
  }
  void absorb(const Bytes& in) {
    for (size_t at = 0; at < in.size(); at += n_) {
      Bytes block(in.begin() + static_cast<long>(at), in.begin() + static_cast<long>(std::min(at + n_, in.size())));
      block.resize(n_);
      add_product(encrypt(z_), block);
      increment(z_, 0, n_ / 2);
    }
  }
  // x^128 + x^7 + x^2 + x + 1, x^64 + x^4 + x^3 + x + 1; the first bit is the highest power.
  void add_product(const Bytes& a, Bytes b) {
    for (size_t bit = 0; bit < 8 * n_; ++bit) {
      if (a[n_ - 1 - bit / 8] >> bit % 8 & 1)
        for (size_t i = 0; i < n_; ++i) sum_[i] ^= b[i];
      const bool carry = b[0] & 0x80;
      for (size_t i = 0; i < n_; ++i) b[i] = static_cast<uint8_t>(b[i] << 1 | (i + 1 < n_ ? b[i + 1] >> 7 : 0));
      if (carry) b[n_ - 1] ^= n_ == 16 ? 0x87 : 0x1b;
    }
  }

  vsh_cipher* ecb_ = nullptr;
  const size_t n_;
  Bytes keystream_, z_, sum_;
};

// The record by the definitions: its own key, derived from the root; MGM under it.
Bytes slow_record(const RecordSuite& s, const Bytes& root, const Bytes& iv, Number number, const Bytes& text) {
  const Bytes seq = big_endian(number);
  Bytes nonce = iv;
  for (size_t i = 0; i < 8; ++i) nonce[nonce.size() - 8 + i] ^= seq[i];
  const size_t wire = text.size() + s.n();
  return SlowMgm(s.block, record_key(s, root, number))
      .seal(nonce, {23, 3, 3, static_cast<uint8_t>(wire >> 8), static_cast<uint8_t>(wire)}, text);
}

Bytes iv_of(const RecordSuite& s) { return Bytes(kIv.begin(), kIv.begin() + static_cast<long>(s.n())); }

struct Connection {
  explicit Connection(const RecordSuite& s, const Library& library = vershina())
      : writer(library, s.cipher, s.mode, kKey, iv_of(s), true),
        reader(library, s.cipher, s.mode, kKey, iv_of(s), false) {}
  RecordLayer writer, reader;
};

TEST(EvpTls13Records, RfcExamplesWhateverTheFirstBitAndTheConfiguration) {
  const ConfiguredLibrary ignoring("ignore-first-bit = yes"), strict("ignore-first-bit = no");
  const struct {
    const char *section, *cipher, *mode;
  } kSections[] = {{"kuznyechik-mgm-s", "kuznyechik-mgm", "strong"}, {"magma-mgm-l", "magma-mgm", "light"}};
  for (const auto& s : kSections)
    for (const auto& r : vec::read("records.vec", s.section, {"Key", "IV", "Seqnum", "Aad", "In", "Out", "Tag"}))
      for (const Library* library : std::initializer_list<const Library*>{&vershina(), &ignoring, &strict})
        for (const uint8_t first_bit : {0, 0x80}) {
          SCOPED_TRACE(r.where());
          Bytes iv = r.bytes("IV"), record = r.bytes("In");
          iv[0] ^= first_bit;
          RecordLayer writer(*library, s.cipher, s.mode, r.bytes("Key"), iv, true);
          RecordLayer reader(*library, s.cipher, s.mode, r.bytes("Key"), iv, false);
          ASSERT_TRUE(writer.process(r.number("Seqnum"), record)) << errors();
          EXPECT_EQ(record, r.bytes("Out") + r.bytes("Tag"));
          EXPECT_EQ(r.bytes("Aad")[4], record.size() & 0xff);
          ASSERT_TRUE(reader.process(r.number("Seqnum"), record)) << errors();
          EXPECT_EQ(record, r.bytes("In"));
        }
}

TEST(EvpTls13Records, ManyAreTheDefinitionsAtAllLevels) {
  SCOPED_TRACE(seed_note());
  Random random(60);
  for (const RecordSuite& s : kTls13) {
    Connection connection(s);
    RecordNumbers numbers(s, random);
    for (size_t i = 0; i < number_of_records() / std::size(kTls13); ++i) {
      const Number number = numbers.next();
      const Bytes text = random.bytes(1 + random.below(i % 64 ? 40 : 400));
      Bytes record = text;
      ASSERT_TRUE(connection.writer.process(number, record)) << s.name << " " << number << "\n" << errors();
      ASSERT_EQ(record, slow_record(s, kKey, iv_of(s), number, text)) << s.name << " " << number;
      ASSERT_TRUE(connection.reader.process(number, record)) << s.name << " " << number << "\n" << errors();
      ASSERT_EQ(record, text) << s.name << " " << number;
    }
  }
}

TEST(EvpTls13Records, EveryChangeOfALevelAndTheLastRecord) {
  Random random(61);
  for (const RecordSuite& s : kTls13) {
    Connection connection(s);
    const Bytes text = random.bytes(100);
    for (const Number number : numbers_around_changes(s, random)) {
      Bytes record = text;
      ASSERT_TRUE(connection.writer.process(number, record)) << s.name << " " << number << "\n" << errors();
      EXPECT_EQ(record, slow_record(s, kKey, iv_of(s), number, text)) << s.name << " " << number;
      ASSERT_TRUE(connection.reader.process(number, record)) << errors();
    }
    if (s.max == UINT64_MAX) continue;
    for (const Number beyond : {s.max + 1, s.max + 2, UINT64_MAX}) {
      Bytes record = text;
      EXPECT_FALSE(connection.writer.process(beyond, record)) << s.name << " " << beyond;
      EXPECT_NE(errors().find(vsh_status_message(VSH_E_LIMIT)), std::string::npos);
    }
  }
}

TEST(EvpTls13Records, ForgedAndTruncatedOnes) {
  Random random(62);
  for (const RecordSuite& s : kTls13) {
    SCOPED_TRACE(s.name);
    Connection connection(s);
    Bytes sealed = random.bytes(50);
    ASSERT_TRUE(connection.writer.process(9, sealed));
    const auto opens = [&](Bytes record, Number number) { return connection.reader.process(number, record); };
    EXPECT_TRUE(opens(sealed, 9));
    for (size_t i = 0; i < sealed.size(); ++i) {
      Bytes forged = sealed;
      forged[i] ^= static_cast<uint8_t>(1 << random.below(8));
      EXPECT_FALSE(opens(forged, 9)) << i;
    }
    for (size_t len = 0; len < sealed.size(); ++len)
      EXPECT_FALSE(opens(Bytes(sealed.begin(), sealed.begin() + static_cast<long>(len)), 9)) << len;
    EXPECT_FALSE(opens(sealed + Bytes(1), 9));
    // Another record's number: another nonce, and beyond a level another key.
    for (const Number number : {Number{8}, Number{10}, Number{9 ^ (~s.c3 + 1)}, Number{9 ^ (~s.c2 + 1)}})
      EXPECT_FALSE(opens(sealed, number)) << number;
    EXPECT_TRUE(opens(sealed, 9)) << "the context was spoilt by what it refused\n" << errors();
    errors();
  }
}

TEST(EvpTls13Records, CopiesAtAnyPoint) {
  for (const RecordSuite& s : kTls13) {
    const Bytes text = Random(63).bytes(100), header = {23, 3, 3, 0, static_cast<uint8_t>(100 + s.n())};
    const Bytes expected = slow_record(s, kKey, iv_of(s), 17, text);
    for (int at = 0; at < 8; ++at) {
      SCOPED_TRACE(std::string(s.name) + " " + std::to_string(at));
      const Cipher cipher = vershina().cipher(s.cipher);
      CipherCtx c(EVP_CIPHER_CTX_new());
      Bytes out(100), tag(s.n()), nonce = iv_of(s);
      nonce.back() ^= 17;
      const Bytes number = big_endian(17), other = big_endian(30);
      int len = 0;
      const auto go_on_with_copy = [&](int point) {
        if (point != at) return;
        CipherCtx copy(EVP_CIPHER_CTX_new());
        ASSERT_TRUE(EVP_CIPHER_CTX_copy(copy.get(), c.get())) << errors();
        // The original goes another way, to another key, and ends.
        control(c.get(), "tlstree_mode", s.mode);
        control(c.get(), "tlstree", other.data());
        EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, kIv.data(), 1);
        Bytes elsewhere(20);
        EVP_CipherUpdate(c.get(), elsewhere.data(), &len, text.data(), 20);
        errors();
        c = std::move(copy);
      };
      ASSERT_TRUE(EVP_CipherInit_ex(c.get(), cipher.get(), nullptr, kKey.data(), nullptr, 1));
      go_on_with_copy(0);
      ASSERT_TRUE(control(c.get(), "tlstree_mode", s.mode));
      go_on_with_copy(1);
      ASSERT_TRUE(control(c.get(), "tlstree", other.data()));
      go_on_with_copy(2);
      ASSERT_TRUE(control(c.get(), "tlstree", number.data())) << errors();
      go_on_with_copy(3);
      ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, nonce.data(), 1)) << errors();
      go_on_with_copy(4);
      ASSERT_TRUE(EVP_CipherUpdate(c.get(), nullptr, &len, header.data(), 5)) << errors();
      go_on_with_copy(5);
      ASSERT_TRUE(EVP_CipherUpdate(c.get(), out.data(), &len, text.data(), 33)) << errors();
      go_on_with_copy(6);
      ASSERT_TRUE(EVP_CipherUpdate(c.get(), out.data() + 33, &len, text.data() + 33, 67)) << errors();
      ASSERT_TRUE(EVP_CipherFinal_ex(c.get(), tag.data(), &len)) << errors();
      go_on_with_copy(7);
      if (at == 7) continue;  // the original, whose tag it is, is gone; what follows is the copy's next record
      ASSERT_TRUE(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag.size()), tag.data()) > 0);
      EXPECT_EQ(out + tag, expected);
    }
  }
}

// A copy makes its own tree, and records that follow have their own keys in both.
TEST(EvpTls13Records, CopiesGoOnApart) {
  for (const RecordSuite& s : kTls13) {
    SCOPED_TRACE(s.name);
    Connection one(s), two(s);
    const Bytes text = Random(64).bytes(60);
    Bytes record = text;
    ASSERT_TRUE(one.writer.process(5, record));
    ASSERT_TRUE(EVP_CIPHER_CTX_copy(two.writer.c.get(), one.writer.c.get())) << errors();
    for (const Number number : {Number{6}, ~s.c3 + 1, ~s.c2 + 1, Number{7}, s.max})
      for (Connection* connection : {&one, &two}) {
        record = text;
        ASSERT_TRUE(connection->writer.process(number, record)) << errors();
        EXPECT_EQ(record, slow_record(s, kKey, iv_of(s), number, text)) << number;
      }
  }
}

TEST(EvpTls13Records, TwoThreads) {
  for (const RecordSuite& s : kTls13) {
    Connection first(s), second(s);
    ASSERT_TRUE(EVP_CIPHER_CTX_copy(second.writer.c.get(), first.writer.c.get()));
    size_t wrong[2] = {};
    const auto run = [&](Connection& connection, size_t& failures, Number from) {
      for (Number number = from; number < from + 300; ++number) {
        const Bytes text = Random(number).bytes(1 + number % 50);
        Bytes record = text;
        failures += !connection.writer.process(number, record);
        failures += number % 50 == 0 && record != slow_record(s, kKey, iv_of(s), number, text);
        failures += !connection.reader.process(number, record) || record != text;
      }
    };
    std::thread other(run, std::ref(second), std::ref(wrong[1]), 0xfff0);
    run(first, wrong[0], 0);
    other.join();
    EXPECT_EQ(wrong[0] + wrong[1], 0u) << s.name;
  }
}

// A server that forks after the handshake.
TEST(EvpTls13Records, AcrossAFork) {
  const RecordSuite& s = kTls13[2];
  Connection connection(s);
  Bytes record = Random(65).bytes(40);
  const Bytes text = record;
  ASSERT_TRUE(connection.writer.process(7, record));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  record = text;
  const bool right = connection.writer.process(8, record) && record == slow_record(s, kKey, iv_of(s), 8, text);
  if (child == 0) _exit(right ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0 && right);
}

// ---- Parameters

CipherCtx keyed_context(const char* name) {
  const Cipher cipher = vershina().cipher(name);
  CipherCtx c(EVP_CIPHER_CTX_new());
  EXPECT_TRUE(EVP_CipherInit_ex(c.get(), cipher.get(), nullptr, kKey.data(), nullptr, 1)) << errors();
  return c;
}

bool set(EVP_CIPHER_CTX* c, OSSL_PARAM p) {
  const OSSL_PARAM params[] = {p, OSSL_PARAM_construct_end()};
  const bool ok = EVP_CIPHER_CTX_set_params(c, params);
  if (ok) errors();
  return ok;
}

TEST(EvpTls13Parameters, Numbers) {
  const CipherCtx c = keyed_context("kuznyechik-mgm");
  ASSERT_TRUE(control(c.get(), "tlstree_mode", "light"));
  for (size_t len = 0; len <= 40; ++len) {
    Bytes exact(len ? len : 8);  // the tests run under AddressSanitizer too: no byte beyond is read
    EXPECT_EQ(control(c.get(), "tlstree", exact.data(), len), len == 0 || len == 8) << len;
  }
  EXPECT_FALSE(control(c.get(), "tlstree", kKey.data(), SIZE_MAX));
  for (const size_t len : {0, 8}) EXPECT_FALSE(control(c.get(), "tlstree", nullptr, len)) << len;
  uint64_t number = 5;
  char text[] = "12345678";
  void* pointer = text;
  for (const unsigned type : {OSSL_PARAM_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_REAL, OSSL_PARAM_UTF8_STRING,
                              OSSL_PARAM_UTF8_PTR, OSSL_PARAM_OCTET_PTR, 0, 99})
    EXPECT_FALSE(set(c.get(), {"tlstree", type, type >= OSSL_PARAM_UTF8_PTR ? static_cast<void*>(&pointer) : &number, 8,
                               OSSL_PARAM_UNMODIFIED}))
        << type;
  EXPECT_NE(errors().find("wrong type"), std::string::npos);
}

TEST(EvpTls13Parameters, Modes) {
  const CipherCtx c = keyed_context("magma-mgm");
  const auto takes = [&](const std::string& word, size_t len, bool with_end = true) {
    std::vector<char> exact(word.begin(), word.end());
    if (with_end) exact.push_back(0);
    return control(c.get(), "tlstree_mode", exact.data(), len);
  };
  EXPECT_TRUE(takes("light", 0));
  EXPECT_TRUE(takes("strong", 0));
  EXPECT_TRUE(takes("light", 5, false));
  EXPECT_TRUE(takes("strong", 6, false));
  for (const char* word : {"", "l", "ligh", "lightly", "stron", "stronger", "Light", "STRONG", "weak", "none"})
    EXPECT_FALSE(takes(word, 0)) << word;
  EXPECT_FALSE(takes("strongl", 0, false));  // 7 bytes without an end, all that may be read
  EXPECT_FALSE(takes("lightxx", 0, false));
  for (size_t len = 1; len <= 40; ++len) {
    std::string light = "light", strong = "strong";
    light.resize(std::max<size_t>(len, 6));
    strong.resize(std::max<size_t>(len, 7));
    EXPECT_EQ(takes(light, len), len == 5) << len;
    EXPECT_EQ(takes(strong, len), len == 6) << len;
  }
  EXPECT_FALSE(control(c.get(), "tlstree_mode", "light", SIZE_MAX));
  for (const size_t len : {0, 5, 6}) EXPECT_FALSE(control(c.get(), "tlstree_mode", nullptr, len)) << len;
  char text[] = "light", *pointer = text;
  EXPECT_TRUE(set(c.get(), OSSL_PARAM_construct_utf8_string("tlstree_mode", text, 0)));
  EXPECT_TRUE(set(c.get(), OSSL_PARAM_construct_utf8_ptr("tlstree_mode", &pointer, 0)));
  for (const unsigned type : {OSSL_PARAM_INTEGER, OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_REAL, OSSL_PARAM_OCTET_PTR})
    EXPECT_FALSE(set(c.get(), {"tlstree_mode", type, text, 5, OSSL_PARAM_UNMODIFIED})) << type;
  errors();
}

TEST(EvpTls13Parameters, OtherCiphersRefuseThem) {
  const Bytes zero(8);
  for (const char* name : {"kuznyechik-ctr-acpkm-omac", "magma-ctr-acpkm-omac"}) {
    const CipherCtx c = keyed_context(name);
    EXPECT_FALSE(control(c.get(), "tlstree_mode", "light")) << name;
    EXPECT_FALSE(control(c.get(), "tlstree", zero.data())) << name;
  }
  for (const char* name : {"kuznyechik-ctr", "magma-cbc", "gost89-cnt"})
    EXPECT_FALSE(control(keyed_context(name).get(), "tlstree", zero.data())) << name;
  errors();
}

// Neither parameter out of order, nor one that was refused, lets a record pass under the root or under a former key.
TEST(EvpTls13Parameters, WrongOrder) {
  const Bytes zero(8), number = big_endian(100), text(20, 7);
  const auto encrypts = [&](const CipherCtx& c) {
    Bytes out;
    return EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, kIv.data(), 1) &&
           update(c.get(), out, text.data(), text.size()) && final(c.get(), out);
  };
  const auto refused_for = [&](const CipherCtx& c, const char* reason) {
    return !encrypts(c) && errors().find(reason) != std::string::npos;
  };
  constexpr const char *kNoNumber = "no record's sequence number", *kNoKey = "no key is set";
  for (const char* name : {"kuznyechik-mgm", "magma-mgm"}) {
    SCOPED_TRACE(name);
    const Cipher cipher = vershina().cipher(name);
    CipherCtx c = keyed_context(name);
    EXPECT_FALSE(control(c.get(), "tlstree", zero.data()));
    EXPECT_NE(errors().find("tlstree needs tlstree_mode"), std::string::npos);
    EXPECT_TRUE(refused_for(c, kNoNumber));
    c = keyed_context(name);
    EXPECT_FALSE(control(c.get(), "tlstree_mode", "weak"));
    errors();
    EXPECT_TRUE(refused_for(c, kNoNumber));
    ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, kKey.data(), nullptr, 1));
    EXPECT_TRUE(encrypts(c)) << errors();
    ASSERT_TRUE(control(c.get(), "tlstree_mode", "strong"));
    EXPECT_TRUE(refused_for(c, kNoNumber));
    ASSERT_TRUE(control(c.get(), "tlstree", zero.data()));
    EXPECT_TRUE(encrypts(c)) << errors();
    EXPECT_FALSE(control(c.get(), "tlstree", zero.data(), 7));
    errors();
    EXPECT_TRUE(refused_for(c, kNoNumber));
    ASSERT_TRUE(control(c.get(), "tlstree", zero.data()));
    EXPECT_TRUE(encrypts(c)) << errors();
    const Bytes beyond = big_endian(UINT64_MAX);
    EXPECT_FALSE(control(c.get(), "tlstree", beyond.data()));
    errors();
    EXPECT_TRUE(refused_for(c, kNoNumber));

    // A new key: the number belonged to the old one. The mode stays, as in gostprov.
    ASSERT_TRUE(control(c.get(), "tlstree", number.data()));
    ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, kKey.data() + 32, nullptr, 1));
    EXPECT_TRUE(refused_for(c, kNoNumber));
    ASSERT_TRUE(control(c.get(), "tlstree", number.data()));
    EXPECT_TRUE(encrypts(c)) << errors();
    // Another mode: likewise. The same once more changes nothing.
    ASSERT_TRUE(control(c.get(), "tlstree_mode", "strong"));
    EXPECT_TRUE(encrypts(c)) << errors();
    ASSERT_TRUE(control(c.get(), "tlstree_mode", "light"));
    EXPECT_TRUE(refused_for(c, kNoNumber));

    // Within a record neither changes.
    ASSERT_TRUE(control(c.get(), "tlstree", number.data()));
    ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, kIv.data(), 1));
    Bytes out;
    ASSERT_TRUE(update(c.get(), out, text.data(), 5)) << errors();
    EXPECT_FALSE(control(c.get(), "tlstree", zero.data()));
    EXPECT_FALSE(control(c.get(), "tlstree_mode", "strong"));
    EXPECT_NE(errors().find("within a message"), std::string::npos);
    EXPECT_TRUE(update(c.get(), out, text.data() + 5, 15) && final(c.get(), out)) << errors();
    EXPECT_TRUE(refused_for(c, kNoNumber)) << "the next record has none";
    for (const bool is_mode : {false, true}) {  // nor has the next message of a context without records
      c = keyed_context(name);
      ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, kIv.data(), 1));
      ASSERT_TRUE(update(c.get(), out, text.data(), 5)) << errors();
      EXPECT_FALSE(is_mode ? control(c.get(), "tlstree_mode", "light") : control(c.get(), "tlstree", zero.data()));
      ASSERT_TRUE(final(c.get(), out)) << errors();
      errors();
      EXPECT_TRUE(refused_for(c, kNoNumber)) << is_mode;
    }

    // Without a key.
    c.reset(EVP_CIPHER_CTX_new());
    ASSERT_TRUE(EVP_CipherInit_ex(c.get(), cipher.get(), nullptr, nullptr, nullptr, 1));
    ASSERT_TRUE(control(c.get(), "tlstree_mode", "light")) << errors();
    EXPECT_FALSE(control(c.get(), "tlstree", zero.data()));
    EXPECT_NE(errors().find(kNoKey), std::string::npos);
  }
}

// A key that changes in the middle of a record: the record is given up, and nothing of the old key remains in use.
TEST(EvpTls13Parameters, NewKeys) {
  const RecordSuite& s = kTls13[0];
  const Bytes text = Random(66).bytes(70), second(kKey.begin() + 32, kKey.end());
  Connection connection(s);
  Bytes record = text;
  ASSERT_TRUE(connection.writer.process(3, record));
  Bytes out;
  EVP_CIPHER_CTX* const c = connection.writer.c.get();
  ASSERT_TRUE(EVP_CipherInit_ex(c, nullptr, nullptr, nullptr, connection.writer.iv.data(), 1) &&
              update(c, out, text.data(), 10));
  ASSERT_TRUE(EVP_CipherInit_ex(c, nullptr, nullptr, second.data(), nullptr, 1)) << errors();
  record = text;
  ASSERT_TRUE(connection.writer.process(3, record)) << errors();  // the same number, so the same place in the tree
  EXPECT_EQ(record, slow_record(s, second, iv_of(s), 3, text));
}

// All that init takes at once, in either order of the parameters; and an IV with the first bit set.
TEST(EvpTls13Parameters, AllInOneCall) {
  for (const RecordSuite& s : kTls13)
    for (const bool number_first : {false, true}) {
      Bytes number = big_endian(40), iv = iv_of(s), out, tag(s.n());
      iv[0] |= 0x80;
      OSSL_PARAM params[] = {
          OSSL_PARAM_construct_octet_string("tlstree_mode", const_cast<char*>(s.mode), strlen(s.mode)),
          OSSL_PARAM_construct_octet_string("tlstree", number.data(), 8), OSSL_PARAM_construct_end()};
      if (number_first) std::swap(params[0], params[1]);
      const CipherCtx c = start(vershina(), s.cipher, true, kKey, iv, params);
      ASSERT_TRUE(update(c.get(), out, kKey.data(), 50) && final(c.get(), out)) << errors();
      ASSERT_TRUE(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(s.n()), tag.data()) > 0);
      EXPECT_EQ(out + tag, SlowMgm(s.block, record_key(s, kKey, 40)).seal(iv, {}, {kKey.begin(), kKey.begin() + 50}));
    }
}

// Before tlstree_mode is set a message is plain MGM, whose nonce is checked as configured.
TEST(EvpTls13Parameters, PlainMgmIsAsBefore) {
  Bytes iv = kIv;
  iv[0] |= 0x80;
  const CipherCtx c = keyed_context("kuznyechik-mgm");
  EXPECT_FALSE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, iv.data(), 1));
  errors();
  Bytes out;
  EXPECT_FALSE(update(c.get(), out, kKey.data(), 10)) << "a refused IV was used";
  iv[0] &= 0x7f;
  ASSERT_TRUE(EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, iv.data(), 1));
  out.clear();
  ASSERT_TRUE(update(c.get(), out, kKey.data(), 33) && final(c.get(), out)) << errors();
  const Bytes whole = SlowMgm(VSH_KUZNYECHIK, kKey).seal(iv, {}, {kKey.begin(), kKey.begin() + 33});
  EXPECT_EQ(out, Bytes(whole.begin(), whole.begin() + 33));
}

}  // namespace
}  // namespace vsh::test::evp
