// Every row with a separate key in each lane, or one for all: messages of unequal length in some of its lanes, in every
// mode.
#include "streams/lockstep.hpp"

#include <algorithm>

#include "streams/key_set.hpp"
#include "streams/support/streams.hpp"
#include "support/skipped_rows.hpp"

namespace vsh::test {
namespace {

struct Case {
  Operation operation;
  vsh_stream_work work;
  vsh_mode mode;
};
constexpr Case kCases[] = {
    {Operation::ecb_encrypt, VSH_STREAM_ENCRYPT, VSH_ECB},
    {Operation::ecb_decrypt, VSH_STREAM_DECRYPT, VSH_ECB},
    {Operation::cbc_encrypt, VSH_STREAM_ENCRYPT, VSH_CBC},
    {Operation::cbc_decrypt, VSH_STREAM_DECRYPT, VSH_CBC},
    {Operation::cfb_encrypt, VSH_STREAM_ENCRYPT, VSH_CFB},
    {Operation::cfb_decrypt, VSH_STREAM_DECRYPT, VSH_CFB},
    {Operation::ofb, VSH_STREAM_ENCRYPT, VSH_OFB},
    {Operation::ctr, VSH_STREAM_DECRYPT, VSH_CTR},
    {Operation::cnt, VSH_STREAM_ENCRYPT, VSH_CNT},
    {Operation::mac, VSH_STREAM_MAC, VSH_ECB},
    {Operation::imit, VSH_STREAM_MAC, VSH_ECB},
};

bool has(const StreamCipher& cipher, const Case& c) {
  if (c.work == VSH_STREAM_MAC) return (c.operation == Operation::imit) == (cipher.algorithm == VSH_GOST28147);
  return std::find(cipher.modes.begin(), cipher.modes.end(), c.mode) != cipher.modes.end();
}

void check(const StreamCipher& cipher, const BlockKernel& row, const Case& c, bool one_key, Random& random) {
  SCOPED_TRACE(std::string(algorithm_name(cipher.family)) + " " + row.info.variant);
  const streams::Cipher parameters{cipher.family, {}, {}, {}};
  const size_t lanes = row.info.lanes, n = row.block_size;
  for (const size_t longest : {size_t{0}, size_t{1}, n, size_t{64}, size_t{64} + n + 1, size_t{300}, size_t{2900}}) {
    for (const size_t one_in : {1, 7}) {  // lanes used: all, some
      StreamBatch batch(cipher, VSH_OPTIONS_INIT, random);
      std::vector<streams::Job> jobs;
      std::vector<streams::Placed> placed;
      std::vector<const uint8_t*> keys(lanes);
      const std::vector<uint8_t> key = random.bytes(32);
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (random.below(one_in)) continue;
        const auto i = static_cast<uint32_t>(jobs.size());
        // Long ones differ only at the ends, or some message would end in every tile.
        const size_t len = longest > 2000 ? longest - random.below(100) : random.below(longest + 1);
        batch.add(c.work, c.mode, one_key ? key : random.bytes(32), len, random.below(2));
        const vsh_stream_job& job = batch.jobs.back();
        jobs.push_back({c.operation, false, streams::kNoSlot, job.key, job.iv, job.in, job.out, job.in_len, job.iv_len,
                        job.out_len});
        keys[lane] = job.key;
        placed.push_back({i, lane});
      }
      uint64_t rows = c.operation == Operation::imit ? 2 : c.operation == Operation::mac ? 1 : 0;
      for (const streams::Job& job : jobs) rows = std::max<uint64_t>(rows, (job.len + n - 1) / n);

      // Long messages lie pages apart, so that their lines compete in a cache.
      constexpr size_t kPage = 4096;
      const bool pages = longest > 2000;
      std::vector<uint8_t> in(pages ? jobs.size() * kPage : 0), out(in.size(), 0xA5);
      const auto in_page = [&](streams::Job& job) {
        const size_t at = static_cast<size_t>(&job - jobs.data()) * kPage;
        std::copy_n(job.in, job.len, &in[at]);
        const bool in_place = job.in == job.out, tag = is_mac(c.operation);
        job.in = &in[at];
        if (!tag) job.out = in_place ? &in[at] : &out[at];
      };
      if (pages) std::for_each(jobs.begin(), jobs.end(), in_page);

      streams::Lockstep lockstep(lanes + 64, n);
      if (one_key) {
        const BlockEngine engine = streams::make_engine(parameters, {Choice::ok, Ladder(row), true}, key.data(), 1);
        uint8_t zero[16] = {};
        engine.encrypt(zero, zero, 1);
        StackEraser eraser;
        lockstep.run({row, nullptr, zero, &engine, &eraser}, c.operation, jobs, placed, rows);
      } else {
        SecretBuffer schedule(streams::LaneKeys::size(row));
        streams::LaneKeys::prepare(schedule.data(), row, keys.data(), parameters);
        streams::LaneKeys::encrypt_zero(schedule.data(), row);
        lockstep.run({row, schedule.data(), streams::LaneKeys::zero_encrypted(schedule.data(), row)}, c.operation, jobs,
                     placed, rows);
      }
      for (size_t i = 0; i < jobs.size(); ++i) {
        vsh_stream_job& job = batch.jobs[i];
        job.status = VSH_OK;
        if (!pages || is_mac(c.operation)) continue;
        std::copy_n(jobs[i].out, job.in_len, static_cast<uint8_t*>(job.out));
        const bool in_place = jobs[i].in == jobs[i].out;
        const uint8_t* const page = in_place ? &in[i * kPage] : &out[i * kPage];
        EXPECT_TRUE(
            std::all_of(page + job.in_len, page + kPage, [&](uint8_t b) { return b == (in_place ? 0 : 0xA5); }));
      }
      batch.check();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Lines anywhere in memory go to rows and back, by the row's own instructions or those of any CPU, and nothing else.
template <size_t kBlock>
void check_lines(const BlockKernel& row, Random& random) {
  SCOPED_TRACE(std::string(row.info.family) + " " + row.info.variant);
  using Tile = streams::Tile<kBlock>;
  const size_t lanes = row.info.lanes, line = streams::kTileBytes, apart = line + 9;
  const auto messages = random.bytes(lanes * apart), added = random.bytes(lanes * apart);
  std::vector<uint8_t> rows(lanes * line + 64, 0xA5), out(lanes * apart, 0xA5), sums = added;
  std::vector<const uint8_t*> from, add;
  std::vector<uint8_t*> to, in_place;
  for (size_t i = 0; i < lanes; ++i) {
    const size_t at = i * apart + i % 9;
    from.push_back(&messages[at]), add.push_back(&sums[at]), to.push_back(&out[at]), in_place.push_back(&sums[at]);
  }
  Tile::gather(row, rows.data(), from.data());
  for (size_t t = 0; t < Tile::kRows; ++t)
    for (size_t i = 0; i < lanes; ++i)
      ASSERT_EQ(0, std::memcmp(&rows[(t * lanes + i) * kBlock], from[i] + t * kBlock, kBlock)) << "lane " << i;
  ASSERT_EQ(std::vector<uint8_t>(64, 0xA5), std::vector<uint8_t>(rows.end() - 64, rows.end())) << "beyond the rows";
  Tile::scatter(row, to.data(), rows.data());
  Tile::scatter_sum(row, in_place.data(), add.data(), rows.data());
  for (size_t at = 0; at < lanes * apart; ++at) {
    const size_t lane = at / apart, byte = at % apart;
    const bool is_of_line = byte >= lane % 9 && byte < lane % 9 + line;
    ASSERT_EQ(out[at], is_of_line ? messages[at] : 0xA5) << "lane " << lane;
    ASSERT_EQ(sums[at], is_of_line ? messages[at] ^ added[at] : added[at]) << "lane " << lane;
  }
}

TEST(Lockstep, EveryRowAndMode) {
  SCOPED_TRACE(seed_note());
  Random random(7);
  for (const StreamCipher& cipher : kStreamCiphers) {
    int num_rows = 0;
    for (const BlockKernel* row : block_kernels(cipher.family)) {
      if (!row->lanes_schedule_size) continue;
      if (!runs_here(row->info)) continue;
      ++num_rows;
      row->block_size == 16 ? check_lines<16>(*row, random) : check_lines<8>(*row, random);
      for (const Case& c : kCases)
        for (const bool one_key : {false, true})
          if (has(cipher, c) && !(one_key && c.operation == Operation::imit)) check(cipher, *row, c, one_key, random);
    }
    EXPECT_GT(num_rows, 0) << algorithm_name(cipher.family);
  }
}

}  // namespace
}  // namespace vsh::test
