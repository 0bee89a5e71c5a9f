#include "cli/options/help.hpp"

#include "cli/text/text.hpp"

namespace vsh::cli {
namespace {

constexpr size_t kNameColumns = 28, kTextColumns = 80, kColumns = 105;

// Formats a name with its description next to it, or below a long name.
std::string entry(const std::string& name, const std::string& description) {
  const std::string indent(kNameColumns, ' ');
  std::string text = "  " + name;
  text += text.size() < kNameColumns ? std::string(kNameColumns - text.size(), ' ') : "\n" + indent;
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
  if (option.is_required()) text += " REQUIRED";
  return text + list("Needs:", option.needed()) + list("Excludes:", option.excluded());
}

std::string usage(const Command& command) {
  std::string text = "Usage: " + command.full_name() + " [OPTIONS]";
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
  return text.empty() ? text : "\n" + heading + ":\n" + text;
}

std::string exit_codes(const Command& command) {
  std::string text;
  for (const auto& [code, words] : command.exit_status()) {
    text += (text.empty() ? "Exit status: " : "; ") + std::to_string(static_cast<int>(code));
    const char* const meaning = words ? words : code == ExitCode::ok ? "" : row_of(code).word;
    text += *meaning ? std::string(" ") + meaning : "";
  }
  return text.empty() ? text : "\n" + fold(text + "; see vershina(1).", kColumns) + "\n";
}

std::string below(const std::string& footer) { return footer.empty() ? footer : "\n" + footer + "\n"; }

}  // namespace

std::string help_text(const Program& program) {
  std::string text = program.description() + "\nUsage: " + program.name() + " [OPTIONS] SUBCOMMAND\n\nOptions:\n" +
                     entry("-h,--help", "Print this help message and exit") +
                     entry("--version", "Print version, compiler and features") + "\nSubcommands:\n";
  for (const Command& command : program.commands()) text += entry(command.name(), command.description());
  return text + below(program.footer());
}

std::string help_text(const Command& command) {
  return command.description() + "\n" + usage(command) + entries(command, "Positionals", true) +
         entries(command, "Options", false) + below(command.footer()) + exit_codes(command);
}

std::string all_exit_codes() {
  std::string text;
  for (const ExitRow& row : kExitCodes)
    text += (text.empty() ? "Exit status: " : "; ") + std::to_string(static_cast<int>(row.code)) + " " + row.text;
  return fold(text + ". `hash` has 0 and 1 only, as coreutils.", kColumns);
}

}  // namespace vsh::cli
