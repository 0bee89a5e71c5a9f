#include "modes/mgm.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/executor.hpp"
#include "gf2n/mgm_counters.hpp"
#include "modes/mgm_message.hpp"

namespace vsh::modes {
namespace {

using namespace mgm;

constexpr CounterRule kLeft = {&BlockKernel::ctr_left, add_left, write_left, Operation::ctr_left};
constexpr CounterRule kRight = {&BlockKernel::ctr_right, add_right, write_right, Operation::ctr_right};

// out = in ^ E(counter) || E(incr_r(counter)) || ..., any number of bytes.
void add_keystream(const BlockEngine& engine, uint8_t* out, const uint8_t* in, size_t len, uint8_t* counter) {
  const size_t n = engine.block_size(), whole = len / n, rest = len % n;
  engine.add_keystream(kRight, out, in, whole, counter);
  if (rest == 0) return;
  Wiped<uint8_t[kMaxBlock]> keystream;
  add_right(counter, n, whole);
  engine.encrypt_one(keystream.value, counter);
  xor_bytes(out + whole * n, in + whole * n, keystream.value, rest);
}

}  // namespace

Mgm::Mgm(const BlockEngine& engine, const ProductKernel& products) noexcept
    : engine_(&engine), products_(products), n_(engine.block_size()) {}

Mgm::~Mgm() {
  for (auto* secret : {y_, z_, keystream_, pending_}) wipe(secret, kMaxBlock);
  wipe(sum_, sizeof sum_);
}

void Mgm::start(const uint8_t* nonce) {
  data_len_ = text_len_ = 0;
  in_text_ = false;
  std::memset(sum_, 0, sizeof sum_);
  uint8_t first[2 * kMaxBlock];
  write_first(first, first + n_, nonce, n_);
  engine_->encrypt(first, first, 2);
  std::memcpy(y_, first, n_);
  std::memcpy(z_, first + n_, n_);
  wipe(first, sizeof first);
}

void Mgm::add_products(const uint8_t* multipliers, const uint8_t* blocks, size_t num) {
  (n_ == 16 ? products_.add_128 : products_.add_64)(sum_, multipliers, blocks, num);
}

// Adds the product of the next multiplier and the pending data, a whole block.
void Mgm::absorb_pending() {
  Wiped<uint8_t[kMaxBlock]> multiplier;
  engine_->encrypt_one(multiplier.value, z_);
  add_left(z_, n_, 1);
  add_products(multiplier.value, pending_, 1);
}

void Mgm::add_data(const uint8_t* data, size_t len) {
  if (len == 0) return;
  const size_t used = data_len_ % n_;
  data_len_ += len;
  if (used) {
    const size_t step = std::min(len, n_ - used);
    std::memcpy(pending_ + used, data, step);
    data += step, len -= step;
    if (used + step < n_) return;
    absorb_pending();
  }
  process_blocks(Operation::mgm_authenticate, nullptr, data, len / n_);
  std::memcpy(pending_, data + len / n_ * n_, len % n_);
}

// Ends associated data: clause 4.1 step 2 fills it up with zeros.
void Mgm::end_data() {
  in_text_ = true;
  if (const size_t used = data_len_ % n_) {
    std::memset(pending_ + used, 0, n_ - used);
    absorb_pending();
  }
}

void Mgm::encrypt(uint8_t* out, const uint8_t* in, size_t len) { process(Operation::mgm_encrypt, out, in, len); }
void Mgm::decrypt(uint8_t* out, const uint8_t* in, size_t len) { process(Operation::mgm_decrypt, out, in, len); }
void Mgm::authenticate(const uint8_t* ciphertext, size_t len) {
  process(Operation::mgm_authenticate, nullptr, ciphertext, len);
}

void Mgm::process(Operation operation, uint8_t* out, const uint8_t* in, size_t len) {
  if (!in_text_) end_data();
  const auto within_block = [&] {
    const size_t used = text_len_ % n_, step = std::min(len, n_ - used);
    uint8_t* const ciphertext = pending_ + used;
    if (operation == Operation::mgm_encrypt) {
      xor_bytes(ciphertext, in, keystream_ + used, step);
      std::memcpy(out, ciphertext, step), out += step;
    } else {
      std::memcpy(ciphertext, in, step);
      if (operation == Operation::mgm_decrypt) xor_bytes(out, ciphertext, keystream_ + used, step), out += step;
    }
    in += step, len -= step, text_len_ += step;
    if (text_len_ % n_ == 0) absorb_pending();
  };
  if (len && text_len_ % n_) within_block();
  if (const size_t num = len / n_) {
    process_blocks(operation, out, in, num);
    if (operation != Operation::mgm_authenticate) out += num * n_;
    in += num * n_, len -= num * n_, text_len_ += num * n_;
  }
  if (len) {
    if (operation != Operation::mgm_authenticate) engine_->encrypt_one(keystream_, y_);
    add_right(y_, n_, 1);
    within_block();
  }
}

// Processes whole blocks; advances the counters.
void Mgm::process_blocks(Operation operation, uint8_t* out, const uint8_t* in, size_t num) {
  if (num == 0) return;
  if (Accelerator* const accelerator = engine_->accelerator_for(operation, num)) {
    Accelerator::Request request{operation, out, in, num, y_};
    request.multipliers = z_, request.sum = sum_;
    accelerator->run(
        request, [&](size_t begin, size_t end, const uint8_t*) { process_on_threads(operation, out, in, begin, end); });
  } else {
    process_on_threads(operation, out, in, 0, num);
  }
  // Text advances both counters, associated data only that of the multipliers.
  if (in_text_) add_right(y_, n_, num);
  add_left(z_, n_, num);
}

// Processes blocks first to last of `in`, and adds their products to sum_.
void Mgm::process_on_threads(Operation operation, uint8_t* out, const uint8_t* in, size_t first, size_t last) {
  const size_t batch = batch_blocks(*engine_);
  const size_t grain = (kBytesPerThread / n_ + batch - 1) / batch * batch;
  const auto add = n_ == 16 ? products_.add_128 : products_.add_64;
  std::mutex mutex;
  for_ranges(last - first, grain, engine_->threads(), [&](size_t begin, size_t end) {
    begin += first, end += first;
    Scratch scratch;
    alignas(64) uint8_t copy[Scratch::kSize];  // not initialised: the ciphertext, read from the caller once
    Wiped<uint64_t[gf2n::kMaxSumWords]> sum;
    Wiped<uint8_t[kMaxBlock]> counter;
    for (; begin < end; begin += std::min(end - begin, batch)) {
      const size_t step = std::min(end - begin, batch);
      const auto add_keystream = [&](const uint8_t* from) {
        std::memcpy(counter.value, y_, n_);
        add_right(counter.value, n_, begin);
        engine_->add_keystream(kRight, out + begin * n_, from, step, counter.value);
      };
      const uint8_t* ciphertext = in + begin * n_;
      if (operation == Operation::mgm_encrypt) add_keystream(ciphertext), ciphertext = out + begin * n_;
      if (operation == Operation::mgm_decrypt) std::memcpy(copy, ciphertext, step * n_), ciphertext = copy;
      uint8_t* const multipliers = scratch.use(step * n_);
      std::memcpy(counter.value, z_, n_);
      add_left(counter.value, n_, begin);
      std::memset(multipliers, 0, step * n_);
      engine_->add_keystream(kLeft, multipliers, multipliers, step, counter.value);
      add(sum.value, multipliers, ciphertext, step);
      if (operation == Operation::mgm_decrypt) add_keystream(copy);
    }
    {
      const std::lock_guard lock(mutex);
      for (size_t i = 0; i < gf2n::kMaxSumWords; ++i) sum_[i] ^= sum.value[i];
    }
    wipe_stack(1024);  // what the products left there; the engine erases its own
  });
}

void Mgm::final(uint8_t* tag) {
  if (!in_text_) end_data();
  if (const size_t used = text_len_ % n_) {
    std::memset(pending_ + used, 0, n_ - used);
    absorb_pending();
  }
  Wiped<uint8_t[kMaxBlock]> multiplier, block;
  engine_->encrypt_one(multiplier.value, z_);
  write_lengths(block.value, n_, data_len_, text_len_);
  add_products(multiplier.value, block.value, 1);
  gf2n::reduce(block.value, n_, sum_);
  engine_->encrypt_one(tag, block.value);
}

// ---- Whole messages -------------------------------------------------------------------------------------------------

// A message whose blocks fit in memory takes three calls of the cipher.
struct Mgm::ShortMessage {
  static bool fits(size_t n, size_t data_len, size_t len) noexcept {
    return data_len <= kShortMessage && len <= kShortMessage &&
           MgmMessage::num_blocks(n, data_len, len) * n + kReadBehindBlocks <= kShortMessage;
  }

