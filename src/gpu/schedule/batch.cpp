#include "gpu/schedule/batch.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/schedule/batch_groups.hpp"
#include "gpu/schedule/batch_slots.hpp"
#include "gpu/device/grow.hpp"

namespace vsh::gpu {
namespace {

constexpr size_t kKeyBytes = 32;
constexpr size_t kMaxMessage = 1 << 20;  // longer ones are work for kernels, which have a whole message's blocks

}  // namespace

// ---- Ciphers --------------------------------------------------------------------------------------------------------

class CipherBatch::Slot {
 public:
  Slot(Device& device, std::shared_ptr<const StreamCipher> cipher) : device_(device), cipher_(std::move(cipher)) {}

  // Jobs of one work and length.
  void run(std::span<streams::Job> jobs) {
    const size_t n = cipher_->block_size(), num = jobs.size(), len = jobs[0].len;
    const size_t stride = (len + n - 1) / n * n;
    const bool is_mac = jobs[0].work == streams::Work::mac || jobs[0].work == streams::Work::imit;
    const size_t out_stride = is_mac ? n : stride;
    if (!queue_) queue_ = device_.make_queue();
    uint8_t* const in = grow(device_, in_stage_, num * stride);
    uint8_t* const out = grow(device_, out_stage_, num * out_stride);
    uint8_t* const keys = grow(device_, key_stage_, num * kKeyBytes);
    uint8_t* const ivs = jobs[0].iv_len ? grow(device_, iv_stage_, num * n) : nullptr;
    for (size_t i = 0; i < num; ++i) {
      const streams::Job& job = jobs[i];
      std::memcpy(in + i * stride, job.in, len);
      std::memcpy(keys + i * kKeyBytes, job.key, kKeyBytes);
      if (ivs) std::memcpy(ivs + i * n, job.iv, job.iv_len);
    }
    finish_in_any_case(*queue_, [&] {
      StreamCipher::Task task{};
      task.work = jobs[0].work;
      task.in = upload(in_, in, num * stride);
      task.keys = upload(keys_, keys, num * kKeyBytes);
      if (ivs) task.ivs = upload(ivs_, ivs, num * n);
      task.out = &grow(device_, out_, num * out_stride);
      task.num_streams = static_cast<uint32_t>(num);
      task.len = len, task.stride = stride;
      cipher_->launch(*queue_, scratch_, task);
      queue_->download(out, *out_, 0, num * out_stride);
    });
    for (size_t i = 0; i < num; ++i) {
      std::memcpy(jobs[i].out, out + i * out_stride, is_mac ? jobs[i].out_len : len);
      jobs[i].done = true;
    }
  }

 private:
  Buffer* upload(std::unique_ptr<Buffer>& to, const uint8_t* from, size_t len) {
    queue_->upload(grow(device_, to, len), 0, from, len);
    return to.get();
  }

  Device& device_;
  const std::shared_ptr<const StreamCipher> cipher_;
  std::unique_ptr<Buffer> in_, out_, keys_, ivs_;
  std::unique_ptr<HostBuffer> in_stage_, out_stage_, key_stage_, iv_stage_;
  StreamCipher::Scratch scratch_;
  std::unique_ptr<Queue> queue_;  // goes first, and waits for what it was asked
};

CipherBatch::CipherBatch(const DeviceChoice& choice, const streams::Cipher& cipher)
    : block_size_(cipher.block_size()),
      segment_(cipher.segment),
      scheduler_(choice, cipher.algorithm, [this, &cipher](Device& device, size_t num) {
        const std::shared_ptr<const StreamCipher> shared =
            std::make_unique<const StreamCipher>(device, cipher.algorithm, cipher.parameters);
        add_slots(slots_, num, device, shared);
      }) {}

CipherBatch::~CipherBatch() = default;

std::unique_ptr<CipherBatch> CipherBatch::make(const DeviceChoice& choice, const streams::Cipher& cipher) {
  if (choice.kind == DeviceChoice::Kind::processor) return nullptr;
  std::unique_ptr<CipherBatch> batch(new CipherBatch(choice, cipher));
  return batch->scheduler_.may_want() ? std::move(batch) : nullptr;
}

// Registers of one block, segments of whole blocks.
bool CipherBatch::is_for_devices(const streams::Job& job) const noexcept {
  using streams::Work;
  const bool has_segments = job.work == Work::ctr || job.work == Work::cfb_encrypt || job.work == Work::cfb_decrypt ||
                            job.work == Work::ofb;
  return job.len && job.len <= kMaxMessage && job.iv_len <= block_size_ && (!has_segments || segment_ == block_size_);
}

void CipherBatch::run(std::span<streams::Job> jobs, const Processor& processor) {
  in_groups(
      jobs, [this](const streams::Job& job) { return is_for_devices(job); },
      [](const streams::Job& job) { return std::pair(job.work, job.len); },
      [](const streams::Job& job) { return job.len; },
      [this](const streams::Job& job, size_t num, size_t bytes) { return scheduler_.wants(job.work, num, bytes); },
      [&](std::span<streams::Job> group) {
        scheduler_.run(
            group[0].work, group.size(), group[0].len,
            [&](size_t slot, WorkSplitter::Piece p) { slots_[slot]->run(group.subspan(p.begin, p.size())); },
            [&](WorkSplitter::Piece piece) { processor(group.subspan(piece.begin, piece.size())); });
      },
      processor);
}

// ---- Hashes ---------------------------------------------------------------------------------------------------------

class HashBatch::Slot {
 public:
  Slot(Device& device, std::shared_ptr<const MessageHash> hash) : device_(device), hash_(std::move(hash)) {}

