#include "gpu/ciphers/message_hash.hpp"

#include <cassert>

#include "circuits/sbox_tables.hpp"
#include "gpu/device/host_memory.hpp"
#include "streebog/constants.hpp"

namespace vsh::gpu {
namespace {

// Constants added to the key before each LPS, and to a message (kernels/streebog.c); the last row is the message's.
constexpr size_t kRows = streebog::kRounds + 2;
struct Rows {
  uint32_t words[kRows][16];
};

// The circuits leave out pi(0), which adds l(pi(0), ..., pi(0)) to every row that LPS gives. In data ^ key it cancels;
// the key takes it with the next constant, the message on its way in.
constexpr Rows make_rows() {
  uint64_t offset = 0;
  for (int j = 0; j < 8; ++j) offset ^= streebog::l_of_byte(j, tables::kKuznyechikPi[0]);
  Rows rows{};
  for (size_t r = 1; r < kRows; ++r)
    for (int i = 0; i < 8; ++i) {
      const bool is_key = r + 1 < kRows;
      const uint64_t word = offset ^ (is_key ? streebog::iteration_constant_word(static_cast<int>(r) - 1, i) : 0);
      rows.words[r][2 * i] = static_cast<uint32_t>(word);
      rows.words[r][2 * i + 1] = static_cast<uint32_t>(word >> 32);
    }
  return rows;
}
constexpr Rows kConstants = make_rows();

constexpr uint64_t kMessagesAnItem = 4, kStateWords = 128;  // of a work item

}  // namespace

MessageHash::MessageHash(Device& device, unsigned hash_bits)
    : device_(device),
      hash_bits_(hash_bits),
      program_(device.program("streebog", "")),
      constants_(device.allocate(kRows * 64 * 4)) {
  const auto rows = device.allocate(sizeof kConstants.words);
  const auto queue = device.make_queue();
  queue->upload(*rows, 0, kConstants.words, sizeof kConstants.words);
  const Argument arguments[] = {*constants_, *rows};
  queue->launch(program_->kernel("make_constants"), kRows, arguments);
  queue->finish();
}

void MessageHash::launch(Queue& queue, Scratch& scratch, const Task& task) const {
  if (task.num_messages == 0) return;
  assert(task.stride % 4 == 0 && task.max_len <= task.stride && task.max_len >> 37 == 0);
  const uint64_t items = (uint64_t{task.num_messages} + kMessagesAnItem - 1) / kMessagesAnItem;
  const uint64_t len = (items + kGroup - 1) / kGroup * kGroup * kStateWords * 4;
  const Buffer& states = grow(device_, queue, scratch.states, len);
  const uint32_t initial = 0x01010101u * (hash_bits_ == 512 ? streebog::kInitialByte512 : streebog::kInitialByte256);
  const Argument arguments[] = {*task.out,   *task.data,        *task.lens,  states,
                                *constants_, task.num_messages, task.stride, static_cast<uint32_t>(task.max_len / 64),
                                initial,     hash_bits_ / 32};
  queue.launch(program_->kernel("hash"), items, arguments);
}

}  // namespace vsh::gpu
