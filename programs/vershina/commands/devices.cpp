// `vershina devices`: every device of this machine, and the result of its self-test.
#include <vershina/vershina.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/system/console.hpp"
#include "programs/common/system/device_trial.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/common/text/tuning_text.hpp"
#include "programs/vershina/commands/commands.hpp"

namespace vsh::cli {
namespace {

struct Tested {
  vsh_device_info info;
  vsh_status status;
  std::string message;  // the failure; a compiler's log may have many lines
};

std::vector<Tested> test_all() {
  std::vector<Tested> all;
  for (const vsh_device_info& info : vershina::devices()) {
    const vsh_status status = vsh_device_selftest(info.id);
    const char* const message = status == VSH_OK         ? ""
                                : status == VSH_E_MEMORY ? vsh_status_message(status)
                                                         : vsh_device_message();
    all.push_back({info, status, message});
  }
  return all;
}

const char* verdict(vsh_status status) {
  return status == VSH_OK ? "OK" : status == VSH_E_SELFTEST ? mark("wrong result") : mark("failed");
}

// "139.8 GiB"
std::string gibibytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

std::string measured() {
  const std::string text = describe_tuning(VSH_TUNING_DEVICES);
  vsh_tuning_info info{};
  (void)vsh_tuning(VSH_TUNING_DEVICES, &info);
  return *info.problem == '\0' ? text : text + "; " + tr("`vershina tune --device all` measures");
}

std::string table(const std::vector<Tested>& devices) {
  std::string text;
  if (!devices.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {tr("DEVICE"), tr("BACK END"), tr("MEMORY"), tr("UNITS"), "AUTO", tr("SELF-TEST"), tr("NAME"), tr("DRIVER")}};
    for (const auto& [info, status, message] : devices) {
      rows.push_back({info.id, info.back_end, gibibytes(info.memory), std::to_string(info.units),
                      info.automatic ? tr("yes") : tr("no"), tr(verdict(status)), info.name, info.driver});
    }
    text = align_columns(rows, {2, 3}) + measured() + "\n";
  } else if (vershina::device_problems().empty()) {
    text = tr("no devices: there is no CUDA driver with a GPU, and no OpenCL driver") + "\n";
  } else {
    text = tr("no devices") + "\n";
  }
  for (const std::string_view problem : vershina::device_problems())
    text += tr("not used: {1}", tr(std::string(problem).c_str())) + "\n";
  return text;
}

std::string json(const std::vector<Tested>& devices) {
  JsonArray list(JsonLayout::lines);
  for (const auto& [info, status, message] : devices) {
    JsonObject row;
    row.add("id", info.id).add("name", info.name).add("back_end", info.back_end).add("driver", info.driver);
    row.add("architecture", info.architecture).add("memory", info.memory).add("units", info.units);
    row.add("processor", info.is_processor != 0).add("auto", info.automatic != 0);
    row.add("selftest", verdict(status)).add("message", message);
    list.add(row);
  }
  JsonObject all(JsonLayout::lines);
  all.add("devices", list).add("problems", JsonArray(vershina::device_problems()));
  return all.text() + "\n";
}

void report_failures(const std::vector<Tested>& devices) {
  const Tested* worst = nullptr;
  for (const Tested& device : devices) {
    if (device.status == VSH_OK) continue;
    if (!worst || device.status == VSH_E_SELFTEST) worst = &device;
    print_error(std::string(device.info.id) + ": " + tr(device.message.c_str()));
  }
  if (!worst) return;
  if (worst->status == VSH_E_SELFTEST)
    throw Failure(ExitCode::data, tr("devices: wrong result of {1}", worst->info.id),
                  tr("do not use this device, and report it"));
  throw Failure(worst->status == VSH_E_MEMORY ? ExitCode::internal : ExitCode::device,
                tr("devices: {1} cannot be used", worst->info.id), tr("--device auto leaves it out"));
}

constexpr const char* kDevicesExplanation =
    mark(R"(Every device runs examples of the standards first, for which its compiler may need some seconds once; what
it makes is kept in $XDG_CACHE_HOME/vershina/programs. AUTO: `--device auto` and `--device all` may use it;
OpenCL drivers for the processor itself they leave alone, and a GPU that is in the list twice they take once.
The last line tells what `--device auto` goes by: the file of `vershina tune --device all`.)");

}  // namespace

void add_devices_command(Program& program) {
  Command& command =
      program.add_command("devices", tr("List GPUs and other devices of CUDA and OpenCL, and test them"));
  auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, tr("Print JSON"))
      ->manual(
          "Print an object with `devices`, a list of objects with `id`, `name`, `back_end`, `driver`, "
          "`architecture`, `memory` (bytes), `units`, `processor`, `auto`, `selftest` (`OK`, `wrong result`, "
          "`failed`) and `message`, and `problems`, a list of sentences.");
  command.footer(tr(kDevicesExplanation));
  command.exit_status({{ExitCode::ok, tr("success, also without any device")},
                       {ExitCode::data, tr("a device gave a wrong result")},
                       {ExitCode::device, tr("a device cannot run the examples")}});
  command.action([=] {
    std::optional<English> json_is_english;
    if (*as_json) json_is_english.emplace();
    const std::vector<Tested> devices = test_all();
    (void)take_trial_problems();  // they are in the list
    print(*as_json ? json(devices) : table(devices));
    report_failures(devices);
  });
}

}  // namespace vsh::cli
