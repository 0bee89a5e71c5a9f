// vsh_streams_mgm: batches of packets, authenticated and encrypted under many keys.
#include "api/aead_keys.hpp"
#include "api/batch.hpp"
#include "api/streams.hpp"
#include "streams/mgm_batch.hpp"

using namespace vsh;
using namespace vsh::api;

namespace {

vsh_status read_packet(const vsh_streams& s, const vsh_mgm_job& from, streams::Packet& p) noexcept {
  const size_t n = s.set.cipher().block_size();
  const unsigned work = number(from.work);
  if (work != VSH_STREAM_ENCRYPT && work != VSH_STREAM_DECRYPT) return VSH_E_ARGUMENT;
  p.opens = work == VSH_STREAM_DECRYPT;
  if (from.nonce_len != n) return VSH_E_IV_LENGTH;
  if (!from.nonce || !is_buffer(from.nonce, n) || !is_buffer(from.data, from.data_len) ||
      !is_buffer(from.in, from.in_len) || !is_buffer(from.out, from.out_len))
    return VSH_E_ARGUMENT;
  if (!is_mgm_nonce(from.nonce)) return VSH_E_NONCE;
  if (!is_tag_len(from.tag_len, n, s.checked.allow_short_tags)) return VSH_E_TAG_LENGTH;
  const size_t longer = p.opens ? from.in_len : from.out_len, shorter = p.opens ? from.out_len : from.in_len;
  if (longer < from.tag_len || longer - from.tag_len != shorter) return VSH_E_CAPACITY;
  // RFC 9058 clause 4.1: 0 < |A| + |P| < 2^(n/2), in bits.
  const uint64_t max = modes::Mgm::max_len(n);
  if (shorter > max || from.data_len > max - shorter) return VSH_E_LIMIT;
  if (shorter == 0 && from.data_len == 0) return VSH_E_DATA_LENGTH;
  if (!same_or_apart(from.out, from.out_len, from.in, from.in_len)) return VSH_E_ARGUMENT;
  if (overlap(from.out, from.out_len, from.data, from.data_len) || overlap(from.out, from.out_len, from.nonce, n))
    return VSH_E_ARGUMENT;
  p.nonce = from.nonce, p.data = from.data, p.in = from.in, p.out = from.out;
  p.data_len = from.data_len, p.len = shorter, p.tag_len = from.tag_len;
  return read_key(s, from.key, from.key_index, p);
}

}  // namespace

vsh_status vsh_streams_mgm_jobs(const vsh_streams* s, vsh_mgm_job* jobs, size_t num_jobs, size_t job_size) {
  if (!s || s->algorithm == VSH_GOST28147) return VSH_E_ARGUMENT;
  if (const vsh_status status = status_of(s->products.status)) return status;
  bool all_right = true;
  const vsh_status status = run_jobs<streams::Packet>(
      jobs, num_jobs, job_size,
      [&](const vsh_mgm_job& from, streams::Packet& packet) { return read_packet(*s, from, packet); },
      [&](std::span<streams::Packet> packets, std::span<const uint32_t> job_of) {
        const auto on_processor = [&](streams::Selection<streams::Packet> some) {
          streams::mgm_batch(s->set, *s->products.row, some);
        };
        const auto tell_wrong_ones = [&] {
          for (size_t i = 0; i < packets.size(); ++i) {
            if (!packets[i].done || packets[i].right) continue;
            jobs[job_of[i]].status = VSH_E_TAG;
            all_right = false;
          }
        };
        try {
          if (!s->devices) on_processor(packets);
          else
            s->devices->run(packets, [&](streams::Selection<streams::Packet> some) {
              const StackEraser below_the_scheduler;
              on_processor(some);
            });
        } catch (...) {  // of those that were done before
          tell_wrong_ones();
          throw;
        }
        tell_wrong_ones();
      });
  return status == VSH_OK && !all_right ? VSH_E_JOB : status;
}
