// Batches through the C ABI: against the one-message API for every kernel, mode and number of jobs; vectors of the
// standards; and misuse.
#include <map>

#include "streams/support/streams.hpp"
#include "support/skipped_rows.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.hpp"

namespace vsh::test {
namespace {

struct FreeStreams {
  void operator()(vsh_streams* s) const { vsh_streams_free(s); }
};
using StreamsPointer = std::unique_ptr<vsh_streams, FreeStreams>;

StreamsPointer make(const StreamCipher& c, const Bytes& keys, const vsh_options& o) {
  vsh_streams* s = nullptr;
  EXPECT_EQ(vsh_streams_new(&s, c.algorithm, keys.data(), keys.size() / 32, &o), VSH_OK);
  return StreamsPointer(s);
}

// Every row of the cipher that runs here, and "" for the library's choice.
std::vector<std::string> kernels_of(Algorithm family) {
  std::vector<std::string> names{""};
  for (const BlockKernel* row : block_kernels(family))
    if (runs_here(row->info)) names.push_back(row->info.variant);
  return names;
}

vsh_options options_for(const std::string& kernel) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.flags = VSH_ALLOW_TABLES;
  if (kernel.empty()) o.flags = 0;
  else o.kernel = kernel.c_str();
  return o;
}

void run(const vsh_streams* s, StreamBatch& batch) {
  ASSERT_EQ(vsh_streams_run(s, batch.jobs.data(), batch.jobs.size()), VSH_OK);
  batch.check();
}

class Streams : public testing::TestWithParam<size_t> {
 protected:
  const StreamCipher& cipher = kStreamCiphers[GetParam()];
  Random random{11 + GetParam()};
};

// Separate keys, every mode mixed, lengths from 0 up, numbers of jobs around the lanes.
TEST_P(Streams, RandomJobsWithKeysOfTheirOwn) {
  SCOPED_TRACE(seed_note());
  for (const std::string& kernel : kernels_of(cipher.family)) {
    SCOPED_TRACE(kernel);
    const vsh_options o = options_for(kernel);
    const StreamsPointer s = make(cipher, {}, o);
    const size_t lanes = vsh_streams_lanes(s.get());
    for (const size_t num : {size_t{1}, size_t{2}, lanes + 1, 3 * lanes + 1}) {
      StreamBatch batch(cipher, o, random);
      for (size_t i = 0; i < num; ++i) batch.add_random(random.bytes(32), random.below(random.below(8) ? 100 : 700));
      run(s.get(), batch);
      if (HasFatalFailure()) return;
    }
  }
}

// One mode at a time, so that the lanes are full.
TEST_P(Streams, FullLanes) {
  SCOPED_TRACE(seed_note());
  for (const std::string& kernel : kernels_of(cipher.family)) {
    const vsh_options o = options_for(kernel);
    const Bytes keys = random.bytes(32 * 70);
    const StreamsPointer s = make(cipher, keys, o);
    const size_t lanes = vsh_streams_lanes(s.get());
    for (const vsh_mode mode : cipher.modes)
      for (const auto work : {VSH_STREAM_ENCRYPT, VSH_STREAM_DECRYPT, VSH_STREAM_MAC}) {
        SCOPED_TRACE(kernel + ", mode " + std::to_string(mode) + ", work " + std::to_string(work));
        if (work == VSH_STREAM_MAC && mode != cipher.modes[0]) continue;
        StreamBatch batch(cipher, o, random);
        for (size_t i = 0; i < lanes; ++i) batch.add(work, mode, random.bytes(32), 150 + random.below(40), i % 3 == 0);
        run(s.get(), batch);
        if (HasFatalFailure()) return;
      }
  }
}

// Prepared keys: one message each in order; several of a key; none of some; together with unprepared keys.
TEST_P(Streams, PreparedKeys) {
  SCOPED_TRACE(seed_note());
  for (const std::string& kernel : kernels_of(cipher.family)) {
    SCOPED_TRACE(kernel);
    const vsh_options o = options_for(kernel);
    const size_t num_keys = 2 * vsh_streams_lanes(make(cipher, {}, o).get()) + 5;
    const Bytes keys = random.bytes(32 * num_keys);
    const StreamsPointer s = make(cipher, keys, o);
    const auto key = [&](size_t i) { return Bytes(&keys[32 * i], &keys[32 * i] + 32); };
    for (int kind = 0; kind < 3; ++kind) {
      StreamBatch batch(cipher, o, random);
      std::vector<size_t> index(num_keys);
      for (size_t i = 0; i < num_keys; ++i) index[i] = kind == 0 ? i : random.below(kind == 1 ? num_keys : 3);
      for (const size_t i : index) {
        if (kind == 0) batch.add(VSH_STREAM_ENCRYPT, VSH_CFB, key(i), 96, false);
        else batch.add_random(key(i), random.below(200));
        batch.jobs.back().key = nullptr;
        batch.jobs.back().key_index = i;
        if (kind != 1 || random.below(10)) continue;
        batch.add_random(random.bytes(32), random.below(200));
      }
      run(s.get(), batch);
      if (HasFatalFailure()) return;
    }
  }
}

// Few messages run singly, by the kept parts of their keys: made by the first batch, used by the second.
TEST_P(Streams, FewShortTagsOfPreparedKeys) {
  for (const std::string& kernel : kernels_of(cipher.family)) {
    SCOPED_TRACE(kernel);
    const vsh_options o = options_for(kernel);
    constexpr size_t kKeys = 4;
    const Bytes keys = random.bytes(32 * kKeys);
    const StreamsPointer s = make(cipher, keys, o);
    for (int round = 0; round < 2; ++round)
      for (size_t num = 1; num <= kKeys; ++num)
        for (const size_t len : {0, 1, 7, 8, 9, 15, 16, 17, 24, 65}) {
          StreamBatch batch(cipher, o, random);
          for (size_t i = 0; i < num; ++i) {
            const size_t index = kKeys - 1 - i;
            batch.add(VSH_STREAM_MAC, VSH_ECB, {&keys[32 * index], &keys[32 * index] + 32}, len, false);
            batch.jobs.back().key = nullptr;
            batch.jobs.back().key_index = index;
          }
          run(s.get(), batch);
          if (HasFatalFailure()) return;
        }
  }
}

TEST_P(Streams, Threads) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.threads = 0;
  const StreamsPointer s = make(cipher, {}, o);
  StreamBatch batch(cipher, o, random);
  for (size_t i = 0; i < 3 * vsh_streams_lanes(s.get()); ++i) batch.add_random(random.bytes(32), random.below(500));
  batch.add(VSH_STREAM_ENCRYPT, VSH_ECB, random.bytes(32), 3 << 20, true);  // long enough for its own threads
  batch.add(VSH_STREAM_DECRYPT, VSH_CBC, random.bytes(32), 3 << 20, false);
  batch.add(VSH_STREAM_ENCRYPT, VSH_CBC, random.bytes(32), 1 << 20, false);  // as long, but one block after the other
  batch.add(VSH_STREAM_MAC, VSH_ECB, random.bytes(32), 1 << 20, false);
  run(s.get(), batch);
}

