#include <algorithm>
#include <cstring>
#include <functional>

#include "gpu/ciphers/message_hash.hpp"
#include "gpu/ciphers/packet_cipher.hpp"
#include "programs/bench/device/measure.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

constexpr size_t kMessage = 512;    // bytes: the published case
constexpr size_t kPacket = 1500;    // bytes of text
constexpr size_t kCompared = 1024;  // messages

const Work kStreamsWorks[] = {
    {"gost28147", "ecb", "encrypt"},  {"gost28147", "cnt", "encrypt"},  {"gost28147", "cfb", "encrypt"},
    {"gost28147", "imit", "mac"},     {"magma", "ctr", "encrypt"},      {"magma", "mac", "mac"},
    {"magma", "mgm", "encrypt"},      {"kuznyechik", "ctr", "encrypt"}, {"kuznyechik", "cbc", "encrypt"},
    {"kuznyechik", "mgm", "encrypt"}, {"streebog256", "hash", "hash"},
};

using Bytes = std::vector<uint8_t>;

vsh_cipher_algorithm number_of(const std::string& algorithm) {
  return algorithm == "kuznyechik" ? VSH_KUZNYECHIK : algorithm == "magma" ? VSH_MAGMA : VSH_GOST28147;
}

vsh_options options_of(const DeviceRun& run) {
  vsh_options options = VSH_OPTIONS_INIT;
  options.threads = run.threads;
  return options;
}

Bytes keys_of(size_t messages) {
  Bytes keys(messages * 32);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<uint8_t>(i * 37 + i / 32 * 11 + 5);
  return keys;
}

// The same batch on the processor, which writes `out`.
class OnProcessor {
 public:
  virtual ~OnProcessor() = default;
  virtual bool run() = 0;
};

// A batch in the device's memory, on a queue of its own.
class OnDevice {
 public:
  virtual ~OnDevice() = default;
  virtual void launch() = 0;
  // Returns those of the first messages as the processor writes them.
  virtual Bytes results(size_t messages) = 0;
  void finish() { queue_->finish(); }

 protected:
  explicit OnDevice(gpu::Device& device) : device_(device), queue_(device.make_queue()) {}
  std::unique_ptr<gpu::Buffer> upload(const Bytes& bytes) { return upload(bytes.data(), bytes.size()); }
  std::unique_ptr<gpu::Buffer> upload(const uint8_t* bytes, size_t len) {
    auto buffer = device_.allocate(len);
    queue_->upload(*buffer, 0, bytes, len);
    return buffer;
  }
  // Returns the first `len` bytes of each row.
  Bytes rows(const gpu::Buffer& buffer, size_t num, size_t row, size_t len) {
    Bytes all(num * row), found;
    queue_->download(all.data(), buffer, 0, all.size());
    queue_->finish();
    for (size_t i = 0; i < num; ++i) {
      const auto at = all.begin() + static_cast<ptrdiff_t>(i * row);
      found.insert(found.end(), at, at + static_cast<ptrdiff_t>(len));
    }
    return found;
  }

  gpu::Device& device_;
  std::unique_ptr<gpu::Queue> queue_;
};

// ---- Messages -------------------------------------------------------------------------------------------------------

class MessagesOnProcessor final : public OnProcessor {
 public:
  MessagesOnProcessor(const DeviceRun& run, const Work& work, const Bytes& keys, const uint8_t* data, uint8_t* out,
                      size_t messages) {
    const vsh_options options = options_of(run);
    const vsh_cipher_algorithm algorithm = number_of(work.algorithm);
    if (vsh_streams_new(&streams_, algorithm, keys.data(), messages, &options) != VSH_OK) return;
    const bool is_mac = work.operation == "mac";
    vsh_cipher_algorithm named;
    vsh_mode mode = VSH_ECB;
    if (!is_mac) vsh_cipher_by_name(&named, &mode, (work.algorithm + "-" + work.mode).c_str());
    const size_t iv_len = is_mac ? 0 : vsh_iv_len(algorithm, mode), tag_len = work.mode == "imit" ? 4 : block_len(work);
    for (size_t i = 0; i < messages; ++i)
      jobs_.push_back({is_mac ? VSH_STREAM_MAC : VSH_STREAM_ENCRYPT, mode, nullptr, i, kIv, iv_len, data + i * kMessage,
                       kMessage, out + i * (is_mac ? tag_len : kMessage), is_mac ? tag_len : kMessage, VSH_OK});
  }
  MessagesOnProcessor(const MessagesOnProcessor&) = delete;
  ~MessagesOnProcessor() override { vsh_streams_free(streams_); }
  bool run() override { return streams_ && vsh_streams_run(streams_, jobs_.data(), jobs_.size()) == VSH_OK; }

