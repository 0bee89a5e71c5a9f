// `vershina disk info`: what a header says, and whether this machine can serve the volume. Nothing is changed.
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "cli/system/console.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/json.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"
#include "disk/commands/commands.hpp"
#include "disk/commands/programs.hpp"
#include "disk/formats/luks2.hpp"
#include "disk/store/open_store.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::JsonArray;
using cli::JsonObject;
using cli::quote_name;
using cli::tr;

struct InfoSettings {
  std::string path, header;
  bool json = false;
};

// What can be said about a volume of which anything may be wrong.
struct Finding {
  Luks2Metadata metadata;
  std::string uuid, label, problem;
  Layout layout;  // without a problem
};

bool has_kernel_cipher() {
  std::ifstream list("/proc/crypto");
  for (std::string line; std::getline(list, line);)
    if (line.starts_with("name") && line.find("kuznyechik") != std::string::npos) return true;
  return false;
}

Finding look(const InfoSettings& settings) {
  const std::unique_ptr<Store> store = open_store(settings.path, Access::look);
  const bool is_detached = !settings.header.empty();
  const Luks2Header header = !is_detached && is_nbd_uri(settings.path)
                                 ? Luks2Header(*store)
                                 : Luks2Header(is_detached ? settings.header : settings.path, Repair::no);
  Finding found;
  found.metadata = header.metadata();
  found.uuid = header.uuid();
  found.label = header.label();
  try {
    found.layout = check_luks2(found.metadata, store->size(), is_detached, store->name());
  } catch (const Failure& failure) {
    found.problem = failure.what();
  }
  return found;
}

std::string describe(const Luks2Slot& slot) {
  if (slot.type != "luks2") return quote_name(slot.type);
  const std::string cost = slot.kdf == "pbkdf2"
                               ? tr("iterations: {1}, {2}", slot.iterations, quote_name(slot.hash))
                               : tr("{1} KiB, passes: {2}, lanes: {3}", slot.memory, slot.time, slot.lanes);
  const std::string kdf = quote_name(slot.kdf), cipher = quote_name(slot.area_cipher);
  return slot.opens_segment ? tr("{1}, {2}; area under {3}", kdf, cost, cipher)
                            : tr("{1}, {2}; area under {3}; not of the volume", kdf, cost, cipher);
}

void print_text(const InfoSettings& settings, const Finding& found) {
  std::string text = quote_name(settings.path) + ": LUKS2\n";
  const auto row = [&](const std::string& name, const std::string& value) {
    const size_t width = cli::columns_of(name);
    text += "  " + name + std::string(width < 12 ? 12 - width : 1, ' ') + value + "\n";
  };
  row("UUID", quote_name(found.uuid));
  if (!found.label.empty()) row(tr("label"), quote_name(found.label));
  for (const Luks2Segment& segment : found.metadata.segments) {
    row(tr("cipher"), quote_name(segment.cipher));
    row(tr("sectors"), cli::bytes_of(segment.sector_len));
    row(tr("volume"), segment.size ? tr("{1} from byte {2} on", cli::bytes_of(*segment.size), segment.offset)
                                   : tr("all from byte {1} on", segment.offset));
  }
  for (const Luks2Slot& slot : found.metadata.slots) row(tr("key slot {1}", quote_name(slot.id)), describe(slot));
  for (const std::string& name : found.metadata.requirements) row(tr("requires"), quote_name(name));
  if (found.metadata.num_tokens > 0) row(tr("tokens"), std::to_string(found.metadata.num_tokens));
  if (!found.problem.empty()) {
    row(tr("served"), tr("no: {1}", found.problem));
  } else {
    const bool is_here = !find_nbdkit().empty() && !find_plugin().empty();
    row(tr("size"), cli::bytes_of(found.layout.size));
    row(tr("served"),
        is_here ? tr("by `vershina disk serve`") : tr("not here: nbdkit or its plugin vershina is not installed"));
    row("dm-crypt", has_kernel_cipher() ? tr("this kernel has the cipher") : tr("this kernel lacks the cipher"));
  }
  cli::print(text);
}

void print_json(const Finding& found) {
  JsonObject top(cli::JsonLayout::lines);
  top.add("format", "luks2").add("uuid", found.uuid).add("label", found.label);
  JsonArray segments, slots, requirements;
  for (const Luks2Segment& segment : found.metadata.segments) {
    JsonObject object;
    object.add("cipher", segment.cipher).add("sector_size", segment.sector_len).add("offset", segment.offset);
    object.add("size", segment.size ? cli::Json(*segment.size) : cli::Json());
    object.add("iv_offset", segment.iv_offset).add("integrity", segment.has_integrity);
    segments.add(object);
  }
  for (const Luks2Slot& slot : found.metadata.slots) {
    JsonObject object;
    object.add("slot", slot.id).add("type", slot.type).add("opens_volume", slot.opens_segment);
    object.add("area_cipher", slot.area_cipher).add("kdf", slot.kdf).add("memory_kib", slot.memory);
    object.add("passes", slot.time).add("lanes", slot.lanes).add("iterations", slot.iterations).add("hash", slot.hash);
    slots.add(object);
  }
  for (const std::string& name : found.metadata.requirements) requirements.add(name);
  top.add("segments", segments).add("slots", slots).add("requirements", requirements);
  top.add("tokens", found.metadata.num_tokens);
  top.add("size", found.problem.empty() ? cli::Json(found.layout.size) : cli::Json());
  top.add("problem", found.problem.empty() ? cli::Json() : cli::Json(found.problem));
  top.add("nbdkit", !find_nbdkit().empty()).add("plugin", !find_plugin().empty());
  top.add("kernel_cipher", has_kernel_cipher());
  cli::print(top.text() + "\n");
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
                       {ExitCode::parameters, tr("it cannot be served")}});
  command.action([settings] {
    std::optional<cli::English> english;
    if (settings->json) english.emplace();
    const Finding found = look(*settings);
    if (settings->json) print_json(found);
    else print_text(*settings, found);
    return found.problem.empty() ? ExitCode::ok : ExitCode::parameters;
  });
}

}  // namespace vsh::disk
