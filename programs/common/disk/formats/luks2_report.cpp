#include "programs/common/disk/formats/luks2_report.hpp"

#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::JsonArray;
using cli::JsonObject;
using cli::quote_name;
using cli::tr;

std::string describe(const Luks2Slot& slot) {
  if (slot.type != "luks2") return quote_name(slot.type);
  const std::string cost = slot.kdf == "pbkdf2"
                               ? tr("iterations: {1}, {2}", slot.iterations, quote_name(slot.hash))
                               : tr("{1} KiB, passes: {2}, lanes: {3}", slot.memory, slot.time, slot.lanes);
  const std::string kdf = quote_name(slot.kdf), cipher = quote_name(slot.area_cipher);
  return slot.opens_segment ? tr("{1}, {2}; area under {3}", kdf, cost, cipher)
                            : tr("{1}, {2}; area under {3}; not of the volume", kdf, cost, cipher);
}

}  // namespace

std::string luks2_text(const std::string& path, const Luks2Report& report) {
  std::string text = quote_name(path) + ": LUKS2\n";
  const auto row = [&](const std::string& name, const std::string& value) {
    const size_t width = cli::columns_of(name);
    text += "  " + name + std::string(width < 12 ? 12 - width : 1, ' ') + value + "\n";
  };
  row("UUID", quote_name(report.uuid));
  if (!report.label.empty()) row(tr("label"), quote_name(report.label));
  for (const Luks2Segment& segment : report.metadata.segments) {
    row(tr("cipher"), quote_name(segment.cipher));
    row(tr("sectors"), cli::bytes_of(segment.sector_len));
    row(tr("volume"), segment.size ? tr("{1} from byte {2} on", cli::bytes_of(*segment.size), segment.offset)
                                   : tr("all from byte {1} on", segment.offset));
  }
  for (const Luks2Slot& slot : report.metadata.slots) row(tr("key slot {1}", quote_name(slot.id)), describe(slot));
  for (const std::string& name : report.metadata.requirements) row(tr("requires"), quote_name(name));
  if (report.metadata.num_tokens > 0) row(tr("tokens"), std::to_string(report.metadata.num_tokens));
  if (!report.problem.empty()) {
    row(tr("served"), tr("no: {1}", report.problem));
  } else {
    row(tr("size"), cli::bytes_of(report.layout.size));
    row(tr("served"), report.has_nbdkit && report.has_plugin ? tr("by `vershina disk serve`")
                      : report.why_no_plugin.empty() ? tr("not here: nbdkit or its plugin vershina is not installed")
                                                     : tr("not here: {1}", report.why_no_plugin));
    row("dm-crypt", report.has_kernel_cipher ? tr("this kernel has the cipher") : tr("this kernel lacks the cipher"));
  }
  return text;
}

std::string luks2_json(const Luks2Report& report) {
  JsonObject top(cli::JsonLayout::lines);
  top.add("format", "luks2").add("uuid", report.uuid).add("label", report.label);
  JsonArray segments, slots;
  for (const Luks2Segment& segment : report.metadata.segments) {
    JsonObject object;
    object.add("cipher", segment.cipher).add("sector_size", segment.sector_len).add("offset", segment.offset);
    object.add("size", segment.size).add("iv_offset", segment.iv_offset).add("integrity", segment.has_integrity);
    segments.add(object);
  }
  for (const Luks2Slot& slot : report.metadata.slots) {
    JsonObject object;
    object.add("slot", slot.id).add("type", slot.type).add("opens_volume", slot.opens_segment);
    object.add("area_cipher", slot.area_cipher).add("kdf", slot.kdf).add("memory_kib", slot.memory);
    object.add("passes", slot.time).add("lanes", slot.lanes).add("iterations", slot.iterations).add("hash", slot.hash);
    slots.add(object);
  }
  top.add("segments", segments).add("slots", slots).add("requirements", JsonArray(report.metadata.requirements));
  top.add("tokens", report.metadata.num_tokens);
  top.add("size", report.problem.empty() ? cli::Json(report.layout.size) : cli::Json());
  top.add("problem", report.problem.empty() ? cli::Json() : cli::Json(report.problem));
  top.add("nbdkit", report.has_nbdkit).add("plugin", report.has_plugin);
  top.add("kernel_cipher", report.has_kernel_cipher);
  return top.text() + "\n";
}

}  // namespace vsh::disk
