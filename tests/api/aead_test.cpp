// vsh_aead: the examples of RFC 9058 in every way of use, and an error for every misuse.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "api/support/contexts.hpp"
#include "support/random.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.hpp"

namespace vsh {
namespace {

using test::Bytes;

constexpr vsh_aead_algorithm kMgm[] = {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM};

struct Free {
  void operator()(vsh_aead* c) const { vsh_aead_free(c); }
};
using AeadPointer = std::unique_ptr<vsh_aead, Free>;

AeadPointer make(vsh_aead_algorithm a, const Bytes& key = test::kKey, size_t tag_len = 0,
                 const vsh_options* options = nullptr) {
  vsh_aead* c = nullptr;
  EXPECT_EQ(vsh_aead_new(&c, a, key.data(), key.size(), tag_len, options), VSH_OK);
  return AeadPointer(c);
}

vsh_status status_of_new(vsh_aead_algorithm a, size_t key_len, size_t tag_len, const vsh_options* options = nullptr) {
  vsh_aead* c = nullptr;
  const vsh_status status = vsh_aead_new(&c, a, test::kKey.data(), key_len, tag_len, options);
  EXPECT_EQ(status == VSH_OK, c != nullptr);
  vsh_aead_free(c);
  return status;
}

// A message in progress: its inputs and its output.
struct Message {
  explicit Message(vsh_aead_algorithm a, size_t data_len = 21, size_t text_len = 75)
      : context(make(a)),
        nonce(vsh_aead_nonce_len(a), 0x24),
        data(data_len, 0x11),
        text(text_len, 0x37),
        out(text_len + vsh_aead_max_tag_len(a), 0xEE) {}

  vsh_status seal() {
    return vsh_aead_seal(context.get(), out.data(), out.size(), &len, nonce.data(), nonce.size(), data.data(),
                         data.size(), text.data(), text.size());
  }
  vsh_status open(Bytes& to, const Bytes& sealed) {
    return vsh_aead_open(context.get(), to.data(), to.size(), &len, nonce.data(), nonce.size(), data.data(),
                         data.size(), sealed.data(), sealed.size());
  }

  AeadPointer context;
  Bytes nonce, data, text, out;
  size_t len = 0;
};

TEST(Aead, RfcExamples) {
  for (const vsh_aead_algorithm a : kMgm) {
    const char* section = a == VSH_MAGMA_MGM ? "magma" : "kuznyechik";
    for (const auto& r : vec::read("mgm.vec", section, {"Key", "Nonce", "Aad", "In", "Out", "Tag"})) {
      SCOPED_TRACE(r.where());
      const Bytes nonce = r.bytes("Nonce"), data = r.bytes("Aad"), in = r.bytes("In"), out = r.bytes("Out");
      for (size_t tag_len = 4; tag_len <= r.bytes("Tag").size(); ++tag_len) {
        Bytes tag = r.bytes("Tag"), sealed = out;
        tag.resize(tag_len);
        sealed.insert(sealed.end(), tag.begin(), tag.end());
        vershina::Options options;
        if (tag_len < 8) options.flags = VSH_ALLOW_SHORT_TAGS;
        vershina::Aead aead(a, r.bytes("Key"), tag_len, options);
        EXPECT_EQ(aead.tag_len(), tag_len);
        EXPECT_EQ(aead.seal(nonce, in, data), sealed);
        EXPECT_EQ(aead.open(nonce, sealed, data), in);

        Bytes pieces(in.size());
        aead.begin(nonce);
        aead.add_data(data);
        aead.encrypt(pieces, in);
        EXPECT_EQ(pieces, out);
        EXPECT_EQ(aead.final(), tag);
        aead.begin(nonce);
        aead.add_data(data);
        aead.authenticate(out);
        EXPECT_TRUE(aead.verify(tag));
        aead.begin(nonce);
        aead.add_data(data);
        aead.decrypt_unverified(pieces, out);
        EXPECT_EQ(pieces, in);
        tag[0] ^= 1;
        EXPECT_FALSE(aead.verify(tag));
      }
    }
  }
}

TEST(Aead, TagApart) {
  for (const vsh_aead_algorithm a : kMgm) {
    Message m(a);
    ASSERT_EQ(m.seal(), VSH_OK);
    Bytes out(m.text.size()), tag(vsh_aead_max_tag_len(a));
    const auto apart = [&] {
      return vsh_aead_open_apart(m.context.get(), out.data(), m.nonce.data(), m.nonce.size(), m.data.data(),
                                 m.data.size(), out.data(), out.size(), tag.data(), tag.size());
    };
    ASSERT_EQ(vsh_aead_seal_apart(m.context.get(), out.data(), tag.data(), tag.size(), m.nonce.data(), m.nonce.size(),
                                  m.data.data(), m.data.size(), m.text.data(), m.text.size()),
              VSH_OK);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), m.out.begin()));
    EXPECT_TRUE(std::equal(tag.begin(), tag.end(), m.out.begin() + static_cast<ptrdiff_t>(out.size())));
    EXPECT_EQ(apart(), VSH_OK);
    EXPECT_EQ(out, m.text);
  }
}