 private:
  vsh_streams* streams_ = nullptr;
  std::vector<vsh_stream_job> jobs_;
};

class MessagesOnDevice final : public OnDevice {
 public:
  MessagesOnDevice(const DeviceRun& run, const Work& work, const gpu::StreamCipher& cipher, const uint8_t* data,
                   const Bytes& keys, const Bytes& ivs)
      : OnDevice(run.device),
        cipher_(cipher),
        tag_len_(work.transforms()     ? 0
                 : work.mode == "imit" ? 4
                                       : cipher.block_size()),
        messages_(keys.size() / 32),
        in_(upload(data, messages_ * kMessage)),
        out_(run.device.allocate(messages_ * kMessage)),
        keys_(upload(keys)),
        ivs_(upload(ivs)),
        task_{*work.in_library(), out_.get(), in_.get(), keys_.get(), ivs_.get(), static_cast<uint32_t>(messages_),
              kMessage,           kMessage} {}

  void launch() override { cipher_.launch(*queue_, scratch_, task_); }
  // MACs are whole blocks on the device; tags are their first bytes.
  Bytes results(size_t messages) override {
    return tag_len_ ? rows(*out_, messages, cipher_.block_size(), tag_len_) : rows(*out_, messages, kMessage, kMessage);
  }

 private:
  const gpu::StreamCipher& cipher_;
  const size_t tag_len_, messages_;
  gpu::StreamCipher::Scratch scratch_;
  std::unique_ptr<gpu::Buffer> in_, out_, keys_, ivs_;
  gpu::StreamCipher::Task task_;
};

// ---- Packets --------------------------------------------------------------------------------------------------------

class PacketsOnProcessor final : public OnProcessor {
 public:
  // out: ciphertext and tag of each.
  PacketsOnProcessor(const DeviceRun& run, const Work& work, const Bytes& keys, const uint8_t* data, uint8_t* out,
                     size_t packets) {
    const vsh_options options = options_of(run);
    if (vsh_streams_new(&streams_, number_of(work.algorithm), keys.data(), packets, &options) != VSH_OK) return;
    const size_t n = block_len(work);
    for (size_t i = 0; i < packets; ++i)
      jobs_.push_back({VSH_STREAM_ENCRYPT, nullptr, i, kIv, n, nullptr, 0, data + i * kPacket, kPacket,
                       out + i * (kPacket + n), kPacket + n, n, VSH_OK});
  }
  PacketsOnProcessor(const PacketsOnProcessor&) = delete;
  ~PacketsOnProcessor() override { vsh_streams_free(streams_); }
  bool run() override { return streams_ && vsh_streams_mgm(streams_, jobs_.data(), jobs_.size()) == VSH_OK; }

 private:
  vsh_streams* streams_ = nullptr;
  std::vector<vsh_mgm_job> jobs_;
};

// Packets in rows of whole blocks, as the device takes them.
struct PacketRows {
  size_t blocks, row;  // of a packet's text
  Bytes in, nonces, lens;

  PacketRows(const uint8_t* data, size_t packets, size_t n)
      : blocks((kPacket + n - 1) / n), row(blocks * n), in(packets * row), nonces(packets * 2 * n), lens(packets * 8) {
    const uint32_t both[2] = {0, kPacket};  // of associated data, of text
    for (size_t i = 0; i < packets; ++i) {
      std::memcpy(&in[i * row], data + i * kPacket, kPacket);
      for (size_t k = 0; k < 2; ++k) std::memcpy(&nonces[(2 * i + k) * n], kIv, n);  // kIv begins with a zero bit
      nonces[(2 * i + 1) * n] |= 0x80;
      std::memcpy(&lens[i * sizeof both], both, sizeof both);
    }
  }
};

