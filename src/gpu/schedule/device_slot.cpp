#include "gpu/schedule/device_slot.hpp"

#include <algorithm>
#include <cstring>

#include "core/executor.hpp"
#include "gpu/device/grow.hpp"

namespace vsh::gpu {
namespace {

using Request = Accelerator::Request;

constexpr size_t kMaxStart = 256;  // bytes: a register of 16 blocks of 16 bytes

std::unique_ptr<BlockCipher> make_cipher(Device& device, Queue& queue, Algorithm algorithm, const void* round_keys) {
  if (algorithm == Algorithm::kuznyechik)
    return std::make_unique<BlockCipher>(device, queue, *static_cast<const kuznyechik::RoundKeys*>(round_keys));
  return std::make_unique<BlockCipher>(device, queue, *static_cast<const magma::RoundKeys*>(round_keys));
}

class DeviceSlot final : public Slot {
 public:
  // One of num_slots.
  DeviceSlot(std::shared_ptr<const KeyedDevice> keyed, size_t num_slots, size_t max_piece)
      : keyed_(std::move(keyed)),
        device_(keyed_->device()),
        n_(keyed_->cipher().block_size()),
        num_slots_(num_slots),
        max_piece_(max_piece) {}

  void run(const Request& request, const Part& part, uint64_t* sum) override {
    if (!queue_) queue_ = device_.make_queue();
    try {
      run_piece(request, part, sum);
    } catch (...) {
      // What was asked for before may still use the caller's memory.
      try {
        queue_->finish();
      } catch (const Error&) {
      }
      throw;
    }
  }

 private:
  void run_piece(const Request& r, const Part& part, uint64_t* sum) {
    const size_t at = part.begin * n_, len = (part.end - part.begin) * n_;
    // The caller's memory may be longer than what is page-locked of it, and the piece is what counts.
    const bool in_is_direct = device_.is_page_locked(r.in + at, len);
    const bool has_out = r.work != Accelerator::Work::mgm_authenticate;
    const bool out_is_direct = has_out && r.out != r.in && device_.is_page_locked(r.out + at, len);
    // Half of a share of the request is the most that slots of equal speed take at a time (schedule/work_splitter.cpp).
    const size_t room = std::max(len, std::min(max_piece_, r.num_blocks * n_ / (2 * num_slots_)));
    grow(device_, in_, room);
    if (has_out) grow(device_, out_, room);
    if (!in_is_direct) std::memcpy(grow(device_, in_stage_, room), r.in + at, len);
    if (has_out && !out_is_direct) grow(device_, out_stage_, room);

    queue_->upload(*in_, 0, in_is_direct ? r.in + at : in_stage_->bytes().data(), len);
    device_work(r.work) ? launch(r, part) : launch_mgm(r, part, room);
    if (has_out) queue_->download(out_is_direct ? r.out + at : out_stage_->bytes().data(), *out_, 0, len);
    queue_->finish();
    // Only now, when all is there and nothing can fail any more: where out is in, this overwrites the input.
    if (has_out && !out_is_direct) std::memcpy(r.out + at, out_stage_->bytes().data(), len);
    if (!device_work(r.work)) keyed_->products().add(sum, folded_stage_->bytes().data());
  }

  // Gamma for the text, multipliers from their own counters, and their products with what is authenticated: the
  // ciphertext.
  void launch_mgm(const Request& r, const Part& part, size_t room) {
    const uint64_t num = part.end - part.begin;
    const auto ctr = [&](Work work, Buffer& out, const Buffer& in, std::unique_ptr<Buffer>& start) {
      BlockCipher::Task task{work, &out, &in, num};
      task.start = start.get();
      task.first = part.begin;
      keyed_->cipher().launch(*queue_, task);
    };
    if (r.out) {
      upload_start(start_, start_stage_, r.start, n_);
      ctr(Work::ctr_right, *out_, *in_, start_);
    }
    upload_start(left_start_, left_start_stage_, r.multipliers, n_);
    grow(device_, multipliers_, room);
    queue_->erase(*multipliers_, 0, num * n_);
    ctr(Work::ctr_left, *multipliers_, *multipliers_, left_start_);
    const bool encrypts = r.work == Accelerator::Work::mgm_encrypt;
    keyed_->products().launch(*queue_, products_scratch_, *multipliers_, encrypts ? *out_ : *in_, num);
    const size_t len = keyed_->products().folded_size();
    queue_->download(grow(device_, folded_stage_, len), *products_scratch_.folded, 0, len);
  }

