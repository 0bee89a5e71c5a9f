// vsh_wrap and vsh_unwrap: vectors, any length, tampering, and wrong or malicious callers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/random.hpp"
#include "support/vec.hpp"
#include "vershina/keys.hpp"

namespace {

using vsh::test::Random;
using vsh::vec::Bytes;

struct Algorithm {
  vsh_wrap_algorithm id;
  std::string name;
  bool is_kexp15() const { return name.starts_with("kexp15"); }
  // Lengths of keys that it takes.
  std::vector<size_t> key_lens() const {
    if (is_kexp15()) return {1, 7, 16, 32, 33, 64, 20000};
    if (id == VSH_WRAP_RFC7836) return {32, 64};
    return {32};
  }
  std::vector<size_t> iv_lens() const {
    if (id == VSH_WRAP_RFC7836) return {8, 11, 16};
    return {vsh_wrap_iv_len(id)};
  }
};

std::vector<Algorithm> algorithms() {
  std::vector<Algorithm> all;
  for (size_t i = 0; const char* name = vsh_wrap_name(i); ++i) {
    Algorithm a{{}, name};
    EXPECT_EQ(vsh_wrap_by_name(&a.id, name), VSH_OK);
    all.push_back(a);
  }
  return all;
}

// A key, its key encryption key, and the wrapped key.
struct Example {
  Example(const Algorithm& a, Random& random, size_t iv_len, size_t key_len)
      : id(a.id), kek(random.bytes(vsh_wrap_kek_len(id))), iv(random.bytes(iv_len)), key(random.bytes(key_len)) {
    out.resize(vsh_wrapped_len(id, iv_len, key_len));
    size_t len = 0;
    EXPECT_EQ(wrap(out, len), VSH_OK) << a.name;
    EXPECT_EQ(len, out.size());
  }
  vsh_status wrap(Bytes& to, size_t& len, const vsh_options* o = nullptr) const {
    return vsh_wrap(to.data(), to.size(), &len, id, kek.data(), kek.size(), iv.data(), iv.size(), key.data(),
                    key.size(), o);
  }
  vsh_status unwrap(Bytes& to, size_t& len, const Bytes& wrapped, size_t iv_len = SIZE_MAX) const {
    return vsh_unwrap(to.data(), to.size(), &len, id, kek.data(), kek.size(), iv.data(), std::min(iv_len, iv.size()),
                      wrapped.data(), wrapped.size(), nullptr);
  }
  vsh_wrap_algorithm id;
  Bytes kek, iv, key, out;
};

TEST(Wrap, Vectors) {
  const auto check = [](const vsh::vec::Record& r, const std::string& name) {
    SCOPED_TRACE(r.where());
    vsh_wrap_algorithm a;
    ASSERT_EQ(vsh_wrap_by_name(&a, name.c_str()), VSH_OK);
    vershina::Options o;
    if (r.has("Sbox")) {
      ASSERT_EQ(vsh_sbox_by_name(&o.sbox, r.word("Sbox").c_str()), VSH_OK);
    }
    const Bytes kek = r.bytes("Kek"), iv = r.bytes("IV"), key = r.bytes("In"), out = r.bytes("Out");
    EXPECT_EQ(vershina::wrap(a, kek, iv, key, o), out);
    EXPECT_EQ(vershina::unwrap(a, kek, iv, out, o), key);
  };
  for (const char* name : {"kexp15-kuznyechik", "kexp15-magma"})
    for (const auto& r : vsh::vec::read("wrap.vec", name, {"Kek", "IV", "In", "Out"})) check(r, name);
  for (const auto& r : vsh::vec::read("wrap.vec", "cryptopro", {"Sbox", "Kek", "IV", "In", "Out"}))
    check(r, "cryptopro");
}

TEST(Wrap, NamesAndLengths) {
  EXPECT_EQ(algorithms().size(), 5u);
  vsh_wrap_algorithm a;
  EXPECT_EQ(vsh_wrap_by_name(&a, "kexp15"), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_wrap_by_name(&a, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_wrap_by_name(nullptr, "cryptopro"), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_wrap_name(SIZE_MAX), nullptr);
  for (const int unknown : {0, 6, -1}) {
    const auto id = static_cast<vsh_wrap_algorithm>(unknown);
    EXPECT_EQ(vsh_wrap_kek_len(id) + vsh_wrap_iv_len(id) + vsh_wrapped_len(id, 8, 32), 0u);
  }
  EXPECT_EQ(vsh_wrapped_len(VSH_KEXP15_KUZNYECHIK, 8, 32), 48u);
  EXPECT_EQ(vsh_wrapped_len(VSH_KEXP15_KUZNYECHIK, 8, SIZE_MAX - 15), 0u);
  EXPECT_EQ(vsh_wrapped_len(VSH_KEXP15_MAGMA, 4, 1), 9u);
  EXPECT_EQ(vsh_wrapped_len(VSH_KEXP15_MAGMA, 8, 1), 0u);
  EXPECT_EQ(vsh_wrapped_len(VSH_WRAP_CRYPTOPRO, 8, 32), 44u);
  EXPECT_EQ(vsh_wrapped_len(VSH_WRAP_CRYPTOPRO, 8, 64), 0u);
  EXPECT_EQ(vsh_wrapped_len(VSH_WRAP_RFC7836, 16, 64), 84u);
  EXPECT_EQ(vsh_wrapped_len(VSH_WRAP_RFC7836, 17, 64), 0u);
}

// Round trips, apart and in place, with every applicable kernel.
TEST(Wrap, RoundTrips) {
  Random random(15);
  for (const Algorithm& a : algorithms()) {
    for (const size_t iv_len : a.iv_lens()) {
      for (const size_t key_len : a.key_lens()) {
        SCOPED_TRACE(a.name + " " + std::to_string(iv_len) + " " + std::to_string(key_len));
        const Example e(a, random, iv_len, key_len);
        Bytes key(key_len);
        size_t len = 0;
        ASSERT_EQ(e.unwrap(key, len, e.out), VSH_OK);
        EXPECT_EQ(len, key_len);
        EXPECT_EQ(key, e.key);
        if (!a.is_kexp15()) {
          ASSERT_EQ(e.unwrap(key, len, e.out, 0), VSH_OK);  // the IV is known from the wrapped key
          EXPECT_EQ(key, e.key);
        }
        Bytes buffer = e.key;
        buffer.resize(e.out.size());
        ASSERT_EQ(vsh_wrap(buffer.data(), buffer.size(), &len, a.id, e.kek.data(), e.kek.size(), e.iv.data(), iv_len,
                           buffer.data(), key_len, nullptr),
                  VSH_OK);
        EXPECT_EQ(buffer, e.out) << "in place";
        ASSERT_EQ(e.unwrap(buffer, len, buffer), VSH_OK);
        EXPECT_TRUE(std::equal(e.key.begin(), e.key.end(), buffer.begin())) << "in place";
        vsh_options o = VSH_OPTIONS_INIT;
        for (const char* kernel : {"serial", "tables"}) {
          o.kernel = kernel;
          o.flags = VSH_ALLOW_TABLES;
          Bytes again(e.out.size());
          const vsh_status status = e.wrap(again, len, &o);
          if (status == VSH_E_KERNEL_UNKNOWN) continue;  // IMIT is not done by look-ups
          ASSERT_EQ(status, VSH_OK) << kernel;
          EXPECT_EQ(again, e.out) << kernel;
        }
      }
    }
  }
}

// Changed input is refused, and nothing is written.
TEST(Wrap, Tampering) {
  Random random(16);
  for (const Algorithm& a : algorithms()) {
    const Example e(a, random, a.iv_lens().back(), 32);
    SCOPED_TRACE(a.name);
    const auto refuses = [&](const Example& example, const Bytes& wrapped) {
      Bytes key(64, 0xa5);
      size_t len = 77;
      EXPECT_EQ(example.unwrap(key, len, wrapped, a.is_kexp15() ? SIZE_MAX : 0), VSH_E_TAG);
      EXPECT_EQ(key, Bytes(64, 0xa5));
      EXPECT_EQ(len, 77u);
    };
    for (size_t bit = 0; bit < 8 * e.out.size(); ++bit) {
      Bytes wrapped = e.out;
      wrapped[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      refuses(e, wrapped);
    }
    for (size_t bit = 0; bit < 8 * e.kek.size(); bit += 5) {
      Example other = e;
      other.kek[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      refuses(other, e.out);
    }
    Example other = e;
    other.iv[0] ^= 1;
    Bytes key(64, 0xa5);
    size_t len = 77;
    EXPECT_EQ(other.unwrap(key, len, e.out), VSH_E_TAG) << "another IV";
    EXPECT_EQ(key, Bytes(64, 0xa5));
  }
}

TEST(Wrap, Arguments) {
  Random random(17);
  for (const Algorithm& a : algorithms()) {
    SCOPED_TRACE(a.name);
    const Example e(a, random, a.iv_lens()[0], 32);
    Bytes out(200, 0xa5), wrapped = e.out;
    size_t len = 77;
    const auto wrap = [&](vsh_wrap_algorithm id, const uint8_t* kek, size_t kek_len, const uint8_t* iv, size_t iv_len,
                          const uint8_t* key, size_t key_len, const vsh_options* o = nullptr) {
      return vsh_wrap(out.data(), out.size(), &len, id, kek, kek_len, iv, iv_len, key, key_len, o);
    };
    const uint8_t *kek = e.kek.data(), *iv = e.iv.data(), *key = e.key.data();
    const size_t kek_len = e.kek.size(), iv_len = e.iv.size();
    EXPECT_EQ(wrap(static_cast<vsh_wrap_algorithm>(9), kek, kek_len, iv, iv_len, key, 32), VSH_E_ARGUMENT);
    EXPECT_EQ(wrap(a.id, nullptr, kek_len, iv, iv_len, key, 32), VSH_E_ARGUMENT);
    EXPECT_EQ(wrap(a.id, kek, kek_len, nullptr, iv_len, key, 32), VSH_E_ARGUMENT);
    EXPECT_EQ(wrap(a.id, kek, kek_len, iv, iv_len, nullptr, 32), VSH_E_ARGUMENT);
    EXPECT_EQ(wrap(a.id, kek, kek_len, iv, iv_len, key, SIZE_MAX), VSH_E_ARGUMENT);
    for (const size_t wrong : {size_t{0}, size_t{31}, size_t{33}, size_t{63}, size_t{96} - kek_len})
      EXPECT_EQ(wrap(a.id, kek, wrong, iv, iv_len, key, 32), VSH_E_KEY_LENGTH);
    for (const size_t wrong : {size_t{0}, iv_len - 1, size_t{17}})
      EXPECT_EQ(wrap(a.id, kek, kek_len, e.key.data(), wrong, key, 32), VSH_E_IV_LENGTH);
    EXPECT_EQ(wrap(a.id, kek, kek_len, iv, iv_len, nullptr, 0), VSH_E_DATA_LENGTH);
    if (!a.is_kexp15()) {
      for (const size_t wrong : {size_t{8}, size_t{24}, size_t{31}}) {
        EXPECT_EQ(wrap(a.id, kek, kek_len, iv, iv_len, key, wrong), VSH_E_DATA_LENGTH);
      }
    }
    vsh_options o = VSH_OPTIONS_INIT;
    o.sbox = VSH_SBOX_CRYPTOPRO_B;
    EXPECT_EQ(wrap(a.id, kek, kek_len, iv, iv_len, key, 32, &o), a.is_kexp15() ? VSH_E_SBOX : VSH_OK);
    o.kernel = "nonsense";
    o.sbox = VSH_SBOX_DEFAULT;
    std::fill(out.begin(), out.end(), uint8_t{0xa5});
    len = 77;
    EXPECT_EQ(wrap(a.id, kek, kek_len, iv, iv_len, key, 32, &o), VSH_E_KERNEL_UNKNOWN);
    EXPECT_EQ(vsh_wrap(out.data(), out.size(), nullptr, a.id, kek, kek_len, iv, iv_len, key, 32, nullptr),
              VSH_E_ARGUMENT);
    EXPECT_EQ(len, 77u);
    EXPECT_EQ(vsh_wrap(out.data(), e.out.size() - 1, &len, a.id, kek, kek_len, iv, iv_len, key, 32, nullptr),
              VSH_E_CAPACITY);
    EXPECT_EQ(len, e.out.size());
    len = 77;

    const auto unwrap = [&](const uint8_t* from, size_t from_len, size_t capacity) {
      return vsh_unwrap(out.data(), capacity, &len, a.id, kek, kek_len, iv, iv_len, from, from_len, nullptr);
    };
    EXPECT_EQ(unwrap(wrapped.data(), wrapped.size(), 31), VSH_E_CAPACITY);
    EXPECT_EQ(len, 32u);
    for (const size_t wrong : {size_t{0}, e.out.size() - 32})
      EXPECT_EQ(unwrap(wrapped.data(), wrong, 200), VSH_E_DATA_LENGTH);
    if (!a.is_kexp15()) {
      EXPECT_EQ(unwrap(wrapped.data(), wrapped.size() - 1, 200), VSH_E_DATA_LENGTH);
    }
    EXPECT_EQ(unwrap(nullptr, 44, 200), VSH_E_ARGUMENT);
    // Overlaps that are not in place.
    EXPECT_EQ(vsh_unwrap(wrapped.data() + 1, 43, &len, a.id, kek, kek_len, iv, iv_len, wrapped.data(), wrapped.size(),
                         nullptr),
              VSH_E_ARGUMENT);
    EXPECT_EQ(wrapped, e.out);
    EXPECT_EQ(out, Bytes(200, 0xa5));
  }
}

// RFC 9189 8.2.1: K_Exp_MAC and K_Exp_ENC MUST be independent.
TEST(Wrap, EqualExportKeysAreRefused) {
  const Bytes kek(64, 7), key(32, 1), iv(8, 2);
  for (const auto id : {VSH_KEXP15_KUZNYECHIK, VSH_KEXP15_MAGMA}) {
    Bytes out(48);
    size_t len = 0;
    EXPECT_EQ(
        vsh_wrap(out.data(), 48, &len, id, kek.data(), 64, iv.data(), vsh_wrap_iv_len(id), key.data(), 32, nullptr),
        VSH_E_ARGUMENT);
    EXPECT_EQ(
        vsh_unwrap(out.data(), 48, &len, id, kek.data(), 64, iv.data(), vsh_wrap_iv_len(id), out.data(), 48, nullptr),
        VSH_E_ARGUMENT);
  }
}

TEST(Wrap, CppThrows) {
  const Bytes kek(32, 7), key(32, 1), iv(8, 2);
  Bytes wrapped = vershina::wrap(VSH_WRAP_CRYPTOPRO, kek, iv, key);
  EXPECT_EQ(vershina::unwrap(VSH_WRAP_CRYPTOPRO, kek, {}, wrapped), key);
  wrapped[20] ^= 1;
  try {
    (void)vershina::unwrap(VSH_WRAP_CRYPTOPRO, kek, {}, wrapped);
    FAIL();
  } catch (const vershina::Error& error) {
    EXPECT_EQ(error.status(), VSH_E_TAG);
  }
}

}  // namespace
