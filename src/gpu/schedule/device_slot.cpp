#include "gpu/schedule/device_slot.hpp"

#include <algorithm>
#include <cstring>

#include "core/executor.hpp"
#include "gpu/schedule/slot_queue.hpp"

namespace vsh::gpu {
namespace {

using Request = Accelerator::Request;

constexpr size_t kMaxStart = 256;  // bytes: a register of 16 blocks of 16 bytes

class DeviceSlot final : public Slot {
 public:
  // One of num_slots.
  DeviceSlot(std::shared_ptr<const KeyedDevice> keyed, size_t num_slots, size_t max_piece)
      : keyed_(std::move(keyed)),
        device_(keyed_->device()),
        n_(keyed_->cipher().block_size()),
        num_slots_(num_slots),
        max_piece_(max_piece),
        queue_(device_) {}

  void run(const Request& request, const Part& part, uint64_t* sum) override {
    queue_.run([&](Queue& queue) { run_piece(queue, request, part, sum); });
  }

 private:
  void run_piece(Queue& queue, const Request& r, const Part& part, uint64_t* sum) {
    const size_t at = part.begin * n_, len = (part.end - part.begin) * n_;
    // Only a part of the caller's memory may be page-locked, so the piece is asked for.
    const bool in_is_direct = device_.is_page_locked(r.in + at, len);
    const bool has_out = r.operation != Operation::mgm_authenticate;
    const bool out_is_direct = has_out && r.out != r.in && device_.is_page_locked(r.out + at, len);
    // Half of a share of the request is the most that slots of equal speed take at a time (schedule/work_splitter.cpp).
    const size_t room = std::max(len, std::min(max_piece_, r.num_blocks * n_ / (2 * num_slots_)));
    Buffer& in = in_.on_device(device_, room);
    if (has_out) out_.on_device(device_, room);
    if (!in_is_direct) std::memcpy(in_.host(device_, room), r.in + at, len);
    uint8_t* const out = out_is_direct ? r.out + at : has_out ? out_.host(device_, room) : nullptr;

    in_is_direct ? queue.upload(in, 0, r.in + at, len) : void(in_.upload(device_, queue, len));
    is_mgm(r.operation) ? launch_mgm(queue, r, part, room) : launch(queue, r, part);
    if (has_out) queue.download(out, out_.on_device(device_, room), 0, len);
    queue.finish();
    // Only now, when all is there and nothing can fail any more: if out is in, this overwrites the input.
    if (has_out && !out_is_direct) std::memcpy(r.out + at, out, len);
    if (is_mgm(r.operation)) keyed_->products().add(sum, folded_stage_->bytes().data());
  }

  // Keystream for the text, multipliers from their own counters, and their products with the ciphertext, which is
  // authenticated.
  void launch_mgm(Queue& queue, const Request& r, const Part& part, size_t room) {
    const uint64_t num = part.end - part.begin;
    const auto ctr = [&](Operation operation, Buffer& out, const Buffer& in, const Buffer* start) {
      BlockCipher::Task task{operation, &out, &in, num};
      task.start = start;
      task.first = part.begin;
      keyed_->cipher().launch(queue, task);
    };
    Buffer& in = in_.on_device(device_, room);
    Buffer* const out = r.out ? &out_.on_device(device_, room) : nullptr;
    if (out) ctr(Operation::ctr_right, *out, in, upload(queue, start_, r.start, n_));
    const Buffer* const left_start = upload(queue, left_start_, r.multipliers, n_);
    grow(device_, multipliers_, room);
    queue.erase(*multipliers_, 0, num * n_);
    ctr(Operation::ctr_left, *multipliers_, *multipliers_, left_start);
    const bool encrypts = r.operation == Operation::mgm_encrypt;
    keyed_->products().launch(queue, products_scratch_, *multipliers_, encrypts ? *out : in, num);
    const size_t len = keyed_->products().folded_size();
    queue.download(grow(device_, folded_stage_, len), *products_scratch_.folded, 0, len);
  }

  void launch(Queue& queue, const Request& r, const Part& part) {
    BlockCipher::Task task{r.operation, out_.get(), in_.get(), part.end - part.begin};
    switch (task.operation) {
      case Operation::ctr:
      case Operation::ctr_left:
      case Operation::ctr_right:
      case Operation::cnt:
        task.start = upload(queue, start_, r.start, n_);
        task.first = part.begin;
        break;
      case Operation::cbc_decrypt:
      case Operation::cfb_decrypt:
        task.start = upload(queue, start_, part.before, r.z * n_);
        task.z = static_cast<uint32_t>(r.z);
        break;
      case Operation::xts_encrypt:
      case Operation::xts_decrypt:
        task.unit_blocks = static_cast<uint32_t>(r.start ? task.num_blocks : r.unit_blocks);
        task.start = make_tweaks(queue, r, part, task.unit_blocks);
        break;
      default: break;  // ECB
    }
    keyed_->cipher().launch(queue, task);
  }

  const Buffer* make_tweaks(Queue& queue, const Request& r, const Part& part, uint32_t unit_blocks) {
    const uint64_t num_units = (part.end - part.begin) / unit_blocks;
    const size_t len = BlockCipher::tweaks_size(num_units, unit_blocks);
    if (r.start) {
      BlockCipher::write_tweaks(tweaks_.host(device_, len), r.start, part.begin, unit_blocks);
      return tweaks_.upload(device_, queue, len);
    }
    Buffer& tweaks = tweaks_.on_device(device_, len);
    keyed_->tweak_cipher().make_tweaks(queue, tweaks, r.first + part.begin / unit_blocks * r.step, r.step, num_units,
                                       unit_blocks);
    return &tweaks;
  }

  // Counters may be secret: they too come from memory that is erased.
  const Buffer* upload(Queue& queue, StagedBuffer& to, const uint8_t* start, size_t len) {
    std::memcpy(to.host(device_, kMaxStart), start, len);
    to.on_device(device_, kMaxStart);
    return to.upload(device_, queue, kMaxStart);
  }

  const std::shared_ptr<const KeyedDevice> keyed_;
  Device& device_;
  const size_t n_;  // bytes of a block
  const size_t num_slots_, max_piece_;
  StagedBuffer in_, out_, start_, left_start_, tweaks_;
  std::unique_ptr<Buffer> multipliers_;
  Products::Scratch products_scratch_;
  std::unique_ptr<HostBuffer> folded_stage_;
  SlotQueue queue_;  // destroyed first, and waits
};

}  // namespace

std::vector<std::unique_ptr<Slot>> make_slots(const std::shared_ptr<const KeyedDevice>& keyed, size_t num,
                                              size_t max_piece) {
  std::vector<std::unique_ptr<Slot>> slots;
  for (size_t i = 0; i < num; ++i) slots.push_back(std::make_unique<DeviceSlot>(keyed, num, max_piece));
  return slots;
}

size_t usual_slots(const DeviceInfo& device) noexcept {
  return device.is_processor ? 2 : std::clamp(available_threads() / 2, 3u, 12u);
}

}  // namespace vsh::gpu
