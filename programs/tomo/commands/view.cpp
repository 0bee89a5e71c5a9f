// `vershina tomo view`: volumes and scans on a page for the browser.
#include <algorithm>
#include <csignal>
#include <memory>
#include <vector>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/commands.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/commands/prepared_scan.hpp"
#include "programs/tomo/viewer/server.hpp"
#include "programs/tomo/viewer/site.hpp"
#include "programs/tomo/volumes/volume_reader.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

struct ViewSettings {
  std::string path, other, mask;
  ScanOptions scan;
  std::optional<IndexRange> slices;
  uint16_t port = 0;
  bool quiet = false, no_progress = false;
};

class ViewCommand {
 public:
  explicit ViewCommand(const ViewSettings& settings) : settings_(settings) { Server::check_build(); }

  void run() {
    std::vector<Stack> stacks;
    stacks.push_back(load(settings_.path));
    if (!settings_.other.empty()) stacks.push_back(load(settings_.other));
    if (stacks.size() == 2) check_together(stacks[0], stacks[1]);
    if (!settings_.mask.empty()) add_mask(stacks);
    const Site site(std::move(stacks));

    // From here on a signal asks for the end. Other threads are made after this, and block it too.
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    const Server server(settings_.port, [&](std::string_view path) { return site.reply(path); });
    cli::print(server.address() + "\n");
    if (!settings_.quiet) cli::print_note(tr("open this address in a browser on this machine; Ctrl-C ends the viewer"));
    int signal = 0;
    while (sigwait(&ending, &signal) != 0) continue;
  }

 private:
  Stack load(const std::string& path) const { return is_scan(path) ? load_scan(path) : load_volume(path); }

  // The part of `num` slices or rows that --slices names.
  std::pair<size_t, size_t> part(size_t num, const std::string& name) const {
    const IndexRange range = settings_.slices.value_or(IndexRange{});
    const uint64_t end = range.end.value_or(num);
    if (range.first >= end || end > num)
      throw Failure(ExitCode::usage, tr("--slices: {1} has slices 0 to {2}", name, num - 1),
                    tr("the first is below the end"));
    return {range.first, end - range.first};
  }

  Stack load_volume(const std::string& path) const {
    const std::unique_ptr<VolumeReader> volume = open_volume(path);
    const auto [first, num] = part(volume->shape()[0], volume->name());
    Stack stack;
    stack.name = path;
    stack.unit = volume->unit();
    stack.first = first;
    stack.shape = {num, volume->shape()[1], volume->shape()[2]};
    const uint64_t len = volume->shape()[1] * volume->shape()[2];
    cli::check_memory(4 * len * num, volume->name(), tr("show a part of it with --slices"));
    cli::Progress progress(is_progress_shown(), tr("reading"), 4 * len * num);
    stack.values.resize(len * num);
    for (size_t z = 0; z < num; ++z) {
      volume->read(stack.values.data() + z * len, first + z);
      progress.add(4 * len);
    }
    return stack;
  }

  Stack load_scan(const std::string& path) const {
    ScanOptions options = settings_.scan;
    options.path = path;
    PreparedScan scan(options);
    const ScanInfo& info = scan.info();
    const auto [first, num] = part(info.num_rows, info.name);
    cli::check_memory(scan.block_bytes(num) + scan.work_bytes(num), info.name, tr("show a part of it with --slices"));
    Stack stack;
    stack.name = path;
    stack.is_scan = true;
    stack.first = first;
    stack.shape = {info.num_angles, num, info.num_bins};
    stack.centre = info.centre;
    if (info.beam == VSH_TOMO_PARALLEL) stack.radians = scan.radians();
    cli::Progress progress(is_progress_shown(), tr("reading"), {});
    PreparedScan::Block block;
    scan.read(block, first, num);
    scan.prepare(block);
    stack.values = std::move(block.values);
    return stack;
  }

  bool is_progress_shown() const { return !settings_.quiet && !settings_.no_progress; }

  void add_mask(std::vector<Stack>& stacks) const {
    const auto is_volume = [](const Stack& stack) { return !stack.is_scan; };
    if (std::none_of(stacks.begin(), stacks.end(), is_volume))
      throw Failure(ExitCode::usage, tr("--mask: {1} is a scan", cli::quote_name(settings_.path)),
                    tr("a mask belongs to a volume"));
    Stack mask = load_volume(settings_.mask);
    mask.is_mask = true;
    for (const Stack& stack : stacks) check_together(stack, mask);
    stacks.push_back(std::move(mask));
  }

  static void check_together(const Stack& a, const Stack& b) {
    if (a.is_scan != b.is_scan || a.shape == b.shape) return;
    throw Failure(ExitCode::data,
                  tr("{1} has {2} x {3} x {4} numbers, and {5} has {6} x {7} x {8}", cli::quote_name(a.name),
                     a.shape[0], a.shape[1], a.shape[2], cli::quote_name(b.name), b.shape[0], b.shape[1], b.shape[2]),
                  tr("only what has one size can be shown side by side"));
  }

  const ViewSettings& settings_;
};

}  // namespace

void add_view_command(cli::Program& program) {
  cli::Command& command = program.add_command("view", tr("Show volumes and scans in a browser"));
  const auto settings = std::make_shared<ViewSettings>();
  ViewSettings& s = *settings;
  command
      .add_operand("FILE", s.path,
                   tr("A volume or a scan: HDF5, NumPy, TIFF, PNG, NIfTI, or a folder: pictures, DICOM, OME-Zarr"))
      ->required();
  command.add_operand("OTHER", s.other, tr("A volume of the same size, to compare with, or the scan of the volume"));
  command.add_option("--mask", s.mask, "MASK", tr("Classes of the volume, to be laid over it in colours"))
      ->manual("Classes of the volume, as `segment` writes them, to be laid over it in colours.");
  cli::add_number(command, "--port", s.port, {.min = 1, .max = 65535}, tr("The port (default: one that is free)"));
  add_range(command, "--slices", s.slices, tr("Only these slices, or rows of the detector; END is not included"));
  s.scan.add_without_scan_to(command);
  command.add_flag("-q,--quiet", s.quiet, tr("Print the address only"));
  command.add_flag("--no-progress", s.no_progress, tr("Show no progress bar"));
  command.footer(
      tr("Prints the address of a page, and serves it until Ctrl-C or SIGTERM. The page is for this machine and for\n"
         "those who know its address, which has a new token each time. The volume is held in memory. Pictures and\n"
         "NumPy arrays are scans if they have a sidecar; scans are shown as line integrals.\n\n"
         "Example:\n"
         "  vershina tomo view fbp.h5 dfr.h5"));
  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("NaN or infinite values, sizes that differ")},
                       ExitCode::usage,
                       ExitCode::input,
                       {ExitCode::output, tr("the port cannot be used")}});
  command.action([settings] { ViewCommand(*settings).run(); });
}

}  // namespace vsh::tomo
