// Block ciphers on devices against the examples of the standards and the results of other implementations
// (tests/vectors/SOURCES.md), emulated, so that it needs no device: circuits of three-input gates, as CUDA runs them.
#include <gtest/gtest.h>

#include "gpu/ciphers/block_cipher.hpp"
#include "gpu/programs/block_programs.hpp"
#include "support/subjects.hpp"
#include "support/vec.hpp"

namespace vsh::gpu {
namespace {

using vec::Bytes;
using vec::Record;

const uint8_t* key_of(const Bytes& key) {
  if (key.size() != 32) throw vec::Error("expected 32 bytes");
  return key.data();
}

keys::CipherParameters gost28147_of(const Record& r) {
  if (r.has("SboxRows")) {
    uint8_t rows[128];
    const std::string& digits = r.word("SboxRows");
    for (size_t i = 0; i < 128; ++i) rows[i] = uint8_t(std::stoi(digits.substr(i, 1), nullptr, 16));
    return keys::CipherParameters(rows);
  }
  int set = 0;
  while (r.word("Sbox") != tables::kMagmaSboxes[set].name) ++set;
  return {Algorithm::gost28147, static_cast<tables::MagmaSbox>(set)};
}

// The device, and a cipher on it.
class Vectors : public testing::Test {
 protected:
  BlockCipher cipher_of(const keys::CipherParameters& parameters, const Bytes& key) {
    return {device_, *queue_, keys::CipherKey(parameters, key_of(key))};
  }
  BlockCipher cipher_of(const std::string& file, const Record& r) {
    const Bytes key = r.bytes("Key");
    if (file.starts_with("kuznyechik")) return cipher_of(Algorithm::kuznyechik, key);
    return cipher_of(file.starts_with("gost28147") ? gost28147_of(r) : Algorithm::magma, key);
  }

  std::unique_ptr<Buffer> upload(const Bytes& bytes) {
    auto buffer = device_.allocate(bytes.size() + 1);
    queue_->upload(*buffer, 0, bytes.data(), bytes.size());
    return buffer;
  }
  // The whole blocks of `in`, and a last one filled up with zeros.
  Bytes run(const BlockCipher& cipher, Operation operation, const Bytes& in, const Buffer* start = nullptr,
            uint32_t number = 1) {
    const size_t n = cipher.block_size(), num_blocks = (in.size() + n - 1) / n;
    Bytes padded = in;
    padded.resize(num_blocks * n);
    const auto from = upload(padded), to = device_.allocate(padded.size() + 1);
    cipher.launch(*queue_, {.operation = operation,
                            .out = to.get(),
                            .in = from.get(),
                            .num_blocks = num_blocks,
                            .start = start,
                            .z = number,
                            .unit_blocks = number});
    queue_->download(padded.data(), *to, 0, padded.size());
    padded.resize(in.size());
    return padded;
  }

  // Calls check(cipher, record) for every record of the section with a kernel; returns their number.
  template <class Check>
  size_t for_each(const std::string& file, const std::string& section, std::vector<std::string> fields,
                  const Check& check) {
    size_t num = 0;
    if (file.starts_with("gost28147") && !section.ends_with("sbox")) fields.emplace_back("Sbox");
    for (const Record& r : vec::read(file, section, fields)) {
      SCOPED_TRACE(r.where());
      if (r.has("Padding") && r.word("Padding") != "none") continue;
      const BlockCipher cipher = cipher_of(file, r);
      if (r.has("Segment") && r.number("Segment") != 8 * cipher.block_size()) continue;
      if (r.bytes("In").empty()) continue;
      check(cipher, r);
      ++num;
    }
    return num;
  }

