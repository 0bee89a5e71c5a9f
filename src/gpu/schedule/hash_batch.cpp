#include "gpu/schedule/hash_batch.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/ciphers/message_hash.hpp"
#include "gpu/schedule/batch.hpp"
#include "gpu/schedule/slot_queue.hpp"

namespace vsh::gpu {
namespace {

using streams::Message;
using streams::Selection;

constexpr size_t kMaxMessage = 1 << 20;  // a longer one keeps all others of its group waiting

struct Rules {
  bool is_for_devices(const Message& message) const noexcept { return message.len <= kMaxMessage && !message.prefix; }
  // Returns the power of two that the length does not exceed: messages hashed together wait for the longest.
  size_t kind(const Message& message) const noexcept {
    size_t len = 64;
    while (len < message.len) len *= 2;
    return len;
  }
  Operation operation(const Message&) const noexcept { return Operation::hash; }
  size_t bytes(const Message& message) const noexcept { return message.len; }
  size_t row_bytes(const Message& message) const noexcept { return kind(message) + 16; }
};

}  // namespace

class HashBatch::Slot {
 public:
  Slot(Device& device, std::shared_ptr<const MessageHash> hash) : hash_(std::move(hash)), queue_(device) {}

  void run(const Selection<Message>& messages) {
    queue_.run([&](Queue& queue) { run(queue_.device(), queue, messages); });
  }

 private:
  void run(Device& device, Queue& queue, const Selection<Message>& messages) {
    const size_t num = messages.size(), digest = hash_->hash_size();
    uint64_t max_len = 0;
    for (size_t i = 0; i < num; ++i) max_len = std::max<uint64_t>(max_len, messages[i].len);
    const uint64_t stride = max_len / 16 * 16 + 16;
    uint8_t* const in = in_.host(device, num * stride);
    uint8_t* const out = out_.host(device, num * digest);
    uint8_t* const lens = lens_.host(device, num * sizeof(uint64_t));
    for (size_t i = 0; i < num; ++i) {
      const uint64_t len = messages[i].len;
      std::memcpy(lens + i * sizeof len, &len, sizeof len);
      if (len) std::memcpy(in + i * stride, messages[i].in, len);
    }
    const Buffer* const device_in = in_.upload(device, queue, num * stride);
    const Buffer* const device_lens = lens_.upload(device, queue, num * sizeof(uint64_t));
    hash_->launch(
        queue, scratch_,
        {&out_.on_device(device, num * digest), device_in, device_lens, static_cast<uint32_t>(num), stride, max_len});
    out_.download(queue, num * digest);
    queue.finish();
    for (size_t i = 0; i < num; ++i) {
      std::memcpy(messages[i].digest, out + i * digest, digest);
      messages[i].done = true;
    }
  }

  const std::shared_ptr<const MessageHash> hash_;
  StagedBuffer in_, out_, lens_;
  MessageHash::Scratch scratch_;
  SlotQueue queue_;  // destroyed first, and waits
};

HashBatch::HashBatch(const DeviceChoice& choice, unsigned hash_bits)
    : scheduler_(choice, Algorithm::streebog, [this, hash_bits](Device& device, size_t num) {
        const std::shared_ptr<const MessageHash> hash = std::make_unique<const MessageHash>(device, hash_bits);
        for (size_t i = 0; i < num; ++i) slots_.push_back(std::make_unique<Slot>(device, hash));
      }) {}

HashBatch::~HashBatch() = default;

void HashBatch::run(std::span<Message> messages, const Processor& processor) {
  run_batch(
      scheduler_, messages, Rules{}, [this](size_t slot, const Selection<Message>& items) { slots_[slot]->run(items); },
      processor);
}

}  // namespace vsh::gpu