// Bad ones among many, of prepared keys in order and of others.
TEST_P(Streams, ManyJobs) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.threads = 0;
  constexpr size_t kJobs = 1700;
  const Bytes keys = random.bytes(32 * kJobs);
  const StreamsPointer s = make(cipher, keys, o);
  for (const bool prepared : {false, true}) {
    StreamBatch batch(cipher, o, random);
    std::vector<size_t> bad;
    for (size_t i = 0; i < kJobs; ++i) {
      const auto key = keys.begin() + 32 * static_cast<ptrdiff_t>(i);
      batch.add_random(Bytes(key, key + 32), random.below(100));
      if (prepared) batch.jobs.back().key = nullptr, batch.jobs.back().key_index = i;
      if (i % 97 != 5) continue;
      bad.push_back(i);
      batch.jobs.back().work = static_cast<vsh_stream_work>(0);
      batch.message(i).expected = batch.message(i).out;  // in place, or nothing
    }
    EXPECT_EQ(vsh_streams_run(s.get(), batch.jobs.data(), batch.jobs.size()), VSH_E_JOB);
    for (const size_t i : bad) {
      EXPECT_EQ(batch.jobs[i].status, VSH_E_ARGUMENT) << "job " << i;
      batch.jobs[i].status = VSH_OK;  // done with; the rest must be right
    }
    batch.check();
  }
}

// Modes of GOST R 34.13 alone.
class StreamsOf3413 : public Streams {};

