// vsh_streams: batches of messages. Every job is checked separately; the valid ones go to src/streams together.
#include <memory>
#include <vector>

#include "api/arguments/keys.hpp"
#include "api/arguments/mode_arguments.hpp"
#include "api/arguments/names.hpp"
#include "api/arguments/operations.hpp"
#include "api/batch.hpp"
#include "api/streams.hpp"
#include "gpu/schedule/hash_batch.hpp"
#include "streams/cipher_batch.hpp"
#include "streams/hash_batch.hpp"

using namespace vsh;
using namespace vsh::api;

namespace {

vsh_mac_algorithm mac_of(unsigned algorithm) {
  return algorithm == VSH_KUZNYECHIK ? VSH_KUZNYECHIK_MAC : algorithm == VSH_MAGMA ? VSH_MAGMA_MAC : VSH_GOST28147_IMIT;
}

// Properties of a job that follow from work, mode and length of the IV.
struct Kind {
  unsigned work, mode;
  size_t iv_len;
  Operation operation;
  size_t granule;  // the message is a multiple of this many bytes, a power of two

  bool is_of(const vsh_stream_job& job) const {
    return work == number(job.work) && mode == number(job.mode) && iv_len == job.iv_len;
  }
};

vsh_status read_kind(const vsh_streams& s, const vsh_stream_job& from, Kind& kind) {
  const unsigned work = number(from.work), mode = number(from.mode);
  kind = {work, mode, from.iv_len, operation_of(s.algorithm, work, mode), 1};
  if (work == VSH_STREAM_MAC) return from.iv_len ? VSH_E_IV_LENGTH : VSH_OK;
  if (work != VSH_STREAM_ENCRYPT && work != VSH_STREAM_DECRYPT) return VSH_E_ARGUMENT;
  if (!is_cipher(s.algorithm, mode) || mode == VSH_CTR_ACPKM) return VSH_E_ARGUMENT;
  if (const vsh_status status = check_iv(s.algorithm, mode, from.iv, from.iv_len)) return status;
  size_t segment;
  if (const vsh_status status = read_segment(segment, s.algorithm, mode, s.checked)) return status;
  if (pads(mode)) kind.granule = s.set.cipher().block_size();
  return VSH_OK;
}

// Reads jobs in order. Neighbours are mostly of one kind, which is checked once.
class JobReader {
 public:
  explicit JobReader(const vsh_streams& s) : s_(s), max_tag_(vsh_mac_max_len(mac_of(s.algorithm))) {}

  vsh_status operator()(const vsh_stream_job& from, streams::Job& job) {
    if (!is_buffer(from.in, from.in_len) || !is_buffer(from.out, from.out_len)) return VSH_E_ARGUMENT;
    if (!known_ || !kind_.is_of(from)) {
      const vsh_status status = read_kind(s_, from, kind_);
      known_ = status == VSH_OK;
      if (!known_) return status;
    }
    if (kind_.work == VSH_STREAM_MAC) {
      if (from.out_len == 0 || from.out_len > max_tag_) return VSH_E_ARGUMENT;
    } else {
      if (!is_buffer(from.iv, from.iv_len)) return VSH_E_ARGUMENT;
      if (from.in_len & (kind_.granule - 1)) return VSH_E_DATA_LENGTH;
      if (from.out_len != from.in_len) return VSH_E_CAPACITY;
    }
    if (!same_or_apart(from.out, from.out_len, from.in, from.in_len)) return VSH_E_ARGUMENT;
    job.operation = kind_.operation;
    job.iv = from.iv, job.in = from.in, job.out = from.out;
    job.len = from.in_len, job.iv_len = from.iv_len, job.out_len = from.out_len;
    return read_key(s_, from.key, from.key_index, job);
  }

 private:
  const vsh_streams& s_;
  const size_t max_tag_;
  Kind kind_{};
  bool known_ = false;
};

}  // namespace