  void run(std::span<streams::Message> messages) {
    const size_t num = messages.size(), digest = hash_->hash_size();
    uint64_t max_len = 0;
    for (const streams::Message& message : messages) max_len = std::max<uint64_t>(max_len, message.len);
    const uint64_t stride = max_len / 16 * 16 + 16;
    if (!queue_) queue_ = device_.make_queue();
    uint8_t* const in = grow(device_, in_stage_, num * stride);
    uint8_t* const out = grow(device_, out_stage_, num * digest);
    uint8_t* const lens = grow(device_, len_stage_, num * sizeof(uint64_t));
    for (size_t i = 0; i < num; ++i) {
      const uint64_t len = messages[i].len;
      std::memcpy(lens + i * sizeof len, &len, sizeof len);
      if (len) std::memcpy(in + i * stride, messages[i].in, len);
    }
    finish_in_any_case(*queue_, [&] {
      queue_->upload(grow(device_, in_, num * stride), 0, in, num * stride);
      queue_->upload(grow(device_, lens_, num * sizeof(uint64_t)), 0, lens, num * sizeof(uint64_t));
      grow(device_, out_, num * digest);
      hash_->launch(*queue_, scratch_,
                    {out_.get(), in_.get(), lens_.get(), static_cast<uint32_t>(num), stride, max_len});
      queue_->download(out, *out_, 0, num * digest);
    });
    for (size_t i = 0; i < num; ++i) {
      std::memcpy(messages[i].digest, out + i * digest, digest);
      messages[i].done = true;
    }
  }

 private:
  Device& device_;
  const std::shared_ptr<const MessageHash> hash_;
  std::unique_ptr<Buffer> in_, out_, lens_;
  std::unique_ptr<HostBuffer> in_stage_, out_stage_, len_stage_;
  MessageHash::Scratch scratch_;
  std::unique_ptr<Queue> queue_;  // goes first, and waits for what it was asked
};

HashBatch::HashBatch(const DeviceChoice& choice, unsigned hash_bits)
    : scheduler_(choice, Algorithm::streebog, [this, hash_bits](Device& device, size_t num) {
        const std::shared_ptr<const MessageHash> shared = std::make_unique<const MessageHash>(device, hash_bits);
        add_slots(slots_, num, device, shared);
      }) {}

HashBatch::~HashBatch() = default;

std::unique_ptr<HashBatch> HashBatch::make(const DeviceChoice& choice, unsigned hash_bits) {
  if (choice.kind == DeviceChoice::Kind::processor) return nullptr;
  std::unique_ptr<HashBatch> batch(new HashBatch(choice, hash_bits));
  return batch->scheduler_.may_want() ? std::move(batch) : nullptr;
}

namespace {

// Messages of so many bytes and fewer, down to half of that: what hashes together waits for the longest.
size_t length_class(const streams::Message& message) noexcept {
  size_t len = 64;
  while (len < message.len) len *= 2;
  return len;
}

}  // namespace

void HashBatch::run(std::span<streams::Message> messages, const Processor& processor) {
  in_groups(
      messages, [](const streams::Message& message) { return message.len <= kMaxMessage && !message.prefix; },
      length_class, [](const streams::Message& message) { return message.len; },
      [this](const streams::Message&, size_t num, size_t bytes) {
        return scheduler_.wants(RatedWork::batch_hash(), num, bytes);
      },
      [&](std::span<streams::Message> group) {
        scheduler_.run(
            RatedWork::batch_hash(), group.size(), length_class(group[0]) + 16,
            [&](size_t slot, WorkSplitter::Piece p) { slots_[slot]->run(group.subspan(p.begin, p.size())); },
            [&](WorkSplitter::Piece piece) { processor(group.subspan(piece.begin, piece.size())); });
      },
      processor);
}

}  // namespace vsh::gpu
