// `vershina inspect`: the header of a sealed file, without any secret.
#include <algorithm>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/engine_options.hpp"
#include "cli/sealing/sealed_file.hpp"
#include "cli/system/console.hpp"
#include "cli/text/columns.hpp"
#include "cli/text/hex.hpp"
#include "cli/text/json.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::cli {
namespace {

struct Facts {
  std::string name;
  vsh_sealed_info info{};
  std::optional<uint64_t> file_len;   // of a regular file
  std::optional<uint64_t> plain_len;  // if a sealed file can have that length
};

Facts read_facts(const std::string& file) {
  InputFile input(file);
  const SealedHeader header(input);
  Facts facts{input.name(), inspect_header(input.name(), header), {}, {}};
  if (!S_ISREG(input.status().st_mode)) return facts;
  facts.file_len = static_cast<uint64_t>(input.status().st_size);
  const OpenerContext opener = new_opener(input.name(), header, UINT64_MAX, VSH_OPTIONS_INIT);
  uint64_t len = 0;
  if (vsh_opener_plain_len(opener.get(), &len, *facts.file_len) == VSH_OK) facts.plain_len = len;
  return facts;
}

const char* content_name(const vsh_sealed_info& info) {
  return info.content == VSH_SEALED_DIRECTORY ? mark("directory") : mark("file");
}

const char* slot_name(const vsh_sealed_slot_info& slot) {
  switch (slot.status) {
    case VSH_OK: return mark("whole");
    case VSH_E_VERSION: return mark("unknown version");
    case VSH_E_PARAMETERS: return mark("parameters beyond the bounds");
    default: return mark("damaged");
  }
}

uint64_t num_chunks(const Facts& facts) {
  return std::max<uint64_t>(1, (*facts.plain_len + facts.info.chunk_len - 1) / facts.info.chunk_len);
}

std::string text_of(const Facts& facts) {
  const vsh_sealed_info& info = facts.info;
  std::vector<std::vector<std::string>> rows = {
      {tr("file"), facts.name},
      {tr("format"), tr("version {1}, {2}, {3}", info.version, info.cipher, info.key_derivation)},
      {tr("content"), tr(content_name(info))},
  };
  const auto add = [&](const std::string& what, const std::string& value) { rows.push_back({what, value}); };
  if (facts.file_len) add(tr("length"), bytes_of(*facts.file_len));
  if (facts.plain_len) {
    add(tr("plaintext"), bytes_of(*facts.plain_len));
    add(tr("chunks"), tr("{1} of {2}", num_chunks(facts), bytes_of(info.chunk_len)));
  } else {
    if (facts.file_len) add(tr("plaintext"), tr("unknown: no whole sealed file is that long"));
    add(tr("chunks"), tr("of {1}", bytes_of(info.chunk_len)));
  }
  add(tr("header"), tr("2 slots of {1}", bytes_of(info.slot_len)));
  add(tr("file id"), encode_hex(info.file_id));
  add(tr("generation"), std::to_string(info.generation));
  for (size_t i = 0; i < VSH_SEALED_NUM_SLOTS; ++i) {
    std::string value = tr(slot_name(info.slots[i]));
    if (info.slots[i].status == VSH_OK) value += tr(", generation {1}", info.slots[i].generation);
    add(tr("slot {1}", i), value);
  }
  for (size_t i = 0; i < info.num_recipients; ++i) {
    const vsh_recipient_info& recipient = info.recipients[i];
    const bool is_key = recipient.kind == VSH_RECIPIENT_KEY;
    const std::string label = *recipient.label ? ", " + quote_name(recipient.label) : "";
    add(tr("recipient {1}", i + 1),
        (is_key ? tr("key file")
                : tr_count(recipient.iterations, "passphrase, {1} iteration", "passphrase, {1} iterations")) +
            label);
  }
  std::string text = align_columns(rows, {});
  if (info.slots_differ) text += tr("The two slots are not the same: `vershina rekey --keep` repairs that.") + "\n";
  return text;
}

std::string json_of(const Facts& facts, const std::string& file) {
  const vsh_sealed_info& info = facts.info;
  JsonArray slots, recipients;
  for (const vsh_sealed_slot_info& slot : info.slots)
    slots.add(JsonObject().add("state", slot_name(slot)).add("generation", slot.generation));
  for (size_t i = 0; i < info.num_recipients; ++i) {
    const vsh_recipient_info& recipient = info.recipients[i];
    const bool is_key = recipient.kind == VSH_RECIPIENT_KEY;
    JsonObject row;
    row.add("number", i + 1).add("kind", is_key ? "key" : "passphrase");
    if (!is_key) row.add("iterations", recipient.iterations);
    recipients.add(row.add("label", recipient.label));
  }
  const auto number = [](const std::optional<uint64_t>& value) { return value ? Json(*value) : Json(); };
  JsonObject all(JsonLayout::lines);
  all.add("file", file).add("version", info.version).add("cipher", info.cipher);
  all.add("key_derivation", info.key_derivation).add("content", content_name(info));
  all.add("length", number(facts.file_len)).add("plaintext_length", number(facts.plain_len));
  all.add("chunk_length", info.chunk_len).add("num_chunks", facts.plain_len ? Json(num_chunks(facts)) : Json());
  all.add("file_id", encode_hex(info.file_id)).add("slot_length", info.slot_len);
  all.add("generation", info.generation).add("slots", slots).add("slots_differ", info.slots_differ != 0);
  all.add("recipients", recipients);
  return all.text() + "\n";
}

constexpr const char* kInspectExamples =
    mark(R"(No passphrase is needed, and nothing is verified: what this shows is known to be true only when `vershina
open` or `vershina open --verify` succeeds. `vershina rekey --remove` takes the numbers of the
recipients.

Examples:
  vershina inspect report.pdf.sealed
  vershina inspect --json report.pdf.sealed | jq .recipients)");

}  // namespace

void add_inspect_command(Program& program) {
  Command& command = program.add_command("inspect", tr("Show the header of a sealed file"));
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command.add_operand("FILE", *file, tr("The sealed file, or - for standard input"))->required();
  command.add_flag("--json", *json, tr("JSON for programs"));
  add_quiet_option(command);
  command.footer(tr(kInspectExamples));
  command.exit_status({ExitCode::ok,
                       ExitCode::usage,
                       ExitCode::input,
                       {ExitCode::header, tr("not a sealed file, or its header is damaged or tampered with")},
                       {ExitCode::truncated, "truncated header"},
                       ExitCode::version,
                       ExitCode::parameters});
  command.action([=] {
    const Facts facts = read_facts(*file);
    print(*json ? json_of(facts, *file) : text_of(facts));
  });
}

}  // namespace vsh::cli