// Work that lanes do not support: long registers, short segments.
TEST_P(StreamsOf3413, RegistersAndSegments) {
  vsh_options o = VSH_OPTIONS_INIT;
  for (const size_t segment : {0, 1, 5}) {
    o.segment_len = segment;
    const StreamsPointer s = make(cipher, {}, o);
    StreamBatch batch(cipher, o, random);
    for (const vsh_mode mode : {VSH_CTR, VSH_OFB, VSH_CFB})
      for (const size_t z : {1, 2, 16})
        for (const auto work : {VSH_STREAM_ENCRYPT, VSH_STREAM_DECRYPT})
          batch.add(work, mode, random.bytes(32), random.below(200), z == 2, z);
    if (!segment) batch.add(VSH_STREAM_DECRYPT, VSH_CBC, random.bytes(32), 160, false, 3);
    run(s.get(), batch);
    if (!segment) continue;
    StreamBatch no_segment(cipher, VSH_OPTIONS_INIT, random);
    no_segment.add(VSH_STREAM_ENCRYPT, VSH_ECB, random.bytes(32), 64, false);
    EXPECT_EQ(vsh_streams_run(s.get(), no_segment.jobs.data(), 1), VSH_E_JOB);
    EXPECT_EQ(no_segment.jobs[0].status, VSH_E_SEGMENT);
  }
}

// Each bad job among good ones, with its expected status and no output.
TEST_P(Streams, ABadJobFailsAlone) {
  const Bytes keys = random.bytes(32 * 3);
  const StreamsPointer s = make(cipher, keys, VSH_OPTIONS_INIT);
  const vsh_mode last = cipher.modes.back();  // CFB, or CBC
  struct Damage {
    vsh_status status;
    void (*damage)(vsh_stream_job&);
  };
  const Damage damages[] = {
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.key = nullptr, j.key_index = 3; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.key = nullptr, j.key_index = SIZE_MAX; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.in = nullptr; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.out = nullptr; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.iv = nullptr; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.in = j.out + 1; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.work = static_cast<vsh_stream_work>(4); }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.work = static_cast<vsh_stream_work>(0); }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.mode = static_cast<vsh_mode>(77); }},
      {VSH_E_IV_LENGTH, [](vsh_stream_job& j) { --j.iv_len; }},
      {VSH_E_IV_LENGTH, [](vsh_stream_job& j) { j.iv_len = 0; }},
      {VSH_E_IV_LENGTH, [](vsh_stream_job& j) { j.mode = VSH_ECB; }},
      {VSH_E_IV_LENGTH, [](vsh_stream_job& j) { j.work = VSH_STREAM_MAC; }},
      {VSH_E_DATA_LENGTH, [](vsh_stream_job& j) { j.mode = VSH_CBC, --j.in_len, --j.out_len; }},
      {VSH_E_CAPACITY, [](vsh_stream_job& j) { --j.out_len; }},
      {VSH_E_CAPACITY, [](vsh_stream_job& j) { ++j.out_len; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.work = VSH_STREAM_MAC, j.iv_len = 0, j.out_len = 0; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.work = VSH_STREAM_MAC, j.iv_len = 0, j.out_len = 17; }},
      {VSH_E_ARGUMENT, [](vsh_stream_job& j) { j.iv = reinterpret_cast<uint8_t*>(UINTPTR_MAX - 1); }},
  };
  StreamBatch batch(cipher, VSH_OPTIONS_INIT, random);
  std::map<size_t, vsh_status> bad;
  for (const Damage& d : damages) {
    for (int i = 0; i < 20; ++i) batch.add_random(random.bytes(32), random.below(200));
    // The second has a good one of its kind before it.
    for (int i = 0; i < 2; ++i) batch.add(VSH_STREAM_ENCRYPT, last, random.bytes(32), 96, false);
    d.damage(batch.jobs.back());
    bad[batch.jobs.size() - 1] = d.status;
  }
  EXPECT_EQ(vsh_streams_run(s.get(), batch.jobs.data(), batch.jobs.size()), VSH_E_JOB);
  for (const auto& [i, status] : bad) {
    EXPECT_EQ(batch.jobs[i].status, status) << "job " << i;
    EXPECT_EQ(batch.message(i).out, Bytes(96, 0xA5)) << "job " << i;
    batch.jobs[i].status = VSH_OK;  // done with; the rest must be right
    batch.message(i).expected = batch.message(i).out;
  }
  batch.check();
}

