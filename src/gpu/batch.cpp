#include "gpu/batch.hpp"

#include <algorithm>
#include <cstring>

#include "core/accelerator.hpp"
#include "gpu/grow.hpp"
#include "gpu/message.hpp"
#include "gpu/pipeline.hpp"
#include "streams/work.hpp"

namespace vsh::gpu {
namespace {

constexpr size_t kKeyBytes = 32, kMostBytes = 16 << 20, kUsualBytes = 1 << 20;  // of a piece
constexpr size_t kMaxMessage = 1 << 20;  // longer ones are work for kernels, which have a whole message's blocks

Role role_of(const Wish& wish) {
  return wish.is_named() ? Role::rests : wish.kind == Wish::Kind::all ? Role::works : Role::finishes;
}

// Slots of every device that make(device) can be called for; the crew of them, unless there are none.
template <class Slot, class Make>
std::unique_ptr<Crew> hire(const Wish& wish, size_t num_kinds, std::vector<std::unique_ptr<Slot>>& slots, Make make) {
  std::vector<Crew::Member> members;
  for (Device* const device : wished_devices(wish)) {
    try {
      const auto shared = make(*device);
      members.push_back({device->info().id, usual_slots(device->info())});
      for (size_t i = 0; i < members.back().num_slots; ++i) slots.push_back(std::make_unique<Slot>(*device, shared));
    } catch (const Error& error) {
      if (wish.is_named()) throw;
      set_message("device " + device->info().id + " is not used: " + error.what());
    }
  }
  if (members.empty()) return nullptr;
  return std::make_unique<Crew>(std::move(members), role_of(wish), num_kinds);
}

// Messages of `bytes` bytes in the buffers.
Crew::Request request_of(size_t num_messages, size_t bytes, size_t kind) {
  Crew::Request request;
  request.num_units = num_messages;
  request.grain = 32;  // messages are lanes
  request.kind = kind;
  request.slot_min = request.processor_min = kUsualBytes / bytes;
  request.slot_max = kMostBytes / bytes;
  return request;
}

// Whatever was asked before an Error may still use the slot's memory.
template <class F>
void finish_in_any_case(Queue& queue, F&& f) {
  try {
    f();
    queue.finish();
  } catch (...) {
    try {
      queue.finish();
    } catch (const Error&) {
    }
    throw;
  }
}

// Runs those that `is_for_devices` in groups of what `kind` says the same of, sorted by length, the others by the
// processor.
// Items are copied, into an order in which each group lies together; what counts of them afterwards is `done`.
template <class Item, class IsForDevices, class Kind, class RunGroup, class Processor>
void in_groups(std::span<Item> items, IsForDevices is_for_devices, Kind kind, RunGroup run_group,
               const Processor& processor) {
  std::vector<uint32_t> order, rest;
  for (uint32_t i = 0; i < items.size(); ++i) (is_for_devices(items[i]) ? order : rest).push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(kind(items[a]), items[a].len) < std::pair(kind(items[b]), items[b].len);
  });
  const auto run = [&](std::span<const uint32_t> which, const auto& how) {
    std::vector<Item> group;
    for (const uint32_t i : which) group.push_back(items[i]);
    how(std::span<Item>(group));
    for (size_t k = 0; k < which.size(); ++k) items[which[k]].done = group[k].done;
  };
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin, bytes = 0;
    for (; end < order.size() && kind(items[order[end]]) == kind(items[order[begin]]); ++end)
      bytes += items[order[end]].len;
    const std::span<const uint32_t> which(order.data() + begin, end - begin);
    if (which.size() < kLeastMessages || bytes < Accelerator::kLeast) {
      rest.insert(rest.end(), which.begin(), which.end());
    } else {
      run(which, run_group);
    }
    begin = end;
  }
  if (!rest.empty()) run(rest, processor);
}

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

CipherBatch::CipherBatch(const Wish& wish, const streams::Cipher& cipher)
    : block_size_(cipher.block_size()), segment_(cipher.segment) {
  crew_ = hire(wish, streams::kNumWorks, slots_, [&](Device& device) -> std::shared_ptr<const StreamCipher> {
    return std::make_unique<const StreamCipher>(device, cipher.algorithm, cipher.parameters);
  });
}

CipherBatch::~CipherBatch() = default;

std::unique_ptr<CipherBatch> CipherBatch::make(const Wish& wish, const streams::Cipher& cipher) {
  if (wish.kind == Wish::Kind::processor || wish.kind == Wish::Kind::automatic) return nullptr;
  std::unique_ptr<CipherBatch> batch(new CipherBatch(wish, cipher));
  return batch->crew_ ? std::move(batch) : nullptr;
}

// Registers of one block, segments of whole blocks.
bool CipherBatch::is_for_devices(const streams::Job& job) const noexcept {
  using streams::Work;
  const bool has_segments = job.work == Work::ctr || job.work == Work::cfb_encrypt || job.work == Work::cfb_decrypt ||
                            job.work == Work::ofb;
  return job.len && job.len <= kMaxMessage && job.iv_len <= block_size_ && (!has_segments || segment_ == block_size_);
}

void CipherBatch::run(std::span<streams::Job> jobs, const Processor& processor) {
  if (crew_->is_over() && crew_->of_processor() != Role::rests) return processor(jobs);
  in_groups(
      jobs, [this](const streams::Job& job) { return is_for_devices(job); },
      [](const streams::Job& job) { return std::pair(job.work, job.len); },
      [&](std::span<streams::Job> group) { run_group(group, processor); }, processor);
}

void CipherBatch::run_group(std::span<streams::Job> jobs, const Processor& processor) {
  Crew::Request request = request_of(jobs.size(), jobs[0].len, static_cast<size_t>(jobs[0].work));
  request.on_slot = [&](size_t slot, Division::Piece piece) {
    slots_[slot]->run(jobs.subspan(piece.begin, piece.size()));
  };
  request.on_processor = [&](Division::Piece piece) { processor(jobs.subspan(piece.begin, piece.size())); };
  crew_->run(request);
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

HashBatch::HashBatch(const Wish& wish, unsigned hash_bits) {
  crew_ = hire(wish, 1, slots_, [&](Device& device) -> std::shared_ptr<const MessageHash> {
    return std::make_unique<const MessageHash>(device, hash_bits);
  });
}

HashBatch::~HashBatch() = default;

std::unique_ptr<HashBatch> HashBatch::make(const Wish& wish, unsigned hash_bits) {
  if (wish.kind == Wish::Kind::processor || wish.kind == Wish::Kind::automatic) return nullptr;
  std::unique_ptr<HashBatch> batch(new HashBatch(wish, hash_bits));
  return batch->crew_ ? std::move(batch) : nullptr;
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
      length_class, [&](std::span<streams::Message> group) { run_group(group, processor); }, processor);
}

void HashBatch::run_group(std::span<streams::Message> messages, const Processor& processor) {
  Crew::Request request = request_of(messages.size(), length_class(messages[0]) + 16, 0);
  request.on_slot = [&](size_t slot, Division::Piece piece) {
    slots_[slot]->run(messages.subspan(piece.begin, piece.size()));
  };
  request.on_processor = [&](Division::Piece piece) { processor(messages.subspan(piece.begin, piece.size())); };
  crew_->run(request);
}

}  // namespace vsh::gpu