  // eraser: below whose frame this runs.
  ShortMessage(const Mgm& mgm, StackEraser& eraser, const uint8_t* nonce, size_t data_len, size_t len)
      : message(mgm.products_, mgm.n_, data_len, len) {
    const BlockEngine& engine = *mgm.engine_;
    const size_t n = mgm.n_, num = message.num_blocks();
    blocks = scratch.use(num * n);
    std::memset(blocks + num * n, 0, kReadBehindBlocks);  // memcheck does not know that 0 times x is 0
    Wiped<uint8_t[2 * kMaxBlock]> first;
    write_first(first.value, first.value + n, nonce, n);
    eraser.reach(engine.encrypt_unerased(first.value, first.value, 2));
    message.write_counters(blocks, first.value, first.value + n);
    eraser.reach(engine.encrypt_unerased(blocks, blocks, num));
    eraser.reach(kStackOfSum);
  }

  MgmMessage message;
  ScratchOf<kShortMessage> scratch;
  uint8_t* blocks;
};

void Mgm::seal(uint8_t* out, uint8_t* tag, const uint8_t* nonce, const uint8_t* data, size_t data_len,
               const uint8_t* in, size_t len) {
  StackEraser eraser;
  if (ShortMessage::fits(n_, data_len, len)) {
    ShortMessage s(*this, eraser, nonce, data_len, len);
    Wiped<uint8_t[kMaxBlock]> sum;
    s.message.seal(sum.value, s.blocks, data, out, in);
    return engine_->encrypt_one(tag, sum.value);
  }
  start(nonce);
  add_data(data, data_len);
  encrypt(out, in, len);
  final(tag);
}

bool Mgm::open(uint8_t* out, const uint8_t* tag, size_t tag_len, const uint8_t* nonce, const uint8_t* data,
               size_t data_len, const uint8_t* in, size_t len) {
  StackEraser eraser;
  Wiped<uint8_t[kMaxBlock]> right;
  if (ShortMessage::fits(n_, data_len, len)) {
    ShortMessage s(*this, eraser, nonce, data_len, len);
    s.message.open(right.value, s.blocks, data, in);
    engine_->encrypt_one(right.value, right.value);
    if (!equal_constant_time(right.value, tag, tag_len)) return false;
    if (len) std::memcpy(out, s.message.text(s.blocks), len);
    return true;
  }
  start(nonce);
  Wiped<uint8_t[kMaxBlock]> y;
  std::memcpy(y.value, y_, n_);
  return release_or_erase(
      out, in, len,
      [&] {
        add_data(data, data_len);
        decrypt(out, in, len);
        final(right.value);
        return equal_constant_time(right.value, tag, tag_len);
      },
      [&] { add_keystream(*engine_, out, in, len, y.value); });
}

}  // namespace vsh::modes
