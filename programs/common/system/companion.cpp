#include "programs/common/system/companion.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

Installed find_companion(const std::string& name, std::string* why) {
  Installed found = find_from_program(".", name, why);
  const bool is_program = found && ::access(found.path.c_str(), X_OK) == 0;
  return is_program ? std::move(found) : find_installed(VSH_INSTALLED_PROGRAMS, name);
}

void start_companion(const std::string& name, const std::string& package, const std::vector<std::string>& arguments) {
  std::string why;
  const Installed found = find_companion(name, &why);
  if (!found && !why.empty())
    throw Failure(ExitCode::usage, why,
                  tr("the program is not started: anyone who may write there could run anything as you"));
  if (!found) {
    throw Failure(ExitCode::usage, tr("the program {1}, which does this, is not installed", name),
                  tr("install the package {1}", package));
  }
  std::string path = found.name;
  std::vector<std::string> words = arguments;
  std::vector<char*> argv = {path.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  found.keep_open();
  ::execv(found.path.c_str(), argv.data());
  throw Failure(ExitCode::internal, tr("{1}: cannot be started: {2}", quote_name(path), std::strerror(errno)), {},
                errno);
}

std::vector<std::string> arguments_for_bench(int argc, const char* const* argv) {
  const auto has = [&](int at, std::initializer_list<std::string_view> words) {
    return at < argc && std::find(words.begin(), words.end(), argv[at]) != words.end();
  };
  const auto has_command = [&](int at) { return has(at, {"bench", "tune"}); };
  if (has_command(1)) return {argv + 1, argv + argc};
  if (argc == 3 && has(1, {"help"}) && has_command(2)) return {argv[2], "--help"};
  const bool completes = argc > 5 && has(1, {"completion"}) && has(2, {"--candidates"}) && has(3, {"--"});
  return completes && has_command(4) ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>{};
}

std::optional<std::vector<std::string>> arguments_for(std::string_view name, int argc, const char* const* argv) {
  const auto is = [&](int at, std::string_view word) { return at < argc && argv[at] == word; };
  if (is(1, name)) return std::vector<std::string>(argv + 2, argv + argc);
  if (argc == 3 && is(1, "help") && is(2, name)) return std::vector<std::string>{"--help"};
  if (argc > 5 && is(1, "completion") && is(2, "--candidates") && is(3, "--") && is(4, name)) {
    std::vector<std::string> words = {"completion", "--candidates", "--"};
    words.insert(words.end(), argv + 5, argv + argc);
    return words;
  }
  return std::nullopt;
}

}  // namespace vsh::cli
