#include "gpu/schedule/stream_batch.hpp"

#include <bit>
#include <cstring>
#include <tuple>

#include "gpu/schedule/batch.hpp"

namespace vsh::gpu {

using streams::Job;
using streams::Packet;
using streams::Selection;

namespace {

constexpr size_t kKeyBytes = 32;
constexpr size_t kMaxMessage = 1 << 20;  // longer ones are work for kernels, which have a whole message's blocks

// Memory of a slot for jobs.
class JobBuffers {
 public:
  // Jobs of one operation and length.
  void run(Device& device, Queue& queue, const StreamCipher& cipher, const Selection<Job>& jobs) {
    const size_t n = cipher.block_size(), num = jobs.size(), len = jobs[0].len;
    const size_t stride = (len + n - 1) / n * n;
    const bool gives_tags = is_mac(jobs[0].operation);
    const size_t out_stride = gives_tags ? n : stride;
    uint8_t* const in = in_.host(device, num * stride);
    uint8_t* const out = out_.host(device, num * out_stride);
    uint8_t* const keys = keys_.host(device, num * kKeyBytes);
    uint8_t* const ivs = jobs[0].iv_len ? ivs_.host(device, num * n) : nullptr;
    for (size_t i = 0; i < num; ++i) {
      const Job& job = jobs[i];
      std::memcpy(in + i * stride, job.in, len);
      std::memcpy(keys + i * kKeyBytes, job.key, kKeyBytes);
      if (ivs) std::memcpy(ivs + i * n, job.iv, job.iv_len);
    }
    StreamCipher::Task task{};
    task.operation = jobs[0].operation;
    task.in = in_.upload(device, queue, num * stride);
    task.keys = keys_.upload(device, queue, num * kKeyBytes);
    if (ivs) task.ivs = ivs_.upload(device, queue, num * n);
    task.out = &out_.on_device(device, num * out_stride);
    task.num_streams = static_cast<uint32_t>(num);
    task.len = len, task.stride = stride;
    cipher.launch(queue, scratch_, task);
    out_.download(queue, num * out_stride);
    queue.finish();
    for (size_t i = 0; i < num; ++i) {
      std::memcpy(jobs[i].out, out + i * out_stride, gives_tags ? jobs[i].out_len : len);
      jobs[i].done = true;
    }
  }

 private:
  StagedBuffer in_, out_, keys_, ivs_;
  StreamCipher::Scratch scratch_;
};

}  // namespace

class StreamBatch::Slot {
 public:
  Slot(Device& device, std::shared_ptr<const PacketCipher> cipher) : cipher_(std::move(cipher)), queue_(device) {}

  void run(const Selection<Job>& items) {
    queue_.run([&](Queue& queue) { jobs_.run(queue_.device(), queue, cipher_->stream_cipher(), items); });
  }
  void run(const Selection<Packet>& items) {
    queue_.run([&](Queue& queue) { packets_.run(queue_.device(), queue, *cipher_, items); });
  }

 private:
  const std::shared_ptr<const PacketCipher> cipher_;
  JobBuffers jobs_;
  PacketBuffers packets_;
  SlotQueue queue_;  // destroyed first, and waits
};

struct StreamBatch::JobRules {
  const StreamBatch& batch;

  // Registers of one block, segments of whole blocks.
  bool is_for_devices(const Job& job) const noexcept {
    using enum Operation;
    const Operation o = job.operation;
    const bool has_segments = o == ctr || o == cfb_encrypt || o == cfb_decrypt || o == ofb;
    return job.len && job.len <= kMaxMessage && job.iv_len <= batch.block_size_ &&
           (!has_segments || batch.segment_ == batch.block_size_);
  }
  std::pair<Operation, size_t> kind(const Job& job) const noexcept { return {job.operation, job.len}; }
  Operation operation(const Job& job) const noexcept { return job.operation; }
  size_t bytes(const Job& job) const noexcept { return job.len; }
  size_t row_bytes(const Job& job) const noexcept { return job.len; }
};

struct StreamBatch::PacketRules {
  const StreamBatch& batch;

  bool is_for_devices(const Packet& p) const noexcept { return p.len <= kMaxPacket && p.data_len <= kMaxPacket; }
  // Rows are as long as the longest packet's. Within a kind packets lie in the order of their lengths, so that pieces
  // are more alike than kinds.
  std::tuple<bool, int, int> kind(const Packet& p) const noexcept { return {p.opens, width(p.data_len), width(p.len)}; }
  Operation operation(const Packet&) const noexcept { return Operation::mgm; }
  size_t bytes(const Packet& p) const noexcept { return p.len + p.data_len; }
  size_t row_bytes(const Packet& p) const noexcept { return bytes(p) + batch.block_size_; }

 private:
  int width(size_t len) const noexcept {
    return static_cast<int>(std::bit_width(PacketBuffers::blocks_of(len, batch.block_size_)));
  }
};

StreamBatch::StreamBatch(const DeviceChoice& choice, const keys::CipherParameters& cipher, size_t segment)
    : cipher_(cipher),
      block_size_(vsh::block_size(cipher.algorithm())),
      segment_(segment),
      scheduler_(choice, cipher.algorithm(), [this](Device& device, size_t num) {
        const std::shared_ptr<const PacketCipher> on_device = std::make_unique<const PacketCipher>(device, cipher_);
        for (size_t i = 0; i < num; ++i) slots_.push_back(std::make_unique<Slot>(device, on_device));
      }) {}

StreamBatch::~StreamBatch() = default;

void StreamBatch::run(std::span<Job> jobs, const JobProcessor& processor) {
  run_batch(
      scheduler_, jobs, JobRules{*this}, [this](size_t slot, const Selection<Job>& items) { slots_[slot]->run(items); },
      processor);
}

void StreamBatch::run(std::span<Packet> packets, const PacketProcessor& processor) {
  run_batch(
      scheduler_, packets, PacketRules{*this},
      [this](size_t slot, const Selection<Packet>& items) { slots_[slot]->run(items); }, processor);
}

}  // namespace vsh::gpu