class PacketsOnDevice final : public OnDevice {
 public:
  PacketsOnDevice(const DeviceRun& run, const gpu::PacketCipher& cipher, const PacketRows& packets, const Bytes& keys)
      : OnDevice(run.device),
        cipher_(cipher),
        row_(packets.row),
        in_(upload(packets.in)),
        out_(run.device.allocate(packets.in.size())),
        tags_(run.device.allocate(packets.nonces.size() / 2)),
        keys_(upload(keys)),
        nonces_(upload(packets.nonces)),
        lens_(upload(packets.lens)),
        task_{false,       out_.get(),
              tags_.get(), in_.get(),
              keys_.get(), nonces_.get(),
              lens_.get(), static_cast<uint32_t>(keys.size() / 32),
              0,           static_cast<uint32_t>(packets.blocks)} {}

  void launch() override { cipher_.launch(*queue_, scratch_, task_); }
  Bytes results(size_t packets) override {
    const size_t n = cipher_.block_size();
    const Bytes texts = rows(*out_, packets, row_, kPacket), tags = rows(*tags_, packets, n, n);
    Bytes sealed;
    for (size_t i = 0; i < packets; ++i) {
      sealed.insert(sealed.end(), &texts[i * kPacket], &texts[i * kPacket] + kPacket);
      sealed.insert(sealed.end(), &tags[i * n], &tags[i * n] + n);
    }
    return sealed;
  }

 private:
  const gpu::PacketCipher& cipher_;
  const size_t row_;
  gpu::PacketCipher::Scratch scratch_;
  std::unique_ptr<gpu::Buffer> in_, out_, tags_, keys_, nonces_, lens_;
  gpu::PacketCipher::Task task_;
};

// ---- Hashes ---------------------------------------------------------------------------------------------------------

constexpr size_t kDigest = 32;

class HashesOnProcessor final : public OnProcessor {
 public:
  HashesOnProcessor(const DeviceRun& run, const uint8_t* data, uint8_t* out, size_t messages)
      : options_(options_of(run)) {
    for (size_t i = 0; i < messages; ++i)
      jobs_.push_back({data + i * kMessage, kMessage, out + i * kDigest, kDigest, VSH_OK});
  }
  bool run() override { return vsh_streams_hash(VSH_STREEBOG256, jobs_.data(), jobs_.size(), &options_) == VSH_OK; }

 private:
  vsh_options options_;
  std::vector<vsh_hash_job> jobs_;
};

class HashesOnDevice final : public OnDevice {
 public:
  HashesOnDevice(const DeviceRun& run, const gpu::MessageHash& hash, const uint8_t* data, size_t messages)
      : OnDevice(run.device),
        hash_(hash),
        in_(upload(data, messages * kMessage)),
        out_(run.device.allocate(messages * kDigest)) {
    const std::vector<uint64_t> lens(messages, kMessage);
    lens_ = upload(reinterpret_cast<const uint8_t*>(lens.data()), messages * sizeof lens[0]);
    task_ = {out_.get(), in_.get(), lens_.get(), static_cast<uint32_t>(messages), kMessage, kMessage};
    queue_->finish();
  }

  void launch() override { hash_.launch(*queue_, scratch_, task_); }
  Bytes results(size_t messages) override { return rows(*out_, messages, kDigest, kDigest); }

 private:
  const gpu::MessageHash& hash_;
  gpu::MessageHash::Scratch scratch_;
  std::unique_ptr<gpu::Buffer> in_, out_, lens_;
  gpu::MessageHash::Task task_{};
};

// ---- Measurements ---------------------------------------------------------------------------------------------------