  test::EmulatedDevice device_{test::block_programs_lut3()};
  std::unique_ptr<Queue> queue_ = device_.make_queue();
};

TEST_F(Vectors, Ecb) {
  const auto check = [&](const BlockCipher& cipher, const Record& r) {
    EXPECT_EQ(run(cipher, Operation::ecb_encrypt, r.bytes("In")), r.bytes("Out"));
    EXPECT_EQ(run(cipher, Operation::ecb_decrypt, r.bytes("Out")), r.bytes("In"));
  };
  EXPECT_GT(for_each("kuznyechik_modes.vec", "ecb", {"Key", "Padding", "In", "Out"}, check), 0u);
  EXPECT_GT(for_each("magma_modes.vec", "ecb", {"Key", "Padding", "In", "Out"}, check), 0u);
  EXPECT_GT(for_each("gost28147_modes.vec", "ecb", {"Key", "Padding", "In", "Out"}, check), 0u);
  EXPECT_GT(for_each("gost28147_block.vec", "block-user-sbox", {"SboxRows", "Key", "In", "Out"}, check), 0u);
}

TEST_F(Vectors, Counters) {
  const auto check = [&](const BlockCipher& cipher, const Record& r) {
    Bytes start = r.bytes("IV");
    const Operation operation = cipher.can(Operation::cnt) ? Operation::cnt : Operation::ctr;
    if (operation == Operation::cnt) start = run(cipher, Operation::ecb_encrypt, start);
    start.resize(cipher.block_size());
    EXPECT_EQ(run(cipher, operation, r.bytes("In"), upload(start).get()), r.bytes("Out"));
  };
  EXPECT_GT(for_each("kuznyechik_modes.vec", "ctr", {"Key", "IV", "Segment", "In", "Out"}, check), 0u);
  EXPECT_GT(for_each("magma_modes.vec", "ctr", {"Key", "IV", "Segment", "In", "Out"}, check), 0u);
  EXPECT_GT(for_each("gost28147_modes.vec", "cnt", {"Key", "IV", "In", "Out"}, check), 0u);
  EXPECT_GT(for_each("gost28147_modes.vec", "cnt-carry", {"Key", "IV", "In", "Out"}, check), 0u);
}

TEST_F(Vectors, Feedback) {
  const auto check = [&](Operation operation) {
    return [this, operation](const BlockCipher& cipher, const Record& r) {
      const Bytes iv = r.bytes("IV");
      EXPECT_EQ(run(cipher, operation, r.bytes("Out"), upload(iv).get(), uint32_t(iv.size() / cipher.block_size())),
                r.bytes("In"));
    };
  };
  for (const char* file : {"kuznyechik_modes.vec", "magma_modes.vec"}) {
    EXPECT_GT(for_each(file, "cbc", {"Key", "IV", "Padding", "In", "Out"}, check(Operation::cbc_decrypt)), 0u);
    EXPECT_GT(for_each(file, "cfb", {"Key", "IV", "Segment", "In", "Out"}, check(Operation::cfb_decrypt)), 0u);
  }
  EXPECT_GT(for_each("gost28147_modes.vec", "cfb", {"Key", "IV", "In", "Out"}, check(Operation::cfb_decrypt)), 0u);
}

TEST_F(Vectors, Xts) {
  size_t num = 0;
  for (const Record& r : vec::read("kuznyechik_disk.vec", "xts", {"Keys", "IV", "In", "Out"})) {
    SCOPED_TRACE(r.where());
    const Bytes keys = r.bytes("Keys"), in = r.bytes("In"), number = r.bytes("IV");
    if (in.size() % 16 || load_le64(&number[8])) continue;  // no kernel's matter
    const BlockCipher data = cipher_of(Algorithm::kuznyechik, Bytes(keys.begin(), keys.begin() + 32));
    const BlockCipher tweak = cipher_of(Algorithm::kuznyechik, Bytes(keys.begin() + 32, keys.end()));
    const auto unit_blocks = static_cast<uint32_t>(in.size() / 16);
    const auto tweaks = device_.allocate(BlockCipher::tweaks_size(1, unit_blocks));
    tweak.make_tweaks(*queue_, *tweaks, load_le64(number.data()), 1, 1, unit_blocks);
    EXPECT_EQ(run(data, Operation::xts_encrypt, in, tweaks.get(), unit_blocks), r.bytes("Out"));
    EXPECT_EQ(run(data, Operation::xts_decrypt, r.bytes("Out"), tweaks.get(), unit_blocks), in);
    ++num;
  }
  EXPECT_GT(num, 0u);
}

}  // namespace
}  // namespace vsh::gpu
