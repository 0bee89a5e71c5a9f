// The table of commands against texts: the manual pages, whose options tools/man1.py reads from the source, and
// docs/cli.md name each option, each page and each exit code, and nothing else; and the table's own consistency.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "programs/bench/command.hpp"
#include "programs/bench/tune/command.hpp"
#include "programs/common/options/help.hpp"
#include "programs/vershina/commands/commands.hpp"

using namespace vsh::cli;

namespace {

const std::string kMan = VSH_BINARY_DIR "/man1/";

std::string read(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the name of the page with the text of vershina-COMMAND(1): ".so" names another one.
std::string page_of(const std::string& command) {
  static const std::regex other(R"(^\.so man1/(\S+)\n$)");
  const std::string name = "vershina-" + command + ".1", text = read(kMan + name);
  std::smatch match;
  return std::regex_match(text, match, other) ? match[1].str() : name;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::set<std::string> found(const std::string& text, const std::regex& pattern) {
  std::set<std::string> all;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) all.insert((*it)[1]);
  return all;
}

// Returns the options in the list of a page with the word for their value, which is empty for flags:
// ".It Fl o Ar OUT , Fl -output Ar OUT", ".It Fl n , Fl -dry-run".
std::map<std::string, std::string> documented_options(const std::string& page) {
  static const std::regex item(R"(Fl (-?[a-z0-9][a-z0-9-]*)(?: Ar (\S+))?)");
  std::map<std::string, std::string> options;
  for (const std::string& line : lines_of(page)) {
    if (!line.starts_with(".It Fl ")) continue;
    for (std::sregex_iterator it(line.begin(), line.end(), item), end; it != end; ++it)
      options["-" + (*it)[1].str()] = (*it)[2];
  }
  return options;
}

std::string section(const std::string& page, const std::string& heading) {
  const size_t begin = page.find(".Sh " + heading + "\n");
  if (begin == page.npos) return {};
  return page.substr(begin, page.find("\n.Sh ", begin) - begin);
}

class CommandTable : public testing::Test {
 protected:
  CommandTable() {
    add_commands(program_);
    vsh::bench::add_tune_command(bench_);
#if VSH_WITH_BENCH
    vsh::bench::add_bench_command(bench_);
#endif
  }

  // Includes those of vershina-bench with their options, which the program's own table lacks.
  std::vector<const Command*> commands() const {
    std::vector<const Command*> all;
    for (const Command& command : program_.commands()) all.push_back(&command);
    for (const Command& command : bench_.commands())
      for (const Command*& known : all)
        if (known->name() == command.name()) known = &command;
    return all;
  }

  // The commands that have a page of options; several may share one.
  std::map<std::string, std::vector<const Command*>> pages() const {
    std::map<std::string, std::vector<const Command*>> all;
    for (const Command* command : commands())
      if (command->name() != "help") all[page_of(command->name())].push_back(command);
    all.erase("vershina.1");
    // Pages of other programs, which need not be built, are checked by program_test.py of each.
    for (const char* const page : {"vershina-disk.1", "vershina-tunnel.1", "vershina-tomo.1"}) all.erase(page);
    return all;
  }

  Program program_{"vershina", "Test"}, bench_{"vershina", "Test"};
};

}  // namespace

TEST_F(CommandTable, NamesEachOptionOnce) {
  for (const Command* command : commands()) {
    std::set<std::string> names;
    for (const Option& option : command->options()) {
      for (const std::string& name : option.names()) EXPECT_TRUE(names.insert(name).second) << command->name() << name;
      EXPECT_EQ(option.takes_value(), !option.type().empty()) << command->name() << option.name();
      EXPECT_FALSE(option.description().empty()) << command->name() << option.name();
    }
  }
}

TEST_F(CommandTable, FitsTheScreen) {
  for (const Command* command : commands())
    for (const std::string& line : lines_of(help_text(*command))) EXPECT_LE(line.size(), 110u) << line;
  for (const std::string& line : lines_of(help_text(program_))) EXPECT_LE(line.size(), 110u) << line;
}

TEST_F(CommandTable, IsWhatTheManualPagesExplain) {
  size_t num = 0;
  for (const auto& [page, commands] : pages()) {
    const std::string text = read(kMan + page);
    auto documented = documented_options(text);
    std::set<std::string> declared;
    for (const Command* command : commands) {
      for (const Option& option : command->options()) {
        if (option.is_operand() || option.name() == "--help") continue;
        for (const std::string& name : option.names()) {
          declared.insert(name);
          EXPECT_TRUE(documented.contains(name)) << page << " does not explain " << name;
          // Commands that share a page may have different words: "random|file".
          EXPECT_NE(("|" + documented[name] + "|").find("|" + option.type() + "|"), std::string::npos)
              << page << ": the value of " << name << " is " << documented[name] << ", not " << option.type();
          ++num;
        }
      }
    }
    for (const auto& [name, value] : documented)
      EXPECT_TRUE(declared.contains(name)) << page << " explains " << name << ", which is not an option";
  }
  EXPECT_GT(num, 150u);
}

TEST_F(CommandTable, IsListedByManualAndDocument) {
  const std::string manual = read(kMan + "vershina.1"), document = read(std::string(VSH_SOURCE_DIR) + "/docs/cli.md");
  for (const Command& command : program_.commands()) {
    const std::regex item("\n\\.It Cm (\\w+ , )?" + command.name() + "( |\n)");
    EXPECT_TRUE(std::regex_search(manual, item)) << command.name();
    const bool has_page = command.name() != "help";
    EXPECT_EQ(document.find("`man vershina-" + command.name() + "`") != document.npos, has_page) << command.name();
  }
}

TEST_F(CommandTable, HasTheExitCodesOfTheDocuments) {
  std::set<std::string> codes;
  for (const ExitRow& row : kExitCodes) {
    codes.insert(std::to_string(static_cast<int>(row.code)));
    EXPECT_EQ(&row_of(row.code), &row);
    EXPECT_NE(help_text(program_).find(" " + *codes.rbegin()), std::string::npos);
  }
  EXPECT_TRUE(codes.contains("12"));
  const std::string document = read(std::string(VSH_SOURCE_DIR) + "/docs/cli.md");
  EXPECT_EQ(found(document, std::regex(R"(\n\| (\d+) \|)")), codes);
  EXPECT_EQ(found(section(read(kMan + "vershina.1"), "EXIT STATUS"), std::regex(R"(\n\.It (\d+)\n)")), codes);
  const std::string help = all_exit_codes();
  EXPECT_EQ(found(" " + help.substr(help.find(':')), std::regex(R"([:;]\s(\d+)\s)")), codes);
}

TEST_F(CommandTable, HasTheExitCodesOfEachManualPage) {
  for (const auto& [page, commands] : pages()) {
    const auto documented = found(section(read(kMan + page), "EXIT STATUS"), std::regex(R"(\b(\d+)\b)"));
    for (const Command* command : commands) {
      EXPECT_FALSE(command->exit_status().empty()) << command->name();
      for (const auto& [code, words] : command->exit_status()) {
        const std::string number = std::to_string(static_cast<int>(code));
        EXPECT_TRUE(documented.contains(number)) << page << ": " << number;
      }
    }
  }
}