// bytes: of a batch. processor writes `out`.
void measure(const DeviceRun& run, const Work& work, size_t messages, size_t bytes,
             const std::function<std::unique_ptr<OnDevice>()>& make, OnProcessor& processor, const uint8_t* out,
             DeviceReport& report) {
  // Batches in flight: a single small one leaves much of a large device idle at its end.
  const size_t batches = run.device.info().is_processor ? 1 : bytes <= size_t{64} << 20 ? 4 : 2;
  std::vector<std::unique_ptr<OnDevice>> queued;
  for (size_t i = 0; i < batches; ++i) {
    queued.push_back(make());
    queued[i]->launch();
  }
  const Bytes got = queued.back()->results(std::min(messages, kCompared));

  DeviceRow row{DeviceRow::Place::streams, work, 0, messages, {}, 0, 0};
  const auto timing = Stopwatch(0.1, {}).measure([&] {
    if (processor.run()) return;
    throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: a batch failed", work.algorithm + "-" + work.mode));
  });
  row.processor = static_cast<double>(bytes) / timing.seconds;
  require_same(work, "many messages on the device", got.data(), out, got.size());

  const size_t rounds = run.device.info().is_processor ? 1 : std::max<size_t>(1, (size_t{1} << 30) / (batches * bytes));
  row.bytes = rounds * batches * bytes;
  row.timing = run.stopwatch.measure([&] {
    for (size_t i = 0; i < rounds; ++i)
      for (auto& batch : queued) batch->launch();
    for (auto& batch : queued) batch->finish();
  });
  report.rows.push_back(row);
}

Buffers memory_of(size_t bytes) { return make_buffers(bytes, 0); }

void measure_messages(const DeviceRun& run, const Work& work, size_t messages, DeviceReport& report) {
  const size_t bytes = messages * kMessage, n = block_len(work);
  const Buffers memory = memory_of(bytes);
  const Bytes keys = keys_of(messages);
  Bytes ivs(messages * n);
  for (size_t i = 0; i < messages; ++i) {
    uint8_t iv[16];
    std::memcpy(iv, kIv, sizeof iv);
    if (work.mode == "ctr") counter_iv(iv, n);
    std::memcpy(&ivs[i * n], iv, n);
  }
  const gpu::StreamCipher cipher(run.device, info_by_name(work.algorithm)->algorithm);
  MessagesOnProcessor processor(run, work, keys, memory.in(0), memory.out(0), messages);
  const auto make = [&] { return std::make_unique<MessagesOnDevice>(run, work, cipher, memory.in(0), keys, ivs); };
  measure(run, work, messages, bytes, make, processor, memory.out(0), report);
}

void measure_packets(const DeviceRun& run, const Work& work, size_t packets, DeviceReport& report) {
  const size_t bytes = packets * kPacket, n = block_len(work);
  const Buffers memory = memory_of((packets * (kPacket + n) + 15) / 16 * 16);
  const Bytes keys = keys_of(packets);
  const PacketRows rows(memory.in(0), packets, n);
  const gpu::PacketCipher cipher(run.device, info_by_name(work.algorithm)->algorithm);
  PacketsOnProcessor processor(run, work, keys, memory.in(0), memory.out(0), packets);
  const auto make = [&] { return std::make_unique<PacketsOnDevice>(run, cipher, rows, keys); };
  measure(run, work, packets, bytes, make, processor, memory.out(0), report);
}

void measure_hashes(const DeviceRun& run, const Work& work, size_t messages, DeviceReport& report) {
  const size_t bytes = messages * kMessage;
  const Buffers memory = memory_of(bytes);
  const gpu::MessageHash hash(run.device, 8 * kDigest);
  HashesOnProcessor processor(run, memory.in(0), memory.out(0), messages);
  const auto make = [&] { return std::make_unique<HashesOnDevice>(run, hash, memory.in(0), messages); };
  measure(run, work, messages, bytes, make, processor, memory.out(0), report);
}

}  // namespace

void measure_streams(const DeviceRun& run, DeviceReport& report) {
  for (const Work& work : kStreamsWorks) {
    if (!run.wants(work)) continue;
    const auto measure_one = work.mode == "mgm"         ? measure_packets
                             : work.operation == "hash" ? measure_hashes
                                                        : measure_messages;
    for (const size_t most : run.messages) {
      const size_t messages = work.mode == "mgm" ? most / 4 : most;  // about as many bytes
      try {
        measure_one(run, work, messages, report);
      } catch (const gpu::Error& error) {
        if (error.kind() != gpu::Error::Kind::memory) throw;
        report.skipped.push_back(work.algorithm + "-" + work.mode + ", " + std::to_string(messages) +
                                 " messages: " + error.what());
      }
    }
  }
}

}  // namespace vsh::bench
