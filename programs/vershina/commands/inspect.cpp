// `vershina inspect`: the header of a sealed file; with a secret also which recipient that is.
#include <algorithm>
#include <memory>
#include <set>

#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/secret_options.hpp"
#include "programs/common/sealing/derivation.hpp"
#include "programs/common/sealing/sealed_file.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"

namespace vsh::cli {
namespace {

struct Facts {
  std::string name;
  vsh_sealed_info info{};
  std::optional<uint64_t> file_len;   // of a regular file
  std::optional<uint64_t> plain_len;  // if a sealed file can have that length
  // The recipients that the given secrets open, by number from 0; nothing: no secret was given.
  std::optional<std::set<size_t>> own;

  bool is_own(size_t i) const { return own && own->count(i) != 0; }
};

struct InspectSettings {
  std::string file;
  SecretOptions secrets;
  WorkLimits limits;
  bool json = false;
};

// Tries each secret by itself: several may open the file. The header that one opens is authentic.
std::set<size_t> find_own(const std::string& name, const SealedHeader& header, const InspectSettings& settings) {
  const vsh_sealed_info shown = inspect_header(name, header);
  if (settings.secrets.has_passphrase()) settings.limits.check(shown, name);
  const EchoGuard silence;
  std::vector<Secret> secrets = settings.secrets.load(settings.file == "-");
  settings.secrets.ask_for_more(secrets, false);
  std::set<size_t> own;
  while (!secrets.empty()) {
    std::vector<Secret> one;
    one.push_back(std::move(secrets.back()));
    secrets.pop_back();
    const OpenerContext opener = new_opener(name, header, settings.limits, VSH_OPTIONS_INIT);
    try {
      (void)unlock(opener.get(), name, one);
    } catch (const Failure& failure) {
      if (failure.code() == ExitCode::wrong_key) continue;
      throw;
    }
    size_t i = 0;
    if (vsh_opener_recipient(opener.get(), &i) == VSH_OK) own.insert(i);
  }
  return own;
}

Facts read_facts(const InspectSettings& settings) {
  InputFile input(settings.file);
  const SealedHeader header(input);
  Facts facts{input.name(), inspect_header(input.name(), header), {}, {}, {}};
  if (settings.secrets.given()) facts.own = find_own(input.name(), header, settings);
  if (!S_ISREG(input.status().st_mode)) return facts;
  facts.file_len = static_cast<uint64_t>(input.status().st_size);
  const OpenerContext opener = new_opener(input.name(), header, WorkLimits::none(), VSH_OPTIONS_INIT);
  uint64_t len = 0;
  if (vsh_opener_plain_len(opener.get(), &len, *facts.file_len) == VSH_OK) facts.plain_len = len;
  return facts;
}

std::string derivation_text(const vsh_sealed_info& info, size_t i) {
  const vsh_recipient_info& recipient = info.recipients[i];
  if (recipient.kind == VSH_RECIPIENT_KEY) return tr("key file");
  if (recipient.iterations == 0) return tr("passphrase, argon2id: {1}", text_of(info.argon2id[i]));
  return tr_count(recipient.iterations, "passphrase, {1} iteration", "passphrase, {1} iterations");
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
    if (facts.file_len) add(tr("plaintext"), tr("unknown: no complete sealed file has this length"));
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
    const char* const label = info.recipients[i].label;
    add(tr("recipient {1}", i + 1), derivation_text(info, i) + (*label ? ", " + quote_name(label) : "") +
                                        (facts.is_own(i) ? tr(" (opened by what was given)") : ""));
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
    if (!is_key && recipient.iterations != 0) row.add("derivation", "pbkdf2").add("iterations", recipient.iterations);
    if (!is_key && recipient.iterations == 0) {
      const vsh_argon2id& cost = info.argon2id[i];
      row.add("derivation", "argon2id").add("passes", cost.passes);
      row.add("memory", uint64_t{cost.memory} * 1024).add("lanes", cost.lanes);
    }
    row.add("label", recipient.label);
    if (facts.own) row.add("own", facts.is_own(i));
    recipients.add(row);
  }
  JsonObject all(JsonLayout::lines);
  all.add("file", file).add("version", info.version).add("cipher", info.cipher);
  all.add("key_derivation", info.key_derivation).add("content", content_name(info));
  all.add("length", facts.file_len).add("plaintext_length", facts.plain_len);
  all.add("chunk_length", info.chunk_len).add("num_chunks", facts.plain_len ? Json(num_chunks(facts)) : Json());
  all.add("file_id", encode_hex(info.file_id)).add("slot_length", info.slot_len);
  all.add("generation", info.generation).add("slots", slots).add("slots_differ", info.slots_differ != 0);
  all.add("recipients", recipients);
  return all.text() + "\n";
}

constexpr const char* kInspectExamples =
    mark(R"(No passphrase is needed, and nothing is verified: what this shows is known to be true only when `vershina
open` or `vershina open --verify` succeeds. `vershina rekey --remove` takes the numbers of the
recipients. With a passphrase or key the recipients that it opens are marked, and the header is then
authentic, labels included.

Examples:
  vershina inspect report.pdf.sealed
  vershina inspect -k office.key report.pdf.sealed   which of them is this key?
  vershina inspect --json report.pdf.sealed | jq .recipients)");

}  // namespace

void add_inspect_command(Program& program) {
  Command& command = program.add_command("inspect", tr("Show the header of a sealed file"));
  auto settings = std::make_shared<InspectSettings>();
  command.add_operand("FILE", settings->file, tr("The sealed file, or - for standard input"))->required();
  settings->secrets.add_to(command, "", SecretOptions::Use::open);
  settings->limits.add_to(command);
  command.add_flag("--json", settings->json, tr("JSON for programs"))
      ->manual(
          "JSON for programs. Where a passphrase or a key is given, `own` says of each recipient whether it "
          "opens the file.");
  add_quiet_option(command);
  command.footer(tr(kInspectExamples));
  command.exit_status({ExitCode::ok,
                       ExitCode::usage,
                       ExitCode::input,
                       ExitCode::wrong_key,
                       {ExitCode::header, tr("not a sealed file, or its header is damaged or tampered with")},
                       {ExitCode::truncated, tr("the file ends within its header")},
                       ExitCode::version,
                       ExitCode::parameters});
  command.action([=] {
    const Facts facts = read_facts(*settings);
    print(settings->json ? json_of(facts, settings->file) : text_of(facts));
    if (facts.own && facts.own->empty()) {
      throw Failure(ExitCode::wrong_key, tr("{1}: no passphrase or key given opens it", facts.name),
                    tr("check the passphrase (keyboard layout, Caps Lock) or the key file"));
    }
  });
}

}  // namespace vsh::cli
