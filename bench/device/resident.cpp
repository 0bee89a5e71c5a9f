#include <cstring>

#include "cli/text/failure.hpp"
#include "bench/device/measure.hpp"
#include "gpu/ciphers/block_cipher.hpp"
#include "bench/rows/vershina_adapter.hpp"

namespace vsh::bench {
namespace {

struct Entry {
  const char *algorithm, *mode, *operation;
  gpu::Work work;
};
constexpr Entry kEntries[] = {
    {"kuznyechik", "ecb", "encrypt", gpu::Work::ecb_encrypt}, {"kuznyechik", "ctr", "encrypt", gpu::Work::ctr},
    {"kuznyechik", "cbc", "decrypt", gpu::Work::cbc_decrypt}, {"magma", "ecb", "encrypt", gpu::Work::ecb_encrypt},
    {"magma", "ctr", "encrypt", gpu::Work::ctr},              {"magma", "cbc", "decrypt", gpu::Work::cbc_decrypt},
    {"gost28147", "ecb", "encrypt", gpu::Work::ecb_encrypt},  {"gost28147", "cnt", "encrypt", gpu::Work::cnt},
    {"gost28147", "cfb", "decrypt", gpu::Work::cfb_decrypt},
};

std::unique_ptr<gpu::BlockCipher> make_cipher(gpu::Device& device, gpu::Queue& queue, const std::string& algorithm) {
  if (algorithm == "kuznyechik") {
    kuznyechik::RoundKeys round_keys;
    kuznyechik::expand_key(round_keys, kKey);
    return std::make_unique<gpu::BlockCipher>(device, queue, round_keys);
  }
  magma::RoundKeys round_keys;
  algorithm == "magma" ? magma::expand_key_magma(round_keys, kKey)
                       : magma::expand_key_gost28147(round_keys, kKey, tables::MagmaSbox::tc26_z);
  return std::make_unique<gpu::BlockCipher>(device, queue, round_keys);
}

// Computes BlockCipher::Task::start for the IV of own_task.
void make_start(const Work& work, uint8_t start[16]) {
  std::memcpy(start, kIv, 16);
  if (work.mode == "ctr") counter_iv(start, block_len(work));
  if (work.mode == "cnt")  // RFC 5830 clause 6.1: N3 and N4 are the encrypted IV
    own_task({work.algorithm, "ecb", "encrypt"}, "", VSH_SBOX_DEFAULT, 1)->run(start, kIv, 8);
}

}  // namespace

void measure_resident(const DeviceRun& run, DeviceReport& report) {
  const auto queue = run.device.make_queue();
  const auto in = run.device.allocate(run.resident), out = run.device.allocate(run.resident);
  const auto start = run.device.allocate(256);
  const Buffers memory = make_buffers(run.resident, 0, "two buffers of " + format_size(run.resident));
  uint8_t *const data = memory.in(0), *const expected = memory.out(0);
  queue->upload(*in, 0, data, run.resident);
  // Enough launches in the queue to hide the host's overhead.
  const size_t launches = run.device.info().is_processor ? 1 : std::max<size_t>(1, (size_t{1} << 30) / run.resident);
  for (const Entry& e : kEntries) {
    const Work work{e.algorithm, e.mode, e.operation};
    if (!run.wants(work)) continue;
    const auto cipher = make_cipher(run.device, *queue, e.algorithm);
    uint8_t start_block[16];
    make_start(work, start_block);
    queue->upload(*start, 0, start_block, sizeof start_block);
    const gpu::BlockCipher::Task task{e.work, out.get(), in.get(), run.resident / cipher->block_size(), start.get()};
    cipher->launch(*queue, task);
    std::vector<uint8_t> got(run.resident);
    queue->download(got.data(), *out, 0, got.size());
    queue->finish();
    DeviceRow row{DeviceRow::Place::device, work, launches * run.resident, 1, {}, 0, 0};
    row.processor = processor_rate(run, work, data, expected, run.resident);
    require_same(work, "in device memory", got.data(), expected, got.size());
    row.timing = run.stopwatch.measure([&] {
      for (size_t i = 0; i < launches; ++i) cipher->launch(*queue, task);
      queue->finish();
    });
    report.rows.push_back(row);
  }
}

}  // namespace vsh::bench
