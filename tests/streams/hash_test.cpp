// Streebog over batches: vectors of the standard and of other implementations, unequal lengths, every row for many
// messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/registry.hpp"
#include "streams/hash_batch.hpp"
#include "support/random.hpp"
#include "support/skipped_rows.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.h"

namespace vsh::test {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<const HashLanesKernel*> lane_rows() {
  std::vector<const HashLanesKernel*> rows;
  for (const HashLanesKernel* row : hash_lanes_kernels())
    if (runs_here(row->info)) rows.push_back(row);
  return rows;
}

vsh_hash_algorithm algorithm(uint64_t bits) { return bits == 256 ? VSH_STREEBOG256 : VSH_STREEBOG512; }

struct HashBatch {
  std::vector<Bytes> in, expected, digest;

  void add(Bytes message, Bytes hash) {
    in.push_back(std::move(message));
    digest.emplace_back(hash.size());
    expected.push_back(std::move(hash));
  }
  std::vector<vsh_hash_job> jobs() {
    std::vector<vsh_hash_job> jobs;
    for (size_t i = 0; i < in.size(); ++i)
      jobs.push_back({in[i].data(), in[i].size(), digest[i].data(), digest[i].size(), VSH_E_STATE});
    return jobs;
  }
  void run(uint64_t bits, const vsh_options& o) {
    std::vector<vsh_hash_job> all = jobs();
    ASSERT_EQ(vsh_streams_hash(algorithm(bits), all.data(), all.size(), &o), VSH_OK);
    for (const vsh_hash_job& job : all) ASSERT_EQ(job.status, VSH_OK);
    EXPECT_EQ(digest, expected);
    for (Bytes& d : digest) std::fill(d.begin(), d.end(), 0);
  }
};

// All vectors of a digest length together, repeated to fill the lanes.
TEST(StreamHashes, Vectors) {
  for (const uint64_t bits : {256, 512}) {
    HashBatch batch;
    const auto records = vec::read("streebog.vec", "hash", {"Bits", "In", "Out"});
    for (int copies = 0; copies < 12; ++copies)
      for (const vec::Record& r : records)
        if (r.number("Bits") == bits) batch.add(r.bytes("In"), r.bytes("Out"));
    ASSERT_GT(batch.in.size(), 500u);
    vsh_options o = VSH_OPTIONS_INIT;
    batch.run(bits, o);
    o.threads = 0;
    batch.run(bits, o);
    for (const HashLanesKernel* row : lane_rows()) {
      o.kernel = row->info.variant;
      SCOPED_TRACE(o.kernel);
      batch.run(bits, o);
    }
  }
}

// With costs that force everything into lanes, regardless of the row's own costs: all lengths around a block, few and
// many.
TEST(StreamHashes, EveryRowInLockstep) {
  Random random(3);
  const HashKernel* one = choose_hash_kernel({}, false).row;
  HashKernel dear = *one;
  dear.info.pass_cost = 1u << 30;
  for (const HashLanesKernel* row : lane_rows())
    for (const unsigned bits : {256u, 512u})
      for (const size_t num : {size_t{1}, size_t{row->info.lanes} - 1, 2 * size_t{row->info.lanes} + 1}) {
        SCOPED_TRACE(std::string(row->info.variant) + ", messages: " + std::to_string(num));
        std::vector<Bytes> in, digest(num, Bytes(bits / 8)), expected(num, Bytes(bits / 8));
        std::vector<streams::Message> messages;
        for (size_t i = 0; i < num; ++i) {
          in.push_back(random.bytes(i < 200 ? i : random.below(600)));
          ASSERT_EQ(vsh_hash_digest(expected[i].data(), bits / 8, algorithm(bits), in[i].data(), in[i].size(), nullptr),
                    VSH_OK);
        }
        for (size_t i = 0; i < num; ++i) messages.push_back({in[i].data(), in[i].size(), digest[i].data()});
        streams::hash_batch(dear, std::span(&row, 1), bits, messages, 1);
        for (const streams::Message& m : messages) ASSERT_TRUE(m.done);
        ASSERT_EQ(digest, expected);
      }
}

// A row forced by the environment is the only one, like one forced by the caller.
TEST(StreamHashes, ForcedRows) {
  unsetenv("VERSHINA_KERNEL");
  EXPECT_FALSE(choose_hash_lanes_kernel({}).forced);
  for (const HashLanesKernel* row : lane_rows()) {
    const std::string name = row->info.variant;
    EXPECT_TRUE(choose_hash_lanes_kernel(name).forced);
    ASSERT_EQ(setenv("VERSHINA_KERNEL", ("streebog:" + name).c_str(), 1), 0);
    const HashLanesChoice choice = choose_hash_lanes_kernel({});
    EXPECT_EQ(choice.row, row);
    EXPECT_TRUE(choice.forced);
    ASSERT_EQ(unsetenv("VERSHINA_KERNEL"), 0);
  }
}

TEST(StreamHashes, ABadJobFailsAlone) {
  Random random(4);
  HashBatch batch;
  for (size_t i = 0; i < 40; ++i) {
    const Bytes in = random.bytes(i);
    Bytes out(32);
    ASSERT_EQ(vsh_hash_digest(out.data(), 32, VSH_STREEBOG256, in.data(), in.size(), nullptr), VSH_OK);
    batch.add(in, out);
  }
  std::vector<vsh_hash_job> jobs = batch.jobs();
  jobs[3].in = nullptr;
  jobs[7].digest = nullptr;
  jobs[9].digest_len = 64;
  EXPECT_EQ(vsh_streams_hash(VSH_STREEBOG256, jobs.data(), jobs.size(), nullptr), VSH_E_JOB);
  for (size_t i = 0; i < jobs.size(); ++i) {
    const bool bad = i == 3 || i == 7 || i == 9;
    EXPECT_EQ(jobs[i].status, bad ? VSH_E_ARGUMENT : VSH_OK) << i;
    EXPECT_EQ(batch.digest[i], bad ? Bytes(32) : batch.expected[i]) << i;
  }
  EXPECT_EQ(vsh_streams_hash(VSH_GOST94_CRYPTOPRO, jobs.data(), 1, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_hash(VSH_STREEBOG256, nullptr, 1, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_hash_jobs(VSH_STREEBOG256, jobs.data(), 1, 8, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_hash(VSH_STREEBOG256, nullptr, 0, nullptr), VSH_OK);
  vsh_options o = VSH_OPTIONS_INIT;
  o.kernel = "no such kernel";
  EXPECT_EQ(vsh_streams_hash(VSH_STREEBOG256, jobs.data(), 1, &o), VSH_E_KERNEL_UNKNOWN);
}

}  // namespace
}  // namespace vsh::test
