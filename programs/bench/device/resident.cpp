#include <algorithm>
#include <cstring>

#include "gpu/ciphers/block_cipher.hpp"
#include "programs/bench/device/measure.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/common/text/failure.hpp"

namespace vsh::bench {
namespace {

const Work kResidentWorks[] = {
    {"kuznyechik", "ecb", "encrypt"}, {"kuznyechik", "ctr", "encrypt"}, {"kuznyechik", "cbc", "decrypt"},
    {"magma", "ecb", "encrypt"},      {"magma", "ctr", "encrypt"},      {"magma", "cbc", "decrypt"},
    {"gost28147", "ecb", "encrypt"},  {"gost28147", "cnt", "encrypt"},  {"gost28147", "cfb", "decrypt"},
};

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
  const Buffers memory = make_buffers(run.resident, 0);
  uint8_t *const data = memory.in(0), *const expected = memory.out(0);
  queue->upload(*in, 0, data, run.resident);
  // Enough launches in the queue to hide the host's overhead.
  const size_t launches = run.device.info().is_processor ? 1 : std::max<size_t>(1, (size_t{1} << 30) / run.resident);
  for (const Work& work : kResidentWorks) {
    if (!run.wants(work)) continue;
    const keys::CipherKey key(info_by_name(work.algorithm)->algorithm, kKey);
    const auto cipher = std::make_unique<gpu::BlockCipher>(run.device, *queue, key);
    uint8_t start_block[16];
    make_start(work, start_block);
    queue->upload(*start, 0, start_block, sizeof start_block);
    const gpu::BlockCipher::Task task{*work.in_library(), out.get(), in.get(), run.resident / cipher->block_size(),
                                      start.get()};
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
