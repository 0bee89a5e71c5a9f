#include "programs/common/options/help.hpp"

#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

constexpr size_t kNameColumns = 28, kTextColumns = 80, kColumns = 105;

// Formats a name with its description next to it, or below a long name.
std::string entry(const std::string& name, const std::string& description) {
  const std::string indent(kNameColumns, ' ');
  std::string text = "  " + name;
  const size_t columns = columns_of(text);
  text += columns < kNameColumns ? std::string(kNameColumns - columns, ' ') : "\n" + indent;
  for (const char c : fold(description, kTextColumns)) {
    text += c;
    if (c == '\n') text += indent;
  }
  return text + "\n";
}

std::string list(const std::string& heading, const std::vector<const Option*>& options) {
  std::string text;
  if (!options.empty()) text = " " + heading;
  for (const Option* option : options) text += " " + option->name();
  return text;
}

// "-o,--output OUT REQUIRED"
std::string declared(const Option& option) {
  std::string text;
  for (const std::string& name : option.names()) text += (text.empty() ? "" : ",") + name;
  if (!option.type().empty()) text += " " + option.type();
  if (option.repeats() && (option.takes_value() || option.is_operand())) text += " ...";
  if (option.is_required()) text += " " + tr("REQUIRED");
  return text + list(tr("Needs:"), option.needed()) + list(tr("Excludes:"), option.excluded());
}

std::string usage(const Command& command) {
  std::string text = tr("Usage: {1} [OPTIONS]", command.full_name());
  for (const Option& option : command.options()) {
    if (!option.is_operand()) continue;
    const std::string name = option.name() + (option.repeats() ? "..." : "");
    text += option.is_required() ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

std::string entries(const Command& command, const std::string& heading, bool operands) {
  std::string text;
  for (const Option& option : command.options())
    if (option.is_operand() == operands) text += entry(declared(option), option.description());
  return text.empty() ? text : "\n" + heading + "\n" + text;
}

std::string exit_codes(const Command& command) {
  std::string text;
  for (const auto& [code, words] : command.exit_status()) {
    text += (text.empty() ? tr("Exit status:") + " " : "; ") + std::to_string(static_cast<int>(code));
    const std::string meaning = !words.empty() ? words : code == ExitCode::ok ? "" : tr(row_of(code).word);
    text += meaning.empty() ? "" : " " + meaning;
  }
  return text.empty() ? text : "\n" + fold(text + "; " + tr("see vershina(1)."), kColumns) + "\n";
}

std::string below(const std::string& footer) { return footer.empty() ? footer : "\n" + footer + "\n"; }

}  // namespace

std::string help_text(const Program& program) {
  std::string text = program.description() + "\n" + tr("Usage: {1} [OPTIONS] SUBCOMMAND", program.name()) + "\n\n" +
                     tr("Options:") + "\n" + entry("-h,--help", tr("Print this help message and exit")) +
                     entry("--version", tr("Print version, compiler and features")) + "\n" + tr("Subcommands:") + "\n";
  for (const Command& command : program.commands()) text += entry(command.name(), command.description());
  return text + below(program.footer());
}

std::string help_text(const Command& command) {
  return command.description() + "\n" + usage(command) + entries(command, tr("Positionals:"), true) +
         entries(command, tr("Options:"), false) + below(command.footer()) + exit_codes(command);
}

std::string all_exit_codes() {
  std::string text;
  for (const ExitRow& row : kExitCodes)
    text += (text.empty() ? tr("Exit status:") + " " : "; ") + std::to_string(static_cast<int>(row.code)) + " " +
            tr(row.text);
  return fold(text + ". " + tr("`hash` has 0 and 1 only, as coreutils."), kColumns);
}

}  // namespace vsh::cli