TEST_P(Streams, Arguments) {
  const Bytes keys = random.bytes(64);
  vsh_streams* s = nullptr;
  const auto make_with = [&](const vsh_options& o) {
    const vsh_status status = vsh_streams_new(&s, cipher.algorithm, keys.data(), 2, &o);
    vsh_streams_free(status == VSH_OK ? s : nullptr);
    return status;
  };
  vsh_options o = VSH_OPTIONS_INIT;
  EXPECT_EQ(make_with(o), VSH_OK);
  o.padding = VSH_PADDING_NONE;
  EXPECT_EQ(make_with(o), VSH_OK);
  o.padding = VSH_PADDING_2;
  EXPECT_EQ(make_with(o), VSH_E_PADDING);
  o = VSH_OPTIONS_INIT;
  o.segment_len = 17;
  EXPECT_EQ(make_with(o), VSH_E_SEGMENT);
  o = VSH_OPTIONS_INIT;
  o.kernel = "no such kernel";
  EXPECT_EQ(make_with(o), VSH_E_KERNEL_UNKNOWN);
  o.kernel = "tables";
  EXPECT_EQ(make_with(o), VSH_E_KERNEL_TABLES);
  o = VSH_OPTIONS_INIT;
  o.sbox = VSH_SBOX_CRYPTOPRO_B;
  EXPECT_EQ(make_with(o), cipher.algorithm == VSH_GOST28147 ? VSH_OK : VSH_E_SBOX);
  EXPECT_EQ(vsh_streams_new(nullptr, cipher.algorithm, keys.data(), 2, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_new(&s, static_cast<vsh_cipher_algorithm>(9), keys.data(), 2, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_new(&s, cipher.algorithm, nullptr, 2, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_new(&s, cipher.algorithm, keys.data(), SIZE_MAX / 32, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_new(&s, cipher.algorithm, keys.data(), SIZE_MAX, nullptr), VSH_E_ARGUMENT);

  const StreamsPointer owner = make(cipher, keys, VSH_OPTIONS_INIT);
  vsh_stream_job job{};
  EXPECT_EQ(vsh_streams_run(nullptr, &job, 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_run(owner.get(), nullptr, 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_run_jobs(owner.get(), &job, 1, sizeof job - 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_run_jobs(owner.get(), &job, SIZE_MAX / 2, sizeof job), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_run(owner.get(), nullptr, 0), VSH_OK);
  EXPECT_EQ(vsh_streams_lanes(nullptr), 0u);
  EXPECT_STREQ(vsh_streams_kernel(nullptr), "");
  EXPECT_STRNE(vsh_streams_kernel(owner.get()), "");
  vsh_streams_free(nullptr);
}

constexpr auto name_of = [](const auto& info) {
  return std::string(algorithm_name(kStreamCiphers[info.param].family));
};
INSTANTIATE_TEST_SUITE_P(Ciphers, Streams, testing::Range(size_t{0}, std::size(kStreamCiphers)), name_of);
INSTANTIATE_TEST_SUITE_P(Ciphers, StreamsOf3413, testing::Values(0, 1), name_of);  // not GOST 28147-89

// Named sets and user-defined S-boxes.
TEST(StreamsSboxes, EverySet) {
  Random random(5);
  uint8_t custom[128];
  for (int row = 0; row < 8; ++row)
    for (int i = 0; i < 16; ++i) custom[16 * row + i] = static_cast<uint8_t>((5 * i + row) % 16);
  for (unsigned set = 0; set <= VSH_SBOX_CUSTOM; ++set) {
    vsh_options o = VSH_OPTIONS_INIT;
    o.sbox = static_cast<vsh_sbox>(set);
    if (set == VSH_SBOX_CUSTOM) o.custom_sbox = custom;
    const StreamsPointer s = make(kStreamCiphers[2], {}, o);
    StreamBatch batch(kStreamCiphers[2], o, random);
    for (int i = 0; i < 300; ++i) batch.add_random(random.bytes(32), 100 + random.below(20));
    run(s.get(), batch);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(StreamsCpp, Batches) {
  Random random(6);
  const Bytes keys = random.bytes(64);
  const vershina::Streams streams(VSH_MAGMA, keys);
  EXPECT_GT(streams.lanes(), 0u);
  EXPECT_FALSE(streams.kernel().empty());
  StreamBatch batch(kStreamCiphers[1], VSH_OPTIONS_INIT, random);
  for (int i = 0; i < 20; ++i) batch.add_random(random.bytes(32), 100);
  EXPECT_TRUE(streams.run(batch.jobs));
  batch.check();
  batch.jobs[3].iv_len = 99;
  EXPECT_FALSE(streams.run(batch.jobs));
  EXPECT_EQ(batch.jobs[3].status, VSH_E_IV_LENGTH);
  EXPECT_THROW(vershina::Streams(VSH_MAGMA, random.bytes(33)), vershina::Error);

  const Bytes message = random.bytes(100);
  Bytes digest(32);
  vsh_hash_job job{message.data(), message.size(), digest.data(), digest.size(), VSH_E_STATE};
  EXPECT_TRUE(vershina::hash_all(VSH_STREEBOG256, {&job, 1}));
  EXPECT_EQ(digest, vershina::hash(VSH_STREEBOG256, message));
  job.digest_len = 31;
  EXPECT_FALSE(vershina::hash_all(VSH_STREEBOG256, {&job, 1}));
}

// ---- Vectors of the standards ---------------------------------------------------------------------------------

// Each vector in enough copies that lanes process them.
void check_vectors(const StreamCipher& cipher, const char* file, const char* section, vsh_mode mode) {
  int num = 0;
  for (const vec::Record& r : vec::read_all(file)) {
    if (r.section() != section) continue;
    SCOPED_TRACE(r.where());
    vsh_options o = VSH_OPTIONS_INIT;
    if (r.has("Padding") && r.word("Padding") != "none") continue;  // streams pad nothing
    if (r.has("Segment")) o.segment_len = r.number("Segment") / 8;
    if (r.has("Sbox")) {
      ASSERT_EQ(vsh_sbox_by_name(&o.sbox, r.word("Sbox").c_str()), VSH_OK);
    }
    ++num;
    const Bytes key = r.bytes("Key"), in = r.bytes("In"), out = r.bytes("Out");
    const Bytes iv = r.has("IV") ? r.bytes("IV") : Bytes();
    const StreamsPointer s = make(cipher, key, o);
    const size_t copies = vsh_streams_lanes(s.get()) + 1;
    const bool is_mac = std::string(section) == "mac" || std::string(section) == "imit";
    for (const auto work : {VSH_STREAM_ENCRYPT, VSH_STREAM_DECRYPT, VSH_STREAM_MAC}) {
      if (is_mac != (work == VSH_STREAM_MAC)) continue;
      const Bytes& from = work == VSH_STREAM_DECRYPT ? out : in;
      const Bytes& to = work == VSH_STREAM_DECRYPT ? in : out;
      std::vector<Bytes> results(copies, Bytes(to.size()));
      std::vector<vsh_stream_job> jobs;
      for (Bytes& result : results)
        jobs.push_back({work, mode, key.data(), 0, iv.data(), iv.size(), from.data(), from.size(), result.data(),
                        result.size(), VSH_E_STATE});
      ASSERT_EQ(vsh_streams_run(s.get(), jobs.data(), jobs.size()), VSH_OK);
      for (const Bytes& result : results) ASSERT_EQ(result, to);
    }
  }
  EXPECT_GT(num, 0) << file << " [" << section << "]";
}

TEST(StreamVectors, Modes) {
  for (const auto& [index, file] : {std::pair{0, "kuznyechik_modes.vec"}, {1, "magma_modes.vec"}}) {
    const StreamCipher& c = kStreamCiphers[index];
    check_vectors(c, file, "ecb", VSH_ECB);
    check_vectors(c, file, "ctr", VSH_CTR);
    check_vectors(c, file, "ofb", VSH_OFB);
    check_vectors(c, file, "cbc", VSH_CBC);
    check_vectors(c, file, "cfb", VSH_CFB);
    check_vectors(c, file, "mac", VSH_ECB);
  }
  const StreamCipher& c = kStreamCiphers[2];
  check_vectors(c, "gost28147_modes.vec", "ecb", VSH_ECB);
  check_vectors(c, "gost28147_modes.vec", "cnt", VSH_CNT);
  check_vectors(c, "gost28147_modes.vec", "cnt-carry", VSH_CNT);
  check_vectors(c, "gost28147_modes.vec", "cfb", VSH_CFB);
  check_vectors(c, "gost28147_modes.vec", "cbc", VSH_CBC);
  check_vectors(c, "gost28147_modes.vec", "imit", VSH_ECB);
}

}  // namespace
}  // namespace vsh::test
