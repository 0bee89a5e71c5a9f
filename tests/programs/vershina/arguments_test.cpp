// The parser of command lines: the values that a command gets, and refusals with their texts.
#include "programs/common/options/arguments.hpp"

#include <gtest/gtest.h>

#include "programs/common/options/help.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/text/failure.hpp"

using namespace vsh::cli;

namespace {

struct Result {
  std::string output, in, problem;
  Texts files, keys;
  unsigned number = 0;
  int prompts = 0;
  bool force = false, ran = false;
  Request request = Request::run;
  Texts order;
};

Result read(const Texts& words) {
  Result r;
  Command command("program", "work", "Works");
  command.add_operand("IN", r.in, "Input")->required();
  command.add_operand("MORE", r.files, "More");
  command.add_option("-o,--output", r.output, "OUT", "Output");
  command.add_option("-k,--key-file,--old-name", r.keys, "FILE", "Keys");
  add_number(command, "-n,--number", r.number, {.max = 9}, "Number");
  command.add_flag("-p,--prompt", r.prompts, "Prompts");
  Option* force = command.add_flag("-f,--force", r.force, "Force");
  Option* quiet = command.add_flag("-q,--quiet", "Quiet");
  command.add_flag("--keep", "Keep")->excludes(force);
  command.add_flag("--more", "More")->needs(quiet);
  command.action([&] { r.ran = true; });
  try {
    r.request = read_arguments(command, words);
    if (r.request != Request::run) return r;
    EXPECT_EQ(command.run(), ExitCode::ok);
    for (const Option* option : command.given()) r.order.push_back(option->name());
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::usage);
    r.problem = failure.what();
  }
  return r;
}

std::string problem(const Texts& words) { return read(words).problem; }

constexpr const char* kSee = ": see `program work --help`";

}  // namespace

TEST(Arguments, AreReadAsGetoptDoes) {
  const Result r = read({"-fo", "out", "in", "-k1", "--old-name=2", "-pqp", "--number", "7", "a", "--", "-b", "--"});
  EXPECT_EQ(r.problem, "");
  EXPECT_TRUE(r.ran && r.force);
  EXPECT_EQ(r.output, "out");
  EXPECT_EQ(r.in, "in");
  EXPECT_EQ(r.files, (Texts{"a", "-b", "--"}));
  EXPECT_EQ(r.keys, (Texts{"1", "2"}));
  EXPECT_EQ(r.prompts, 2);
  EXPECT_EQ(r.number, 7u);
  EXPECT_EQ(r.order,
            (Texts{"--force", "--output", "--key-file", "--key-file", "--prompt", "--quiet", "--prompt", "--number"}));
}

TEST(Arguments, MayLookLikeAnything) {
  const Result r = read({"-o", "--", "[a,b]", "{}", "-", "-k", "-x", "--key-file=a=b"});
  EXPECT_EQ(r.problem, "");
  EXPECT_EQ(r.output, "--");
  EXPECT_EQ(r.in, "[a,b]");
  EXPECT_EQ(r.files, (Texts{"{}", "-"}));
  EXPECT_EQ(r.keys, (Texts{"-x", "a=b"}));
}

TEST(Arguments, AreRefusedInPlainWords) {
  EXPECT_EQ(problem({"in", "-o", "a", "--output=b"}), "--output is given twice: give it once");
  EXPECT_EQ(problem({"in", "-o", ""}), "--output is empty: give a value, or leave out --output");
  EXPECT_EQ(problem({"in", "--output="}), "--output is empty: give a value, or leave out --output");
  EXPECT_EQ(problem({"in", "-fo"}), std::string("--output needs a value") + kSee);
  EXPECT_EQ(problem({"in", "--force=1"}), std::string("--force takes no value") + kSee);
  EXPECT_EQ(problem({"in", "-fz"}), std::string("unknown option -fz") + kSee);
  EXPECT_EQ(problem({"in", "--outptu"}), "unknown option --outptu: did you mean --output?");
  EXPECT_EQ(problem({"in", "--out"}), "unknown option --out: did you mean --output?") << "no abbreviations";
  EXPECT_EQ(problem({}), "IN is required: name a file, or - for standard input");
  EXPECT_EQ(problem({"in", "--keep", "-f"}), std::string("--force excludes --keep") + kSee);
  EXPECT_EQ(problem({"in", "--more"}), std::string("--more requires --quiet") + kSee);
  EXPECT_EQ(problem({"--number", "-1"}), "--number: -1 has a sign: give a whole number from 0 to 9");
}

TEST(Arguments, StopAtHelp) {
  EXPECT_EQ(read({"--help", "--nonsense"}).request, Request::help);
  EXPECT_EQ(read({"-fh", "-o"}).request, Request::help);
  EXPECT_EQ(read({"--version"}).request, Request::version);
  EXPECT_FALSE(read({"in", "--version"}).ran);
  EXPECT_EQ(problem({"--nonsense", "--help"}), std::string("unknown option --nonsense") + kSee);
}

TEST(Help, IsWrittenFromTheTable) {
  std::string text;
  Command command("program", "work", "Works");
  command.add_operand("IN", text, "Input")->required();
  Option* const output = command.add_option("-o,--output", text, "OUT", "Output");
  command.add_flag("--long-name-of-a-flag", "Flag")->excludes(output);
  command.footer("Below.");
  command.exit_status({ExitCode::ok, ExitCode::data, {ExitCode::device, "no such thing"}});
  EXPECT_EQ(help_text(command), R"(Works
Usage: program work [OPTIONS] IN

Positionals:
  IN REQUIRED               Input

Options:
  -h,--help                 Print this help message and exit
  -o,--output OUT Excludes: --long-name-of-a-flag
                            Output
  --long-name-of-a-flag Excludes: --output
                            Flag

Below.

Exit status: 0; 1 wrong data; 12 no such thing; see vershina(1).
)");
}
