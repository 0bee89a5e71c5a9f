#include "cli/system/companion.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::cli {
namespace {

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> companion_directories() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return {self.parent_path().string(), VSH_INSTALLED_PROGRAMS};
}

std::string find_companion(const std::string& name, const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    const std::string path = directory + "/" + name;
    if (directory.starts_with('/') && is_program(path)) return path;
  }
  return {};
}

void start_companion(const std::string& name, const std::string& package, const std::vector<std::string>& arguments) {
  std::string path = find_companion(name, companion_directories());
  if (path.empty()) {
    throw Failure(ExitCode::usage, tr("the program {1}, which does this, is not installed", name),
                  tr("install the package {1}", package));
  }
  std::vector<std::string> words = arguments;
  std::vector<char*> argv = {path.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
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
