// `vershina tunnel run`: opens everything, gives up privileges, and runs a thread for each queue until a signal.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tunnel/commands.hpp"
#include "programs/tunnel/queue.hpp"

namespace vsh::tunnel {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr auto kTick = std::chrono::milliseconds(100);
constexpr int kTicksBetweenNotes = 100;  // of numbers seen, in the state file
constexpr int kMostWait = 1000;          // ms, for a reader of the last statistics
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kFirstSilence{5}, kSilence{30};  // that a user is told of; a hello comes every 10 s

struct Options {
  std::string key, state, listen, peer = "any", tun, user = "nobody";
  std::vector<std::string> tun_fds;
  unsigned mtu = 1400, window = 1024, seconds = 0;
  bool json = false, no_segments = false;
};

// Signals that end the program, and SIGUSR1; waited for by the main thread.
sigset_t signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

[[noreturn]] void fail(const std::string& what) {
  throw Failure(ExitCode::internal, tr("{1}: {2}", what, std::strerror(errno)), {}, errno);
}

// Gives up root, its groups, inherited capabilities, and every way back.
void drop_privileges(const std::string& user) {
  if (::geteuid() == 0) {
    const passwd* const entry = ::getpwnam(user.c_str());
    if (!entry) throw Failure(ExitCode::usage, tr("--user: there is no user {1}", user));
    const uid_t uid = entry->pw_uid;
    const gid_t gid = entry->pw_gid;
    if (uid == 0) throw Failure(ExitCode::usage, tr("--user: root has the privileges that are to be given up"));
    if (::setgroups(0, nullptr) != 0 || ::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0)
      fail(tr("giving up privileges"));
    if (::setuid(0) == 0) throw Failure(ExitCode::internal, tr("privileges could not be given up"));
  }
  __user_cap_header_struct version{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capset, &version, none) != 0) fail(tr("giving up privileges"));  // ambient ones go with them
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("PR_SET_NO_NEW_PRIVS");
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // a change of the user may have set it again
}

int read_descriptor(const std::string& word) {
  return static_cast<int>(cli::value_or_failure(cli::read_number("--tun-fd", word, {.min = 3, .max = 1 << 20})));
}

cli::Descriptor device_of(const Options& o, unsigned queue, unsigned queues, std::string& name) {
  if (o.tun_fds.empty()) return open_tun(name, queues > 1, o.mtu, !o.no_segments);
  return cli::Descriptor(read_descriptor(o.tun_fds[queue]));
}

// Whether a line can be written, or its error be had, within that time. A pipe then has room for a page.
bool is_writable(int fd, int ms) {
  pollfd waiting{fd, POLLOUT, 0};
  return ::poll(&waiting, 1, ms) > 0;
}

