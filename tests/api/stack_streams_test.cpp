// No secret of many streams stays on the stack: stack.hpp.
#include "api/support/stack.hpp"

namespace {

using namespace vsh::test;

void check_streams(const Row& row, size_t num_jobs) {
  Random random(9);
  const Bytes prepared = random.bytes(64), brought = random.bytes(32), plain = random.bytes(160), iv(256, 0x24);
  const vsh_options o = row.options();
  Secrets keys;
  for (const Bytes& key :
       {Bytes(prepared.begin(), prepared.begin() + 32), Bytes(prepared.begin() + 32, prepared.end()), brought})
    row.add_key(keys, "a key", key);
  Secrets secrets = keys;
  secrets.add("plaintext", plain);
  const std::string what = row.name() + ", " + std::to_string(num_jobs) + " jobs: ";
  vsh_streams* s = nullptr;
  check(what + "vsh_streams_new", secrets, [&] { OK(vsh_streams_new(&s, row.algorithm, prepared.data(), 2, &o)); });
  std::vector<Bytes> outs(num_jobs, Bytes(plain.size() + 16));
  const auto key_of = [&](auto& job, size_t i) {
    job.key = i % 3 == 2 ? brought.data() : nullptr;
    job.key_index = i % 3 % 2;
  };
  for (const vsh_mode mode : {VSH_ECB, VSH_CTR, VSH_CBC, VSH_CFB, VSH_OFB, VSH_CNT})
    for (const vsh_stream_work work : {VSH_STREAM_ENCRYPT, VSH_STREAM_DECRYPT, VSH_STREAM_MAC}) {
      if (mode != VSH_ECB && (vsh_iv_len(row.algorithm, mode) == 0 || work == VSH_STREAM_MAC)) continue;
      std::vector<vsh_stream_job> jobs(num_jobs);
      for (size_t i = 0; i < num_jobs; ++i) {
        vsh_stream_job& job = jobs[i];
        job = {};
        job.work = work, job.mode = mode, job.iv = iv.data();
        job.iv_len = work == VSH_STREAM_MAC ? 0 : vsh_iv_len(row.algorithm, mode);
        job.in = plain.data(), job.in_len = plain.size();
        job.out = outs[i].data(), job.out_len = work == VSH_STREAM_MAC ? row.block() : plain.size();
        key_of(job, i);
      }
      OK(vsh_streams_run(s, jobs.data(), jobs.size()));
      Secrets all = keys;
      if (work != VSH_STREAM_DECRYPT) all.add("plaintext", plain);
      for (const Bytes& out : outs) {
        if (work == VSH_STREAM_DECRYPT) all.add("plaintext", out);
        const bool is_gamma = work != VSH_STREAM_MAC && mode != VSH_ECB && mode != VSH_CBC;
        if (is_gamma) all.add("keystream", exclusive_or(plain, out));
      }
      check(what + "vsh_streams_run, mode " + std::to_string(mode) + ", work " + std::to_string(work), all,
            [&] { OK(vsh_streams_run(s, jobs.data(), jobs.size())); });
    }
  if (row.algorithm == VSH_GOST28147) return vsh_streams_free(s);

  const size_t tag_len = row.block();
  const Bytes nonce(16, 0x24);
  for (size_t i = 0; i < 3; ++i)
    add_multipliers(secrets, row,
                    i == 2 ? brought
                           : Bytes(prepared.begin() + 32 * static_cast<ptrdiff_t>(i),
                                   prepared.begin() + 32 * static_cast<ptrdiff_t>(i + 1)),
                    nonce, plain.size() / row.block() + 2);
  std::vector<vsh_mgm_job> jobs(num_jobs);
  for (size_t i = 0; i < num_jobs; ++i) {
    vsh_mgm_job& job = jobs[i];
    job = {};
    job.work = VSH_STREAM_ENCRYPT, job.nonce = nonce.data(), job.nonce_len = row.block();
    job.data = brought.data(), job.data_len = 0;
    job.in = plain.data(), job.in_len = plain.size(), job.out = outs[i].data(), job.out_len = plain.size() + tag_len;
    job.tag_len = tag_len;
    key_of(job, i);
  }
  OK(vsh_streams_mgm(s, jobs.data(), jobs.size()));
  for (const Bytes& out : outs) secrets.add("keystream", exclusive_or(plain, out));
  check(what + "vsh_streams_mgm, sealing", secrets, [&] { OK(vsh_streams_mgm(s, jobs.data(), jobs.size())); });
  std::vector<Bytes> opened(num_jobs, Bytes(plain.size()));
  for (size_t i = 0; i < num_jobs; ++i) {
    secrets.add("right tag", outs[i].data() + plain.size(), tag_len);
    jobs[i].work = VSH_STREAM_DECRYPT, jobs[i].in = outs[i].data(), jobs[i].in_len = plain.size() + tag_len;
    jobs[i].out = opened[i].data(), jobs[i].out_len = plain.size();
  }
  check(what + "vsh_streams_mgm, opening", secrets, [&] { OK(vsh_streams_mgm(s, jobs.data(), jobs.size())); });
  EXPECT_EQ(opened[0], plain);
  for (Bytes& out : outs)
    for (size_t i = plain.size(); i < plain.size() + tag_len; ++i) out[i] ^= 0xFF;
  check(what + "vsh_streams_mgm of wrong tags", secrets,
        [&] { EXPECT_EQ(vsh_streams_mgm(s, jobs.data(), jobs.size()), VSH_E_JOB); });
  vsh_streams_free(s);
}

TEST(StackStreams, Streams) {
  SKIP_UNLESS_OPTIMISED();
  for (const vsh_cipher_algorithm a : {VSH_KUZNYECHIK, VSH_MAGMA, VSH_GOST28147})
    for (const Row& row : rows(a))
      for (const size_t num_jobs : {size_t{1}, size_t{3}, size_t{70}}) check_streams(row, num_jobs);
}

}  // namespace
