// `vershina disk serve`: runs nbdkit with the plugin on a Unix socket until a signal ends it.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "programs/common/disk/store/open_store.hpp"
#include "programs/common/options/passphrase.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor_path.hpp"
#include "programs/common/system/environment.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/disk/commands/commands.hpp"
#include "programs/disk/commands/programs.hpp"

namespace vsh::disk {
namespace {

using cli::Descriptor;
using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

struct ServeSettings {
  std::string path, socket, header, key_file;
  cli::PassphraseOptions passphrase;
  bool read_only = false, trims = false;
};

// A folder that only this user can enter, for the socket; removed at the end with its content.
class SocketFolder {
 public:
  SocketFolder() {
    const std::string_view runtime = cli::environment("XDG_RUNTIME_DIR");
    path_ = (runtime.starts_with('/') ? std::string(runtime) : std::string("/tmp")) + "/vershina-disk-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr)
      throw Failure(ExitCode::output, quote_name(path_) + ": " + std::strerror(errno), {}, errno);
  }
  ~SocketFolder() {
    std::error_code error;
    for (const char* name : {"/socket", "/ready"}) std::filesystem::remove(path_ + name, error);
    std::filesystem::remove(path_, error);
  }
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

sigset_t signals_of_interest() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&set, signal);
  return set;
}

// Writes the passphrase into a pipe, which holds it until nbdkit reads it.
Descriptor pipe_with(const cli::Passphrase& passphrase) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure(ExitCode::internal, tr("no pipe for the passphrase"), {}, errno);
  Descriptor read_end(ends[0]), write_end(ends[1]);
  static_assert(cli::kMaxPassphrase <= 4096, "a pipe takes a page without a reader");
  if (const int error = cli::write_all(write_end.get(), passphrase.data(), passphrase.size()))
    throw Failure(ExitCode::internal, tr("no pipe for the passphrase"), {}, error);
  return read_end;
}

