// Prepared keys that are replaced: afterwards everything that was prepared of them is that of the new ones.
#include "streams/key_set.hpp"

#include "streams/support/streams.hpp"
#include "support/random.hpp"

namespace vsh::test {
namespace {

TEST(KeySet, ReplacedKeysArePreparedForEveryKernel) {
  Random random(8);
  for (const StreamCipher& c : kStreamCiphers) {
    const Algorithm a = c.family;
    const streams::Cipher cipher{keys::CipherParameters(a), choose_block_kernel(a, {}, false), block_size(a), 1};
    uint32_t most_lanes = 0;
    for (const BlockKernel* kernel : streams::lane_kernels(cipher))
      most_lanes = std::max(most_lanes, kernel->info.lanes);
    ASSERT_GT(most_lanes, 0u);
    const size_t num = most_lanes + 50;  // more than a group of any kernel, and few enough that engines are kept
    Bytes bytes = random.bytes(32 * num);
    streams::KeySet replaced(cipher, bytes.data(), num);
    ASSERT_TRUE(replaced.keeps_engines());
    replaced.engine(3);
    for (const size_t slot : {size_t{3}, size_t{40}, size_t{41}, num - 1}) {
      const Bytes key = random.bytes(32);
      std::copy(key.begin(), key.end(), bytes.begin() + static_cast<ptrdiff_t>(32 * slot));
      replaced.replace(slot, key.data());
    }
    replaced.prepare_changed();
    const streams::KeySet fresh(cipher, bytes.data(), num);
    for (size_t k = 0; k < fresh.kernels().size(); ++k) {
      const BlockKernel& kernel = *fresh.kernels()[k];
      for (size_t g = 0; g * kernel.info.lanes < num; ++g) {
        ASSERT_EQ(0, std::memcmp(replaced.group(k, g), fresh.group(k, g), streams::LaneKeys::size(kernel)))
            << algorithm_name(a) << ", " << kernel.info.variant << ", group " << g;
      }
    }
    for (const size_t slot : {size_t{3}, size_t{40}, size_t{5}}) {
      Bytes block = random.bytes(cipher.block_size()), other = block;
      replaced.engine(slot).encrypt_one(block.data(), block.data());
      fresh.engine(slot).encrypt_one(other.data(), other.data());
      EXPECT_EQ(block, other) << "slot " << slot;
    }
  }
}

}  // namespace
}  // namespace vsh::test
