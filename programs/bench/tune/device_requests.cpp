// Requests under one key.
#include <vershina/aead.h>
#include <vershina/disk.h>

#include <algorithm>
#include <map>
#include <memory>

#include "gpu/devices.hpp"
#include "gpu/schedule/device_slot.hpp"
#include "programs/bench/tune/device_benchmark.hpp"

namespace vsh::tuning {
namespace {

// A measurement, and the operations for which it stands.
struct Measurement {
  Algorithm algorithm;
  vsh_cipher_algorithm cipher;
  enum class Kind { cipher, xts, mgm } kind;
  vsh_mode mode;
  vsh_direction direction;
  std::vector<Operation> operations;
};

const std::vector<Measurement>& measurements() {
  static const std::vector<Measurement> all = [] {
    std::vector<Measurement> list;
    using Kind = Measurement::Kind;
    using enum Operation;
    static constexpr std::pair<Algorithm, vsh_cipher_algorithm> ciphers[] = {
        {Algorithm::kuznyechik, VSH_KUZNYECHIK}, {Algorithm::magma, VSH_MAGMA}, {Algorithm::gost28147, VSH_GOST28147}};
    for (const auto& [a, c] : ciphers) {
      list.push_back({a, c, Kind::cipher, VSH_ECB, VSH_ENCRYPT, {ecb_encrypt, ecb_decrypt}});
      if (c == VSH_GOST28147) list.push_back({a, c, Kind::cipher, VSH_CNT, VSH_ENCRYPT, {cnt}});
      else list.push_back({a, c, Kind::cipher, VSH_CTR, VSH_ENCRYPT, {ctr, ctr_left, ctr_right}});
      list.push_back({a, c, Kind::cipher, VSH_CBC, VSH_DECRYPT, {cbc_decrypt}});
      list.push_back({a, c, Kind::cipher, VSH_CFB, VSH_DECRYPT, {cfb_decrypt}});
      if (c == VSH_KUZNYECHIK) list.push_back({a, c, Kind::xts, VSH_ECB, VSH_ENCRYPT, {xts_encrypt, xts_decrypt}});
      if (c != VSH_GOST28147)
        list.push_back({a, c, Kind::mgm, VSH_ECB, VSH_ENCRYPT, {mgm_encrypt, mgm_decrypt, mgm_authenticate}});
    }
    return list;
  }();
  return all;
}

struct FreeContext {
  void operator()(vsh_cipher* context) const { vsh_cipher_free(context); }
  void operator()(vsh_xts* context) const { vsh_xts_free(context); }
  void operator()(vsh_aead* context) const { vsh_aead_free(context); }
};

// One measurement by the processor (device null) or a device: a context, and requests of any size.
class Prepared {
 public:
  Prepared(const Measurement& m, const char* device) : device_(device) {
    vsh_options options = VSH_OPTIONS_INIT;
    options.threads = 0;
    options.device = device;
    options.padding = m.kind == Measurement::Kind::cipher && m.mode <= VSH_CBC && m.mode != VSH_CTR
                          ? VSH_PADDING_NONE
                          : VSH_PADDING_DEFAULT;
    uint8_t key[VSH_XTS_KEY_LEN], iv[VSH_MAX_BLOCK_LEN] = {};
    for (size_t i = 0; i < sizeof key; ++i) key[i] = static_cast<uint8_t>(i);
    vsh_cipher* cipher = nullptr;
    vsh_xts* xts = nullptr;
    vsh_aead* aead = nullptr;
    switch (m.kind) {
      case Measurement::Kind::cipher:
        check(vsh_cipher_new(&cipher, m.cipher, m.mode, m.direction, key, VSH_KEY_LEN, iv, vsh_iv_len(m.cipher, m.mode),
                             &options),
              device);
        break;
      case Measurement::Kind::xts: check(vsh_xts_new(&xts, key, sizeof key, &options), device); break;
      case Measurement::Kind::mgm:
        check(vsh_aead_new(&aead, m.cipher == VSH_MAGMA ? VSH_MAGMA_MGM : VSH_KUZNYECHIK_MGM, key, VSH_KEY_LEN, 0,
                           &options),
              device);
        check(vsh_aead_begin(aead, iv, vsh_block_len(m.cipher)), device);
        break;
    }
    cipher_.reset(cipher), xts_.reset(xts), aead_.reset(aead);
  }

