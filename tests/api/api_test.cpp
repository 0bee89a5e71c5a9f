// The C ABI of ciphers against wrong or malicious callers: a status for everything, and outputs unchanged. Threads, and
// the messages of all statuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>

#include "api/support/contexts.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random.hpp"

namespace {

using namespace vsh::test;

// ---- Lengths ----------------------------------------------------------------------------------------------

TEST(CipherNew, KeyLength) {
  for (const size_t len : {size_t{0}, size_t{16}, size_t{31}, size_t{33}, SIZE_MAX})
    EXPECT_EQ(try_new(VSH_MAGMA, VSH_ECB, nullptr, 0, len), VSH_E_KEY_LENGTH);
  vsh_cipher* c = nullptr;
  EXPECT_EQ(vsh_cipher_new(&c, VSH_MAGMA, VSH_ECB, VSH_ENCRYPT, nullptr, 32, nullptr, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_cipher_new(nullptr, VSH_MAGMA, VSH_ECB, VSH_ENCRYPT, kKey.data(), 32, nullptr, 0, nullptr),
            VSH_E_ARGUMENT);
}

TEST(CipherNew, IvLengthIsWhatTheModeWants) {
  for (size_t i = 0; vsh_cipher_name(i); ++i) {
    vsh_cipher_algorithm a;
    vsh_mode m;
    ASSERT_EQ(vsh_cipher_by_name(&a, &m, vsh_cipher_name(i)), VSH_OK);
    const size_t n = vsh_block_len(a);
    for (size_t len = 0; len <= 256; ++len) {
      bool right = len % n == 0 && len > 0 && len <= VSH_MAX_REGISTER * n;
      if (m == VSH_ECB) right = len == 0;
      if (m == VSH_CTR || m == VSH_CTR_ACPKM) right = len == n / 2;
      if (a == VSH_GOST28147 && m != VSH_ECB) right = len == n;
      EXPECT_EQ(try_new(a, m, nullptr, len), right ? VSH_OK : VSH_E_IV_LENGTH) << vsh_cipher_name(i) << ' ' << len;
    }
    EXPECT_EQ(try_new(a, m, nullptr, SIZE_MAX - 1), VSH_E_IV_LENGTH);
    EXPECT_EQ(try_new(a, m, nullptr, SIZE_MAX - SIZE_MAX % 16), VSH_E_IV_LENGTH);
    vsh_cipher* c = nullptr;
    if (m != VSH_ECB) {
      EXPECT_EQ(vsh_cipher_new(&c, a, m, VSH_ENCRYPT, kKey.data(), 32, nullptr, iv_len(a, m), nullptr), VSH_E_ARGUMENT);
    }
    const CipherPointer good = make(a, m);
    EXPECT_EQ(vsh_cipher_reset(good.get(), kIv.data(), 5), VSH_E_IV_LENGTH);
    EXPECT_EQ(vsh_cipher_reset(nullptr, kIv.data(), 5), VSH_E_ARGUMENT);
  }
}

TEST(CipherNew, Segment) {
  for (size_t i = 0; vsh_cipher_name(i); ++i) {
    vsh_cipher_algorithm a;
    vsh_mode m;
    ASSERT_EQ(vsh_cipher_by_name(&a, &m, vsh_cipher_name(i)), VSH_OK);
    const bool takes = m == VSH_CTR || m == VSH_CTR_ACPKM || m == VSH_OFB || m == VSH_CFB;
    for (const size_t s : {size_t{0}, size_t{1}, size_t{8}, size_t{9}, size_t{16}, size_t{17}, SIZE_MAX}) {
      vsh_options o = options();
      o.segment_len = s;
      const bool right = s == 0 || (takes && s <= vsh_block_len(a));
      const vsh_status fits = m == VSH_CTR_ACPKM && s && 4096 % s ? VSH_E_SECTION : VSH_OK;
      EXPECT_EQ(try_new(a, m, &o), right ? fits : VSH_E_SEGMENT) << vsh_cipher_name(i) << ' ' << s;
    }
  }
}

TEST(CipherNew, Padding) {
  for (size_t i = 0; vsh_cipher_name(i); ++i) {
    vsh_cipher_algorithm a;
    vsh_mode m;
    ASSERT_EQ(vsh_cipher_by_name(&a, &m, vsh_cipher_name(i)), VSH_OK);
    const bool pads = m == VSH_ECB || m == VSH_CBC;
    for (const vsh_padding p :
         {VSH_PADDING_DEFAULT, VSH_PADDING_NONE, VSH_PADDING_1, VSH_PADDING_2, VSH_PADDING_PKCS7}) {
      vsh_options o = options();
      o.padding = p;
      EXPECT_EQ(try_new(a, m, &o), pads || p <= VSH_PADDING_NONE ? VSH_OK : VSH_E_PADDING) << vsh_cipher_name(i);
    }
  }
}

// Needs no device: an invalid name, a missing device, and work that no device supports.
TEST(Options, Device) {
  vsh_options o = options();
  for (const char* processor : {"", "cpu", "auto", "all"}) {
    o.device = processor;
    EXPECT_EQ(try_new(VSH_MAGMA, VSH_ECB, &o), VSH_OK) << processor;
  }
  for (const char* wrong : {"gpu", "cuda", "cuda:", "cuda:x", "cuda:0.1", "cuda:99999", "opencl:", "opencl:.1",
                            "opencl:0.", "CPU", "cuda:4000", "opencl:4000.0"}) {
    o.device = wrong;
    EXPECT_EQ(try_new(VSH_MAGMA, VSH_ECB, &o), VSH_E_DEVICE) << wrong;
    EXPECT_STRNE(vsh_device_message(), "");
    vsh_mac* mac = nullptr;
    vsh_hash* hash = nullptr;
    EXPECT_EQ(vsh_mac_new(&mac, VSH_MAGMA_MAC, kKey.data(), 32, &o), VSH_E_DEVICE);
    EXPECT_EQ(vsh_hash_new(&hash, VSH_STREEBOG256, &o), VSH_E_DEVICE);
  }
}

#ifdef VSH_WITHOUT_DEVICES
TEST(Options, DeviceInABuildWithoutThem) {
  vsh_device_info info{};
  EXPECT_EQ(vsh_device_read(0, &info, sizeof info), VSH_E_ARGUMENT);
  EXPECT_STREQ(vsh_device_problem(0), "this build has no devices");
  EXPECT_EQ(vsh_device_problem(1), nullptr);
  EXPECT_EQ(vsh_device_selftest("cuda:0"), VSH_E_DEVICE);
  EXPECT_STREQ(vsh_device_message(), "there is no device cuda:0; this build has no devices");
  void* memory = nullptr;
  EXPECT_EQ(vsh_device_alloc_host(&memory, 1, "all"), VSH_E_DEVICE);
  vsh_device_cipher* cipher = nullptr;
  EXPECT_EQ(vsh_device_cipher_new(&cipher, "cuda:0", VSH_MAGMA, kKey.data(), 32, nullptr), VSH_E_DEVICE);
}
#endif

TEST(Options, StructSizeAndFlags) {
  for (const size_t size : {size_t{0}, sizeof(vsh_options) - 1, sizeof(vsh_options) + 8, SIZE_MAX}) {
    vsh_options o = options();
    o.struct_size = size;
    EXPECT_EQ(try_new(VSH_MAGMA, VSH_ECB, &o), VSH_E_ARGUMENT);
    vsh_mac* mac = nullptr;
    vsh_hash* hash = nullptr;
    EXPECT_EQ(vsh_mac_new(&mac, VSH_MAGMA_MAC, kKey.data(), 32, &o), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_hash_new(&hash, VSH_STREEBOG256, &o), VSH_E_ARGUMENT);
  }
  // The struct of the first version, which ended before `device`: the bytes there are undefined.
  vsh_options first = options();
  first.struct_size = offsetof(vsh_options, device);
  first.device = "nonsense";
  EXPECT_EQ(try_new(VSH_MAGMA, VSH_ECB, &first), VSH_OK);
  vsh_options o = options();
  o.flags = 16;
  EXPECT_EQ(try_new(VSH_MAGMA, VSH_ECB, &o), VSH_E_ARGUMENT);
}

// ---- S-boxes ----------------------------------------------------------------------------------------------

Bytes tc26_z() {
  Bytes rows;
  for (const char* row : {"c462a5b9e8d703f1", "68239a5c1e47bd0f", "b3582fade174c960", "c821d4f670a53e9b",
                          "7f5a816d093eb42c", "5df692cab78143e0", "8e25691cf4b0da37", "17ed05834fa69cb2"})
    for (const char* c = row; *c; ++c) rows.push_back(static_cast<uint8_t>(*c <= '9' ? *c - '0' : *c - 'a' + 10));
  return rows;
}

TEST(Sbox, CustomRowsMustBePermutations) {
  vsh_options o = options();
  o.sbox = VSH_SBOX_CUSTOM;
  EXPECT_EQ(try_new(VSH_GOST28147, VSH_CNT, &o), VSH_E_ARGUMENT);  // no rows
  const Bytes good = tc26_z();
  o.custom_sbox = good.data();
  EXPECT_EQ(try_new(VSH_GOST28147, VSH_CNT, &o), VSH_OK);
  for (size_t at = 0; at < 128; ++at) {
    for (const int value : {good[at] ^ 1, good[at] ^ 8, good[at] | 16, 255}) {
      Bytes bad = good;
      bad[at] = static_cast<uint8_t>(value);
      o.custom_sbox = bad.data();
      EXPECT_EQ(try_new(VSH_GOST28147, VSH_CNT, &o), VSH_E_SBOX) << at << ' ' << value;
      vsh_mac* mac = nullptr;
      EXPECT_EQ(vsh_mac_new(&mac, VSH_GOST28147_IMIT, kKey.data(), 32, &o), VSH_E_SBOX);
    }
  }
}

TEST(Sbox, CustomIsTheNamedSetWithTheSameRows) {
  const Bytes rows = tc26_z(), p(5000, 7);
  vsh_options custom = options(), named = options();
  custom.sbox = VSH_SBOX_CUSTOM;
  custom.custom_sbox = rows.data();
  named.sbox = VSH_SBOX_TC26_Z;
  Bytes outputs[2] = {Bytes(p.size()), Bytes(p.size())}, tags[2] = {Bytes(8), Bytes(8)};
  for (int i = 0; i < 2; ++i) {
    size_t len;
    const vsh_options& o = i ? custom : named;
    ASSERT_EQ(vsh_encrypt(outputs[i].data(), p.size(), &len, VSH_GOST28147, VSH_CNT, kKey.data(), 32, kIv.data(), 8,
                          p.data(), p.size(), &o),
              VSH_OK);
    const MacPointer mac = make_mac(VSH_GOST28147_IMIT, o);
    ASSERT_EQ(vsh_mac_update(mac.get(), p.data(), p.size()), VSH_OK);
    ASSERT_EQ(vsh_mac_final(mac.get(), tags[i].data(), 8), VSH_OK);
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  EXPECT_EQ(tags[0], tags[1]);
}

TEST(Sbox, OnlyWhereTheCipherTakesOne) {
  for (const vsh_cipher_algorithm a : {VSH_KUZNYECHIK, VSH_MAGMA}) {
    vsh_options o = options();
    o.sbox = VSH_SBOX_CRYPTOPRO_A;
    EXPECT_EQ(try_new(a, VSH_ECB, &o), VSH_E_SBOX);
  }
  // Rows without VSH_SBOX_CUSTOM: they would be ignored.
  const Bytes rows = tc26_z();
  vsh_options o = options();
  o.custom_sbox = rows.data();
  EXPECT_EQ(try_new(VSH_GOST28147, VSH_ECB, &o), VSH_E_SBOX);
}

// ---- Buffers ----------------------------------------------------------------------------------------------

TEST(CipherUpdate, RefusesImpossibleBuffersAndLeavesEverythingAsItWas) {
  for (const vsh_mode m : {VSH_ECB, VSH_CTR, VSH_OFB, VSH_CBC, VSH_CFB}) {
    const CipherPointer c = make(VSH_KUZNYECHIK, m);
    Bytes memory(100, 0xaa);
    const Bytes before = memory;
    uint8_t* p = memory.data();
    size_t len = 77;
    EXPECT_EQ(vsh_cipher_update(nullptr, p, 64, &len, p, 64), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_cipher_update(c.get(), p, 64, nullptr, p, 64), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_cipher_update(c.get(), p, 64, &len, nullptr, 64), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_cipher_update(c.get(), nullptr, 64, &len, p, 64), VSH_E_ARGUMENT);
    // Overlapping, but not the same.
    for (const size_t shift : {1, 16, 63}) {
      EXPECT_EQ(vsh_cipher_update(c.get(), p + shift % 36, 64, &len, p, 64), VSH_E_ARGUMENT) << m;
      EXPECT_EQ(vsh_cipher_update(c.get(), p, 64, &len, p + shift % 36, 64), VSH_E_ARGUMENT) << m;
    }
    // Exceeds any memory.
    EXPECT_EQ(vsh_cipher_update(c.get(), p, SIZE_MAX, &len, p, SIZE_MAX), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_cipher_update(c.get(), p, SIZE_MAX, &len, p, SIZE_MAX - 8), VSH_E_ARGUMENT);
    EXPECT_EQ(len, 77u);
    EXPECT_EQ(vsh_cipher_update(c.get(), p, 63, &len, p, 64), VSH_E_CAPACITY);
    EXPECT_EQ(len, 64u);  // how much is needed
    EXPECT_EQ(memory, before);

    // After all that the context still works.
    Bytes out(64);
    ASSERT_EQ(vsh_cipher_update(c.get(), out.data(), 64, &len, before.data(), 64), VSH_OK);
    EXPECT_EQ(len, 64u);
    Bytes expected(96);
    ASSERT_EQ(vsh_encrypt(expected.data(), 96, &len, VSH_KUZNYECHIK, m, kKey.data(), 32, kIv.data(),
                          iv_len(VSH_KUZNYECHIK, m), before.data(), 64, nullptr),
              VSH_OK);
    expected.resize(64);
    EXPECT_EQ(out, expected);
  }
}

TEST(CipherUpdate, NullIsABufferOfNothing) {
  for (const vsh_mode m : {VSH_ECB, VSH_CTR, VSH_OFB, VSH_CBC, VSH_CFB}) {
    const CipherPointer c = make(VSH_MAGMA, m);
    size_t len = 77;
    EXPECT_EQ(vsh_cipher_update(c.get(), nullptr, 0, &len, nullptr, 0), VSH_OK);
    EXPECT_EQ(len, 0u);
  }
  const CipherPointer c = make(VSH_MAGMA, VSH_CTR);
  size_t len = 77;
  EXPECT_EQ(vsh_cipher_final(c.get(), nullptr, 0, &len), VSH_OK);
  EXPECT_EQ(len, 0u);
}

TEST(CipherUpdate, InPlaceOnlyWithNothingPending) {
  const CipherPointer c = make(VSH_KUZNYECHIK, VSH_CBC);
  Bytes data(64, 1);
  size_t len = 0;
  ASSERT_EQ(vsh_cipher_update(c.get(), data.data(), 64, &len, data.data(), 61), VSH_OK);
  EXPECT_EQ(len, 48u);
  EXPECT_EQ(vsh_cipher_update(c.get(), data.data(), 64, &len, data.data(), 61), VSH_E_ARGUMENT);
  Bytes other(80);
  EXPECT_EQ(vsh_cipher_update(c.get(), other.data(), 80, &len, data.data(), 61), VSH_OK);
  EXPECT_EQ(len, 64u);
}

// Nothing outside the buffers is accessed.
TEST(CipherUpdate, BuffersThatEndAtAnUnreadablePage) {
  Random random(1);
  for (size_t i = 0; vsh_cipher_name(i); ++i) {
    vsh_cipher_algorithm a;
    vsh_mode m;
    ASSERT_EQ(vsh_cipher_by_name(&a, &m, vsh_cipher_name(i)), VSH_OK);
    for (const size_t len : {size_t{1}, size_t{15}, size_t{16}, size_t{17}, size_t{100}, size_t{4096}, size_t{5001}}) {
      for (const vsh_direction d : {VSH_ENCRYPT, VSH_DECRYPT}) {
        const CipherPointer c = make(a, m, d);
        vsh::test::GuardedBuffer in(len), out(vsh_cipher_update_capacity(c.get(), len));
        random.fill(in.at_end(), len);
        random.fill(in.at_start(), len);
        size_t written;
        for (int end = 0; end < 2; ++end) {
          const size_t capacity = vsh_cipher_update_capacity(c.get(), len);
          vsh::test::GuardedBuffer exact(capacity);
          ASSERT_EQ(vsh_cipher_update(c.get(), end ? exact.at_end() : exact.at_start(), capacity, &written,
                                      end ? in.at_end() : in.at_start(), len),
                    VSH_OK);
        }
      }
    }
  }
}

TEST(CipherFinal, CapacityCanBeAskedFor) {
  const CipherPointer c = make(VSH_KUZNYECHIK, VSH_CBC);
  Bytes data(5, 1), out(16, 0xaa);
  size_t len = 0;
  ASSERT_EQ(vsh_cipher_update(c.get(), nullptr, 0, &len, data.data(), 5), VSH_OK);
  EXPECT_EQ(vsh_cipher_final(c.get(), out.data(), 15, &len), VSH_E_CAPACITY);
  EXPECT_EQ(len, 16u);
  EXPECT_EQ(out, Bytes(16, 0xaa));
  EXPECT_EQ(vsh_cipher_final(c.get(), nullptr, 16, &len), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_cipher_final(nullptr, out.data(), 16, &len), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_cipher_final(c.get(), out.data(), 16, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_cipher_final(c.get(), out.data(), 16, &len), VSH_OK);

  // Decryption needs only room for the plaintext.
  const CipherPointer d = make(VSH_KUZNYECHIK, VSH_CBC, VSH_DECRYPT);
  Bytes back(5);
  ASSERT_EQ(vsh_cipher_update(d.get(), nullptr, 0, &len, out.data(), 16), VSH_OK);
  EXPECT_EQ(vsh_cipher_final(d.get(), back.data(), 4, &len), VSH_E_CAPACITY);
  EXPECT_EQ(len, 5u);
  EXPECT_EQ(vsh_cipher_final(d.get(), back.data(), 5, &len), VSH_OK);
  EXPECT_EQ(back, data);
}

TEST(CipherState, NothingAfterFinalButReset) {
  for (const vsh_mode m : {VSH_ECB, VSH_CTR, VSH_CFB}) {
    const CipherPointer c = make(VSH_MAGMA, m);
    Bytes out(16);
    size_t len = 77;
    ASSERT_EQ(vsh_cipher_final(c.get(), out.data(), 16, &len), VSH_OK);
    len = 77;
    EXPECT_EQ(vsh_cipher_update(c.get(), out.data(), 16, &len, kIv.data(), 8), VSH_E_STATE);
    EXPECT_EQ(vsh_cipher_final(c.get(), out.data(), 16, &len), VSH_E_STATE);
    EXPECT_EQ(vsh_cipher_seek(c.get(), 0), VSH_E_STATE);
    EXPECT_EQ(len, 77u);
    EXPECT_EQ(vsh_cipher_reset(c.get(), kIv.data(), iv_len(VSH_MAGMA, m)), VSH_OK);
    EXPECT_EQ(vsh_cipher_update(c.get(), out.data(), 16, &len, kIv.data(), 8), VSH_OK);
  }
}

TEST(CipherSeek, OnlyInCounterModes) {
  for (size_t i = 0; vsh_cipher_name(i); ++i) {
    vsh_cipher_algorithm a;
    vsh_mode m;
    ASSERT_EQ(vsh_cipher_by_name(&a, &m, vsh_cipher_name(i)), VSH_OK);
    const bool counts = m == VSH_CTR || m == VSH_CTR_ACPKM || m == VSH_CNT;
    EXPECT_EQ(vsh_cipher_seek(make(a, m).get(), 5), counts ? VSH_OK : VSH_E_STATE);
  }
  EXPECT_EQ(vsh_cipher_seek(nullptr, 5), VSH_E_ARGUMENT);
}

TEST(CipherSeek, PositionsEndAt64Bits) {
  for (const auto& [a, m] : {std::pair(VSH_MAGMA, VSH_CTR), std::pair(VSH_GOST28147, VSH_CNT)}) {
    const CipherPointer c = make(a, m);
    Bytes data(100, 1);
    size_t len = 77;
    ASSERT_EQ(vsh_cipher_seek(c.get(), UINT64_MAX - 60), VSH_OK);
    EXPECT_EQ(vsh_cipher_update(c.get(), data.data(), 100, &len, data.data(), 61), VSH_E_LIMIT);
    EXPECT_EQ(len, 77u);
    EXPECT_EQ(data, Bytes(100, 1));
    EXPECT_EQ(vsh_cipher_update(c.get(), data.data(), 100, &len, data.data(), 60), VSH_OK);
    EXPECT_EQ(vsh_cipher_update(c.get(), data.data(), 100, &len, data.data(), 1), VSH_E_LIMIT);
  }
}

// ---- Whole messages ---------------------------------------------------------------------------------------

TEST(OneShot, ChecksEverythingBeforeItWrites) {
  Random random(2);
  for (const vsh_mode m : {VSH_ECB, VSH_CBC}) {
    for (const vsh_padding padding : {VSH_PADDING_NONE, VSH_PADDING_1, VSH_PADDING_2, VSH_PADDING_PKCS7}) {
      vsh_options o = options();
      o.padding = padding;
      const size_t iv = iv_len(VSH_KUZNYECHIK, m);
      for (const size_t in_len : {0, 5, 16, 100, 320}) {
        const Bytes p = random.bytes(in_len);
        Bytes c(in_len + 16, 0xaa);
        size_t len = 77;
        const vsh_status status = vsh_encrypt(c.data(), c.size(), &len, VSH_KUZNYECHIK, m, kKey.data(), 32, kIv.data(),
                                              iv, p.data(), p.size(), &o);
        if (padding == VSH_PADDING_NONE && in_len % 16) {
          EXPECT_EQ(status, VSH_E_DATA_LENGTH);
          EXPECT_EQ(len, 77u);
          EXPECT_EQ(c, Bytes(c.size(), 0xaa));
          continue;
        }
        ASSERT_EQ(status, VSH_OK);
        c.resize(len);
        if (len) {  // one byte too little: nothing is written, and the need is told
          Bytes small(len - 1, 0xaa);
          size_t need = 0;
          EXPECT_EQ(vsh_encrypt(small.data(), small.size(), &need, VSH_KUZNYECHIK, m, kKey.data(), 32, kIv.data(), iv,
                                p.data(), p.size(), &o),
                    VSH_E_CAPACITY);
          EXPECT_EQ(need, len);
          EXPECT_EQ(small, Bytes(small.size(), 0xaa));
        }
        const size_t back_len = padding == VSH_PADDING_1 ? c.size() : in_len;
        Bytes back(back_len);
        ASSERT_EQ(vsh_decrypt(back.data(), back.size(), &len, VSH_KUZNYECHIK, m, kKey.data(), 32, kIv.data(), iv,
                              c.data(), c.size(), &o),
                  VSH_OK);
        EXPECT_EQ(len, back_len);
        back.resize(in_len);
        EXPECT_EQ(back, p);
        if (back_len) {
          Bytes small(back_len - 1, 0xaa);
          EXPECT_EQ(vsh_decrypt(small.data(), small.size(), &len, VSH_KUZNYECHIK, m, kKey.data(), 32, kIv.data(), iv,
                                c.data(), c.size(), &o),
                    VSH_E_CAPACITY);
          EXPECT_EQ(len, back_len);
          EXPECT_EQ(small, Bytes(small.size(), 0xaa));
        }
        Bytes in_place = p;
        in_place.resize(c.size());
        ASSERT_EQ(vsh_encrypt(in_place.data(), in_place.size(), &len, VSH_KUZNYECHIK, m, kKey.data(), 32, kIv.data(),
                              iv, in_place.data(), in_len, &o),
                  VSH_OK);
        EXPECT_EQ(in_place, c);
        ASSERT_EQ(vsh_decrypt(in_place.data(), in_place.size(), &len, VSH_KUZNYECHIK, m, kKey.data(), 32, kIv.data(),
                              iv, in_place.data(), in_place.size(), &o),
                  VSH_OK);
        in_place.resize(in_len);
        EXPECT_EQ(in_place, p);
      }
    }
  }
}

// Every last plaintext byte: valid padding is accepted, all else refused, and the output is unchanged.
TEST(OneShot, BadPaddingReleasesNothing) {
  for (const vsh_padding padding : {VSH_PADDING_2, VSH_PADDING_PKCS7}) {
    vsh_options none = options(), removing = options();
    none.padding = VSH_PADDING_NONE;
    removing.padding = padding;
    for (int last = 0; last < 256; ++last) {
      Bytes p(48, 0x55);
      p.back() = static_cast<uint8_t>(last);
      Bytes c(48), out(48, 0xaa);
      size_t len;
      ASSERT_EQ(vsh_encrypt(c.data(), 48, &len, VSH_KUZNYECHIK, VSH_CBC, kKey.data(), 32, kIv.data(), 16, p.data(), 48,
                            &none),
                VSH_OK);
      len = 77;
      const vsh_status status = vsh_decrypt(out.data(), 48, &len, VSH_KUZNYECHIK, VSH_CBC, kKey.data(), 32, kIv.data(),
                                            16, c.data(), 48, &removing);
      if (last == (padding == VSH_PADDING_2 ? 0x80 : 1)) {
        EXPECT_EQ(status, VSH_OK);
        EXPECT_EQ(len, 47u);
      } else {
        EXPECT_EQ(status, VSH_E_BAD_PADDING) << last;
        EXPECT_EQ(len, 77u);
        EXPECT_EQ(out, Bytes(48, 0xaa));
      }
    }
  }
}

TEST(OneShot, RefusesWhatACipherRefuses) {
  Bytes data(64);
  size_t len = 77;
  EXPECT_EQ(
      vsh_encrypt(data.data(), 64, nullptr, VSH_MAGMA, VSH_ECB, kKey.data(), 32, nullptr, 0, data.data(), 8, nullptr),
      VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_encrypt(data.data(), 64, &len, VSH_MAGMA, VSH_ECB, kKey.data(), 32, nullptr, 0, nullptr, 8, nullptr),
            VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_encrypt(nullptr, 64, &len, VSH_MAGMA, VSH_ECB, kKey.data(), 32, nullptr, 0, data.data(), 8, nullptr),
            VSH_E_ARGUMENT);
  EXPECT_EQ(
      vsh_encrypt(data.data() + 8, 56, &len, VSH_MAGMA, VSH_ECB, kKey.data(), 32, nullptr, 0, data.data(), 16, nullptr),
      VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_encrypt(data.data(), SIZE_MAX, &len, VSH_MAGMA, VSH_ECB, kKey.data(), 32, nullptr, 0, data.data(),
                        SIZE_MAX, nullptr),
            VSH_E_ARGUMENT);
  EXPECT_EQ(
      vsh_decrypt(data.data(), 64, &len, VSH_MAGMA, VSH_ECB, kKey.data(), 32, nullptr, 0, data.data(), 15, nullptr),
      VSH_E_DATA_LENGTH);
  EXPECT_EQ(vsh_decrypt(data.data(), 64, &len, VSH_MAGMA, VSH_ECB, kKey.data(), 32, nullptr, 0, nullptr, 0, nullptr),
            VSH_E_DATA_LENGTH);
  EXPECT_EQ(len, 77u);
}

// ---- Threads ----------------------------------------------------------------------------------------------

// Contexts in parallel, some of them with their own threads; for the thread sanitizer.
TEST(Threads, ContextsDoNotShareAnything) {
  constexpr size_t kLen = 400'000;
  const Bytes p(kLen, 9);
  Bytes expected(kLen);
  size_t len;
  ASSERT_EQ(vsh_encrypt(expected.data(), kLen, &len, VSH_KUZNYECHIK, VSH_CTR, kKey.data(), 32, kIv.data(), 8, p.data(),
                        kLen, nullptr),
            VSH_OK);
  std::vector<std::thread> threads;
  std::vector<int> wrong(6, 0);
  for (unsigned t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      vsh_options o = options();
      o.threads = t % 3;
      for (int i = 0; i < 3; ++i) {
        Bytes out(kLen);
        size_t written = 0;
        if (vsh_encrypt(out.data(), kLen, &written, VSH_KUZNYECHIK, VSH_CTR, kKey.data(), 32, kIv.data(), 8, p.data(),
                        kLen, &o) != VSH_OK ||
            out != expected)
          ++wrong[t];
        uint8_t digest[32], tag[8];
        const MacPointer mac = make_mac(VSH_GOST28147_IMIT);
        if (vsh_hash_digest(digest, 32, VSH_STREEBOG256, p.data(), 1000, nullptr) != VSH_OK) ++wrong[t];
        if (vsh_mac_update(mac.get(), p.data(), 1000) != VSH_OK || vsh_mac_final(mac.get(), tag, 8) != VSH_OK)
          ++wrong[t];
        if (!vsh_cpu_features() || vsh_selftest(nullptr) != VSH_OK) ++wrong[t];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

TEST(Status, EveryOneHasItsNameAndMessage) {
  std::set<std::string> names, messages;
  for (int i = 0; i <= VSH_E_REPLAY; ++i) {
    if (i == 23) continue;  // of an algorithm that is gone
    const std::string name = vsh_status_name(static_cast<vsh_status>(i));
    EXPECT_TRUE(name == "VSH_OK" || name.starts_with("VSH_E_")) << i;
    EXPECT_TRUE(names.insert(name).second) << name;
    const std::string message = vsh_status_message(static_cast<vsh_status>(i));
    EXPECT_FALSE(message.empty());
    EXPECT_NE(message.back(), '.');
    EXPECT_TRUE(messages.insert(message).second) << message;
  }
  EXPECT_STREQ(vsh_status_name(VSH_OK), "VSH_OK");
  EXPECT_STREQ(vsh_status_name(VSH_E_NONCE), "VSH_E_NONCE");
  EXPECT_STREQ(vsh_status_name(VSH_E_REPLAY), "VSH_E_REPLAY");
  for (const int none : {-1, 23, VSH_E_REPLAY + 1})
    EXPECT_STREQ(vsh_status_name(static_cast<vsh_status>(none)), "unknown");
}

}  // namespace