vsh_status vsh_streams_new(vsh_streams** result, vsh_cipher_algorithm algorithm, const uint8_t* keys, size_t num_keys,
                           const vsh_options* options) {
  const size_t n = block_len(number(algorithm));
  if (!result || n == 0) return VSH_E_ARGUMENT;
  if (num_keys >= streams::kNoSlot || num_keys > SIZE_MAX / VSH_KEY_LEN || !is_buffer(keys, num_keys * VSH_KEY_LEN))
    return VSH_E_ARGUMENT;
  Options o;
  const Algorithm a = algorithm_of(number(algorithm));
  if (const vsh_status s = read_options(o, options, DeviceUse::possible)) return s;
  if (o.segment_len > n) return VSH_E_SEGMENT;
  if (const vsh_status s = refuse_key_changes(o)) return s;
  if (const vsh_status s = refuse_padding(o)) return s;
  if (const vsh_status s = check_sbox(a, o)) return s;
  const BlockChoice kernels = choose_block_kernel(a, o.kernel, o.allow_tables, o.sbox == VSH_SBOX_CUSTOM);
  if (const vsh_status s = status_of(kernels.status)) return s;
  return guarded([&] {
    const streams::Cipher cipher{cipher_parameters(a, o), kernels, o.segment_len ? o.segment_len : n, o.threads};
    *result = new vsh_streams(number(algorithm), o, cipher, keys, num_keys);
    return VSH_OK;
  });
}

void vsh_streams_free(vsh_streams* s) { delete s; }

vsh_status vsh_streams_run_jobs(const vsh_streams* s, vsh_stream_job* jobs, size_t num_jobs, size_t job_size) {
  if (!s) return VSH_E_ARGUMENT;
  const auto on_processor = [&](streams::Selection<streams::Job> items) { streams::cipher_batch(s->set, items); };
  return run_jobs<streams::Job>(jobs, num_jobs, job_size, JobReader(*s), [&](std::span<streams::Job> items, auto) {
    if (!s->devices) return on_processor(items);
    s->devices->run(items, [&](streams::Selection<streams::Job> some) {
      const StackEraser below_the_scheduler;
      on_processor(some);
    });
  });
}

const char* vsh_streams_kernel(const vsh_streams* s) {
  if (!s) return "";
  return s->set.kernels().empty() ? s->set.cipher().kernels.ladder.one().info.variant
                                  : s->set.kernels()[0]->info.variant;
}

size_t vsh_streams_lanes(const vsh_streams* s) {
  if (!s) return 0;
  return s->set.kernels().empty() ? 1 : s->set.kernels()[0]->info.lanes;
}

vsh_status vsh_streams_hash_jobs(vsh_hash_algorithm algorithm, vsh_hash_job* jobs, size_t num_jobs, size_t job_size,
                                 const vsh_options* options) {
  const size_t len = hash_len(number(algorithm));
  // GOST R 34.11-94 has no kernel for many messages.
  if (len == 0 || (number(algorithm) != VSH_STREEBOG256 && number(algorithm) != VSH_STREEBOG512)) return VSH_E_ARGUMENT;
  Options o;
  if (const vsh_status s = read_options(o, options, DeviceUse::possible)) return s;
  const HashChoice one = choose_hash_kernel(o.kernel, o.allow_tables || o.input_is_public);
  if (const vsh_status s = status_of(one.status)) return s;
  // A single message needs none: a choice reads the environment.
  const HashLanesChoice many = num_jobs == 1 ? HashLanesChoice() : choose_hash_lanes_kernel(o.kernel);
  if (const vsh_status s = status_of(many.status)) return s;
  const auto read = [&](const vsh_hash_job& from, streams::Message& message) {
    if (!is_buffer(from.in, from.in_len) || !from.digest || from.digest_len != len || !is_buffer(from.digest, len))
      return VSH_E_ARGUMENT;
    message = {from.in, from.in_len, from.digest};
    return VSH_OK;
  };
  const unsigned bits = 8 * static_cast<unsigned>(len);
  const auto on_processor = [&](streams::Selection<streams::Message> messages) {
    streams::hash_batch(*one.row, lane_kernels(many), bits, messages, o.threads);
  };
  return run_jobs<streams::Message>(jobs, num_jobs, job_size, read, [&](std::span<streams::Message> messages, auto) {
    // For this call only: there is no context whose owner could free, and so erase, what devices hold of messages.
    const auto devices = gpu::make_batch<gpu::HashBatch>(o.device, bits);
    if (!devices) return on_processor(messages);
    devices->run(messages, [&](streams::Selection<streams::Message> some) {
      const StackEraser below_the_scheduler;
      on_processor(some);
    });
  });
}
