#include "programs/tomo/formats/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <tuple>

#include "programs/common/files/final_name.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/remove_tree.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

std::pair<std::string, std::string> split_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const size_t slash = path.rfind('/');
  const std::string last = slash == path.npos ? path : path.substr(slash + 1);
  if (last.empty() || last == "." || last == "..")
    throw cli::output_failure(quote_name(path), EEXIST, tr("name a new folder with -o"));
  return {slash == path.npos ? "./" : path.substr(0, slash + 1), last};
}

void check_new_folder(const std::string& path) {
  const auto [parent, last] = split_path(path);
  struct stat status {};
  if (::lstat((parent + last).c_str(), &status) != 0) return;
  throw Failure(ExitCode::output, tr("{1}: exists already", quote_name(path)),
                tr("choose another name with -o, or remove it first"), EEXIST);
}

void write_file(int folder, const std::string& path, std::span<const uint8_t> content, const std::string& name) {
  cli::Descriptor file(::openat(folder, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file.is_open()) throw cli::output_failure(name, errno);
  if (const int error = cli::write_all(file.get(), content.data(), content.size()))
    cli::throw_write_failure(name, error);
  if (const int error = file.close()) cli::throw_write_failure(name, error);
}

NewFolder::NewFolder(const std::string& path) : name_(quote_name(path)) {
  check_new_folder(path);
  std::string last;
  std::tie(parent_, last) = split_path(path);
  final_path_ = parent_ + last;
  int error = EEXIST;
  for (int attempt = 0; attempt < 100 && error == EEXIST; ++attempt) {
    temporary_ = cli::random_temporary(parent_);
    if (temporary_.empty()) throw cli::output_failure(name_, errno);
    const cli::InterruptHold hold;
    error = ::mkdir(temporary_.c_str(), 0777) == 0 ? 0 : errno;
    if (error != 0) continue;
    guard_ = std::make_unique<cli::InterruptGuard>(hold, temporary_, tr("interrupted: {1} was not written", name_));
    return;
  }
  temporary_.clear();
  throw cli::output_failure(name_, error);
}

NewFolder::~NewFolder() {
  if (temporary_.empty()) return;
  const cli::InterruptHold hold;
  (void)cli::remove_tree(temporary_.c_str());
}

void NewFolder::add(const std::string& name, std::span<const uint8_t> content) {
  write_file(AT_FDCWD, temporary_ + "/" + name, content, name_);
}

void NewFolder::commit() {
  const cli::Descriptor folder(::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::syncfs(folder.get()) != 0) throw cli::output_failure(name_, errno);
  const int error = guard_->commit([&] { return cli::rename_to_new(temporary_.c_str(), final_path_.c_str()); });
  if (error == EEXIST)
    throw Failure(ExitCode::output, tr("{1}: this name has been created in the meantime", name_),
                  tr("choose another name with -o"), error);
  if (error != 0) throw cli::output_failure(name_, error);
  temporary_.clear();
  guard_.reset();
  if (const int problem = cli::sync_directory(parent_))
    throw cli::output_failure(name_, problem, tr("the folder is complete, but may not survive a power failure"));
}

void TarFolder::add(const std::string& name, std::span<const uint8_t> content) {
  std::array<char, 512> header{};
  const auto put = [&](size_t at, const std::string& text) {
    std::memcpy(header.data() + at, text.data(), text.size());
  };
  const auto octal = [](unsigned long long number, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*llo", digits, number);
    return std::string(text);
  };
  put(0, name.substr(0, 99));
  put(100, octal(0644, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(content.size(), 11));
  put(136, octal(static_cast<unsigned long long>(::time(nullptr)), 11));
  put(148, "        ");
  put(156, "0");
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + std::string("\0 ", 2));
  output_.write({reinterpret_cast<const uint8_t*>(header.data()), header.size()});
  output_.write(content);
  static constexpr std::array<uint8_t, 512> zeros{};
  if (const size_t rest = content.size() % 512; rest != 0) output_.write(std::span(zeros).first(512 - rest));
}

void TarFolder::commit() {
  static constexpr std::array<uint8_t, 1024> end{};
  output_.write(end);
  output_.commit();
}

}  // namespace vsh::tomo
