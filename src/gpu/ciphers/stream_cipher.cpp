#include "gpu/ciphers/stream_cipher.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

#include "core/decimal.hpp"
#include "core/wipe.hpp"
#include "gpu/ciphers/masks.hpp"
#include "gpu/device/host_memory.hpp"

namespace vsh::gpu {
namespace {

constexpr uint64_t kLanes = 32;
constexpr uint64_t kStaged = 64;  // bytes of a message that lockstep stages

constexpr uint64_t quotient_up(uint64_t a, uint64_t b) noexcept { return a / b + (a % b != 0); }

}  // namespace

// Shape and parts of a launch.
struct StreamCipher::Launch {
  bool spread;
  bool sliced;                                                   // round keys are sliced
  uint64_t blocks;                                               // of a message
  uint64_t items_lockstep;                                       // work items that have the messages as lanes
  uint64_t items_a_message;                                      // work items of a message that is spread
  uint64_t sliced_len, schedules_len, counters_len, staged_len;  // bytes of the scratch
};

StreamCipher::StreamCipher(Device& device, const keys::CipherParameters& cipher)
    : device_(device), algorithm_(cipher.algorithm()), block_size_(vsh::block_size(algorithm_)) {
  const magma::Parameters* const parameters = cipher.magma();
  if (!parameters) {
    keys_ = device.program("kuznyechik_keys", "");
    return;
  }
  parameters_ = "-DVSH_SBOX=" + decimal(parameters->custom ? 9 : static_cast<int>(parameters->set) + 1) +
                " -DVSH_GOST28147=" + (parameters->little_endian ? "1 " : "0 ");
  if (!parameters->custom) return;
  Wiped<uint32_t[kNumTableMasks]> masks;
  write_table_masks(masks.value, parameters->rows);
  tables_ = device.allocate(sizeof masks.value);
  const auto queue = device.make_queue();
  queue->upload(*tables_, 0, masks.value, sizeof masks.value);
  queue->finish();
}

bool StreamCipher::can(Operation o) const noexcept {
  const bool is_gost28147 = algorithm_ == Algorithm::gost28147;
  if (o == Operation::ctr || o == Operation::mac) return !is_gost28147;
  if (o == Operation::cnt || o == Operation::imit) return is_gost28147;
  return row_of(o).use & OperationRow::batch && o != Operation::mgm && o != Operation::hash;
}

// Costs count passes of 32 blocks, in a row and by as many work items as the device has room for at least: fewer take
// as long. A pass of spread is 5; of lockstep 11 in Magma and 8 in Kuznyechik, whose planes of keys, 16 and 10 bytes a
// byte, come from the caches: measured on an H200, 2^20 messages of 512 bytes, with keys prepared in each launch.
StreamCipher::Launch StreamCipher::launch_of(const Task& task) const noexcept {
  const uint64_t room = uint64_t{std::max(device_.info().units, 1u)} * 256;
  const uint64_t num = task.num_streams;
  Launch p{};
  p.blocks = quotient_up(task.len, block_size_);
  if (chained(task.operation)) p.blocks = std::max<uint64_t>(p.blocks, 1);
  p.items_lockstep = quotient_up(num, kLanes);
  p.items_a_message = quotient_up(p.blocks, kLanes);
  const bool kuznyechik = algorithm_ == Algorithm::kuznyechik;
  const uint64_t lockstep = (kuznyechik ? 8 : 11) * p.blocks * std::max(p.items_lockstep, room);
  const uint64_t spread = 5 * std::max(num * p.items_a_message, room);
  p.spread = task.shape == Shape::best ? spread <= lockstep : task.shape == Shape::spread;
  if (chained(task.operation)) p.spread = false;
  const uint64_t schedule = kuznyechik ? 160 : 32;  // bytes of a message's round keys
  p.sliced = !p.spread || kuznyechik || task.operation == Operation::cnt;
  const uint64_t all_lanes = quotient_up(p.items_lockstep, kGroup) * kGroup * kLanes;
  if (p.sliced) p.sliced_len = all_lanes * schedule;
  if (p.spread && kuznyechik) p.schedules_len = num * schedule;
  if (task.operation == Operation::cnt) p.counters_len = num * block_size_;
  const bool needs_earlier = task.operation == Operation::cbc_decrypt || task.operation == Operation::cfb_decrypt;
  if (!p.spread || task.operation == Operation::cnt)
    p.staged_len = all_lanes * (kStaged + (needs_earlier ? block_size_ : 0));
  return p;
}

uint64_t StreamCipher::scratch_size(const Task& task) const noexcept {
  const Launch p = launch_of(task);
  return p.sliced_len + p.schedules_len + p.counters_len + p.staged_len;
}

Program& StreamCipher::program(Operation operation) const {
  const auto number = static_cast<size_t>(operation);
  const std::lock_guard lock(mutex_);
  if (!programs_[number])
    programs_[number] = device_.program(algorithm_ == Algorithm::kuznyechik ? "kuznyechik_streams" : "magma_streams",
                                        parameters_ + "-DVSH_OPERATION=" + std::string(operation_name(operation)));
  return *programs_[number];
}

// Makes the round keys that the launch needs and the scratch lacks.
void StreamCipher::make_round_keys(Queue& queue, Scratch& scratch, const Launch& p, const Task& task) const {
  if (!task.keys_again) scratch.has_sliced = scratch.has_schedules = false;
  const bool kuznyechik = algorithm_ == Algorithm::kuznyechik;
  const auto num = task.num_streams, share = static_cast<uint32_t>(p.items_lockstep);
  if (p.sliced && !scratch.has_sliced) {
    const Argument arguments[] = {grow(device_, queue, scratch.sliced, p.sliced_len), *task.keys, num, share};
    Program& slicing = kuznyechik ? *keys_ : program(task.operation);
    queue.launch(slicing.kernel("slice_keys"), p.items_lockstep, arguments);
    scratch.has_sliced = true;
  }
  if (kuznyechik && p.spread && !scratch.has_schedules) {
    const Argument arguments[] = {grow(device_, queue, scratch.schedules, p.schedules_len), *scratch.sliced, num,
                                  share};
    queue.launch(keys_->kernel("schedule_words"), p.items_lockstep, arguments);
    scratch.has_schedules = true;
  }
}

void StreamCipher::launch(Queue& queue, Scratch& scratch, const Task& task) const {
  if (task.num_streams == 0) return;
  const Launch p = launch_of(task);
  if (p.blocks == 0) return;
  assert(can(task.operation) && task.in != task.out && task.stride % block_size_ == 0);
  assert(task.num_streams * p.items_a_message * kLanes <= kMostBlocks);
  make_round_keys(queue, scratch, p, task);
  const Buffer* const tables = tables_.get();
  const auto num = task.num_streams, share = static_cast<uint32_t>(p.items_lockstep);
  const auto blocks = static_cast<uint32_t>(p.blocks);
  const uint64_t stride = task.stride / block_size_;
  const Buffer* ivs = task.ivs;
  const Buffer* const staged = p.staged_len ? &grow(device_, queue, scratch.staged, p.staged_len) : nullptr;
  if (task.operation == Operation::cnt) {  // N3 and N4 are the encrypted IV (RFC 5830 clause 6.1)
    Buffer& counters = grow(device_, queue, scratch.counters, p.counters_len);
    const Argument arguments[] = {counters,    ivs, *scratch.sliced, tables, ivs, staged,
                                  uint64_t{1}, num, uint32_t{1},     share};
    queue.launch(program(Operation::ecb_encrypt).kernel("lockstep"), p.items_lockstep, arguments);
    ivs = &counters;
  }
  if (is_mac(task.operation)) {
    const auto last = static_cast<uint32_t>(task.len - (p.blocks - 1) * block_size_);
    const Argument arguments[] = {*task.out, *task.in, *scratch.sliced, tables, staged,
                                  stride,    num,      blocks,          share,  last};
    return queue.launch(program(task.operation).kernel("lockstep"), p.items_lockstep, arguments);
  }
  if (!p.spread) {
    const Argument arguments[] = {*task.out, *task.in, *scratch.sliced, tables, ivs, staged,
                                  stride,    num,      blocks,          share};
    return queue.launch(program(task.operation).kernel("lockstep"), p.items_lockstep, arguments);
  }
  const Buffer& schedules = algorithm_ == Algorithm::kuznyechik ? *scratch.schedules : *task.keys;
  const auto parts = static_cast<uint32_t>(p.items_a_message);
  const Argument arguments[] = {*task.out, *task.in, schedules, tables, ivs, stride, num, blocks, parts};
  queue.launch(program(task.operation).kernel("spread"), num * p.items_a_message, arguments);
}

}  // namespace vsh::gpu
