// vsh_streams: batches of messages. Every job is checked by itself; the good ones go to src/streams together.
#include <memory>
#include <vector>

#include "api/keys.hpp"
#include "api/mode_arguments.hpp"
#include "api/names.hpp"
#include "streams/cipher_batch.hpp"
#include "streams/hash_batch.hpp"

using namespace vsh;
using namespace vsh::api;
using streams::Work;

struct vsh_streams : ErasedOnFree {
  vsh_streams(unsigned algorithm, const Options& o, const streams::Cipher& cipher, const uint8_t* keys, size_t num_keys)
      : algorithm(algorithm), set(cipher, keys, num_keys) {
    checked.segment_len = o.segment_len;
  }

  unsigned algorithm;
  Options checked;  // what a job is checked against
  streams::KeySet set;
};

namespace {

Work work_of(unsigned work, unsigned mode) {
  const bool encrypts = work == VSH_STREAM_ENCRYPT;
  switch (mode) {
    case VSH_ECB: return encrypts ? Work::ecb_encrypt : Work::ecb_decrypt;
    case VSH_CBC: return encrypts ? Work::cbc_encrypt : Work::cbc_decrypt;
    case VSH_CFB: return encrypts ? Work::cfb_encrypt : Work::cfb_decrypt;
    case VSH_OFB: return Work::ofb;
    case VSH_CTR: return Work::ctr;
    default: return Work::cnt;
  }
}

vsh_mac_algorithm mac_of(unsigned algorithm) {
  return algorithm == VSH_KUZNYECHIK ? VSH_KUZNYECHIK_MAC : algorithm == VSH_MAGMA ? VSH_MAGMA_MAC : VSH_GOST28147_IMIT;
}

// Sets everything but the key.
vsh_status read_work(const vsh_streams& s, const vsh_stream_job& from, streams::Job& job) {
  const unsigned work = number(from.work), mode = number(from.mode);
  if (!is_buffer(from.in, from.in_len) || !is_buffer(from.out, from.out_len)) return VSH_E_ARGUMENT;
  job.in = from.in, job.len = from.in_len, job.out = from.out, job.out_len = from.out_len;
  if (work == VSH_STREAM_MAC) {
    if (from.iv_len) return VSH_E_IV_LENGTH;
    if (from.out_len == 0 || from.out_len > vsh_mac_max_len(mac_of(s.algorithm))) return VSH_E_ARGUMENT;
    job.work = s.algorithm == VSH_GOST28147 ? Work::imit : Work::mac;
  } else {
    if (work != VSH_STREAM_ENCRYPT && work != VSH_STREAM_DECRYPT) return VSH_E_ARGUMENT;
    if (!is_cipher(s.algorithm, mode)) return VSH_E_ARGUMENT;
    if (const vsh_status status = check_iv(s.algorithm, mode, from.iv, from.iv_len)) return status;
    size_t segment;
    if (const vsh_status status = read_segment(segment, s.algorithm, mode, s.checked)) return status;
    if (pads(mode) && from.in_len & (s.set.cipher().block_size() - 1)) return VSH_E_DATA_LENGTH;
    if (from.out_len != from.in_len) return VSH_E_CAPACITY;
    job.work = work_of(work, mode);
    job.iv = from.iv, job.iv_len = from.iv_len;
  }
  return from.out != from.in && overlap(from.out, from.out_len, from.in, from.in_len) ? VSH_E_ARGUMENT : VSH_OK;
}

vsh_status read_key(const vsh_streams& s, const vsh_stream_job& from, streams::Job& job) {
  if (from.key) {
    if (!is_buffer(from.key, VSH_KEY_LEN)) return VSH_E_ARGUMENT;
    job.key = from.key;
    job.slot = streams::kNoSlot;
    return VSH_OK;
  }
  if (from.key_index >= s.set.num_keys()) return VSH_E_ARGUMENT;
  job.key = s.set.key(from.key_index);
  job.slot = static_cast<uint32_t>(from.key_index);
  return VSH_OK;
}

// Checks the jobs, runs the good ones, writes each one's status. `read` fills a Work item from a job and returns its
// status; `run` takes the items.
template <class Item, class Job, class Read, class Run>
vsh_status run_batch(Job* jobs, size_t num_jobs, size_t job_size, Read read, Run run) {
  if (job_size != sizeof(Job) || num_jobs > UINT32_MAX - 1 || num_jobs > SIZE_MAX / sizeof(Job) ||
      !is_buffer(jobs, num_jobs * sizeof(Job)))
    return VSH_E_ARGUMENT;
  std::vector<Item> items;
  std::vector<uint32_t> job_of;  // each item's
  vsh_status result = VSH_OK;
  const vsh_status outcome = guarded([&] {
    items.reserve(num_jobs);
    job_of.reserve(num_jobs);
    for (size_t i = 0; i < num_jobs; ++i) {
      Item item{};
      jobs[i].status = read(jobs[i], item);
      if (jobs[i].status != VSH_OK) {
        result = VSH_E_JOB;
        continue;
      }
      items.push_back(item);
      job_of.push_back(static_cast<uint32_t>(i));
    }
    if (!items.empty()) run(items);
    return VSH_OK;
  });
  if (outcome == VSH_OK) return result;
  if (job_of.empty()) {  // not even the list could be made
    for (size_t i = 0; i < num_jobs; ++i) jobs[i].status = outcome;
    return outcome;
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i].done) jobs[job_of[i]].status = outcome;
  return outcome;
}

