#include "core/block_engine.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/bytes.hpp"
#include "core/executor.hpp"

namespace vsh {
namespace {

constexpr size_t kStackOfPreparing = 8192;
// Frames above a kernel's.
constexpr size_t kStackOfCall = 1024;

// Returns the first rung whose row prepares the same bytes as that of rung i.
size_t owner_of_schedule(const Ladder& ladder, size_t i) {
  const auto layout = [&](size_t rung) {
    const char* const name = ladder[rung].row->layout;
    return std::string_view(name ? name : "");
  };
  size_t owner = 0;
  while (owner < i && (layout(owner).empty() || layout(owner) != layout(i))) ++owner;
  return owner;
}

// Writes consecutive counters independently of each other, so that the compiler can use vectors.
void write_big_endian(uint8_t* blocks, size_t size, size_t num, const uint8_t* counter) {
  const uint64_t low = load_be64(counter + size - 8), high = load_be64(counter);  // of 8 bytes both are the number
  if (size == 8) {
    for (size_t i = 0; i < num; ++i) store_be64(blocks + 8 * i, low + i);
    return;
  }
  for (size_t i = 0; i < num; ++i) {
    store_be64(blocks + 16 * i, high + (low + i < low));
    store_be64(blocks + 16 * i + 8, low + i);
  }
}

// CTR of GOST R 34.13-2015: big-endian numbers.
constexpr CounterRule kCtr = {&BlockKernel::ctr, add_big_endian, write_big_endian, Operation::ctr};

}  // namespace

void add_big_endian(uint8_t* block, size_t size, uint64_t value) noexcept {
  if (size == 16) return add_big_endian_128(block, value);
  store_be64(block, load_be64(block) + value);
}

BlockEngine::BlockEngine(const BlockChoice& kernels, unsigned threads) : ladder_(kernels.ladder), threads_(threads) {
  size_t size = 0;
  for (size_t i = 0; i < ladder_.size(); ++i) {
    owners_[i] = owner_of_schedule(ladder_, i);
    offsets_[i] = owners_[i] < i ? offsets_[owners_[i]] : size;
    if (owners_[i] == i) size += aligned_size(ladder_[i].row->schedule_size);
  }
  storage_ = SecretBuffer(size);
}

BlockEngine::BlockEngine(const BlockChoice& kernels, const RoundKeysView& round_keys, unsigned threads)
    : BlockEngine(kernels, threads) {
  for (size_t i = 0; i < ladder_.size(); ++i) prepare(i, round_keys);
  wipe_stack(kStackOfPreparing);
}

BlockEngine::BlockEngine(const BlockChoice& kernels) : BlockEngine(kernels, 1u) {}

BlockEngine::BlockEngine(const BlockEngine& other)
    : ladder_(other.ladder_),
      threads_(other.threads_),
      prepared_(other.prepared_),
      storage_(other.storage_.size()),
      accelerator_(other.accelerator_) {
  std::copy_n(other.owners_, ladder_.size(), owners_);
  std::copy_n(other.offsets_, ladder_.size(), offsets_);
  std::memcpy(storage_.data(), other.storage_.data(), storage_.size());
}

void BlockEngine::prepare(size_t rung, const RoundKeysView& round_keys) {
  const size_t owner = owners_[rung];
  if (prepared_ >> owner & 1) return;
  const BlockKernel& row = *ladder_[owner].row;
  row.prepare(storage_.data() + offsets_[owner], round_keys.for_row(row));
  prepared_ |= 1u << owner;
}

void BlockEngine::prepare_for(size_t num_blocks, const RoundKeysView& round_keys) noexcept {
  for (size_t i = 0; i < ladder_.size() && num_blocks; ++i) {
    const size_t share = ladder_[i].share(num_blocks);
    if (share) prepare(i, round_keys);
    num_blocks -= share;
  }
}

BlockEngine::~BlockEngine() = default;

void BlockEngine::encrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const {
  run(out, in, num_blocks, {Operation::ecb_encrypt});
}

size_t BlockEngine::few_unerased(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  if (!accelerator_for(start.operation, num_blocks)) return run_unerased(out, in, num_blocks, start);
  run(out, in, num_blocks, start);
  return 0;
}

void BlockEngine::decrypt(uint8_t* out, const uint8_t* in, size_t num_blocks) const {
  run(out, in, num_blocks, {Operation::ecb_decrypt});
}

void BlockEngine::ctr(uint8_t* out, const uint8_t* in, size_t num_blocks, const uint8_t* counter) const {
  add_keystream(kCtr, out, in, num_blocks, counter);
}

void BlockEngine::add_keystream(const CounterRule& rule, uint8_t* out, const uint8_t* in, size_t num_blocks,
                                const uint8_t* counter) const {
  run(out, in, num_blocks, {rule.operation, &rule, counter});
}

BlockEngine::Start BlockEngine::Start::after(uint64_t steps, size_t size, uint8_t (&buffer)[16]) const {
  if (!rule) return *this;
  std::memcpy(buffer, counter, size);
  rule->advance(buffer, size, steps);
  return {operation, rule, buffer};
}

void BlockEngine::run(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  Accelerator* const accelerator = accelerator_for(start.operation, num_blocks);
  if (!accelerator) return run_on_threads(out, in, num_blocks, start);
  const Accelerator::Request request{start.operation, out, in, num_blocks, start.counter};
  accelerator->run(request, [&](size_t begin, size_t end, const uint8_t*) {
    const size_t size = block_size();
    Wiped<uint8_t[16]> counter;
    run_on_threads(out + begin * size, in + begin * size, end - begin, start.after(begin, size, counter.value));
  });
}

void BlockEngine::run_on_threads(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  const size_t size = block_size();
  const size_t pass = many().info.lanes;
  const size_t grain = pass * std::max<size_t>(1, kBytesPerThread / (pass * size));
  for_ranges(num_blocks, grain, threads_, [&](size_t begin, size_t end) {
    Wiped<uint8_t[16]> counter;
    run_on_this_thread(out + begin * size, in + begin * size, end - begin, start.after(begin, size, counter.value));
  });
}

void BlockEngine::run_on_this_thread(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  // The callers' erasing does not reach this deep if a mode has a buffer, and covers their own thread only.
  wipe_stack(run_unerased(out, in, num_blocks, start));
}

size_t BlockEngine::run_unerased(uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  const size_t size = block_size();
  size_t done = 0, widest = 1;
  for (size_t i = 0; i < ladder_.size() && done < num_blocks; ++i) {
    const size_t share = ladder_[i].share(num_blocks - done);
    if (share == 0) continue;
    Wiped<uint8_t[16]> counter;
    call(i, out + done * size, in + done * size, share, start.after(done, size, counter.value));
    done += share;
    // A row for one block may take more side by side (magma/vpermb.hpp).
    widest = std::max<size_t>({widest, ladder_[i].row->info.lanes, std::min(share, kMaxLanesOfFew + 1)});
  }
  return kStackOfCall + stack_of(widest, size);
}

void BlockEngine::call(size_t rung, uint8_t* out, const uint8_t* in, size_t num_blocks, Start start) const {
  const BlockKernel& row = *ladder_[rung].row;
  if (!start.rule) {
    const auto ecb = start.operation == Operation::ecb_encrypt ? row.encrypt : row.decrypt;
    return ecb(schedule(rung), out, in, num_blocks);
  }
  const auto fused = row.*start.rule->fused;
  if (fused) return fused(schedule(rung), out, in, num_blocks, start.counter);
  write_counters(rung, out, in, num_blocks, start);
}

// Without a fused form: writes counters, encrypts them in place and adds them to the data, a few passes at a time. It
// is a separate function, because its buffer must not lie between a kernel's stack frame and the code that erases it.
__attribute__((noinline)) void BlockEngine::write_counters(size_t rung, uint8_t* out, const uint8_t* in,
                                                           size_t num_blocks, Start start) const {
  const BlockKernel& row = *ladder_[rung].row;
  constexpr size_t kBufferSize = 4096;
  alignas(64) uint8_t keystream[kBufferSize];
  uint8_t next[16];
  const size_t size = row.block_size, used = std::min(num_blocks * size, kBufferSize);
  std::memcpy(next, start.counter, size);
  while (num_blocks) {
    const size_t n = std::min(num_blocks, kBufferSize / size);
    start.rule->write(keystream, size, n, next);
    start.rule->advance(next, size, n);
    row.encrypt(schedule(rung), keystream, keystream, n);
    for (size_t i = 0; i < n * size; i += 8)  // a compiler would go byte by byte: the buffers may be the same
      store_le64(out + i, load_le64(in + i) ^ load_le64(keystream + i));
    out += n * size;
    in += n * size;
    num_blocks -= n;
  }
  wipe(keystream, used);
  wipe(next, sizeof next);
  wipe_stack(stack_of(row.info.lanes, size));
}

}  // namespace vsh