class Server {
 public:
  // image: what the words name by its descriptor, or none. passphrase: the read end of the pipe, or none.
  Server(const std::vector<std::string>& words, const cli::Installed& plugin, const Descriptor& image,
         const Descriptor& passphrase) {
    const pid_t parent = ::getpid();
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw Failure(ExitCode::internal, tr("nbdkit cannot be started: {1}", std::strerror(errno)));
    if (pid_ == 0) {
      sigset_t none;
      ::sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      // A group of its own: Ctrl-C is passed on by this program, once.
      ::setpgid(0, 0);
      // nbdkit ends, and lets clients know, if this program is killed.
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) ::_exit(127);
      plugin.keep_open();
      for (const Descriptor* const inherited : {&image, &passphrase})
        if (inherited->is_open()) ::fcntl(inherited->get(), F_SETFD, 0);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
  }
  ~Server() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool has_ended() {
    if (pid_ <= 0) return true;
    if (::waitpid(pid_, &status_, WNOHANG) != pid_) return false;
    pid_ = -1;
    return true;
  }
  void end(int signal) const {
    if (pid_ > 0) ::kill(pid_, signal);
  }
  bool has_succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

std::string shell_word(const std::string& path) { return quote_name(path); }

// A path as part of a URI's query, by RFC 3986: no character that the query or a shell would take for its own.
std::string uri_word(const std::string& path) {
  std::string word;
  for (const char c : path) {
    if (std::isalnum(static_cast<unsigned char>(c)) || std::strchr("/-._~", c)) {
      word += c;
    } else {
      char escape[4];
      std::snprintf(escape, sizeof escape, "%%%02X", static_cast<unsigned char>(c));
      word += escape;
    }
  }
  return word;
}

std::string how_to_mount(const std::string& image, const std::string& socket) {
  const std::string word = shell_word(socket);
  return tr(
      "{1} is served on {2}; Ctrl-C ends it.\n"
      "As a file, without root:\n"
      "  mkdir -p volume && nbdfuse volume --unix {2} &\n"
      "  until test -e volume/nbd; do sleep 0.1; done\n"
      "  # mkfs.ext4 -O ^metadata_csum volume/nbd   once, in a new volume\n"
      "  fuse2fs -o fakeroot volume/nbd DIRECTORY\n"
      "As a device, with root:\n"
      "  nbd-client -unix {2} /dev/nbd0 && mount /dev/nbd0 DIRECTORY\n"
      "Copy an image into it:\n"
      "  nbdcopy --flush plain.img 'nbd+unix:///?socket={3}'\n",
      shell_word(image), word, uri_word(socket));
}

// Waits until the written data are on the disk, which takes long where the system has much in its memory: by parts, for
// the progress, and then as a whole, because sync_file_range(2) writes no metadata and leaves the device its cache.
// The plugin itself flushes an NBD server. file: open since before the first write, so that the kernel tells it an
// error that it has told nbdkit too.
void flush(const ServeSettings& settings, const Descriptor& file) {
  if (!file.is_open()) return;
  constexpr off_t kPart = off_t{64} << 20;
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  cli::Progress progress(true, tr("writing the rest"), size > 0 ? size : 0);
  int error = 0;
  for (off_t at = 0; at < size && error == 0; at += kPart) {
    const off_t len = std::min(kPart, size - at);
    const unsigned waits = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    if (::sync_file_range(file.get(), at, len, waits) != 0) {
      if (errno != EIO && errno != ENOSPC && errno != EDQUOT) break;  // a file system that does not have it
      error = errno;
    }
    progress.add(static_cast<uint64_t>(len));
  }
  if (error == 0 && ::fdatasync(file.get()) != 0) error = errno;
  if (error != 0) cli::throw_write_failure(settings.path, error);
}

void check_programs(const std::string& nbdkit, const cli::Installed& plugin, const std::string& why) {
  if (nbdkit.empty()) throw Failure(ExitCode::usage, tr("nbdkit is not installed"), tr("install the package nbdkit"));
  if (!plugin && !why.empty())
    throw Failure(ExitCode::usage, why,
                  tr("the program is not started: anyone who may write there could run anything as you"));
  if (!plugin) {
    throw Failure(ExitCode::usage, tr("the plugin nbdkit-vershina-plugin.so is not installed"),
                  tr("install the package vershina-disk"));
  }
}

// The name is looked up once: the plugin, too, opens what it leads to now. Returns none for an NBD server.
Descriptor open_image(const std::string& path) {
  if (is_nbd_uri(path)) return Descriptor();
  Descriptor image(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!image.is_open()) throw Failure(ExitCode::input, quote_name(path) + ": " + std::strerror(errno), {}, errno);
  return image;
}

// Returns the read end of a pipe, or none if a key file opens the volume.
Descriptor load_passphrase(const ServeSettings& settings) {
  if (!settings.key_file.empty()) return Descriptor();
  cli::Passphrase typed;
  settings.passphrase.load(typed, false, false);
  return pipe_with(typed);
}

void check_socket(const std::string& socket) {
  struct stat status {};
  if (::lstat(socket.c_str(), &status) == 0)
    throw Failure(ExitCode::output, tr("{1}: is there already", quote_name(socket)),
                  tr("name another socket, or remove it"));
}

std::vector<std::string> plugin_parameters(const ServeSettings& settings, const Descriptor& image,
                                           const Descriptor& passphrase) {
  std::vector<std::string> words = {
      image.is_open() ? "file=" + cli::path_of(image) : "uri=" + settings.path,
      passphrase.is_open() ? "passphrase=-" + std::to_string(passphrase.get()) : "keyfile=" + settings.key_file};
  if (!settings.header.empty()) words.push_back("header=" + settings.header);
  if (settings.read_only) words.push_back("read-only=true");
  if (settings.trims) words.push_back("trim=true");
  return words;
}

struct Course {
  bool is_ready = false, is_asked_to_end = false, is_killed = false;
};

// Waits until the server ends, and passes signals on. nbdkit refuses requests from the first one on, and ends when no
// client is connected. A signal after the note does not wait for that. ready: the file that nbdkit makes when it
// serves; greeting: printed then.
Course wait_for(Server& server, const sigset_t& signals, const std::string& ready, const std::string& greeting) {
  Course course;
  bool is_noted = false;
  while (!server.has_ended()) {
    if (struct stat status{}; !course.is_ready && ::stat(ready.c_str(), &status) == 0) {
      course.is_ready = true;
      cli::print(greeting);
    }
    const bool waits_for_clients = course.is_ready && course.is_asked_to_end && !is_noted;
    const timespec limit = waits_for_clients ? timespec{2, 0} : timespec{0, 50'000'000};
    const int signal = course.is_ready && !waits_for_clients ? ::sigwaitinfo(&signals, nullptr)
                                                             : ::sigtimedwait(&signals, nullptr, &limit);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
      course.is_asked_to_end = true;
      course.is_killed = is_noted;
      server.end(course.is_killed ? SIGKILL : SIGTERM);
    } else if (signal < 0 && errno == EAGAIN && waits_for_clients) {
      is_noted = true;
      cli::print_note(tr(
          "a client is still connected, and its requests fail now: disconnect it, as with `fusermount3 -u volume` or "
          "`nbd-client -d /dev/nbd0`; Ctrl-C again cuts it off"));
    }
  }
  return course;
}