  void run(BenchmarkMemory& memory, size_t size) {
    uint8_t* const out = memory.out.data();
    const uint8_t* const in = memory.in.data();
    size_t len = 0;
    constexpr size_t kSector = 4096;
    check(cipher_ ? vsh_cipher_update(cipher_.get(), out, size, &len, in, size)
          : xts_  ? vsh_xts_encrypt_sectors(xts_.get(), out, in, size / kSector, kSector, 0)
                  : vsh_aead_encrypt(aead_.get(), out, in, size),
          device_);
  }

 private:
  const char* const device_;
  std::unique_ptr<vsh_cipher, FreeContext> cipher_;
  std::unique_ptr<vsh_xts, FreeContext> xts_;
  std::unique_ptr<vsh_aead, FreeContext> aead_;
};

// Returns the size of pieces with which the device makes most of the cipher's keystream, only through its slots.
uint64_t best_piece(const std::string& id, Algorithm algorithm, BenchmarkMemory& memory) {
  constexpr size_t kSizes[] = {1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20};
  constexpr size_t kTrial = 8 << 20;
  constexpr double kTooSlow = 1e9;    // bytes a second: no bus, whatever the size of pieces
  constexpr double kClearly = 0.97;   // less is gained by more memory than it is worth, or it is chance
  constexpr size_t kLen = 256 << 20;  // so long that eight slots take pieces of the largest size
  gpu::Device& device = gpu::open_device(id);
  static constexpr uint8_t kKey[VSH_KEY_LEN] = {};
  const auto keyed = std::make_shared<const gpu::KeyedDevice>(device, keys::CipherKey(algorithm, kKey), nullptr, false);
  std::vector<uint8_t> data;
  uint64_t best = kSizes[0];
  double best_time = 1e9;
  for (const size_t piece : kSizes) {
    std::vector<gpu::DeviceSlots> devices;
    devices.push_back({id, gpu::make_slots(keyed, gpu::usual_slots(device.info()), piece)});
    size_t least[kNumOperations] = {};
    gpu::DeviceAccelerator accelerator(block_size(algorithm), std::move(devices), gpu::HostPolicy::none, least,
                                       {kSizes[0], piece, kSizes[0]});
    const auto seconds = [&](uint8_t* at, size_t len) {
      static constexpr uint8_t kCounter[VSH_MAX_BLOCK_LEN] = {};
      const Operation operation = algorithm == Algorithm::gost28147 ? Operation::cnt : Operation::ctr;
      return seconds_of([&] { accelerator.run({operation, at, at, len / block_size(algorithm), kCounter}, {}); });
    };
    if (data.empty()) {
      seconds(memory.out.data(), kTrial);
      if (seconds(memory.out.data(), kTrial) > kTrial / kTooSlow) return best;
      data.resize(kLen);
    }
    seconds(data.data(), kLen);  // makes its memory
    const double time = std::min(seconds(data.data(), kLen), seconds(data.data(), kLen));
    if (time < kClearly * best_time) best_time = time, best = piece;
  }
  return best;
}

}  // namespace

void benchmark_requests(const DeviceBenchmark& benchmark) {
  const std::string& id = benchmark.device.id;
  std::map<Algorithm, uint64_t> pieces;
  for (const Measurement& m : measurements()) {
    if (!benchmark.includes(m.algorithm)) continue;
    benchmark.show_step(m.algorithm, m.operations[0]);
    uint64_t& piece = pieces[m.algorithm];
    if (piece == 0) piece = best_piece(id, m.algorithm, benchmark.memory);
    Prepared device(m, id.c_str()), processor(m, nullptr);
    const auto seconds_by = [&](Prepared& prepared) {
      return [&](size_t size) { return best_seconds([&] { prepared.run(benchmark.memory, size); }); };
    };
    const uint64_t least = crossover(kBenchmarkSizes, seconds_by(device), seconds_by(processor));
    for (const Operation operation : m.operations) benchmark.add(m.algorithm, operation, least, piece);
  }
}

}  // namespace vsh::tuning
