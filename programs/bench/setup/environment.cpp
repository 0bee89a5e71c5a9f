#include "programs/bench/setup/environment.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include <sys/stat.h>

#include "core/executor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {

using cli::ExitCode;
using cli::Failure;

Place::Place(const Options& options) {
  available_threads();  // before any pinning: oneTBB counts the processors once, on first use
  const auto processors = affinity.processors();
  count = std::max<unsigned>(1, static_cast<unsigned>(processors.size()));
  processor = options.processor >= 0 ? options.processor : processors.empty() ? -1 : processors.back();
  if (options.processor >= 0 && std::find(processors.begin(), processors.end(), processor) == processors.end())
    throw Failure(ExitCode::usage, cli::tr("--processor {1}: this process may not use that processor", processor));
}

ResultFile::ResultFile(const std::string& name) {
  if (name.empty()) return;
  struct stat status {};
  if (::stat(name.c_str(), &status) == 0 && S_ISBLK(status.st_mode))  // which OutputFile would accept with force
    throw Failure(ExitCode::output, cli::tr("{1}: a block device: writing would destroy what it holds", name));
  // An existing file is replaced when the new one is complete.
  file_ = std::make_unique<cli::OutputFile>(name, true, cli::OutputFile::Content::any, std::vector<cli::ReadFile>{});
}

void ResultFile::write(const std::string& text) {
  if (!file_) return;
  file_->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  file_->commit();
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string words((std::istreambuf_iterator<char>(file)), {});
  std::string text = "vershina";
  for (size_t at = words.find('\0'), end; at != std::string::npos && at + 1 < words.size(); at = end) {
    end = words.find('\0', at + 1);
    const std::string word = words.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    if (text == "vershina" && word != "bench") text += " bench";
    text += " " + cli::quote_name(word);
  }
  return words.empty() ? "" : text;
}

std::ostream& table_stream(const Options& options) {
  return options.json == "-" || options.plot == "-" || options.html == "-" || options.submit == "-" ? std::cerr
                                                                                                    : std::cout;
}

void check_written(std::ostream& out) {
  if (out.flush()) return;
  if (errno == EPIPE) throw Failure(ExitCode::closed_pipe, cli::tr("closed pipe"), {}, EPIPE);
  throw Failure(ExitCode::output, cli::tr("the results cannot be written: {1}", std::strerror(errno)));
}

}  // namespace vsh::bench
