#include "core/block_engine.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/bytes.hpp"
#include "core/executor.hpp"
#include "core/wipe.hpp"

namespace vsh {
namespace {

size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// CTR of GOST R 34.13-2015: big-endian numbers.
constexpr CounterRule kCtr = {&BlockKernel::ctr, add_big_endian,
                                  [](uint8_t* blocks, size_t size, size_t num, const uint8_t* counter) {
                                    uint8_t next[16];
                                    std::memcpy(next, counter, size);
                                    for (size_t i = 0; i < num; ++i) {
                                      std::memcpy(blocks + i * size, next, size);
                                      add_big_endian(next, size, 1);
                                    }
                                  }};

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
    : many_(kernels.many),
      one_(kernels.one),
      threads_(threads),
      min_blocks_((many_->info.pass_cost + one_->info.pass_cost - 1) / one_->info.pass_cost),
      one_offset_(many_ == one_ ? 0 : round_up(many_->schedule_size, kScheduleAlignment)),
      storage_(nullptr, WipeAndFree{0}) {
  const size_t size = one_offset_ + one_->schedule_size;
  auto* p = static_cast<uint8_t*>(::operator new[](size, std::align_val_t{kScheduleAlignment}));
  storage_ = {p, WipeAndFree{size}};
  many_->prepare(p, round_keys);
  if (one_ != many_) one_->prepare(p + one_offset_, round_keys);
}

BlockEngine::~BlockEngine() = default;

void BlockEngine::encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const {
  run(Work::encrypt, out, in, num_blocks, {});
}

void BlockEngine::decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const {
  run(Work::decrypt, out, in, num_blocks, {});
}

void BlockEngine::ctr(uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) const {
  add_gamma(kCtr, out, in, num_blocks, counter);
}

void BlockEngine::add_gamma(const CounterRule& rule, uint8_t* out, const uint8_t* in, size_t num_blocks,
                            const uint8_t* counter) const {
  run(Work::gamma, out, in, num_blocks, {&rule, counter});
}

BlockEngine::Start BlockEngine::Start::after(uint64_t steps, size_t size, uint8_t (&buffer)[16]) const {
  if (!rule) return *this;
  std::memcpy(buffer, counter, size);
  rule->advance(buffer, size, steps);
  return {rule, buffer};
}

void BlockEngine::run(Work work, uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  const size_t size = block_size();
  const size_t passes_per_thread = std::max<size_t>(1, kBytesPerThread / (many_->info.lanes * size));
  const size_t grain = many_->info.lanes * passes_per_thread;
  for_ranges(num_blocks, grain, threads_, [&](size_t begin, size_t end) {
    Wiped<uint8_t[16]> counter;
    run_on_this_thread(work, out + begin * size, in + begin * size, end - begin,
                       start.after(begin, size, counter.value));
  });
}

void BlockEngine::run_on_this_thread(Work work, uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  // Whole passes go to the many-block kernel; what is left too, if one padded pass costs less than the blocks one by one.
  const size_t rest = num_blocks % many_->info.lanes;
  const size_t many_blocks = rest < min_blocks_ ? num_blocks - rest : num_blocks;
  const size_t size = block_size();
  if (many_blocks) {
    call(work, true, out, in, many_blocks, start);
    // A bit-sliced kernel has its planes there, up to twice a pass, and the padded last pass.
    wipe_stack(3 * many_->info.lanes * size + 2048);
  }
  if (many_blocks == num_blocks) return;
  Wiped<uint8_t[16]> counter;
  call(work, false, out + many_blocks * size, in + many_blocks * size, num_blocks - many_blocks,
       start.after(many_blocks, size, counter.value));
}

void BlockEngine::call(Work work, bool many, uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  if (num_blocks == 0) return;
  const BlockKernel& row = many ? *many_ : *one_;
  const void* schedule = many ? many_schedule() : one_schedule();
  switch (work) {
    case Work::encrypt: return row.encrypt(schedule, out, in, num_blocks);
    case Work::decrypt: return row.decrypt(schedule, out, in, num_blocks);
    case Work::gamma: break;
  }
  const CounterRule& rule = *start.rule;
  if (row.*rule.fused) return (row.*rule.fused)(schedule, out, in, num_blocks, start.counter);

  // No fused form: counters are written down, encrypted in place and added to the data, a few passes at a time.
  constexpr size_t kBufferSize = 4096;
  alignas(64) uint8_t gamma[kBufferSize];
  uint8_t next[16];
  const size_t size = row.block_size;
  std::memcpy(next, start.counter, size);
  while (num_blocks) {
    const size_t n = std::min(num_blocks, kBufferSize / size);
    rule.write(gamma, size, n, next);
    rule.advance(next, size, n);
    row.encrypt(schedule, gamma, gamma, n);
    for (size_t i = 0; i < n * size; ++i) out[i] = in[i] ^ gamma[i];
    out += n * size;
    in += n * size;
    num_blocks -= n;
  }
  wipe(gamma, sizeof gamma);
}

}  // namespace vsh
