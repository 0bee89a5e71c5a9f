#include <algorithm>
#include <cstring>

#include "bench/device/measure.hpp"
#include "bench/rows/vershina_adapter.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/translate.hpp"
#include "gpu/ciphers/stream_cipher.hpp"
#include "measure/clock.hpp"

namespace vsh::bench {
namespace {

constexpr size_t kMessage = 512;    // bytes: the published case
constexpr size_t kCompared = 1024;  // messages

const Work kWorks[] = {
    {"gost28147", "ecb", "encrypt"},  {"gost28147", "cnt", "encrypt"},  {"gost28147", "cfb", "encrypt"},
    {"gost28147", "imit", "mac"},     {"magma", "ctr", "encrypt"},      {"magma", "mac", "mac"},
    {"kuznyechik", "ctr", "encrypt"}, {"kuznyechik", "cbc", "encrypt"},
};

vsh_cipher_algorithm number_of(const std::string& algorithm) {
  return algorithm == "kuznyechik" ? VSH_KUZNYECHIK : algorithm == "magma" ? VSH_MAGMA : VSH_GOST28147;
}

// The same messages on the processor.
class OnProcessor {
 public:
  OnProcessor(const DeviceRun& run, const Work& work, const uint8_t* keys, const uint8_t* data, uint8_t* out,
              size_t messages) {
    vsh_options options = VSH_OPTIONS_INIT;
    options.threads = run.threads;
    const vsh_cipher_algorithm algorithm = number_of(work.algorithm);
    if (vsh_streams_new(&streams_, algorithm, keys, messages, &options) != VSH_OK) return;
    const bool is_mac = work.operation == "mac";
    vsh_cipher_algorithm named;
    vsh_mode mode = VSH_ECB;
    if (!is_mac) vsh_cipher_by_name(&named, &mode, (work.algorithm + "-" + work.mode).c_str());
    const size_t iv_len = is_mac ? 0 : vsh_iv_len(algorithm, mode), tag_len = work.mode == "imit" ? 4 : block_len(work);
    for (size_t i = 0; i < messages; ++i)
      jobs_.push_back({is_mac ? VSH_STREAM_MAC : VSH_STREAM_ENCRYPT, mode, nullptr, i, kIv, iv_len, data + i * kMessage,
                       kMessage, out + i * (is_mac ? tag_len : kMessage), is_mac ? tag_len : kMessage, VSH_OK});
  }
  OnProcessor(const OnProcessor&) = delete;
  ~OnProcessor() { vsh_streams_free(streams_); }
  bool run() { return streams_ && vsh_streams_run(streams_, jobs_.data(), jobs_.size()) == VSH_OK; }

 private:
  vsh_streams* streams_ = nullptr;
  std::vector<vsh_stream_job> jobs_;
};

// A batch in the device's memory.
class OnDevice {
 public:
  OnDevice(const DeviceRun& run, const Work& work, const gpu::StreamCipher& cipher, size_t messages)
      : cipher_(cipher),
        queue_(run.device.make_queue()),
        in_(run.device.allocate(messages * kMessage)),
        out_(run.device.allocate(messages * kMessage)),
        keys_(run.device.allocate(messages * 32)),
        ivs_(run.device.allocate(messages * cipher.block_size())),
        task_{*work.in_library(), out_.get(), in_.get(), keys_.get(), ivs_.get(), static_cast<uint32_t>(messages),
              kMessage,           kMessage} {}

  void fill(const uint8_t* data, const uint8_t* keys, const uint8_t* ivs) {
    queue_->upload(*in_, 0, data, in_->size());
    queue_->upload(*keys_, 0, keys, keys_->size());
    queue_->upload(*ivs_, 0, ivs, ivs_->size());
    queue_->finish();
  }
  void launch() { cipher_.launch(*queue_, scratch_, task_); }
  void finish() { queue_->finish(); }
  void download(uint8_t* to, size_t len) {
    queue_->download(to, *out_, 0, len);
    queue_->finish();
  }

 private:
  const gpu::StreamCipher& cipher_;
  gpu::StreamCipher::Scratch scratch_;
  std::unique_ptr<gpu::Queue> queue_;
  std::unique_ptr<gpu::Buffer> in_, out_, keys_, ivs_;
  gpu::StreamCipher::Task task_;
};

// The device writes MACs as whole blocks; tags are their first bytes.
std::vector<uint8_t> tags_of(const std::vector<uint8_t>& blocks, size_t block, size_t tag_len) {
  std::vector<uint8_t> tags;
  for (size_t i = 0; i + block <= blocks.size(); i += block)
    tags.insert(tags.end(), blocks.begin() + static_cast<ptrdiff_t>(i),
                blocks.begin() + static_cast<ptrdiff_t>(i + tag_len));
  return tags;
}

void measure_one(const DeviceRun& run, const Work& work, size_t messages, DeviceReport& report) {
  const size_t bytes = messages * kMessage, n = block_len(work);
  const Buffers memory = make_buffers(bytes, 0);
  std::vector<uint8_t> keys(messages * 32), ivs(messages * n);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<uint8_t>(i * 37 + i / 32 * 11 + 5);
  for (size_t i = 0; i < messages; ++i) {
    uint8_t iv[16];
    std::memcpy(iv, kIv, sizeof iv);
    if (work.mode == "ctr") counter_iv(iv, n);
    std::memcpy(&ivs[i * n], iv, n);
  }
  const gpu::StreamCipher cipher(run.device, info_by_name(work.algorithm)->algorithm);

  // Batches in flight: a single small one leaves much of a large device idle at its end.
  const size_t batches = run.device.info().is_processor ? 1 : bytes <= size_t{64} << 20 ? 4 : 2;
  std::vector<std::unique_ptr<OnDevice>> queued;
  for (size_t i = 0; i < batches; ++i) {
    queued.push_back(std::make_unique<OnDevice>(run, work, cipher, messages));
    queued[i]->fill(memory.in(0), keys.data(), ivs.data());
    queued[i]->launch();
  }
  const size_t compared = std::min(messages, kCompared), tag_len = work.mode == "imit" ? 4 : n;
  std::vector<uint8_t> got(work.transforms() ? compared * kMessage : compared * n);
  queued.back()->download(got.data(), got.size());
  if (!work.transforms()) got = tags_of(got, n, tag_len);

  DeviceRow row{DeviceRow::Place::streams, work, 0, messages, {}, 0, 0};
  OnProcessor processor(run, work, keys.data(), memory.in(0), memory.out(0), messages);
  const auto timing = Stopwatch(0.1, {}).measure([&] {
    if (processor.run()) return;
    throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: a batch failed", work.algorithm + "-" + work.mode));
  });
  row.processor = static_cast<double>(bytes) / timing.seconds;
  require_same(work, "many messages on the device", got.data(), memory.out(0), got.size());

  const size_t rounds = run.device.info().is_processor ? 1 : std::max<size_t>(1, (size_t{1} << 30) / (batches * bytes));
  row.bytes = rounds * batches * bytes;
  row.timing = run.stopwatch.measure([&] {
    for (size_t i = 0; i < rounds; ++i)
      for (auto& batch : queued) batch->launch();
    for (auto& batch : queued) batch->finish();
  });
  report.rows.push_back(row);
}

}  // namespace

void measure_streams(const DeviceRun& run, DeviceReport& report) {
  for (const Work& work : kWorks) {
    if (!run.wants(work)) continue;
    for (const size_t messages : run.messages) {
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