class Tunnel {
 public:
  explicit Tunnel(const Options& o) : options_(o), stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!stop_.is_open()) fail("eventfd");
    read_key_file(keys_, o.key);
    if (!o.tun_fds.empty() && o.tun_fds.size() != keys_.queues)
      throw Failure(ExitCode::usage,
                    tr("--tun-fd: give it once for each queue of the key file, which has {1}", keys_.queues));
    Address local = read_address("--listen", o.listen), peer;
    if (o.peer != "any") peer = read_address("--peer", o.peer);
    if (peer.len && peer.storage.ss_family != local.storage.ss_family)
      throw Failure(ExitCode::usage, tr("--peer: not of the same family as --listen"));
    const uint16_t first = local.port(), first_of_peer = peer.len ? peer.port() : uint16_t{0};
    if (first + keys_.queues > 65536u || first_of_peer + keys_.queues > 65536u)
      throw Failure(ExitCode::usage, tr("queue I uses port + I, and there is no port above 65535"));
    state_ = std::make_unique<StateFile>(o.state.empty() ? o.key + ".state" : o.state, keys_);
    std::string name = o.tun;
    for (unsigned i = 0; i < keys_.queues; ++i) {
      QueueSettings settings;
      settings.number = i, settings.mtu = o.mtu, settings.window = o.window, settings.segments = !o.no_segments;
      local.set_port(static_cast<uint16_t>(first + i));
      settings.peer = peer;
      if (peer.len) settings.peer.set_port(static_cast<uint16_t>(first_of_peer + i));
      said_[i].no_answer =
          peer.len ? tr("no answer from {1} yet: does the other end run, and do firewalls pass UDP both ways?",
                        settings.peer.text())
          : local.is_wildcard()
              ? tr("no answer yet: does the other end run with --peer, this machine's address and port {1}, and do "
                   "firewalls let UDP in?",
                   local.port())
              : tr("no answer yet: does the other end run with --peer {1}, and do firewalls let UDP in?", local.text());
      cli::Descriptor socket = open_udp(local);
      queues_.emplace_back(keys_, settings, *state_, device_of(o, i, keys_.queues, name), std::move(socket));
    }
    drop_privileges(o.user);
    if (!name.empty()) cli::print_done(tr("device {1}", name));
  }

  ExitCode run() {
    const sigset_t waited = signals();
    std::vector<std::thread> threads;
    struct Join {  // in any case
      Tunnel& tunnel;
      std::vector<std::thread>& threads;
      ~Join() {
        tunnel.ask_to_stop();
        for (std::thread& thread : threads)
          if (thread.joinable()) thread.join();
      }
    };
    {
      const Join join{*this, threads};
      for (Queue& queue : queues_) threads.emplace_back([this, &queue] { run_queue(queue); });
      const timespec tick{0, std::chrono::nanoseconds(kTick).count()};
      for (int ticks = 1; !failed_; ++ticks) {
        const int signal = ::sigtimedwait(&waited, nullptr, &tick);
        if (signal == SIGUSR1) try_print_totals();
        else if (signal > 0) break;
        else if (errno != EAGAIN && errno != EINTR) fail("sigtimedwait");
        look_after(ticks);
      }
    }
    std::vector<Sequences> used;
    for (const Queue& queue : queues_) used.push_back(queue.used());
    if (failure_) {
      try {
        state_->settle(used);
      } catch (const Failure&) {  // the first failure is told
      }
      std::rethrow_exception(failure_);
    }
    state_->settle(used);
    if (!is_writable(STDOUT_FILENO, kMostWait)) {
      if (!is_writable(STDERR_FILENO, 0)) return ExitCode::output;  // nor can that be said
      cli::throw_write_failure("", EAGAIN);
    }
    before_ = {}, since_ = start_;  // rates over the whole run
    print_totals();
    return ExitCode::ok;
  }

 private:
  void ask_to_stop() {
    const uint64_t one = 1;
    (void)!::write(stop_.get(), &one, sizeof one);
  }

  void run_queue(Queue& queue) noexcept {
    try {
      queue.run(stop_.get());
      return;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    failed_ = true;
    ask_to_stop();
  }

  // Reserves numbers before they are needed, stores those that were seen, and reports changes.
  void look_after(int ticks) {
    for (unsigned i = 0; i < queues_.size(); ++i) {
      const Sequences used = queues_[i].used();
      const Sequences kept = state_->of(i);
      if (queues_[i].is_ready() && used.sent && kept.sent - used.sent < StateFile::kMargin / 2 &&
          used.sent < UINT64_MAX - 2 * StateFile::kMargin)
        state_->reserve(i, used.sent + StateFile::kMargin / 2);
      if (ticks % kTicksBetweenNotes == 0) state_->note_seen(i, used.seen);
      tell(i);
    }
    if (options_.seconds && ticks % static_cast<int>(10 * options_.seconds) == 0) try_print_totals();
  }

  // Says once what a user should look at.
  void tell(unsigned i) {
    const Counters& c = queues_[i].counters();
    Said& said = said_[i];
    const auto say = [&](const std::string& message) {
      if (!is_writable(STDERR_FILENO, 0)) return false;
      cli::print_note(tr("queue {1}: {2}", i, message));
      return true;
    };
    const auto once = [&](bool condition, unsigned bit, const std::string& message) {
      if (condition && !(said.once & 1u << bit) && say(message)) said.once |= 1u << bit;
    };
    const bool is_ready = queues_[i].is_ready(), was_ready = said.once & 1u;
    once(is_ready, 0, tr("the peer answers"));
    const auto now = Clock::now();
    if (const uint64_t hellos = c.hellos; hellos != said.hellos) {
      said.hellos = hellos, said.heard = now;
      if (std::exchange(said.is_silent, false) && was_ready) say(tr("the peer answers again"));
    } else if (!said.is_silent && now - said.heard > (is_ready ? kSilence : kFirstSilence)) {
      said.is_silent = say(is_ready ? tr("no answer from the peer for {1} seconds", kSilence.count()) : said.no_answer);
    }
    once(c.unknown_spi, 1,
         tr("packets with an unknown SPI arrive: the peer has other keys, or another line in its key file"));
    once(c.own_spi, 2,
         tr("packets under this end's own key arrive: both ends have the same key file, or they are mirrored"));
    once(c.exhausted, 3, tr("no sequence number is left: make new keys for both ends"));
    once(c.rolled_back, 5, tr("the peer's state was rolled back: make new keys for both ends"));
    once(c.forged, 4, tr("packets arrive that are not authentic"));
  }

  // Statistics in between: a reader that stalls or has gone, or a full disk, neither stops nor ends the tunnel.
  void try_print_totals() {
    if (!is_writable(STDOUT_FILENO, 0)) return;
    try {
      print_totals();
    } catch (const Failure&) {
    }
  }

  void print_totals() {
    Totals now;
    for (const Queue& queue : queues_) now += queue.counters();
    const auto time = Clock::now();
    Period period{std::chrono::duration<double>(time - since_).count(), 0};
    for (unsigned i = 0; i < queues_.size(); ++i) {
      const double silence = std::chrono::duration<double>(time - said_[i].heard).count();
      period.silence = std::max(period.silence, said_[i].hellos ? silence : std::numeric_limits<double>::infinity());
    }
    cli::print(options_.json ? totals_json(now, before_, period) : totals_text(now, before_, period));
    before_ = now;
    since_ = time;
  }

  const Options options_;
  KeyFile keys_;
  std::unique_ptr<StateFile> state_;
  cli::Descriptor stop_;
  std::deque<Queue> queues_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  const Clock::time_point start_ = Clock::now();
  struct Said {  // of a queue
    unsigned once = 0;
    uint64_t hellos = 0;  // until now, of which the last one was
    Clock::time_point heard = Clock::now();
    bool is_silent = false;
    std::string no_answer;
  } said_[kMaxQueues];
  Totals before_;
  Clock::time_point since_ = start_;
};

}  // namespace

