// Vectors of the standards and of other implementations through the C ABI, on every kernel that this CPU can
// run.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/registry.hpp"
#include "support/random.hpp"
#include "support/skipped_rows.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.h"

namespace vsh {
namespace {

using vec::Bytes;
using vec::Record;

struct Cipher {
  Algorithm kernels;
  vsh_cipher_algorithm algorithm;
  const char* file;
};

constexpr Cipher kKuznyechik{Algorithm::kuznyechik, VSH_KUZNYECHIK, "kuznyechik_modes.vec"};
constexpr Cipher kMagma{Algorithm::magma, VSH_MAGMA, "magma_modes.vec"};
constexpr Cipher kGost28147{Algorithm::gost28147, VSH_GOST28147, "gost28147_modes.vec"};

vsh_padding padding_by_name(const std::string& name) {
  static const std::map<std::string, vsh_padding> names = {
      {"none", VSH_PADDING_NONE}, {"1", VSH_PADDING_1}, {"2", VSH_PADDING_2}, {"pkcs7", VSH_PADDING_PKCS7}};
  return names.at(name);
}

vsh_sbox sbox_by_name(const std::string& name) {
  vsh_sbox sbox;
  if (vsh_sbox_by_name(&sbox, name.c_str()) != VSH_OK) throw std::runtime_error("no S-box set " + name);
  return sbox;
}

vsh_options options_of(const Record& r) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.flags = VSH_ALLOW_TABLES;
  if (r.has("Padding")) o.padding = padding_by_name(r.word("Padding"));
  if (r.has("Segment")) o.segment_len = r.number("Segment") / 8;
  if (r.has("Sbox")) o.sbox = sbox_by_name(r.word("Sbox"));
  if (r.has("Section")) o.section_len = r.number("Section");
  if (r.has("MasterSection")) o.master_section_len = r.number("MasterSection");
  if (r.section().ends_with("-meshing")) o.key_meshing = VSH_MESHING_CRYPTOPRO;
  return o;
}

// In random pieces through a context.
Bytes in_pieces(const Cipher& cipher, vsh_mode mode, vsh_direction direction, const Bytes& key, const Bytes& iv,
                const vsh_options& options, const Bytes& in, uint64_t position, test::Random& random) {
  vsh_cipher* c = nullptr;
  EXPECT_EQ(
      vsh_cipher_new(&c, cipher.algorithm, mode, direction, key.data(), key.size(), iv.data(), iv.size(), &options),
      VSH_OK);
  if (!c) return {};
  if (position) {
    EXPECT_EQ(vsh_cipher_seek(c, position), VSH_OK);
  }
  Bytes out;
  size_t at = 0, len = 0;
  while (at < in.size()) {
    const size_t piece = random.below(std::min<size_t>(in.size() - at, random.below(4) ? 40 : 4000) + 1);
    Bytes part(vsh_cipher_update_capacity(c, piece));
    EXPECT_EQ(vsh_cipher_update(c, part.data(), part.size(), &len, in.data() + at, piece), VSH_OK);
    EXPECT_EQ(len, part.size());
    out.insert(out.end(), part.begin(), part.end());
    at += piece;
  }
  Bytes last(VSH_FINAL_CAPACITY);
  EXPECT_EQ(vsh_cipher_final(c, last.data(), last.size(), &len), VSH_OK);
  out.insert(out.end(), last.begin(), last.begin() + static_cast<long>(len));
  vsh_cipher_free(c);
  return out;
}

Bytes one_shot(decltype(&vsh_encrypt) function, const Cipher& cipher, vsh_mode mode, const Bytes& key, const Bytes& iv,
               const vsh_options& options, const Bytes& in) {
  Bytes out(in.size() + VSH_FINAL_CAPACITY);
  size_t len = 0;
  EXPECT_EQ(function(out.data(), out.size(), &len, cipher.algorithm, mode, key.data(), key.size(), iv.data(), iv.size(),
                     in.data(), in.size(), &options),
            VSH_OK);
  out.resize(len);
  return out;
}

// Runs check(record, options) for every record of the section on every kernel.
template <class Check>
void for_each(const Cipher& cipher, const std::string& section, const std::vector<std::string>& fields,
              const Check& check) {
  const auto records = vec::read(cipher.file, section, fields);
  int num_kernels = 0;
  for (const BlockKernel* row : block_kernels(cipher.kernels)) {
    if (!test::runs_here(row->info)) continue;
    ++num_kernels;
    for (const Record& r : records) {
      SCOPED_TRACE(r.where() + " on " + row->info.variant);
      vsh_options options = options_of(r);
      options.kernel = row->info.variant;
      check(r, options);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(num_kernels, 0);
}

void check_mode(const Cipher& cipher, vsh_mode mode, const std::string& section,
                const std::vector<std::string>& fields) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for_each(cipher, section, fields, [&](const Record& r, const vsh_options& options) {
    const Bytes key = r.bytes("Key"), in = r.bytes("In"), out = r.bytes("Out");
    const Bytes iv = r.has("IV") ? r.bytes("IV") : Bytes();
    // Procedure 1 does not distinguish the padding from zeros before it.
    Bytes back = in;
    if (options.padding == VSH_PADDING_1) back.resize(out.size());
    if (r.has("Offset")) {
      const uint64_t offset = r.number("Offset");
      EXPECT_EQ(in_pieces(cipher, mode, VSH_ENCRYPT, key, iv, options, in, offset, random), out);
      EXPECT_EQ(in_pieces(cipher, mode, VSH_DECRYPT, key, iv, options, out, offset, random), back);
      return;
    }
    EXPECT_EQ(one_shot(vsh_encrypt, cipher, mode, key, iv, options, in), out);
    EXPECT_EQ(one_shot(vsh_decrypt, cipher, mode, key, iv, options, out), back);
    EXPECT_EQ(in_pieces(cipher, mode, VSH_ENCRYPT, key, iv, options, in, 0, random), out);
    EXPECT_EQ(in_pieces(cipher, mode, VSH_DECRYPT, key, iv, options, out, 0, random), back);
  });
}

void check_mac(const char* file, const char* section, std::vector<std::string> fields, vsh_mac_algorithm algorithm,
               const vsh_options& common) {
  test::Random random(2);
  for (const Record& r : vec::read(file, section, std::move(fields))) {
    if (r.has("Convention") && r.word("Convention") != "extended") continue;
    SCOPED_TRACE(r.where());
    const Bytes key = r.bytes("Key"), in = r.bytes("In"), out = r.bytes("Out");
    vsh_options options = options_of(r);
    options.flags = common.flags;
    options.kernel = common.kernel;
    vsh_mac* mac = nullptr;
    ASSERT_EQ(vsh_mac_new(&mac, algorithm, key.data(), key.size(), &options), VSH_OK);
    for (int i = 0; i < 3; ++i) {
      for (size_t at = 0, piece; at < in.size(); at += piece) {
        piece = i ? random.below(std::min<size_t>(40, in.size() - at) + 1) : in.size();
        ASSERT_EQ(vsh_mac_update(mac, in.data() + at, piece), VSH_OK);
      }
      if (i < 2) {
        Bytes tag(out.size());
        ASSERT_EQ(vsh_mac_final(mac, tag.data(), tag.size()), VSH_OK);
        EXPECT_EQ(tag, out);
      } else {
        EXPECT_EQ(vsh_mac_verify(mac, out.data(), out.size()), VSH_OK);
      }
      ASSERT_EQ(vsh_mac_reset(mac), VSH_OK);
    }
    vsh_mac_free(mac);
  }
}

void check_mac_on_every_kernel(const Cipher& cipher, const char* section, const std::vector<std::string>& fields,
                               vsh_mac_algorithm algorithm) {
  for (const BlockKernel* row : block_kernels(cipher.kernels)) {
    if (!runnable(row->info)) continue;
    SCOPED_TRACE(row->info.variant);
    vsh_options options = VSH_OPTIONS_INIT;
    options.flags = VSH_ALLOW_TABLES;
    options.kernel = row->info.variant;
    check_mac(cipher.file, section, fields, algorithm, options);
  }
}

class Gost2015 : public testing::TestWithParam<Cipher> {};

TEST_P(Gost2015, Ecb) { check_mode(GetParam(), VSH_ECB, "ecb", {"Key", "Padding", "In", "Out"}); }
TEST_P(Gost2015, Ctr) { check_mode(GetParam(), VSH_CTR, "ctr", {"Key", "IV", "Segment", "In", "Out"}); }
TEST_P(Gost2015, CtrSeek) {
  check_mode(GetParam(), VSH_CTR, "ctr-seek", {"Key", "IV", "Segment", "Offset", "In", "Out"});
}
TEST_P(Gost2015, Ofb) { check_mode(GetParam(), VSH_OFB, "ofb", {"Key", "IV", "Segment", "In", "Out"}); }
TEST_P(Gost2015, Cbc) { check_mode(GetParam(), VSH_CBC, "cbc", {"Key", "IV", "Padding", "In", "Out"}); }
TEST_P(Gost2015, Cfb) { check_mode(GetParam(), VSH_CFB, "cfb", {"Key", "IV", "Segment", "In", "Out"}); }
TEST_P(Gost2015, Mac) {
  check_mac_on_every_kernel(GetParam(), "mac", {"Key", "In", "Out"},
                            GetParam().algorithm == VSH_KUZNYECHIK ? VSH_KUZNYECHIK_MAC : VSH_MAGMA_MAC);
}
TEST_P(Gost2015, CtrAcpkm) {
  check_mode(GetParam(), VSH_CTR_ACPKM, "ctr-acpkm", {"Key", "IV", "Section", "Segment", "In", "Out"});
}
TEST_P(Gost2015, OmacAcpkm) {
  check_mac_on_every_kernel(GetParam(), "omac-acpkm", {"Key", "Section", "MasterSection", "In", "Out"},
                            GetParam().algorithm == VSH_KUZNYECHIK ? VSH_KUZNYECHIK_OMAC_ACPKM : VSH_MAGMA_OMAC_ACPKM);
}

INSTANTIATE_TEST_SUITE_P(Ciphers, Gost2015, testing::Values(kKuznyechik, kMagma),
                         [](const auto& info) { return std::string(algorithm_name(info.param.kernels)); });

TEST(Gost28147, Ecb) { check_mode(kGost28147, VSH_ECB, "ecb", {"Sbox", "Key", "Padding", "In", "Out"}); }
TEST(Gost28147, Cnt) { check_mode(kGost28147, VSH_CNT, "cnt", {"Sbox", "Key", "IV", "In", "Out"}); }
TEST(Gost28147, CntCarry) { check_mode(kGost28147, VSH_CNT, "cnt-carry", {"Sbox", "Key", "IV", "In", "Out"}); }
TEST(Gost28147, CntSeek) { check_mode(kGost28147, VSH_CNT, "cnt-seek", {"Sbox", "Key", "IV", "Offset", "In", "Out"}); }
TEST(Gost28147, Cfb) { check_mode(kGost28147, VSH_CFB, "cfb", {"Sbox", "Key", "IV", "In", "Out"}); }
TEST(Gost28147, CfbSegment) {
  check_mode(kGost28147, VSH_CFB, "cfb-segment", {"Sbox", "Key", "IV", "Segment", "In", "Out"});
}
TEST(Gost28147, Cbc) { check_mode(kGost28147, VSH_CBC, "cbc", {"Sbox", "Key", "IV", "Padding", "In", "Out"}); }
TEST(Gost28147, Meshing) {
  check_mode(kGost28147, VSH_CNT, "cnt-meshing", {"Sbox", "Key", "IV", "In", "Out"});
  check_mode(kGost28147, VSH_CFB, "cfb-meshing", {"Sbox", "Key", "IV", "In", "Out"});
  check_mode(kGost28147, VSH_CBC, "cbc-meshing", {"Sbox", "Key", "IV", "Padding", "In", "Out"});
}
TEST(Gost28147, ImitMeshing) {
  const vsh_options options = VSH_OPTIONS_INIT;
  check_mac("gost28147_modes.vec", "imit-meshing", {"Sbox", "Key", "In", "Out"}, VSH_GOST28147_IMIT, options);
}
TEST(Gost28147, Imit) {
  const vsh_options options = VSH_OPTIONS_INIT;
  check_mac("gost28147_modes.vec", "imit", {"Sbox", "Key", "In", "Out"}, VSH_GOST28147_IMIT, options);
}
// A message of at most one block: see modes/imit.hpp.
TEST(Gost28147, ImitOfShortMessages) {
  const vsh_options options = VSH_OPTIONS_INIT;
  check_mac("gost28147_modes.vec", "imit-short", {"Convention", "Sbox", "Key", "In", "Out"}, VSH_GOST28147_IMIT,
            options);
}

}  // namespace
}  // namespace vsh
