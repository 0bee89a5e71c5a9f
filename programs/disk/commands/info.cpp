// `vershina disk info`: what a header says, and whether this machine can serve the volume. Nothing is changed.
#include <fcntl.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "programs/common/disk/formats/luks2.hpp"
#include "programs/common/disk/formats/luks2_report.hpp"
#include "programs/common/disk/store/open_store.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/disk/commands/commands.hpp"
#include "programs/disk/commands/known_content.hpp"
#include "programs/disk/commands/programs.hpp"

namespace vsh::disk {
namespace {

using cli::Descriptor;
using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

struct InfoSettings {
  std::string path, header;
  bool json = false;
};

bool has_kernel_cipher() {
  std::ifstream list("/proc/crypto");
  for (std::string line; std::getline(list, line);)
    if (line.starts_with("name") && line.find("kuznyechik") != std::string::npos) return true;
  return false;
}

// Throws what it is instead, if that is known: a damaged header of LUKS2 is still LUKS2.
void say_what_it_is(const std::string& path, const std::string& name) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open()) return;
  const std::string known = known_content(file.get(), name);
  if (known.empty() || known == "crypto_LUKS") return;
  throw Failure(ExitCode::header, tr("{1}: not a LUKS2 volume: it holds {2}", name, quote_name(known)));
}

Luks2Header read_header(const InfoSettings& settings, Store& store) {
  const bool is_detached = !settings.header.empty();
  try {
    return load_luks2(store, settings.header, Repair::no);
  } catch (const Failure& failure) {
    if (failure.code() == ExitCode::header)
      say_what_it_is(is_detached ? settings.header : store.path(),
                     is_detached ? quote_name(settings.header) : store.name());
    throw;
  }
}

Luks2Report look(const InfoSettings& settings) {
  const std::unique_ptr<Store> store = open_store(settings.path, Access::look);
  const Luks2Header header = read_header(settings, *store);
  Luks2Report found;
  found.metadata = header.metadata();
  found.uuid = header.uuid();
  found.label = header.label();
  try {
    found.layout = check_luks2(found.metadata, store->size(), !settings.header.empty(), store->name());
  } catch (const Failure& failure) {
    found.problem = failure.what();
  }
  found.has_nbdkit = !find_nbdkit().empty();
  found.has_plugin = static_cast<bool>(find_plugin(&found.why_no_plugin));
  found.has_kernel_cipher = has_kernel_cipher();
  return found;
}

}  // namespace

void add_info_command(cli::Program& program) {
  cli::Command& command = program.add_command("info", tr("Show a volume's header, and whether it can be served here"));
  const auto settings = std::make_shared<InfoSettings>();
  command.add_operand("IMAGE", settings->path, tr("A file, a block device or an NBD URI with a LUKS2 header"))
      ->required();
  command.add_option("--header", settings->header, "FILE", tr("A detached header"));
  command.add_flag("--json", settings->json, tr("Print an object"));
  command.footer(tr("No passphrase is needed and nothing is changed."));
  command.exit_status({ExitCode::ok,
                       ExitCode::usage,
                       ExitCode::input,
                       {ExitCode::header, tr("no LUKS2 header")},
                       {ExitCode::parameters, tr("the volume cannot be served")}});
  command.action([settings] {
    std::optional<cli::English> english;
    if (settings->json) english.emplace();
    const Luks2Report found = [&] {
      try {
        return look(*settings);
      } catch (const IoError& error) {
        throw Failure(ExitCode::input, error.what(), {}, error.error());
      }
    }();
    cli::print(settings->json ? luks2_json(found) : luks2_text(settings->path, found));
    return found.problem.empty() ? ExitCode::ok : ExitCode::parameters;
  });
}

}  // namespace vsh::disk
