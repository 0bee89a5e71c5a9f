// Batches of messages of one length.
//
// The processor has the key prepared, which is its best case, so a batch worth a device here is also worth it with a
// key for each message.
#include <algorithm>
#include <memory>

#include "programs/bench/tune/device_benchmark.hpp"

namespace vsh::tuning {
namespace {

// Bytes, in ascending order: the published case of GPUs, sectors and pages, small files. Lengths in between use the
// next shorter one, so neighbours are no further apart than eight times.
constexpr size_t kLengths[] = {512, 4096, 16384};
constexpr size_t kFewest = 64, kMost = kMaxBenchmark / kLengths[0];  // messages

// A measurement, and the operations for which it stands.
struct Measurement {
  vsh_stream_work work;
  vsh_mode mode;
  std::vector<Operation> operations;
};

std::vector<Measurement> measurements(Algorithm algorithm) {
  using enum Operation;
  const bool is_gost = algorithm == Algorithm::gost28147;
  return {// The blocks of a message side by side.
          {VSH_STREAM_ENCRYPT, VSH_ECB, {ecb_encrypt, ecb_decrypt, cbc_decrypt, cfb_decrypt}},
          {VSH_STREAM_ENCRYPT, is_gost ? VSH_CNT : VSH_CTR, {is_gost ? cnt : ctr}},
          // Chains, and those that leave only a tag.
          {VSH_STREAM_ENCRYPT, VSH_CFB, {cbc_encrypt, cfb_encrypt, ofb}},
          {VSH_STREAM_MAC, VSH_ECB, {is_gost ? imit : mac}}};
}

struct FreeStreams {
  void operator()(vsh_streams* streams) const { vsh_streams_free(streams); }
};

vsh_options options_of(const char* device) {
  vsh_options options = VSH_OPTIONS_INIT;
  options.threads = 0;
  options.device = device;
  return options;
}

// Returns sizes of batches of messages of this length, kFewest at least.
std::vector<size_t> sizes_of(size_t len) {
  std::vector<size_t> sizes;
  for (const size_t size : kBenchmarkSizes)
    if (size / len >= kFewest) sizes.push_back(size);
  return sizes;
}

// run(by the device, number of messages, their length) at each length; a row for each subject and length.
template <class Run>
void benchmark_lengths(const DeviceBenchmark& benchmark, Algorithm algorithm, std::span<const Operation> operations,
                       Run&& run) {
  benchmark.show_step(algorithm, gpu::batch_of(operations[0]));
  uint64_t least[std::size(kLengths)];
  for (size_t i = 0; i < std::size(kLengths); ++i) {
    const size_t len = kLengths[i];
    const auto seconds_by = [&](bool device) {
      return [&run, device, len](size_t size) { return best_seconds([&] { run(device, size / len, len); }); };
    };
    const uint64_t size = crossover(sizes_of(len), seconds_by(true), seconds_by(false));
    least[i] = size == gpu::kNever ? size : size / len;
  }
  for (const Operation operation : operations)
    for (size_t i = 0; i < std::size(kLengths); ++i)
      benchmark.add(algorithm, gpu::batch_of(operation), least[i], kLengths[i]);
}

// Under one prepared key.
using Streams = std::unique_ptr<vsh_streams, FreeStreams>;
Streams make_streams(vsh_cipher_algorithm cipher, const char* device) {
  const uint8_t key[VSH_KEY_LEN] = {};
  const vsh_options options = options_of(device);
  vsh_streams* streams = nullptr;
  check(vsh_streams_new(&streams, cipher, key, 1, &options), device);
  return Streams(streams);
}

void benchmark_cipher(const DeviceBenchmark& benchmark, Algorithm algorithm, vsh_cipher_algorithm cipher) {
  if (!benchmark.includes(algorithm)) return;
  const uint8_t iv[VSH_MAX_BLOCK_LEN] = {};
  const char* const id = benchmark.device.id.c_str();
  const Streams on_device = make_streams(cipher, id), on_processor = make_streams(cipher, nullptr);
  std::vector<vsh_stream_job> jobs(kMost);
  for (const Measurement& m : measurements(algorithm)) {
    const bool is_mac = m.work == VSH_STREAM_MAC;
    benchmark_lengths(benchmark, algorithm, m.operations, [&](bool by_device, size_t num, size_t len) {
      for (size_t i = 0; i < num; ++i)
        jobs[i] = {m.work,
                   m.mode,
                   nullptr,
                   0,
                   iv,
                   is_mac ? 0 : vsh_iv_len(cipher, m.mode),
                   benchmark.memory.in.data() + i * len,
                   len,
                   benchmark.memory.out.data() + i * len,
                   is_mac ? vsh_block_len(cipher) / 2 : len,
                   VSH_OK};
      check(vsh_streams_run(by_device ? on_device.get() : on_processor.get(), jobs.data(), num),
            by_device ? id : nullptr);
    });
  }
}

// Sealing, which stands for opening.
void benchmark_packets(const DeviceBenchmark& benchmark, Algorithm algorithm, vsh_cipher_algorithm cipher) {
  if (!benchmark.includes(algorithm)) return;
  const uint8_t nonce[VSH_MAX_BLOCK_LEN] = {};
  const size_t n = vsh_block_len(cipher);
  const char* const id = benchmark.device.id.c_str();
  const Streams on_device = make_streams(cipher, id), on_processor = make_streams(cipher, nullptr);
  constexpr Operation kMgm[] = {Operation::mgm};
  std::vector<vsh_mgm_job> jobs(kMost);
  benchmark_lengths(benchmark, algorithm, kMgm, [&](bool by_device, size_t num, size_t len) {
    num = std::min(num, kMaxBenchmark / (len + n));  // tags need room, too
    for (size_t i = 0; i < num; ++i)
      jobs[i] = {VSH_STREAM_ENCRYPT,
                 nullptr,
                 0,
                 nonce,
                 n,
                 nullptr,
                 0,
                 benchmark.memory.in.data() + i * len,
                 len,
                 benchmark.memory.out.data() + i * (len + n),
                 len + n,
                 n,
                 VSH_OK};
    check(vsh_streams_mgm(by_device ? on_device.get() : on_processor.get(), jobs.data(), num),
          by_device ? id : nullptr);
  });
}

// With 512 bits, which stands for 256: they differ only at the start and in the length of the output.
void benchmark_hash(const DeviceBenchmark& benchmark) {
  if (!benchmark.includes(Algorithm::streebog)) return;
  constexpr Operation kHash[] = {Operation::hash};
  std::vector<vsh_hash_job> jobs(kMost);
  benchmark_lengths(benchmark, Algorithm::streebog, kHash, [&](bool by_device, size_t num, size_t len) {
    for (size_t i = 0; i < num; ++i)
      jobs[i] = {benchmark.memory.in.data() + i * len, len, benchmark.memory.out.data() + i * len,
                 vsh_hash_len(VSH_STREEBOG512), VSH_OK};
    const char* const device = by_device ? benchmark.device.id.c_str() : nullptr;
    const vsh_options options = options_of(device);
    check(vsh_streams_hash(VSH_STREEBOG512, jobs.data(), num, &options), device);
  });
}

}  // namespace

void benchmark_batches(const DeviceBenchmark& benchmark) {
  benchmark_cipher(benchmark, Algorithm::kuznyechik, VSH_KUZNYECHIK);
  benchmark_packets(benchmark, Algorithm::kuznyechik, VSH_KUZNYECHIK);
  benchmark_cipher(benchmark, Algorithm::magma, VSH_MAGMA);
  benchmark_packets(benchmark, Algorithm::magma, VSH_MAGMA);
  benchmark_cipher(benchmark, Algorithm::gost28147, VSH_GOST28147);
  benchmark_hash(benchmark);
}

}  // namespace vsh::tuning
