#include "programs/common/files/output_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "programs/common/files/final_name.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

std::string advice_for_writing(int error) {
  if (std::string advice = advice_for_any_file(error, FileUse::writing); !advice.empty()) return advice;
  switch (error) {
    case ENOENT:
    case ENOTDIR: return tr("make the directory first");
    case EACCES:
    case EROFS:
    case EPERM: return tr("choose a directory that you may write to");
    case ENAMETOOLONG: return tr("choose a shorter name");
    default: return tr("choose another place for the output");
  }
}

Failure terminal_failure(const std::string& what, Force force) {
  return Failure(ExitCode::output, tr("standard output is a terminal, and {1}", what),
                 force.offered ? tr("name a file with -o, redirect it, or insist with --force")
                               : tr("name a file with -o, or redirect it"));
}

// Returns the advice about a file that exists.
std::string another_name(Force force) {
  return force.offered ? tr("choose another name, or replace it with --force") : tr("choose another name");
}

// The file that a symbolic link leads to: that one is replaced, not the link.
std::string resolve_links(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

}  // namespace

mode_t current_umask() {
  const mode_t mask = ::umask(077);  // no other thread makes files
  ::umask(mask);
  return mask;
}

Failure output_failure(const std::string& name, int error, std::string advice) {
  if (advice.empty()) advice = advice_for_writing(error);
  return Failure(ExitCode::output, name + ": " + std::strerror(error), advice, error);
}

bool is_standard_output(const std::string& name) {
  return name == "-" || name == "/dev/stdout" || name == "/dev/fd/1" || name == "/proc/self/fd/1";
}

void check_output_name(const std::string& name, Force force, Content content) {
  struct stat status {};
  if (is_standard_output(name) && content == Content::binary && !force.given && ::isatty(STDOUT_FILENO))
    throw terminal_failure(tr("this is binary data"), force);
  if (is_standard_output(name) || ::stat(name.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) throw output_failure(quote_name(name), EISDIR, tr("name a file in it"));
  if (!S_ISREG(status.st_mode) || force.given) return;
  throw Failure(ExitCode::output, tr("{1}: the file exists already", quote_name(name)), another_name(force), EEXIST);
}

OutputFile::OutputFile(const std::string& name, Force force, Content content, const std::vector<ReadFile>& sources)
    : name_(quote_name(name)), force_(force), final_path_(name) {
  if (is_standard_output(name)) {
    open_stdout(content, sources);
    return;
  }
  if (name.empty()) throw output_failure(name_, ENOENT, tr("name a file, or - for standard output"));
  struct stat status {};
  if (::stat(name.c_str(), &status) == 0) {
    check_sources(status, sources);
    check_output_name(name, force);
    if (!S_ISREG(status.st_mode)) {
      open_special(name, status);
      return;
    }
    replace_ = true;
    replaced_ = status;
    final_path_ = resolve_links(name);
  } else if (errno != ENOENT) {
    throw output_failure(name_, errno);
  } else if (::lstat(name.c_str(), &status) == 0) {
    throw Failure(ExitCode::output, tr("{1}: a symbolic link to a file that does not exist", name_),
                  tr("name the file itself, or remove the link"), ENOENT);
  }
  create_temporary();
}

void OutputFile::check_sources(const struct stat& status, const std::vector<ReadFile>& sources) const {
  for (const ReadFile& source : sources) {
    if (!is_same_file(status, source.status)) continue;
    throw Failure(ExitCode::output,
                  tr("{1}: the output is the same file as {2}, which is being read", name_, source.name),
                  tr("choose another name for the output"));
  }
}

void OutputFile::open_stdout(Content content, const std::vector<ReadFile>& sources) {
  name_ = tr("standard output");
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) != 0) throw output_failure(name_, errno);
  check_sources(status, sources);
  check_output_name("-", force_, content);
  text_only_ = !force_.given && ::isatty(STDOUT_FILENO);
  fd_ = Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!fd_.is_open()) throw output_failure(name_, errno);
  guard_ = std::make_unique<InterruptGuard>(InterruptHold(), "",
                                            tr("interrupted: what went to {1} is not complete, do not use it", name_));
}

void OutputFile::open_special(const std::string& path, const struct stat& status) {
  if (S_ISBLK(status.st_mode) && !force_.given) {
    throw Failure(ExitCode::output, tr("{1}: a block device: writing would destroy what it holds", name_),
                  force_.offered ? tr("insist with --force if that is meant") : tr("name a file"));
  }
  fd_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  struct stat opened {};
  if (!fd_.is_open() || ::fstat(fd_.get(), &opened) != 0) throw output_failure(name_, errno);
  // The name may lead to something else by now: a file, which would be written over.
  if (opened.st_dev != status.st_dev || opened.st_ino != status.st_ino)
    throw Failure(ExitCode::output, tr("{1}: another file has taken this name in the meantime", name_),
                  tr("run the command again"));
  guard_ = std::make_unique<InterruptGuard>(InterruptHold(), "",
                                            tr("interrupted: what went to {1} is not complete, do not use it", name_));
}

