#include "modes/xts.hpp"

#include <algorithm>
#include <cstring>

#include "core/bytes.hpp"
#include "core/executor.hpp"
#include "gf2n/tweak.hpp"

namespace vsh::modes {
namespace {

// Data units whose first tweaks are encrypted side by side: a pass of most many-block kernels, 128 KiB of sectors
// of 512 bytes.
constexpr size_t kUnitsTogether = 256;

}  // namespace

// Makes the tweaks of blocks that follow each other through data units, from the first tweak of each unit.
class Xts::Tweaks {
 public:
  // firsts: E_2(number) of one unit after the other.
  Tweaks(const ProductKernel& products, const uint8_t* firsts, size_t unit_blocks) noexcept
      : products_(&products), firsts_(firsts), unit_blocks_(unit_blocks) {}
  Tweaks(const Tweaks&) noexcept = default;
  Tweaks& operator=(const Tweaks&) noexcept = default;
  ~Tweaks() { wipe(next_, sizeof next_); }

  // Skips blocks of the unit that has begun, or is to begin.
  void skip(size_t num_blocks) noexcept {
    if (left_ == 0) begin_unit();
    gf2n::Tweak tweak(next_);
    tweak.times_power(num_blocks);
    tweak.store(next_);
    left_ -= num_blocks;
  }

  // Adds the tweaks of the next num_blocks blocks: out = in ^ tweaks.
  void add_next(uint8_t* out, const uint8_t* in, size_t num_blocks) noexcept {
    while (num_blocks) {
      if (left_ == 0) begin_unit();
      const size_t n = std::min(num_blocks, left_);
      products_->add_tweaks(next_, out, in, n);
      out += n * kBlock, in += n * kBlock;
      num_blocks -= n, left_ -= n;
    }
  }

 private:
  void begin_unit() noexcept {
    std::memcpy(next_, firsts_, kBlock);
    firsts_ += kBlock;
    left_ = unit_blocks_;
  }