void add_run_command(cli::Program& program) {
  cli::Command& command = program.add_command("run", tr("Run one end of the tunnel, with the keys of a file"));
  const auto o = std::make_shared<Options>();
  command.add_option("-k,--key", o->key, "FILE", tr("Key file of this end, which only its owner may read"))
      ->manual("The key file. It is refused if others than its owner may read or write it.")
      ->required();
  command.add_option("--state", o->state, "FILE", tr("State file of this end; KEY-FILE.state by default"));
  command.add_option("-l,--listen", o->listen, "ADDRESS:PORT", tr("This end's address; queue I uses PORT + I"))
      ->manual("This end's address, numeric; an IPv6 address in square brackets. Queue I uses PORT + I.")
      ->required();
  command
      .add_option("-p,--peer", o->peer, "ADDRESS:PORT",
                  tr("The other end's address, or any (default): any host that has the keys"))
      ->manual("The other end's address, numeric, too, or `any` (default): wherever authentic hellos come from.");
  cli::Option* const tun =
      command.add_option("--tun", o->tun, "NAME", tr("Name of the TUN device; tunN by default"))
          ->manual(
              "Name of the TUN device, which is created if it does not exist; tunN by default. One that was made "
              "for this user, with the MTU, and started, needs no privileges.");
  command
      .add_option("--tun-fd", o->tun_fds, "FD", tr("An open descriptor that carries IP packets, instead of a device"))
      ->manual(
          "An open descriptor that gives and takes one IP packet with each call, instead of a device; once "
          "for each queue.")
      ->excludes(tun);
  cli::add_number(command, "--mtu", o->mtu, {.min = 576, .max = 65000},
                  tr("MTU of the device, 576 to 65000; 1400 by default"));
  cli::add_number(command, "--window", o->window, {.min = 64, .max = 4096, .multiple_of = 64},
                  tr("Anti-replay window in packets; 1024 by default"))
      ->manual("Anti-replay window in packets, a multiple of 64 up to 4096; 1024 by default.");
  command.add_option("--user", o->user, "NAME",
                     tr("User to run as after everything is open, if started by root; nobody by default"));
  cli::add_number(command, "--statistics", o->seconds, {.min = 1, .max = 86400},
                  tr("Print statistics every N seconds; at the end and on SIGUSR1 in any case"))
      ->manual(
          "Prints statistics every N seconds. They are printed at SIGUSR1 in any case, and at the end, with "
          "rates over the whole run: packets, bytes, drops by reason, and how long ago the peer answered.");
  command.add_flag("--json", o->json, tr("Print statistics as lines of JSON"));
  command
      .add_flag("--no-segments", o->no_segments,
                tr("Send and receive every packet singly, without GSO, GRO and offloads"))
      ->manual(
          "Sends and receives every packet singly, without GSO and GRO of the kernel at the socket and "
          "offloads at the TUN device.");
  command.footer(
      tr(R"(No IKE: the keys are those of a file, for laboratories and for links whose keys come from elsewhere.
Nothing is sent before the peer has answered under the right keys, and nothing ever in clear. A lost state file, or one
that was copied back, ends the tunnel: make new keys then.

Example:
  vershina tunnel run --key left.key --listen 192.0.2.1:4500 --peer 192.0.2.2:4500 --tun vsh0
)"));
  command.exit_status({{ExitCode::ok, tr("ended by a signal")},
                       {ExitCode::usage, tr("usage, or a key or state file is refused")},
                       {ExitCode::input, tr("key file or state cannot be read, or the state was lost or rolled back")},
                       {ExitCode::output, tr("address, device or state")}});
  command.action([o] {
    const sigset_t blocked = signals();
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);  // writes report their errors
    // Before anything is opened: a number that the caller left closed would become that of a file of this program.
    for (const std::string& word : o->tun_fds) set_nonblocking(read_descriptor(word));
    return Tunnel(*o).run();
  });
}

}  // namespace vsh::tunnel