std::string OutputFile::directory() const {
  const size_t slash = final_path_.rfind('/');
  return slash == std::string::npos ? "./" : final_path_.substr(0, slash + 1);
}

void OutputFile::create_temporary() {
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = random_temporary(directory());
    if (temporary_.empty()) throw output_failure(name_, errno);
    const InterruptHold hold;
    fd_ = Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd_.is_open()) {
      guard_ = std::make_unique<InterruptGuard>(hold, temporary_, tr("interrupted: {1} was not written", name_));
      return;
    }
    if (errno != EEXIST) break;
  }
  const int error = errno;
  temporary_.clear();
  throw output_failure(name_, error);
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) (void)::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const uint8_t> data) {
  if (text_only_ && !is_printable_text({reinterpret_cast<const char*>(data.data()), data.size()})) {
    throw terminal_failure(tr("the decrypted data is not text"), force_);
  }
  if (const int error = write_all(fd_.get(), data.data(), data.size())) throw_write_failure(name_, error);
#ifdef SYNC_FILE_RANGE_WRITE
  // Starts writing to disk now instead of at the final fsync; only a hint, so its result is ignored.
  if (!is_direct()) {
    (void)::sync_file_range(fd_.get(), static_cast<off_t>(written_), static_cast<off_t>(data.size()),
                            SYNC_FILE_RANGE_WRITE);
  }
#endif
  written_ += data.size();
}

void OutputFile::take_after(const InputFile& input, bool is_plaintext) {
  if (input.is_named_file()) model_ = input.status();
  new_mode_ = model_ ? model_->st_mode & 0777 : is_plaintext ? 0600 : 0666;
}

// A new file gets the permissions that umask leaves; a replaced one keeps its owner and permissions as far as they may
// be set, with the current time; a private file is only for its owner.
void OutputFile::set_permissions() {
  mode_t mode = new_mode_ & ~current_umask();
  struct stat ours {};
  const bool known = ::fstat(fd_.get(), &ours) == 0;
  if (replace_) {
    mode = replaced_.st_mode & 0777;
    const bool same_owner = known && ours.st_uid == replaced_.st_uid && ours.st_gid == replaced_.st_gid;
    if (!same_owner && ::fchown(fd_.get(), replaced_.st_uid, replaced_.st_gid) != 0) mode &= 0700;
  } else if (model_) {
    // A different group gets no more than all others.
    if (!known || ours.st_gid != model_->st_gid) mode &= 0707 | (mode & 07) << 3;
    const timespec times[2] = {model_->st_atim, model_->st_mtim};
    (void)::futimens(fd_.get(), times);
  }
  if (private_) mode = replace_ ? mode & 0700 : 0600;
  // File systems without permissions refuse; the file then has their default.
  (void)!::fchmod(fd_.get(), mode);
}

bool OutputFile::is_same_as(const OutputFile& other) const {
  struct stat ours {
  }, theirs{};
  if (is_direct() != other.is_direct()) return false;
  if (is_direct()) {
    if (::fstat(fd_.get(), &ours) != 0 || ::fstat(other.fd_.get(), &theirs) != 0) return false;
    return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
  }
  if (::stat(directory().c_str(), &ours) != 0 || ::stat(other.directory().c_str(), &theirs) != 0) return false;
  const auto last = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino && last(final_path_) == last(other.final_path_);
}

void OutputFile::finish() {
  if (is_direct() || finished_) return;
  set_permissions();
  if (::fsync(fd_.get()) != 0 && errno != EINVAL) throw_write_failure(name_, errno);
  if (const int error = fd_.close()) throw_write_failure(name_, error);
  finished_ = true;
}

void OutputFile::commit() {
  if (is_direct()) {
    if (const int error = fd_.close()) throw_write_failure(name_, error);
    guard_.reset();
    return;
  }
  finish();
  rename_to_final();
  if (const int error = sync_directory(directory())) {
    throw output_failure(name_, error, tr("the file is complete, but may not survive a power failure"));
  }
}

void OutputFile::rename_to_final() {
  const int error = guard_->commit([&] {
    if (!replace_) return rename_to_new(temporary_.c_str(), final_path_.c_str());
    return ::rename(temporary_.c_str(), final_path_.c_str()) == 0 ? 0 : errno;
  });
  if (error == EEXIST) {
    throw Failure(ExitCode::output, tr("{1}: this file has been created in the meantime", name_),
                  force_.offered ? tr("choose another name, or use --force") : tr("choose another name"), error);
  }
  if (error == ENOENT) {
    throw Failure(ExitCode::output, tr("{1}: its directory was removed while the output was written", name_),
                  tr("make it again and run the command again"), error);
  }
  if (error != 0) throw output_failure(name_, error);
  temporary_.clear();
  guard_.reset();
}

}  // namespace vsh::cli