  const ProductKernel* products_;
  const uint8_t* firsts_;
  size_t unit_blocks_, left_ = 0;  // of a unit, and of the current one
  uint8_t next_[kBlock] = {};      // of the next block
};

void Xts::process_blocks(Direction direction, uint8_t* out, const uint8_t* in, size_t num_blocks,
                         Tweaks& tweaks) const {
  // The tweaks are made twice, which costs less than to store and to load them.
  const size_t batch = batch_blocks(data_);
  Tweaks again = tweaks;
  while (num_blocks) {
    const size_t n = std::min(num_blocks, batch);
    tweaks.add_next(out, in, n);
    crypt(direction, out, out, n);
    again.add_next(out, out, n);
    out += n * kBlock, in += n * kBlock, num_blocks -= n;
  }
}

// Processes one unit of whole blocks, as the request of a disk often is: without the buffer of many first tweaks, whose
// erasing would be felt in a sector of 4 KiB.
void Xts::process_one(Direction direction, uint8_t* out, const uint8_t* in, size_t unit_blocks, uint64_t number) const {
  Wiped<uint8_t[kBlock]> start;
  store_le64(start.value, number);
  tweak_.encrypt(start.value, start.value, 1);  // which erases the stack of whichever thread this is
  Tweaks tweaks(products_, start.value, unit_blocks);
  process_blocks(direction, out, in, unit_blocks, tweaks);
}

// A separate function, so that its buffer lies in no other one's frame.
__attribute__((noinline)) void Xts::process_range(Direction direction, uint8_t* out, const uint8_t* in,
                                                  size_t num_units, size_t unit_blocks, uint64_t first,
                                                  uint64_t step) const {
  struct FirstTweaks {
    uint8_t bytes[kUnitsTogether * kBlock];
    size_t num = 0;  // that were used, and are erased
    ~FirstTweaks() { wipe(bytes, num * kBlock); }
  } firsts;
  firsts.num = std::min(num_units, kUnitsTogether);
  while (num_units) {
    const size_t n = std::min(num_units, kUnitsTogether);
    for (size_t i = 0; i < n; ++i) {
      store_le64(firsts.bytes + i * kBlock, first + i * step);
      store_le64(firsts.bytes + i * kBlock + 8, 0);
    }
    tweak_.encrypt(firsts.bytes, firsts.bytes, n);
    Tweaks tweaks(products_, firsts.bytes, unit_blocks);
    process_blocks(direction, out, in, n * unit_blocks, tweaks);
    out += n * unit_blocks * kBlock, in += n * unit_blocks * kBlock;
    first += n * step, num_units -= n;
  }
}

namespace {

Operation operation_of(Direction direction) noexcept {
  return direction == Direction::encrypt ? Operation::xts_encrypt : Operation::xts_decrypt;
}

}  // namespace

void Xts::process(Direction direction, uint8_t* out, const uint8_t* in, size_t num_units, size_t unit_blocks,
                  uint64_t first, uint64_t step) const {
  const Operation operation = operation_of(direction);
  Accelerator* const accelerator = data_.accelerator_for(operation, num_units * unit_blocks);
  if (!accelerator) return process_on_threads(direction, out, in, num_units, unit_blocks, first, step);
  Accelerator::Request request{operation, out, in, num_units * unit_blocks};
  request.unit_blocks = unit_blocks, request.first = first, request.step = step;
  accelerator->run(request, [&](size_t begin, size_t end, const uint8_t*) {  // whole units, as requested
    process_on_threads(direction, out + begin * kBlock, in + begin * kBlock, (end - begin) / unit_blocks, unit_blocks,
                       first + begin / unit_blocks * step, step);
  });
}

void Xts::process_on_threads(Direction direction, uint8_t* out, const uint8_t* in, size_t num_units, size_t unit_blocks,
                             uint64_t first, uint64_t step) const {
  const size_t unit_len = unit_blocks * kBlock;
  const size_t grain = std::max<size_t>(1, kBytesPerThread / unit_len);
  for_ranges(num_units, grain, threads_, [&](size_t begin, size_t end) {
    const uint64_t number = first + begin * step;
    uint8_t* const to = out + begin * unit_len;
    const uint8_t* const from = in + begin * unit_len;
    if (end - begin == 1) process_one(direction, to, from, unit_blocks, number);
    else process_range(direction, to, from, end - begin, unit_blocks, number, step);
  });
}

// Processes the first num_blocks blocks of a data unit.
void Xts::process_within_unit(Direction direction, uint8_t* out, const uint8_t* in, size_t num_blocks,
                              const uint8_t* first_tweak, Accelerator& accelerator) const {
  const auto on_processor = [&](size_t first, size_t last, const uint8_t*) {
    for_ranges(last - first, kBytesPerThread / kBlock, threads_, [&](size_t begin, size_t end) {
      begin += first, end += first;
      Tweaks tweaks(products_, first_tweak, num_blocks);
      tweaks.skip(begin);
      process_blocks(direction, out + begin * kBlock, in + begin * kBlock, end - begin, tweaks);
    });
  };
  accelerator.run({operation_of(direction), out, in, num_blocks, first_tweak}, on_processor);
}

void Xts::process_unit(Direction direction, uint8_t* out, const uint8_t* in, size_t len, const uint8_t* number) const {
  Wiped<uint8_t[kBlock]> start;
  tweak_.encrypt_one(start.value, number);
  const size_t tail = len % kBlock, num_before = len / kBlock - (tail != 0), before = num_before * kBlock;
  Tweaks tweaks(products_, start.value, len / kBlock + 1);
  if (Accelerator* const accelerator = data_.accelerator_for(operation_of(direction), num_before)) {
    process_within_unit(direction, out, in, num_before, start.value, *accelerator);
    tweaks.skip(num_before);
  } else {
    process_blocks(direction, out, in, num_before, tweaks);
  }
  if (tail == 0) return;

  // Clause 5.3.2: the last whole block is encrypted twice, the second time with the tail's tweak and the tail in
  // place of its own first bytes, which become the last ciphertext. Decryption uses the two last tweaks in the other
  // order.
  Wiped<uint8_t[2 * kBlock]> last_tweaks, block, stolen;
  static constexpr uint8_t kNothing[2 * kBlock] = {};
  tweaks.add_next(last_tweaks.value, kNothing, 2);
  const bool encrypts = direction == Direction::encrypt;
  const uint8_t* const first_tweak = last_tweaks.value + (encrypts ? 0 : kBlock);
  const uint8_t* const second_tweak = last_tweaks.value + (encrypts ? kBlock : 0);
  const auto one = [&](uint8_t* to, const uint8_t* from, const uint8_t* tweak) {
    xor_bytes(block.value, from, tweak, kBlock);
    encrypts ? data_.encrypt_one(block.value, block.value) : data_.decrypt_one(block.value, block.value);
    xor_bytes(to, block.value, tweak, kBlock);
  };
  one(stolen.value, in + before, first_tweak);
  std::memcpy(stolen.value + kBlock, stolen.value, tail);  // goes out as the tail
  std::memcpy(stolen.value, in + before + kBlock, tail);   // and the tail replaces it
  one(out + before, stolen.value, second_tweak);
  std::memcpy(out + before + kBlock, stolen.value + kBlock, tail);
}

}  // namespace vsh::modes
