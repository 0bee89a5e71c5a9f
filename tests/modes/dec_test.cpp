#include "modes/dec.hpp"

#include <algorithm>

#include "modes/support/modes.hpp"
#include "support/vec.hpp"

namespace vsh {
namespace {

using modes::Dec;
using test::Bytes;

// A key of Kuznyechik, for the mode and as reference functions.
struct Key {
  explicit Key(const Bytes& key) : round_keys(Algorithm::kuznyechik, key.data()) {
    std::array<uint8_t, 32> k;
    std::copy(key.begin(), key.end(), k.begin());
    e = [schedule = kuznyechik::reference::key_schedule(k)](const Bytes& a) {
      kuznyechik::reference::Block x;
      std::copy(a.begin(), a.end(), x.begin());
      x = kuznyechik::reference::E(schedule, x);
      return Bytes(x.begin(), x.end());
    };
  }
  test::textbook::BlockFunction mac() const {
    return [this](const Bytes& message) { return test::textbook::mac(e, 16, message); };
  }
  keys::CipherKey round_keys;
  test::textbook::BlockFunction e;
};

Bytes two_numbers(uint64_t high, uint64_t low) {
  Bytes block(16);
  store_be64(block.data(), high);
  store_be64(block.data() + 8, low);
  return block;
}

struct Sector {
  uint64_t partition, partition_counter, number, counter;
};

// As in bcm-lib, over the references.
Bytes textbook_dec(const Bytes& key, const Sector& s, const Bytes& in) {
  const size_t q = in.size() / 16;
  const Key master(key);
  const Key partition(test::textbook::dec_kdf(master.mac(), Bytes(16), two_numbers(s.partition, s.partition_counter)));
  const Key sector(
      test::textbook::dec_kdf(partition.mac(), two_numbers(s.partition, 0), two_numbers(s.counter > 0, s.number)));
  Bytes out;
  for (size_t t = 0; t < q; ++t) {
    const Bytes block(in.begin() + static_cast<long>(16 * t), in.begin() + static_cast<long>(16 * t + 16));
    test::textbook::append(out, test::textbook::add(block, sector.e(two_numbers(s.number, s.counter * q + t))));
  }
  return out;
}

Bytes library_dec(const Bytes& key, const Sector& s, const Bytes& in, bool in_place) {
  const BlockChoice kernels = choose_block_kernel(Algorithm::kuznyechik, {}, false);
  const Key master(key);
  Bytes partition_key(32);
  Dec::derive_partition_key(partition_key.data(), BlockEngine(kernels, master.round_keys, 1), s.partition,
                            s.partition_counter);
  const Key of_partition(partition_key);
  const BlockEngine engine(kernels, of_partition.round_keys, 1);
  Dec dec(engine, kernels, s.partition, in.size() / 16);
  EXPECT_LT(s.counter, dec.end_of_counters());
  Bytes out = in_place ? in : Bytes(in.size());
  dec.process_sector(out.data(), in.data(), 12345, 7);  // leaves nothing behind for the next sector
  if (in_place) out = in;
  dec.process_sector(out.data(), in_place ? out.data() : in.data(), s.number, s.counter);
  return out;
}

TEST(Dec, BcmLib) {
  const auto records = vec::read("kuznyechik_disk.vec", "dec",
                                 {"Key", "Partition", "PartitionCounter", "Sector", "SectorCounter", "In", "Out"});
  for (const vec::Record& r : records) {
    SCOPED_TRACE(r.where());
    const Sector s{r.number("Partition"), r.number("PartitionCounter"), r.number("Sector"), r.number("SectorCounter")};
    EXPECT_EQ(textbook_dec(r.bytes("Key"), s, r.bytes("In")), r.bytes("Out"));
    EXPECT_EQ(library_dec(r.bytes("Key"), s, r.bytes("In"), false), r.bytes("Out"));
    EXPECT_EQ(library_dec(r.bytes("Key"), s, r.bytes("Out"), true), r.bytes("In"));
  }
}

TEST(Dec, EqualsTheTextbook) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(1);
  for (const size_t sector_len : {512u, 1024u, 4096u}) {
    const uint64_t end = UINT64_MAX / (sector_len / 16) + 1;
    for (const uint64_t counter : {uint64_t{0}, uint64_t{1}, uint64_t{UINT32_MAX}, end - 1}) {
      const Bytes key = random.bytes(32), in = random.bytes(sector_len);
      const Sector s{random(), random(), counter == 1 ? UINT64_MAX : random(), counter};
      const Bytes out = textbook_dec(key, s, in);
      ASSERT_EQ(library_dec(key, s, in, false), out);
      ASSERT_EQ(library_dec(key, s, in, true), out);
    }
  }
}

}  // namespace
}  // namespace vsh
