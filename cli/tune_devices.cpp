#include "tune_devices.hpp"

#include <vershina/aead.h>
#include <vershina/device.h>
#include <vershina/disk.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "columns.hpp"
#include "failure.hpp"
#include "gpu/accelerate.hpp"
#include "gpu/pipeline.hpp"
#include "kuznyechik/round_keys.hpp"
#include "library.hpp"
#include "text.hpp"

namespace vsh::cli {
namespace {

using Work = Accelerator::Work;
using Clock = std::chrono::steady_clock;

constexpr size_t kSizes[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
constexpr size_t kMaxSize = 64 << 20;
// The device that is so much slower on a size will not be faster on the next ones.
constexpr double kHopeless = 8;

// What is measured, and for which works it stands.
struct Measurement {
  Algorithm algorithm;
  vsh_cipher_algorithm cipher;
  enum class Kind { cipher, xts, mgm } kind;
  vsh_mode mode;
  vsh_direction direction;
  std::vector<Work> works;
};

const std::vector<Measurement>& measurements() {
  static const std::vector<Measurement> all = [] {
    std::vector<Measurement> list;
    using Kind = Measurement::Kind;
    static constexpr std::pair<Algorithm, vsh_cipher_algorithm> ciphers[] = {
        {Algorithm::kuznyechik, VSH_KUZNYECHIK}, {Algorithm::magma, VSH_MAGMA}, {Algorithm::gost28147, VSH_GOST28147}};
    for (const auto& [a, c] : ciphers) {
      list.push_back({a, c, Kind::cipher, VSH_ECB, VSH_ENCRYPT, {Work::encrypt, Work::decrypt}});
      if (c == VSH_GOST28147) list.push_back({a, c, Kind::cipher, VSH_CNT, VSH_ENCRYPT, {Work::cnt}});
      else list.push_back({a, c, Kind::cipher, VSH_CTR, VSH_ENCRYPT, {Work::ctr, Work::ctr_left, Work::ctr_right}});
      list.push_back({a, c, Kind::cipher, VSH_CBC, VSH_DECRYPT, {Work::cbc_decrypt}});
      list.push_back({a, c, Kind::cipher, VSH_CFB, VSH_DECRYPT, {Work::cfb_decrypt}});
      if (c == VSH_KUZNYECHIK)
        list.push_back({a, c, Kind::xts, VSH_ECB, VSH_ENCRYPT, {Work::xts_encrypt, Work::xts_decrypt}});
      if (c != VSH_GOST28147)
        list.push_back({a, c, Kind::mgm, VSH_ECB, VSH_ENCRYPT,
                        {Work::mgm_encrypt, Work::mgm_decrypt, Work::mgm_authenticate}});
    }
    return list;
  }();
  return all;
}

void check(vsh_status status, const char* device) {
  if (status == VSH_OK) return;
  const std::string why = status == VSH_E_DEVICE ? vsh_device_message() : vsh_status_message(status);
  throw Failure(ExitCode::device, std::string(device ? device : "cpu") + ": " + why);
}

// One measurement by the processor (device null) or a device: a context, and requests of any size.
class Contender {
 public:
  Contender(const Measurement& m, const char* device) : m_(m), device_(device) {
    vsh_options options = VSH_OPTIONS_INIT;
    options.threads = 0;
    options.device = device;
    options.padding = m.kind == Measurement::Kind::cipher && m.mode <= VSH_CBC && m.mode != VSH_CTR ? VSH_PADDING_NONE
                                                                                                 : VSH_PADDING_DEFAULT;
    uint8_t key[VSH_XTS_KEY_LEN], iv[VSH_MAX_BLOCK_LEN] = {};
    for (size_t i = 0; i < sizeof key; ++i) key[i] = static_cast<uint8_t>(i);
    vsh_cipher* cipher = nullptr;
    vsh_xts* xts = nullptr;
    vsh_aead* aead = nullptr;
    switch (m.kind) {
      case Measurement::Kind::cipher:
        check(vsh_cipher_new(&cipher, m.cipher, m.mode, m.direction, key, VSH_KEY_LEN, iv,
                             vsh_iv_len(m.cipher, m.mode), &options), device);
        break;
      case Measurement::Kind::xts: check(vsh_xts_new(&xts, key, sizeof key, &options), device); break;
      case Measurement::Kind::mgm:
        check(vsh_aead_new(&aead, m.cipher == VSH_MAGMA ? VSH_MAGMA_MGM : VSH_KUZNYECHIK_MGM, key, VSH_KEY_LEN, 0,
                           &options), device);
        check(vsh_aead_begin(aead, iv, vsh_block_len(m.cipher)), device);
        break;
    }
    cipher_.reset(cipher), xts_.reset(xts), aead_.reset(aead);
  }

  // Seconds, the best of some.
  double time(std::span<uint8_t> out, std::span<const uint8_t> in) {
    run(out.first(kSizes[0]), in.first(kSizes[0]));  // page-locked memory, queues, threads
    double best = 1e9, sum = 0;
    for (int i = 0; i < 5 && (i == 0 || sum < 0.1); ++i) {
      const Clock::time_point start = Clock::now();
      run(out, in);
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      best = std::min(best, seconds), sum += seconds;
    }
    return best;
  }

 private:
  void run(std::span<uint8_t> out, std::span<const uint8_t> in) {
    size_t len = 0;
    constexpr size_t kSector = 4096;
    const size_t num_sectors = in.size() / kSector;
    check(cipher_ ? vsh_cipher_update(cipher_.get(), out.data(), out.size(), &len, in.data(), in.size())
          : xts_  ? vsh_xts_encrypt_sectors(xts_.get(), out.data(), in.data(), num_sectors, kSector, 0)
                  : vsh_aead_encrypt(aead_.get(), out.data(), in.data(), in.size()),
          device_);
  }

  const Measurement& m_;
  const char* const device_;
  CipherContext cipher_;
  XtsContext xts_;
  AeadContext aead_;
};

struct Memory {
  std::vector<uint8_t> in = std::vector<uint8_t>(kMaxSize), out = std::vector<uint8_t>(kMaxSize);
};

// The smallest size from which on the device is faster.
uint64_t crossover(const Measurement& m, const std::string& id, Memory& memory) {
  Contender processor(m, nullptr), device(m, id.c_str());
  uint64_t least = UINT64_MAX;
  for (const size_t size : kSizes) {
    const std::span<uint8_t> out(memory.out.data(), size);
    const std::span<const uint8_t> in(memory.in.data(), size);
    const double by_device = device.time(out, in), by_processor = processor.time(out, in);
    if (by_device >= by_processor) least = UINT64_MAX;
    else if (least == UINT64_MAX) least = size;
    if (by_device > kHopeless * by_processor && size >= 1 << 20) return UINT64_MAX;
  }
  return least;
}

// The size of pieces with which the device does most, in CTR of Kuznyechik through its slots alone.
uint64_t best_piece(const std::string& id, Memory& memory) {
  gpu::Device& device = *gpu::wished_devices({gpu::Wish::Kind::named, id}).at(0);
  kuznyechik::RoundKeys keys{};
  const auto keyed = std::make_shared<gpu::KeyedDevice>(device, Algorithm::kuznyechik, &keys, nullptr, false);
  uint64_t best = 16 << 20;
  double best_time = 1e9;
  static constexpr uint8_t kCounter[16] = {};
  for (const size_t piece : {size_t{1} << 20, size_t{2} << 20, size_t{4} << 20, size_t{8} << 20, size_t{16} << 20}) {
    std::vector<gpu::Member> members;
    members.push_back({id, gpu::make_slots(keyed, gpu::usual_slots(device.info()), piece)});
    size_t least[Accelerator::kNumWorks] = {};
    gpu::Team team(16, std::move(members), gpu::Role::rests, least, {1 << 20, piece, 1 << 20});
    const auto run = [&](size_t len) {
      const Clock::time_point start = Clock::now();
      team.run({Work::ctr, memory.out.data(), memory.in.data(), len / 16, kCounter}, {});
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const double first = run(8 << 20);
    if (first > 0.05) return 1 << 20;  // too slow for sizes to matter
    run(kMaxSize);
    const double time = std::min(run(kMaxSize), run(kMaxSize));
    if (time < best_time) best_time = time, best = piece;
  }
  return best;
}

}  // namespace

std::vector<gpu::Rate> measure_devices(const std::string& wanted, const std::function<void(const std::string&)>& show) {
  std::vector<gpu::Rate> rates;
  try {
    const std::optional<gpu::Wish> wish = gpu::parse_wish(wanted);
    if (!wish || (!wish->is_named() && wish->kind != gpu::Wish::Kind::all))
      throw Failure(ExitCode::usage, "--device " + quote_name(wanted), "all, cuda:N or opencl:P.D");
    const std::vector<gpu::Device*> devices = gpu::wished_devices(*wish);
    if (devices.empty()) throw Failure(ExitCode::device, "there is no device", "see `vershina devices`");
    for (const gpu::Rate& rate : gpu::measured_rates()) {
      const auto is_same = [&](const gpu::Device* device) { return device->info().id == rate.id; };
      if (std::none_of(devices.begin(), devices.end(), is_same)) rates.push_back(rate);
    }
    Memory memory;
    for (const gpu::Device* const device : devices) {
      const std::string& id = device->info().id;
      show(id);
      const uint64_t piece = best_piece(id, memory);
      for (const Measurement& m : measurements()) {
        show(id + ": " + algorithm_name(m.algorithm) + " " + std::string(gpu::work_name(m.works[0])));
        const uint64_t least = crossover(m, id, memory);
        for (const Work work : m.works)
          rates.push_back({id, gpu::fingerprint(device->info()), m.algorithm, work, least, piece});
      }
    }
  } catch (const gpu::Error& error) {
    throw Failure(ExitCode::device, std::string("--device ") + wanted + ": " + error.what());
  }
  return rates;
}

std::string rates_table(const std::vector<gpu::Rate>& rates) {
  std::vector<std::vector<std::string>> rows = {{"device", "cipher", "work", "from bytes", "pieces"}};
  for (const gpu::Rate& rate : rates)
    rows.push_back({rate.id, algorithm_name(rate.algorithm), std::string(gpu::work_name(rate.work)),
                    rate.least == UINT64_MAX ? "never" : std::to_string(rate.least), std::to_string(rate.piece)});
  return align_columns(rows, {3, 4});
}

}  // namespace vsh::cli
