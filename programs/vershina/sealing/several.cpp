#include "programs/vershina/sealing/several.hpp"

#include <sys/stat.h>

#include <map>
#include <tuple>

#include "programs/common/files/output_file.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::cli {
namespace {

// The target of a name: a file that exists, or a name in a directory.
using Place = std::tuple<dev_t, ino_t, std::string>;

Place place_of(const std::string& name) {
  struct stat status {};
  if (::stat(name.c_str(), &status) == 0) return {status.st_dev, status.st_ino, ""};
  const size_t slash = name.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : name.substr(0, slash + 1);
  if (::stat(parent.c_str(), &status) != 0) return {0, 0, name};
  return {status.st_dev, status.st_ino, slash == std::string::npos ? name : name.substr(slash + 1)};
}

}  // namespace

void check_pairs(const std::vector<FilePair>& pairs) {
  if (pairs.size() < 2) return;
  std::map<Place, const FilePair*> inputs, outputs;
  for (const FilePair& pair : pairs) {
    if (pair.input == "-") {
      throw Failure(ExitCode::usage, tr("standard input is one of several inputs"), tr("give - by itself"));
    }
    inputs.emplace(place_of(pair.input), &pair);
  }
  for (const FilePair& pair : pairs) {
    if (pair.output.empty()) continue;
    const Place place = place_of(pair.output);
    if (const auto [found, is_new] = outputs.emplace(place, &pair); !is_new) {
      throw Failure(ExitCode::usage,
                    tr("{1}: would be the output of {2} and of {3}", quote_name(pair.output),
                       quote_name(found->second->input), quote_name(pair.input)),
                    tr("give each input once, or run the command for each"));
    }
    if (inputs.count(place) != 0) {
      throw Failure(
          ExitCode::usage,
          tr("{1}: is an input, and would be the output of {2}", quote_name(pair.output), quote_name(pair.input)),
          tr("leave out one of them, or give another --suffix"));
    }
  }
}

bool Failures::run(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Failure& failure) {
    if (is_single_ || failure.code() == ExitCode::closed_pipe) throw;
    print_error(failure.what());
    if (first_ == ExitCode::ok) first_ = failure.code();
    return false;
  }
}

Option* add_suffix_option(Command& command, std::string& suffix, const std::string& description) {
  const auto take = [&suffix](const Texts& texts) {
    suffix = texts.back();
    if (suffix.size() > 1 && suffix[0] == '.' && suffix.find('/') == std::string::npos) return;
    throw Failure(ExitCode::usage, tr("--suffix {1}: is not a suffix of a file name", quote_name(suffix)),
                  tr("give a dot and letters, as in .sealed"));
  };
  return command.add_option("--suffix", "SUFFIX", description, false, take);
}

}  // namespace vsh::cli
