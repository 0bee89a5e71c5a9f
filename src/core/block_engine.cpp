#include "core/block_engine.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "core/bytes.hpp"
#include "core/executor.hpp"
#include "core/wipe.hpp"

namespace vsh {
namespace {

size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// The first rung whose row prepares the same bytes as that of rung i.
size_t owner_of_schedule(const Ladder& ladder, size_t i) {
  const auto layout = [&](size_t rung) { return std::string_view(ladder[rung].row->layout ? ladder[rung].row->layout : ""); };
  size_t owner = 0;
  while (owner < i && (layout(owner).empty() || layout(owner) != layout(i))) ++owner;
  return owner;
}

}  // namespace

void add_big_endian(uint8_t* block, size_t size, uint64_t value) noexcept {
  const uint64_t low = load_be64(block + size - 8);
  const uint64_t sum = low + value;
  store_be64(block + size - 8, sum);
  if (size == 16) store_be64(block, load_be64(block) + (sum < low));
}

void BlockEngine::WipeAndFree::operator()(uint8_t* p) const noexcept {
  wipe(p, size);
  ::operator delete[](p, std::align_val_t{kScheduleAlignment});
}

BlockEngine::BlockEngine(const BlockChoice& kernels, const void* round_keys, unsigned threads)
    : ladder_(kernels.ladder), threads_(threads), storage_(nullptr, WipeAndFree{0}) {
  size_t size = 0;
  for (size_t i = 0; i < ladder_.size(); ++i) {
    const size_t owner = owner_of_schedule(ladder_, i);
    offsets_[i] = owner < i ? offsets_[owner] : size;
    if (owner == i) size += round_up(ladder_[i].row->schedule_size, kScheduleAlignment);
  }
  auto* p = static_cast<uint8_t*>(::operator new[](size, std::align_val_t{kScheduleAlignment}));
  storage_ = {p, WipeAndFree{size}};
  for (size_t i = 0; i < ladder_.size(); ++i)
    if (owner_of_schedule(ladder_, i) == i) ladder_[i].row->prepare(p + offsets_[i], round_keys);
}

BlockEngine::~BlockEngine() = default;

void BlockEngine::encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const {
  run(Work::encrypt, out, in, num_blocks, nullptr);
}

void BlockEngine::decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const {
  run(Work::decrypt, out, in, num_blocks, nullptr);
}

void BlockEngine::ctr(uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) const {
  run(Work::ctr, out, in, num_blocks, counter);
}

void BlockEngine::run(Work work, uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) const {
  const size_t size = block_size();
  const size_t pass = many().info.lanes;
  const size_t grain = pass * std::max<size_t>(1, kBytesPerThread / (pass * size));
  for_ranges(num_blocks, grain, threads_, [&](size_t begin, size_t end) {
    uint8_t start[16];
    if (counter) {
      std::memcpy(start, counter, size);
      add_big_endian(start, size, begin);
    }
    run_on_this_thread(work, out + begin * size, in + begin * size, end - begin, counter ? start : nullptr);
  });
}

void BlockEngine::run_on_this_thread(Work work, uint8_t* out, const uint8_t* in, size_t num_blocks,
                                     const uint8_t* counter) const {
  const size_t size = block_size();
  size_t done = 0, widest = 1;
  for (size_t i = 0; i < ladder_.size() && done < num_blocks; ++i) {
    const size_t share = ladder_[i].share(num_blocks - done);
    if (share == 0) continue;
    uint8_t start[16];
    if (counter) {
      std::memcpy(start, counter, size);
      add_big_endian(start, size, done);
    }
    call(work, i, out + done * size, in + done * size, share, start);
    done += share;
    widest = std::max<size_t>(widest, ladder_[i].row->info.lanes);
  }
  // A bit-sliced kernel leaves its planes on the stack, up to twice a pass, and the padded last pass. (What one-block
  // kernels leave, the callers erase.)
  if (widest > 1) wipe_stack(3 * widest * size + 2048);
}

void BlockEngine::call(Work work, size_t rung, uint8_t* out, const uint8_t* in, size_t num_blocks,
                       const uint8_t* counter) const {
  const BlockKernel& row = *ladder_[rung].row;
  const void* schedule = this->schedule(rung);
  switch (work) {
    case Work::encrypt: return row.encrypt(schedule, out, in, num_blocks);
    case Work::decrypt: return row.decrypt(schedule, out, in, num_blocks);
    case Work::ctr: break;
  }
  if (row.ctr) return row.ctr(schedule, out, in, num_blocks, counter);

  // No fused form: counters are written down, encrypted in place and added to the data, a few passes at a time.
  constexpr size_t kBufferSize = 4096;
  alignas(64) uint8_t gamma[kBufferSize];
  uint8_t next[16];
  const size_t size = row.block_size;
  std::memcpy(next, counter, size);
  while (num_blocks) {
    const size_t n = std::min(num_blocks, kBufferSize / size);
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(gamma + i * size, next, size);
      add_big_endian(next, size, 1);
    }
    row.encrypt(schedule, gamma, gamma, n);
    for (size_t i = 0; i < n * size; ++i) out[i] = in[i] ^ gamma[i];
    out += n * size;
    in += n * size;
    num_blocks -= n;
  }
  wipe(gamma, sizeof gamma);
}

}  // namespace vsh