struct FreeStreams {
  void operator()(vsh_streams* s) const { delete s; }
};

// The rows for many messages in order of preference; a forced one is the only one.
std::vector<const HashLanesKernel*> lane_kernels(const HashLanesKernel* chosen, bool forced) {
  std::vector<const HashLanesKernel*> kernels;
  if (!chosen) return kernels;
  kernels.push_back(chosen);
  for (const HashLanesKernel* row : hash_lanes_kernels())
    if (!forced && row != chosen && runnable(row->info)) kernels.push_back(row);
  return kernels;
}

}  // namespace

vsh_status vsh_streams_new(vsh_streams** result, vsh_cipher_algorithm algorithm, const uint8_t* keys, size_t num_keys,
                           const vsh_options* options) {
  const size_t n = block_len(number(algorithm));
  if (!result || n == 0) return VSH_E_ARGUMENT;
  if (num_keys >= streams::kNoSlot || num_keys > SIZE_MAX / VSH_KEY_LEN || !is_buffer(keys, num_keys * VSH_KEY_LEN))
    return VSH_E_ARGUMENT;
  Options o;
  const Algorithm a = algorithm_of(number(algorithm));
  if (const vsh_status s = read_options(o, options)) return s;
  if (o.segment_len > n) return VSH_E_SEGMENT;
  if (o.padding != VSH_PADDING_DEFAULT && o.padding != VSH_PADDING_NONE) return VSH_E_PADDING;
  if (const vsh_status s = check_sbox(a, o)) return s;
  streams::Cipher cipher{};
  cipher.algorithm = a;
  cipher.kernels = choose_block_kernel(a, o.kernel, o.allow_tables, o.sbox == VSH_SBOX_CUSTOM);
  if (const vsh_status s = status_of(cipher.kernels.status)) return s;
  cipher.segment = o.segment_len ? o.segment_len : n;
  cipher.threads = o.threads;
  static constexpr uint8_t kNoKey[VSH_KEY_LEN] = {};
  if (a == Algorithm::magma) magma::expand_key_magma(cipher.parameters, kNoKey);
  if (a == Algorithm::gost28147) expand_gost28147(cipher.parameters, kNoKey, o);
  return guarded([&] {
    *result = new vsh_streams(number(algorithm), o, cipher, keys, num_keys);
    wipe(&cipher, sizeof cipher);  // has a user's S-boxes
    return VSH_OK;
  });
}

void vsh_streams_free(vsh_streams* s) { delete s; }

vsh_status vsh_streams_run_jobs(const vsh_streams* s, vsh_stream_job* jobs, size_t num_jobs, size_t job_size) {
  if (!s) return VSH_E_ARGUMENT;
  const auto read = [&](const vsh_stream_job& from, streams::Job& job) {
    const vsh_status status = read_work(*s, from, job);
    return status != VSH_OK ? status : read_key(*s, from, job);
  };
  return run_batch<streams::Job>(jobs, num_jobs, job_size, read,
                                 [&](std::vector<streams::Job>& items) { streams::run_batch(s->set, items); });
}

const char* vsh_streams_kernel(const vsh_streams* s) {
  if (!s) return "";
  return s->set.kernels().empty() ? s->set.cipher().kernels.ladder.one().info.variant : s->set.kernels()[0]->info.variant;
}

size_t vsh_streams_lanes(const vsh_streams* s) {
  if (!s) return 0;
  return s->set.kernels().empty() ? 1 : s->set.kernels()[0]->info.lanes;
}

vsh_status vsh_streams_hash_jobs(vsh_hash_algorithm algorithm, vsh_hash_job* jobs, size_t num_jobs, size_t job_size,
                                 const vsh_options* options) {
  const size_t len = hash_len(number(algorithm));
  if (len == 0) return VSH_E_ARGUMENT;
  Options o;
  if (const vsh_status s = read_options(o, options)) return s;
  const HashChoice one = choose_hash_kernel(o.kernel, o.allow_tables || o.input_is_public);
  if (const vsh_status s = status_of(one.status)) return s;
  const HashLanesChoice many = choose_hash_lanes_kernel(o.kernel);
  if (const vsh_status s = status_of(many.status)) return s;
  const auto read = [&](const vsh_hash_job& from, streams::Message& message) {
    if (!is_buffer(from.in, from.in_len) || !from.digest || from.digest_len != len || !is_buffer(from.digest, len))
      return VSH_E_ARGUMENT;
    message = {from.in, from.in_len, from.digest};
    return VSH_OK;
  };
  return run_batch<streams::Message>(jobs, num_jobs, job_size, read, [&](std::vector<streams::Message>& messages) {
    streams::hash_batch(*one.row, lane_kernels(many.row, !o.kernel.empty()), 8 * static_cast<unsigned>(len), messages,
                        o.threads);
  });
}