  void launch(const Request& r, const Part& part) {
    BlockCipher::Task task{*device_work(r.work), out_.get(), in_.get(), part.end - part.begin};
    switch (task.work) {
      case Work::ecb_encrypt:
      case Work::ecb_decrypt: break;
      case Work::ctr:
      case Work::ctr_left:
      case Work::ctr_right:
      case Work::cnt:
        upload_start(start_, start_stage_, r.start, n_);
        task.start = start_.get();
        task.first = part.begin;
        break;
      case Work::cbc_decrypt:
      case Work::cfb_decrypt:
        upload_start(start_, start_stage_, part.before, r.z * n_);
        task.start = start_.get();
        task.z = static_cast<uint32_t>(r.z);
        break;
      case Work::xts_encrypt:
      case Work::xts_decrypt:
        task.unit_blocks = static_cast<uint32_t>(r.start ? task.num_blocks : r.unit_blocks);
        make_tweaks(r, part, task.unit_blocks);
        task.start = tweaks_.get();
        break;
    }
    keyed_->cipher().launch(*queue_, task);
  }

  void make_tweaks(const Request& r, const Part& part, uint32_t unit_blocks) {
    const uint64_t num_units = (part.end - part.begin) / unit_blocks;
    const size_t len = BlockCipher::tweaks_size(num_units, unit_blocks);
    grow(device_, tweaks_, len);
    if (!r.start)
      return keyed_->tweak_cipher().make_tweaks(*queue_, *tweaks_, r.first + part.begin / unit_blocks * r.step, r.step,
                                                num_units, unit_blocks);
    uint8_t* const tweaks = grow(device_, tweaks_stage_, len);
    BlockCipher::write_tweaks(tweaks, r.start, part.begin, unit_blocks);
    queue_->upload(*tweaks_, 0, tweaks, len);
  }

  // Counters may be secret: they too come from memory that is erased.
  void upload_start(std::unique_ptr<Buffer>& to, std::unique_ptr<HostBuffer>& stage, const uint8_t* start, size_t len) {
    uint8_t* const from = grow(device_, stage, kMaxStart);
    std::memcpy(from, start, len);
    queue_->upload(grow(device_, to, kMaxStart), 0, from, len);
  }

  const std::shared_ptr<const KeyedDevice> keyed_;
  Device& device_;
  const size_t n_;  // bytes of a block
  const size_t num_slots_, max_piece_;
  // The queue goes first, and waits for what it was asked.
  std::unique_ptr<Buffer> in_, out_, start_, left_start_, multipliers_, tweaks_;
  Products::Scratch products_scratch_;
  std::unique_ptr<HostBuffer> in_stage_, out_stage_, start_stage_, left_start_stage_, folded_stage_,
      tweaks_stage_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace

std::optional<Work> device_work(Accelerator::Work work) noexcept {
  using From = Accelerator::Work;
  switch (work) {
    case From::encrypt: return Work::ecb_encrypt;
    case From::decrypt: return Work::ecb_decrypt;
    case From::ctr: return Work::ctr;
    case From::ctr_left: return Work::ctr_left;
    case From::ctr_right: return Work::ctr_right;
    case From::cnt: return Work::cnt;
    case From::cbc_decrypt: return Work::cbc_decrypt;
    case From::cfb_decrypt: return Work::cfb_decrypt;
    case From::xts_encrypt: return Work::xts_encrypt;
    case From::xts_decrypt: return Work::xts_decrypt;
    case From::mgm_encrypt:
    case From::mgm_decrypt:
    case From::mgm_authenticate: break;
  }
  return {};
}

KeyedDevice::KeyedDevice(Device& device, Algorithm algorithm, const void* round_keys, const void* tweak_keys,
                         bool authenticates)
    : device_(device) {
  const std::unique_ptr<Queue> queue = device.make_queue();
  cipher_ = make_cipher(device, *queue, algorithm, round_keys);
  if (tweak_keys) tweak_cipher_ = make_cipher(device, *queue, algorithm, tweak_keys);
  if (authenticates) products_ = std::make_unique<Products>(device, cipher_->block_size());
}

bool KeyedDevice::can(Accelerator::Work work) const noexcept {
  const bool is_xts = work == Accelerator::Work::xts_encrypt || work == Accelerator::Work::xts_decrypt;
  const std::optional<Work> on_device = device_work(work);
  if (!on_device) return products_ && cipher_->can(Work::ctr_left) && cipher_->can(Work::ctr_right);
  return cipher_->can(*on_device) && (!is_xts || tweak_cipher_);
}

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