TEST(Aead, NamesAndSizes) {
  size_t num = 0;
  for (; const char* name = vsh_aead_name(num); ++num) {
    vsh_aead_algorithm a;
    ASSERT_EQ(vsh_aead_by_name(&a, name), VSH_OK) << name;
    EXPECT_GE(vsh_aead_max_tag_len(a), 8u) << name;
    EXPECT_LE(vsh_aead_max_tag_len(a), size_t{VSH_AEAD_MAX_TAG_LEN}) << name;
    EXPECT_GE(vsh_aead_nonce_len(a), 1u) << name;
    EXPECT_LE(vsh_aead_nonce_len(a), size_t{VSH_AEAD_MAX_NONCE_LEN}) << name;
  }
  EXPECT_GE(num, 2u);
  vsh_aead_algorithm a;
  EXPECT_EQ(vsh_aead_by_name(&a, "kuznyechik-gcm"), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_aead_by_name(&a, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_aead_by_name(nullptr, "magma-mgm"), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_aead_nonce_len(static_cast<vsh_aead_algorithm>(99)), 0u);
  EXPECT_EQ(vsh_aead_max_tag_len(static_cast<vsh_aead_algorithm>(0)), 0u);
  EXPECT_EQ(vsh_aead_tag_len(nullptr), 0u);
  EXPECT_STREQ(vsh_aead_kernel(nullptr), "");
  vsh_aead_free(nullptr);
}

TEST(Aead, WhatNewRefuses) {
  vsh_aead* c = nullptr;
  EXPECT_EQ(vsh_aead_new(nullptr, VSH_MAGMA_MGM, test::kKey.data(), 32, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_aead_new(&c, VSH_MAGMA_MGM, nullptr, 32, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(status_of_new(static_cast<vsh_aead_algorithm>(99), 32, 0), VSH_E_ARGUMENT);
  vsh_options o = VSH_OPTIONS_INIT, short_tags = VSH_OPTIONS_INIT;
  short_tags.flags = VSH_ALLOW_SHORT_TAGS;
  for (const vsh_aead_algorithm a : kMgm) {
    EXPECT_EQ(status_of_new(a, 31, 0), VSH_E_KEY_LENGTH);
    const size_t max = vsh_aead_max_tag_len(a);
    for (size_t tag_len = 1; tag_len <= 20; ++tag_len) {
      EXPECT_EQ(status_of_new(a, 32, tag_len), tag_len < 8 || tag_len > max ? VSH_E_TAG_LENGTH : VSH_OK) << tag_len;
      EXPECT_EQ(status_of_new(a, 32, tag_len, &short_tags), tag_len < 4 || tag_len > max ? VSH_E_TAG_LENGTH : VSH_OK);
    }
    o = VSH_OPTIONS_INIT, o.segment_len = 4;
    EXPECT_EQ(status_of_new(a, 32, 0, &o), VSH_E_SEGMENT);
    o = VSH_OPTIONS_INIT, o.padding = VSH_PADDING_2;
    EXPECT_EQ(status_of_new(a, 32, 0, &o), VSH_E_PADDING);
    o = VSH_OPTIONS_INIT, o.section_len = 4096;
    EXPECT_EQ(status_of_new(a, 32, 0, &o), VSH_E_SECTION);
    o = VSH_OPTIONS_INIT, o.key_meshing = VSH_MESHING_CRYPTOPRO;
    EXPECT_EQ(status_of_new(a, 32, 0, &o), VSH_E_SECTION);
    o = VSH_OPTIONS_INIT, o.sbox = VSH_SBOX_CRYPTOPRO_A;
    EXPECT_EQ(status_of_new(a, 32, 0, &o), VSH_E_SBOX);
    o = VSH_OPTIONS_INIT, o.kernel = "no-such-kernel";
    EXPECT_EQ(status_of_new(a, 32, 0, &o), VSH_E_KERNEL_UNKNOWN);
    o = VSH_OPTIONS_INIT, o.kernel = "tables";
    EXPECT_EQ(status_of_new(a, 32, 0, &o), VSH_E_KERNEL_TABLES);
    o = VSH_OPTIONS_INIT, o.struct_size = 1;
    EXPECT_EQ(status_of_new(a, 32, 0, &o), VSH_E_ARGUMENT);
  }
}

TEST(Aead, Nonces) {
  for (const vsh_aead_algorithm a : kMgm) {
    Message m(a);
    m.nonce[0] = 0x80;
    EXPECT_EQ(m.seal(), VSH_E_NONCE);
    EXPECT_EQ(vsh_aead_begin(m.context.get(), m.nonce.data(), m.nonce.size()), VSH_E_NONCE);
    m.nonce[0] = 0x7f;
    EXPECT_EQ(m.seal(), VSH_OK);
    m.nonce.push_back(0);
    EXPECT_EQ(m.seal(), VSH_E_IV_LENGTH);
    m.nonce.resize(m.nonce.size() - 2);
    EXPECT_EQ(m.seal(), VSH_E_IV_LENGTH);
    EXPECT_EQ(vsh_aead_begin(m.context.get(), m.nonce.data(), 0), VSH_E_IV_LENGTH);
    EXPECT_EQ(vsh_aead_begin(m.context.get(), nullptr, m.nonce.size() + 1), VSH_E_ARGUMENT);
  }
}

// RFC 9058 section 4.1: 0 < |A| + |P|.
TEST(Aead, NothingAtAll) {
  for (const vsh_aead_algorithm a : kMgm) {
    Message m(a, 0, 0);
    EXPECT_EQ(m.seal(), VSH_E_DATA_LENGTH);
    Bytes nothing, tag(vsh_aead_max_tag_len(a));
    EXPECT_EQ(m.open(nothing, tag), VSH_E_TAG);
    ASSERT_EQ(vsh_aead_begin(m.context.get(), m.nonce.data(), m.nonce.size()), VSH_OK);
    EXPECT_EQ(vsh_aead_final(m.context.get(), tag.data(), tag.size()), VSH_E_DATA_LENGTH);
    // Its would-be tag is unknown except that it differs from that of one zero byte of data; any tag is refused.
    ASSERT_EQ(vsh_aead_begin(m.context.get(), m.nonce.data(), m.nonce.size()), VSH_OK);
    EXPECT_EQ(vsh_aead_verify(m.context.get(), tag.data(), tag.size()), VSH_E_TAG);
  }
}

// Every bit of a message matters, and a forgery leaves the output untouched.
TEST(Aead, Forgeries) {
  for (const vsh_aead_algorithm a : kMgm) {
    Message m(a, 9, 26);
    ASSERT_EQ(m.seal(), VSH_OK);
    const Bytes sealed = m.out, untouched(m.text.size(), 0xAB);
    size_t forgeries = 0;
    const auto refused = [&](const Bytes& changed) {
      Bytes to = untouched;
      EXPECT_EQ(m.open(to, changed), VSH_E_TAG);
      EXPECT_EQ(to, untouched);
      ++forgeries;
    };
    const auto each_bit = [&](Bytes& bytes, auto f) {
      for (size_t i = 0; i < 8 * bytes.size(); ++i) {
        bytes[i / 8] ^= static_cast<uint8_t>(1 << i % 8);
        f(i);
        bytes[i / 8] ^= static_cast<uint8_t>(1 << i % 8);
      }
    };
    Bytes changed = sealed;
    each_bit(changed, [&](size_t) { refused(changed); });
    each_bit(m.data, [&](size_t) { refused(sealed); });
    each_bit(m.nonce, [&](size_t i) {
      if (i != 7) refused(sealed);  // bit 7 of byte 0 is the one that is not part of a nonce
    });
    for (size_t len = 0; len < sealed.size(); ++len) {
      changed = sealed;
      changed.resize(len);
      refused(changed);
    }
    m.data.push_back(0);  // what fills up the last block is not data
    refused(sealed);
    m.data.resize(m.data.size() - 2);
    refused(sealed);
    m.data.resize(9, 0x11);
    Bytes to(m.text.size());
    EXPECT_EQ(m.open(to, sealed), VSH_OK);
    EXPECT_EQ(to, m.text);
    EXPECT_EQ(forgeries, 8 * (sealed.size() + m.data.size() + m.nonce.size()) - 1 + sealed.size() + 2);
  }
}

// The output of a long one is erased, that of a short one not written; in place it is the ciphertext again.
TEST(Aead, LongForgeries) {
  for (const vsh_aead_algorithm a : {VSH_KUZNYECHIK_MGM, VSH_MAGMA_MGM, VSH_KUZNYECHIK_CTR_ACPKM_OMAC})
    for (const size_t text_len : {8200, 10300, 40003, 400001}) {
      Message m(a, a == VSH_KUZNYECHIK_CTR_ACPKM_OMAC ? 0 : 21, text_len);
      ASSERT_EQ(m.seal(), VSH_OK);
      for (const size_t wrong : {size_t{0}, text_len / 2, text_len + 1}) {
        Bytes sealed = m.out, to(text_len, 0xAB);
        sealed[wrong] ^= 1;
        EXPECT_EQ(m.open(to, sealed), VSH_E_TAG);
        const bool is_short = a != VSH_KUZNYECHIK_CTR_ACPKM_OMAC && text_len <= 10000;
        EXPECT_EQ(to, Bytes(text_len, is_short ? 0xAB : 0));
        const Bytes before = sealed;
        EXPECT_EQ(m.open(sealed, sealed), VSH_E_TAG);
        EXPECT_EQ(sealed, before);
      }
      EXPECT_EQ(m.open(m.out, m.out), VSH_OK);
      m.out.resize(text_len);
      EXPECT_EQ(m.out, m.text);
    }
}

TEST(Aead, Buffers) {
  for (const vsh_aead_algorithm a : kMgm) {
    Message m(a);
    const size_t text_len = m.text.size(), tag_len = vsh_aead_max_tag_len(a);
    vsh_aead* const c = m.context.get();
    const auto seal = [&](uint8_t* out, size_t capacity, const uint8_t* nonce, const uint8_t* data, const uint8_t* in) {
      return vsh_aead_seal(c, out, capacity, &m.len, nonce, m.nonce.size(), data, m.data.size(), in, text_len);
    };
    const uint8_t *nonce = m.nonce.data(), *data = m.data.data();
    EXPECT_EQ(seal(m.out.data(), m.out.size() - 1, nonce, data, m.text.data()), VSH_E_CAPACITY);
    EXPECT_EQ(m.len, text_len + tag_len);
    EXPECT_TRUE(std::all_of(m.out.begin(), m.out.end(), [](uint8_t x) { return x == 0xEE; }));
    EXPECT_EQ(seal(nullptr, m.out.size(), nonce, data, m.text.data()), VSH_E_ARGUMENT);
    EXPECT_EQ(seal(m.out.data(), m.out.size(), nonce, nullptr, m.text.data()), VSH_E_ARGUMENT);
    EXPECT_EQ(seal(m.out.data(), m.out.size(), nonce, data, nullptr), VSH_E_ARGUMENT);
    EXPECT_EQ(seal(m.out.data(), m.out.size(), m.out.data() + 3, data, m.text.data()), VSH_E_ARGUMENT);
    EXPECT_EQ(seal(m.out.data(), m.out.size(), nonce, m.out.data() + text_len, m.text.data()), VSH_E_ARGUMENT);
    EXPECT_EQ(seal(m.out.data(), m.out.size(), nonce, data, m.out.data() + 1), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_seal(c, m.out.data(), m.out.size(), nullptr, nonce, m.nonce.size(), data, 1, data, 1),
              VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_seal(nullptr, m.out.data(), m.out.size(), &m.len, nonce, m.nonce.size(), data, 1, data, 1),
              VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_seal(c, m.out.data(), m.out.size(), &m.len, nonce, m.nonce.size(), data, 1, data, SIZE_MAX),
              VSH_E_ARGUMENT);

    // In place, there and back.
    ASSERT_EQ(m.seal(), VSH_OK);
    Bytes in_place = m.text;
    in_place.resize(text_len + tag_len);
    ASSERT_EQ(seal(in_place.data(), in_place.size(), nonce, data, in_place.data()), VSH_OK);
    EXPECT_EQ(in_place, m.out);
    Bytes shorter(text_len - 1);
    EXPECT_EQ(m.open(shorter, in_place), VSH_E_CAPACITY);
    EXPECT_EQ(m.len, text_len);
    ASSERT_EQ(m.open(in_place, in_place), VSH_OK);
    in_place.resize(text_len);
    EXPECT_EQ(in_place, m.text);
    EXPECT_EQ(vsh_aead_open(nullptr, m.out.data(), 9, &m.len, nonce, 8, data, 1, data, 1), VSH_E_ARGUMENT);

    Bytes tag(tag_len), out(text_len);
    const auto apart = [&](uint8_t* to, uint8_t* tag_to, size_t len) {
      return vsh_aead_seal_apart(c, to, tag_to, len, nonce, m.nonce.size(), data, m.data.size(), m.text.data(),
                                 text_len);
    };
    EXPECT_EQ(apart(out.data(), tag.data(), tag_len - 1), VSH_E_TAG_LENGTH);
    EXPECT_EQ(apart(out.data(), nullptr, tag_len), VSH_E_ARGUMENT);
    EXPECT_EQ(apart(out.data(), out.data() + 5, tag_len), VSH_E_ARGUMENT);
    EXPECT_EQ(apart(out.data(), m.text.data(), tag_len), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_open_apart(c, out.data(), nonce, m.nonce.size(), data, m.data.size(), m.text.data(), text_len,
                                  out.data(), tag_len),
              VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_open_apart(c, out.data(), nonce, m.nonce.size(), data, m.data.size(), m.text.data(), text_len,
                                  tag.data(), 0),
              VSH_E_TAG_LENGTH);
  }
}

// Allowed order of calls for a message in pieces.
TEST(Aead, States) {
  for (const vsh_aead_algorithm a : kMgm) {
    Message m(a);
    vsh_aead* const c = m.context.get();
    uint8_t block[16] = {}, out[16] = {};
    const size_t tag_len = vsh_aead_max_tag_len(a);
    const auto begin = [&] { ASSERT_EQ(vsh_aead_begin(c, m.nonce.data(), m.nonce.size()), VSH_OK); };
    const auto expect_no_message = [&] {
      EXPECT_EQ(vsh_aead_add_data(c, block, 1), VSH_E_STATE);
      EXPECT_EQ(vsh_aead_encrypt(c, out, block, 1), VSH_E_STATE);
      EXPECT_EQ(vsh_aead_authenticate(c, block, 1), VSH_E_STATE);
      EXPECT_EQ(vsh_aead_decrypt_unverified(c, out, block, 1), VSH_E_STATE);
      EXPECT_EQ(vsh_aead_final(c, out, tag_len), VSH_E_STATE);
      EXPECT_EQ(vsh_aead_verify(c, out, tag_len), VSH_E_STATE);
    };
    expect_no_message();

    begin();
    EXPECT_EQ(vsh_aead_add_data(c, block, 3), VSH_OK);
    EXPECT_EQ(vsh_aead_add_data(c, nullptr, 0), VSH_OK);
    EXPECT_EQ(vsh_aead_add_data(c, nullptr, 1), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_encrypt(c, out, block, 5), VSH_OK);
    EXPECT_EQ(vsh_aead_encrypt(c, nullptr, block, 5), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_encrypt(c, block + 1, block, 5), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_add_data(c, block, 1), VSH_E_STATE);
    EXPECT_EQ(vsh_aead_decrypt_unverified(c, out, block, 1), VSH_E_STATE);
    EXPECT_EQ(vsh_aead_authenticate(c, block, 1), VSH_E_STATE);
    EXPECT_EQ(vsh_aead_verify(c, out, tag_len), VSH_E_STATE);
    EXPECT_EQ(vsh_aead_final(c, out, tag_len + 1), VSH_E_TAG_LENGTH);
    EXPECT_EQ(vsh_aead_final(c, nullptr, tag_len), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_final(c, out, tag_len), VSH_OK);
    expect_no_message();

    // No tag after decryption: it would authenticate arbitrary data.
    begin();
    EXPECT_EQ(vsh_aead_decrypt_unverified(c, out, block, 5), VSH_OK);
    EXPECT_EQ(vsh_aead_authenticate(c, block, 1), VSH_OK);
    EXPECT_EQ(vsh_aead_final(c, out, tag_len), VSH_E_STATE);
    EXPECT_EQ(vsh_aead_encrypt(c, out, block, 1), VSH_E_STATE);
    EXPECT_EQ(vsh_aead_add_data(c, block, 1), VSH_E_STATE);
    EXPECT_EQ(vsh_aead_verify(c, out, tag_len - 1), VSH_E_TAG_LENGTH);
    EXPECT_EQ(vsh_aead_verify(c, out, tag_len), VSH_E_TAG);
    expect_no_message();

    begin();
    ASSERT_EQ(m.seal(), VSH_OK);  // ends the message
    expect_no_message();
    EXPECT_EQ(vsh_aead_begin(nullptr, m.nonce.data(), m.nonce.size()), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_aead_final(nullptr, out, 0), VSH_E_ARGUMENT);
  }
}

// RFC 9058 section 4.1: |A| + |P| < 2^(n/2) bits. Such buffers do not exist: only the length is checked, and nothing is
// read.
TEST(Aead, LimitOfOneMessage) {
  for (const vsh_aead_algorithm a : kMgm) {
    if (sizeof(size_t) < 8) GTEST_SKIP() << "no such lengths on this machine";
    Message m(a);
    vsh_aead* const c = m.context.get();
    const auto max = a == VSH_MAGMA_MGM ? size_t{0x1FFFFFFF} : static_cast<size_t>(0x1FFFFFFFFFFFFFFF);
    ASSERT_EQ(vsh_aead_begin(c, m.nonce.data(), m.nonce.size()), VSH_OK);
    EXPECT_EQ(vsh_aead_add_data(c, m.data.data(), max + 1), VSH_E_LIMIT);
    EXPECT_EQ(vsh_aead_add_data(c, m.data.data(), 10), VSH_OK);
    EXPECT_EQ(vsh_aead_add_data(c, m.data.data(), max - 9), VSH_E_LIMIT);
    EXPECT_EQ(vsh_aead_encrypt(c, m.out.data(), m.out.data(), max - 9), VSH_E_LIMIT);
    EXPECT_EQ(vsh_aead_authenticate(c, m.data.data(), max - 9), VSH_E_LIMIT);
    EXPECT_EQ(vsh_aead_decrypt_unverified(c, m.out.data(), m.out.data(), max - 9), VSH_E_LIMIT);
    if (a != VSH_MAGMA_MGM) continue;
    // Address space without memory behind it.
    void* const nowhere = ::mmap(nullptr, max + 64, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(nowhere, MAP_FAILED);
    auto* const huge = static_cast<uint8_t*>(nowhere);
    for (const size_t data_len : {size_t{0}, size_t{2}}) {
      const size_t len = max + 1 - data_len;
      EXPECT_EQ(
          vsh_aead_seal(c, huge, max + 64, &m.len, m.nonce.data(), m.nonce.size(), m.data.data(), data_len, huge, len),
          VSH_E_LIMIT);
      EXPECT_EQ(vsh_aead_open(c, huge, max + 64, &m.len, m.nonce.data(), m.nonce.size(), m.data.data(), data_len, huge,
                              len + 8),
                VSH_E_LIMIT);
    }
    ::munmap(nowhere, max + 64);
  }
}

}  // namespace
}  // namespace vsh
