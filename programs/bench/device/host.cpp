#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "gpu/devices.hpp"
#include "gpu/schedule/device_slot.hpp"
#include "programs/bench/device/measure.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/process.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

const Work kHostWorks[] = {
    {"kuznyechik", "ctr", "encrypt"}, {"magma", "ctr", "encrypt"}, {"gost28147", "cnt", "encrypt"}};

std::string hex(const uint8_t* bytes, size_t len) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < len; ++i) text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  return text;
}

// A queue of the pipeline, with page-locked memory for its input and output.
struct CopySlot {
  std::unique_ptr<gpu::Queue> queue;
  std::unique_ptr<gpu::Buffer> in, out;
  std::unique_ptr<gpu::HostBuffer> from, to;
};

double copy_rate(const DeviceRun& run, std::vector<CopySlot>& slots, bool in, bool out) {
  const size_t piece = slots[0].in->size(), rounds = std::max<size_t>(1, run.host / piece / slots.size());
  const Timing timing = run.stopwatch.measure([&] {
    for (size_t i = 0; i < rounds; ++i)
      for (CopySlot& s : slots) {
        if (in) s.queue->upload(*s.in, 0, s.from->bytes().data(), piece);
        if (out) s.queue->download(s.to->bytes().data(), *s.out, 0, piece);
      }
    for (CopySlot& s : slots) s.queue->finish();
  });
  return static_cast<double>(rounds * slots.size() * piece) / timing.seconds;
}

DeviceRow host_row(const DeviceRun& run, DeviceRow::Place place, const Work& work, const char* device,
                   const uint8_t* in, uint8_t* out, const uint8_t* expected, double copies) {
  const auto task = own_task(work, "", VSH_SBOX_DEFAULT, 0, device);
  const auto once = [&] {
    if (!task || !task->run(out, in, run.host))
      throw gpu::Error(gpu::Error::Kind::lost, std::string(device) + ": " + vsh_device_message());
  };
  once();
  require_same(work, place_name(place), out, expected, run.host);
  return {place, work, run.host, 1, run.stopwatch.measure(once), 0, copies};
}

void write_file(const std::filesystem::path& path, const uint8_t* data, size_t len) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(len)).flush())
    throw cli::Failure(cli::ExitCode::output, cli::tr("{1}: cannot be written", path.string()));
}

}  // namespace

CopyRates measure_copies(const DeviceRun& run) {
  CopyRates rates{std::min(run.host, size_t{16} << 20), gpu::usual_slots(run.device.info()), 0, 0, 0};
  std::vector<CopySlot> slots;
  for (size_t i = 0; i < rates.slots; ++i)
    slots.push_back({run.device.make_queue(), run.device.allocate(rates.piece), run.device.allocate(rates.piece),
                     run.device.allocate_host(rates.piece), run.device.allocate_host(rates.piece)});
  rates.in = copy_rate(run, slots, true, false);
  rates.out = copy_rate(run, slots, false, true);
  rates.both = copy_rate(run, slots, true, true);
  return rates;
}

void measure_host(const DeviceRun& run, DeviceReport& report) {
  const Buffers memory = make_buffers(run.host, 0);
  const auto in = run.device.allocate_host(run.host), out = run.device.allocate_host(run.host);
  std::memcpy(in->bytes().data(), memory.in(0), run.host);
  const char* const id = run.device.info().id.c_str();
  const auto workers = gpu::worker_ids();
  const bool works = std::find(workers.begin(), workers.end(), id) != workers.end();
  std::vector<uint8_t> pageable(run.host);
  for (const Work& work : kHostWorks) {
    if (!run.wants(work)) continue;
    const double processor = processor_rate(run, work, memory.in(0), memory.out(0), run.host);
    const auto add = [&](DeviceRow::Place place, const char* device, const uint8_t* from, uint8_t* to) {
      report.rows.push_back(host_row(run, place, work, device, from, to, memory.out(0), report.copies.both));
      report.rows.back().processor = processor;
    };
    add(DeviceRow::Place::host, id, in->bytes().data(), out->bytes().data());
    add(DeviceRow::Place::pageable, id, memory.in(0), pageable.data());
    if (works) add(DeviceRow::Place::together, "all", in->bytes().data(), out->bytes().data());
  }
}

void measure_files(const DeviceRun& run, DeviceReport& report) {
  const Work& work = kHostWorks[0];
  if (!run.wants(work)) return;
  const TemporaryFolder folder;
  {
    const Buffers memory = make_buffers(run.host, 0);
    write_file(folder / "in", memory.in(0), run.host);
  }
  const auto encrypt = [&](const std::string& device, const std::string& out) {
    const Finished run_of_it =
        run_program({vershina_program(), "encrypt", "-q", "-f", "-c", work.algorithm + "-" + work.mode, "--key-hex",
                     hex(kKey, sizeof kKey), "--iv-hex", hex(kIv, 8), "--device", device, "-o", (folder / out).string(),
                     (folder / "in").string()});
    if (run_of_it.status != 0) throw gpu::Error(gpu::Error::Kind::lost, "files: " + run_of_it.error);
  };
  const Timing processor = Stopwatch(0, {}).measure([&] { encrypt("cpu", "out.cpu"); });
  const Timing device = Stopwatch(0, {}).measure([&] { encrypt(run.device.info().id, "out"); });
  const auto content = [&](const char* name) {
    std::vector<char> bytes(run.host);
    std::ifstream(folder / name, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  };
  const auto got = content("out"), expected = content("out.cpu");
  require_same(work, "files", reinterpret_cast<const uint8_t*>(got.data()),
               reinterpret_cast<const uint8_t*>(expected.data()), run.host);
  report.rows.push_back({DeviceRow::Place::file, work, run.host, 1, device,
                         static_cast<double>(run.host) / processor.seconds, report.copies.both});
}

}  // namespace vsh::bench
