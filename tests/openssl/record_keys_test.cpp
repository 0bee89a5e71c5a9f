// How often the provider derives the key of a record and sets a cipher or a MAC up: only where the number has another
// key than the record before. Values alone would not tell. The provider is linked in here, its calls are counted.
#include <algorithm>

#include "openssl/support/records.hpp"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace {

size_t num_derived = 0, num_set_up = 0;

}  // namespace

// ld's --wrap: the provider's calls come here.
extern "C" {

decltype(vsh_tlstree_key) __real_vsh_tlstree_key, __wrap_vsh_tlstree_key;
decltype(vsh_aead_new) __real_vsh_aead_new, __wrap_vsh_aead_new;
decltype(vsh_cipher_new) __real_vsh_cipher_new, __wrap_vsh_cipher_new;
decltype(vsh_mac_new) __real_vsh_mac_new, __wrap_vsh_mac_new;

vsh_status __wrap_vsh_tlstree_key(vsh_tlstree* tree, uint8_t* key, size_t len, uint64_t seqnum) {
  ++num_derived;
  return __real_vsh_tlstree_key(tree, key, len, seqnum);
}
vsh_status __wrap_vsh_aead_new(vsh_aead** c, vsh_aead_algorithm algorithm, const uint8_t* key, size_t len, size_t tag,
                               const vsh_options* options) {
  ++num_set_up;
  return __real_vsh_aead_new(c, algorithm, key, len, tag, options);
}
vsh_status __wrap_vsh_cipher_new(vsh_cipher** c, vsh_cipher_algorithm algorithm, vsh_mode mode, vsh_direction direction,
                                 const uint8_t* key, size_t len, const uint8_t* iv, size_t iv_len,
                                 const vsh_options* options) {
  ++num_set_up;
  return __real_vsh_cipher_new(c, algorithm, mode, direction, key, len, iv, iv_len, options);
}
vsh_status __wrap_vsh_mac_new(vsh_mac** c, vsh_mac_algorithm algorithm, const uint8_t* key, size_t len,
                              const vsh_options* options) {
  ++num_set_up;
  return __real_vsh_mac_new(c, algorithm, key, len, options);
}
}

namespace vsh::test::evp {
namespace {

class LinkedLibrary : public Library {
 public:
  LinkedLibrary() : Library({}) {
    OSSL_PROVIDER_add_builtin(context(), "vershina", OSSL_provider_init);
    add("vershina");
  }
};

// Numbers with the key of the one before, and those where the leaf, the level above or the first level change, there
// and back.
std::vector<uint64_t> numbers_of(const RecordSuite& s) {
  const uint64_t span = ~s.c3 + 1;
  std::vector<uint64_t> numbers;
  for (const uint64_t change : {span, 3 * span, ~s.c2 + 1, std::min(~s.c1 + 1, s.max + 1 - span), uint64_t{0}})
    for (const uint64_t at : {change - std::min<uint64_t>(change, 2), change - (change != 0), change, change,
                              change + span / 2, change + span - 1})
      numbers.push_back(at);
  return numbers;
}

// process(number) makes a record.
template <class Process>
void expect_one_for_each_key(const RecordSuite& s, Process process) {
  num_derived = num_set_up = 0;
  size_t num_keys = 0;
  uint64_t key = 1;  // none
  for (const uint64_t number : numbers_of(s)) {
    num_keys += (number & s.c3) != key || num_keys == 0;
    key = number & s.c3;
    ASSERT_TRUE(process(number)) << number << "\n" << errors();
    EXPECT_EQ(num_derived, num_keys) << number;
    EXPECT_EQ(num_set_up, num_keys) << number;
  }
  const size_t num_numbers = numbers_of(s).size();
  EXPECT_GT(num_keys, 5u);
  EXPECT_LT(num_keys, num_numbers);
}

TEST(EvpRecordKeys, OneForEachKeyOfTls13) {
  const LinkedLibrary library;
  ASSERT_EQ(library.missing(), "");
  for (const RecordSuite& s : kTls13)
    for (const bool is_sending : {true, false}) {
      SCOPED_TRACE(s.name);
      const Bytes iv(kIv.begin(), kIv.begin() + static_cast<long>(s.n()));
      const CipherCtx c = start(library, s.cipher, is_sending, kKey, iv);
      ASSERT_TRUE(control(c.get(), "tlstree_mode", s.mode)) << errors();
      expect_one_for_each_key(s, [&](uint64_t number) {
        const Bytes seq = big_endian(number);
        Bytes out, tag(s.n());
        if (!control(c.get(), "tlstree", seq.data()) ||
            !EVP_CipherInit_ex(c.get(), nullptr, nullptr, nullptr, iv.data(), is_sending) ||
            (!is_sending && !EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(s.n()), tag.data())))
          return false;
        return update(c.get(), out, kKey.data(), 50) && final(c.get(), out) == is_sending;  // a forgery, when received
      });
    }
}

TEST(EvpRecordKeys, OneForEachKeyOfTls12) {
  const LinkedLibrary library;
  ASSERT_EQ(library.missing(), "");
  for (const RecordSuite& s : kTls12) {
    SCOPED_TRACE(s.name);
    for (const bool is_sending : {true, false}) {
      const CipherCtx c = start(library, s.cipher, is_sending);
      expect_one_for_each_key(s, [&](uint64_t number) {
        const Bytes seq = big_endian(number);
        Bytes out;
        return control(c.get(), "tlstree", seq.data()) && update(c.get(), out, kKey.data(), 50);
      });
    }
    const Mac mac = library.mac(s.mode);
    const MacCtx m(EVP_MAC_CTX_new(mac.get()));
    ASSERT_TRUE(EVP_MAC_init(m.get(), kKey.data(), 32, nullptr)) << errors();
    expect_one_for_each_key(s, [&](uint64_t number) {
      const Bytes seq = big_endian(number);
      uint8_t tag[16];
      size_t len = 0;
      return control(m.get(), "tlstree", seq.data()) && EVP_MAC_update(m.get(), kKey.data(), 50) &&
             EVP_MAC_final(m.get(), tag, &len, sizeof tag);
    });
  }
}

}  // namespace
}  // namespace vsh::test::evp
