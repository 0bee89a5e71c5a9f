// A slot without a device: it processes its parts with the modes, over an engine without an accelerator.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "gf2n/mgm_counters.hpp"
#include "gpu/device/device.hpp"
#include "gpu/schedule/device_accelerator.hpp"
#include "modes/cbc.hpp"
#include "modes/cfb.hpp"
#include "modes/cnt.hpp"
#include "modes/xts.hpp"

namespace vsh::gpu::test {

struct Behaviour {
  size_t fails_after = SIZE_MAX;  // parts
  Error::Kind kind = Error::Kind::lost;
  bool fails_at_random_error = false;  // not an Error
};

class FakeSlot final : public Slot {
 public:
  using Request = Accelerator::Request;

  // tweak: XTS's second engine.
  FakeSlot(const BlockEngine& engine, const BlockEngine& tweak, std::atomic<size_t>& parts_done,
           Behaviour behaviour = {})
      : engine_(engine), tweak_(tweak), parts_done_(parts_done), behaviour_(behaviour) {}

  void run(const Request& r, const Part& part, uint64_t* sum) override {
    const size_t n = engine_.block_size(), num = part.end - part.begin, len = num * n;
    std::vector<uint8_t> in(r.in + part.begin * n, r.in + part.end * n), out(len);
    process(r, part, in.data(), out.data(), num, sum);
    if (num_parts_++ >= behaviour_.fails_after) {
      if (behaviour_.fails_at_random_error) throw std::bad_alloc();
      if (r.out && r.out != r.in) std::memset(r.out + part.begin * n, 0x55, len);  // half done
      throw Error(behaviour_.kind, "it was made to fail");
    }
    if (r.out) std::memcpy(r.out + part.begin * n, out.data(), len);
    ++parts_done_;
  }

 private:
  void add_keystream(const CounterRule& rule, const uint8_t* first, size_t skip, uint8_t* out, const uint8_t* in,
                     size_t num) {
    uint8_t counter[16];
    std::memcpy(counter, first, engine_.block_size());
    rule.advance(counter, engine_.block_size(), skip);
    engine_.add_keystream(rule, out, in, num, counter);
  }

  // XTS within a data unit, where each tweak follows from the one before.
  void within_unit(const Request& r, const Part& part, uint8_t* out, const uint8_t* in, size_t num) {
    std::vector<uint8_t> tweaks(16 * num);
    uint64_t low = load_le64(r.start), high = load_le64(r.start + 8);
    for (size_t i = 0; i < part.end; ++i) {
      if (i >= part.begin) store_le64(&tweaks[16 * (i - part.begin)], low);
      if (i >= part.begin) store_le64(&tweaks[16 * (i - part.begin) + 8], high);
      const uint64_t carry = high >> 63;
      high = high << 1 | low >> 63;
      low = low << 1 ^ 0x87 * carry;
    }
    modes::xor_bytes(out, in, tweaks.data(), tweaks.size());
    r.operation == Operation::xts_encrypt ? engine_.encrypt(out, out, num) : engine_.decrypt(out, out, num);
    modes::xor_bytes(out, out, tweaks.data(), tweaks.size());
  }

  static void advance_left(uint8_t* c, size_t n, uint64_t steps) { mgm::add_left(c, n, steps); }
  static void advance_right(uint8_t* c, size_t n, uint64_t steps) { mgm::add_right(c, n, steps); }

  void process(const Request& r, const Part& part, const uint8_t* in, uint8_t* out, size_t num, uint64_t* sum) {
    static constexpr CounterRule kLeft = {&BlockKernel::ctr_left, advance_left, mgm::write_left, Operation::ctr_left};
    static constexpr CounterRule kRight = {&BlockKernel::ctr_right, advance_right, mgm::write_right,
                                           Operation::ctr_right};
    const size_t n = engine_.block_size(), len = num * n;
    switch (r.operation) {
      case Operation::ecb_encrypt: return engine_.encrypt(out, in, num);
      case Operation::ecb_decrypt: return engine_.decrypt(out, in, num);
      case Operation::ctr: {
        uint8_t counter[16];
        std::memcpy(counter, r.start, n);
        add_big_endian(counter, n, part.begin);
        return engine_.ctr(out, in, num, counter);
      }
      case Operation::ctr_left: return add_keystream(kLeft, r.start, part.begin, out, in, num);
      case Operation::ctr_right: return add_keystream(kRight, r.start, part.begin, out, in, num);
      case Operation::cnt: {
        // The counter as it stands is what the mode makes of an IV.
        uint8_t iv[8];
        engine_.decrypt_one(iv, r.start);
        return modes::CntCounter(engine_, iv).add(engine_, n, out, in, part.begin, num);
      }
      case Operation::cbc_decrypt: return modes::Cbc(engine_, part.before, r.z * n).decrypt(out, in, num);
      case Operation::cfb_decrypt:
        return modes::Cfb(engine_, modes::Direction::decrypt, part.before, r.z * n, n).process(out, in, len);
      case Operation::xts_encrypt:
      case Operation::xts_decrypt:
        if (r.start) return within_unit(r, part, out, in, num);
        return modes::Xts(engine_, tweak_, 1, *choose_product_kernel().row)
            .process(r.operation == Operation::xts_encrypt ? modes::Direction::encrypt : modes::Direction::decrypt, out,
                     in, num / r.unit_blocks, r.unit_blocks, r.first + part.begin / r.unit_blocks * r.step, r.step);
      case Operation::mgm_encrypt:
      case Operation::mgm_decrypt:
      case Operation::mgm_authenticate: {
        if (r.out) add_keystream(kRight, r.start, part.begin, out, in, num);
        std::vector<uint8_t> h(len);
        add_keystream(kLeft, r.multipliers, part.begin, h.data(), h.data(), num);
        const ProductKernel& products = *choose_product_kernel().row;
        const uint8_t* const ciphertext = r.operation == Operation::mgm_encrypt ? out : in;
        return (n == 16 ? products.add_128 : products.add_64)(sum, h.data(), ciphertext, num);
      }
      default: ADD_FAILURE() << operation_name(r.operation) << " is not for devices";
    }
  }

  const BlockEngine& engine_;
  const BlockEngine& tweak_;
  std::atomic<size_t>& parts_done_;
  Behaviour behaviour_;
  size_t num_parts_ = 0;
};

}  // namespace vsh::gpu::test