void serve(const ServeSettings& settings) {
  const std::string nbdkit = find_nbdkit();
  std::string why;
  const cli::Installed plugin = find_plugin(&why);
  check_programs(nbdkit, plugin, why);
  if (!settings.key_file.empty() && settings.passphrase.given())
    throw Failure(ExitCode::usage, tr("--key-file and a passphrase exclude each other"), tr("give one of them"));

  const Descriptor image = open_image(settings.path);
  Descriptor passphrase = load_passphrase(settings);
  const SocketFolder folder;
  const std::string socket = settings.socket.empty() ? folder.path() + "/socket" : settings.socket;
  const std::string ready = folder.path() + "/ready";
  check_socket(socket);
  std::vector<std::string> words = {nbdkit, "--foreground", "--unix", socket, "--pidfile", ready, plugin.path};
  for (std::string& word : plugin_parameters(settings, image, passphrase)) words.push_back(std::move(word));

  const sigset_t signals = signals_of_interest();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  const Descriptor file(settings.read_only || !image.is_open()
                            ? -1
                            : ::open(cli::path_of(image).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  Server server(words, plugin, image, passphrase);
  passphrase.close();
  const Course course = wait_for(server, signals, ready, how_to_mount(settings.path, socket));
  if (!settings.socket.empty()) (void)::unlink(socket.c_str());
  if (!course.is_killed && (!server.has_succeeded() || (!course.is_ready && !course.is_asked_to_end))) {
    // nbdkit has said why.
    throw Failure(ExitCode::input, course.is_ready ? tr("{1}: nbdkit has failed", quote_name(settings.path))
                                                   : tr("{1}: is not served", quote_name(settings.path)));
  }
  if (course.is_killed && !settings.read_only && !image.is_open())
    throw Failure(ExitCode::output, tr("{1}: the last writes may not be on its disk yet", quote_name(settings.path)));
  if (course.is_ready) flush(settings, file);
}

}  // namespace

void add_serve_command(cli::Program& program) {
  cli::Command& command = program.add_command("serve", tr("Serve a volume as a network block device on a Unix socket"));
  const auto settings = std::make_shared<ServeSettings>();
  ServeSettings& s = *settings;
  command.add_operand("IMAGE", s.path, tr("A file, a block device or an NBD URI with a LUKS2 volume"))->required();
  s.passphrase.add_to(command);
  command.add_option("-k,--key-file", s.key_file, "FILE", tr("A key file instead of the passphrase, as cryptsetup's"));
  command.add_option("--header", s.header, "FILE", tr("A detached header"));
  command.add_option("--socket", s.socket, "PATH", tr("Default: in a new folder that only this user can enter"))
      ->manual("Default: in a new folder that only this user can enter, in XDG_RUNTIME_DIR or /tmp.");
  command.add_flag("--read-only", s.read_only, tr("For reading only; other readers are allowed"));
  command.add_flag("--trim", s.trims, tr("Give back the space of trimmed sectors, which shows which ones are free"));
  command.footer(
      tr("Runs nbdkit with the plugin vershina until Ctrl-C or SIGTERM, and prints the commands that mount the\n"
         "volume. nbdkit-vershina-plugin(1) has more formats."));
  command.exit_status(
      {ExitCode::ok, ExitCode::usage, {ExitCode::input, tr("the volume cannot be served")}, ExitCode::output});
  command.action([settings] { serve(*settings); });
}

}  // namespace vsh::disk
