// How often the trees of TLSTREE and ESPTREE derive: a level only where its seed changes. Values alone would not tell.
#include "core/registry.hpp"
#include "keys/esptree.hpp"
#include "keys/support/keys.hpp"
#include "keys/tlstree.hpp"

namespace vsh::test {
namespace {

// The first row that runs everywhere, its compressions counted.
const HashKernel& real() { return *default_hash_kernel(false, nullptr); }
size_t num_compressions = 0;

HashKernel counting() {
  HashKernel row = real();
  row.absorb = [](streebog::State* state, const uint8_t* in, size_t num_blocks) {
    num_compressions += num_blocks;
    real().absorb(state, in, num_blocks);
  };
  row.compress = [](uint8_t* h, const uint8_t* n, const uint8_t* m) {
    ++num_compressions;
    real().compress(h, n, m);
  };
  return row;
}

// The cost of one message under a key, short as the input of a level is; and of a new key.
struct Costs {
  size_t derivation, key;
  explicit Costs(const HashKernel& row) {
    uint8_t out[keys::kKdfLen];
    num_compressions = 0;
    keys::Hmac kdf(&row, 256, kText);
    key = num_compressions;
    kdf.update(kText);
    kdf.final(out);
    derivation = num_compressions - key;
  }
  // The levels from `level` on, the first one being 1: each key but the last is that of the next level.
  size_t from(unsigned level) const { return (4 - level) * derivation + (3 - level) * key; }
  static constexpr uint8_t kText[20] = {};
};

TEST(KeyTree, TlsTreeDerivesWhatChangesOnly) {
  const HashKernel row = counting();
  const Costs costs(row);
  const Bytes root(32, 0x42);
  for (const keys::TlsTreeSet& set : keys::kTlsTreeSets) {
    SCOPED_TRACE(set.name);
    keys::TlsTree tree(&row, set, root);
    const uint64_t leaf = ~set.mask[2] + 1, second = ~set.mask[1] + 1, first = ~set.mask[0] + 1;
    const auto expect = [&](uint64_t seqnum, size_t compressions) {
      num_compressions = 0;
      tree.key(seqnum);
      EXPECT_EQ(num_compressions, compressions) << seqnum;
    };
    expect(0, costs.from(1));
    expect(0, 0);
    for (const uint64_t at : {leaf, second, 7 * leaf + second}) {  // in one first level
      expect(at - 1, at - 1 < leaf ? 0 : costs.from(3));           // the last record of the leaf before
      if (at != leaf) expect(at - 2, leaf == 1 ? costs.from(3) : 0);
      expect(at, costs.from(at == second ? 2 : 3));
      if (leaf > 1) expect(at + leaf / 2, 0), expect(at + leaf - 1, 0);
      if (leaf < second) expect(at + leaf, costs.from(3)), expect(at, costs.from(3));
    }
    expect(first, costs.from(1));
    expect(first + leaf - 1, 0);
    expect(second, costs.from(1));
  }
}

TEST(KeyTree, EspTreeDerivesWhatChangesOnly) {
  const HashKernel row = counting();
  const Costs costs(row);
  const Bytes root(32, 0x42);
  keys::EspTree tree(&row, root);
  const auto expect = [&](uint8_t i1, uint16_t i2, uint16_t i3, size_t compressions) {
    num_compressions = 0;
    tree.key(i1, i2, i3);
    EXPECT_EQ(num_compressions, compressions) << +i1 << ' ' << i2 << ' ' << i3;
  };
  expect(0, 0, 0, costs.from(1));
  expect(0, 0, 0, 0);
  expect(0, 0, 1, costs.from(3));
  expect(0, 0, 1, 0);
  expect(0, 0, 256, costs.from(3));
  expect(0, 1, 256, costs.from(2));
  expect(0, 1, 257, costs.from(3));
  expect(1, 1, 257, costs.from(1));
  expect(1, 1, 257, 0);
}

}  // namespace
}  // namespace vsh::test
