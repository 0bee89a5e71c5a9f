#include "programs/common/disk/store/nbd_store.hpp"

#include <libnbd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <tuple>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr size_t kMostConnections = 8;
constexpr std::chrono::seconds kMostWait{5};              // for each connection after the first, and for its end
constexpr std::chrono::seconds kMostSilence{10};          // of a server, until it has given the header
constexpr uint64_t kMostPerRequest = uint64_t{32} << 20;  // which servers accept that say nothing else

// libnbd's message of this thread's last error, without the name of its function. A server may have a part in it.
std::string last_message() {
  const char* const message = nbd_get_error();
  if (!message) return tr("unknown error");
  std::string text = message;
  if (const size_t colon = text.find(": "); text.starts_with("nbd_") && colon != std::string::npos)
    text.erase(0, colon + 2);
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return is_plain ? text : cli::quote_name(text);
}

[[noreturn]] void fail_silent(const std::string& name) {
  throw Failure(ExitCode::input, tr("{1}: the server does not answer", name), {}, ETIMEDOUT);
}

// Waits until done() or for so long. Returns false where it is not done then, or the connection has failed.
template <class Done>
bool wait_until(nbd_handle* handle, std::chrono::seconds most, Done done) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + most;
  while (!done()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || nbd_poll(handle, static_cast<int>(left)) < 0) return done();
  }
  return true;
}

}  // namespace

void NbdStore::Close::operator()(nbd_handle* handle) const {
  // Not nbd_shutdown(), which waits for a silent server without end.
  if (nbd_aio_is_ready(handle) == 1 && nbd_aio_in_flight(handle) == 0 && nbd_aio_disconnect(handle, 0) == 0) {
    (void)wait_until(handle, kMostWait, [&] { return nbd_aio_is_closed(handle) == 1 || nbd_aio_is_dead(handle) == 1; });
  }
  nbd_close(handle);
}

// A connection for one request, each in its turn, so that none is idle until something on the way drops it. Waits for
// one that is free.
class NbdStore::Use {
 public:
  explicit Use(NbdStore& store) : store_(store) {
    std::unique_lock lock(store.mutex_);
    store.released_.wait(lock, [&] { return !store.idle_.empty(); });
    connection_ = std::move(store.idle_.front());
    store.idle_.pop_front();
  }
  ~Use() {
    {
      const std::lock_guard lock(store_.mutex_);
      store_.idle_.push_back(std::move(connection_));
    }
    store_.released_.notify_one();
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  nbd_handle* get() const { return connection_.get(); }
  bool is_lost() const { return nbd_aio_is_dead(get()) == 1 || nbd_aio_is_closed(get()) == 1; }

 private:
  NbdStore& store_;
  Connection connection_;
};

NbdStore::Connection NbdStore::connect() const {
  Connection connection(nbd_create());
  if (!connection) throw std::bad_alloc();
  nbd_handle* const handle = connection.get();
  const auto fail = [&] {
    const int error = nbd_get_errno();
    throw Failure(ExitCode::input, name_ + ": " + last_message(), {}, error);
  };
  if (nbd_aio_connect_uri(handle, uri_.c_str()) != 0) fail();
  if (!wait_until(handle, kMostSilence, [&] { return nbd_aio_is_connecting(handle) != 1; })) {
    if (nbd_aio_is_connecting(handle) != 1) fail();
    fail_silent(name_);
  }
  if (nbd_aio_is_ready(handle) != 1) fail();
  return connection;
}

// Returns null if the server takes no further connection: it refuses, or lets it wait until another one ends.
NbdStore::Connection NbdStore::connect_again() const {
  Connection connection(nbd_create());
  if (!connection) throw std::bad_alloc();
  nbd_handle* const handle = connection.get();
  if (nbd_aio_connect_uri(handle, uri_.c_str()) != 0) return nullptr;
  (void)wait_until(handle, kMostWait, [&] { return nbd_aio_is_connecting(handle) != 1; });
  return nbd_aio_is_ready(handle) == 1 ? std::move(connection) : nullptr;
}

NbdStore::NbdStore(const std::string& uri, Access access, uint32_t unit) : uri_(uri), name_(cli::quote_name(uri)) {
  Connection first = connect();
  nbd_handle* const handle = first.get();
  const int64_t size = nbd_get_size(handle);
  if (size < 0) throw Failure(ExitCode::input, name_ + ": " + last_message());
  size_ = static_cast<uint64_t>(size);
  may_write_ = access == Access::read_write && nbd_is_read_only(handle) == 0;
  can_flush_ = nbd_can_flush(handle) == 1;
  can_trim_ = nbd_can_trim(handle) == 1;
  const int64_t least = nbd_get_block_size(handle, LIBNBD_SIZE_MINIMUM);
  if (least > static_cast<int64_t>(unit)) {
    throw Failure(ExitCode::input, tr("{1}: the server takes multiples of {2} only", name_, cli::bytes_of(least)),
                  tr("nbdkit's filter blocksize takes any"));
  }
  const int64_t most = nbd_get_block_size(handle, LIBNBD_SIZE_MAXIMUM);
  const uint64_t bound = most > 0 ? static_cast<uint64_t>(most) : kMostPerRequest;
  most_per_request_ = static_cast<size_t>(std::min(bound, kMostPerRequest)) / 4096 * 4096;
  if (most_per_request_ == 0)
    throw Failure(ExitCode::input, tr("{1}: the server takes no requests of 4096 bytes", name_));
  const auto what_it_is = [](nbd_handle* h) {
    return std::tuple(nbd_get_size(h), nbd_is_read_only(h), nbd_can_flush(h), nbd_can_trim(h), nbd_can_multi_conn(h));
  };
  const bool is_one_enough = access == Access::look || nbd_can_multi_conn(handle) != 1;
  const auto first_is = what_it_is(handle);
  idle_.push_back(std::move(first));
  while (!is_one_enough && idle_.size() < kMostConnections) {
    Connection next = connect_again();
    if (!next) break;
    if (what_it_is(next.get()) != first_is) {
      throw Failure(ExitCode::input, tr("{1}: a second connection finds another size or other abilities", name_),
                    tr("several servers seem to answer at this address"));
    }
    idle_.push_back(std::move(next));
  }
}

NbdStore::~NbdStore() = default;

template <class F>
void NbdStore::request(const char* what, F f) {
  const auto fail = [&](int error, const std::string& text) {
    // Errors that NBD does not have become EIO, as a disk's.
    const bool is_of_disks = error == ENOSPC || error == EPERM || error == EROFS || error == ENOMEM;
    throw IoError(is_of_disks ? error : EIO, name_ + ": " + tr(what) + ": " + text);
  };
  if (is_lost_) fail(EIO, tr("the connection to the server was lost"));
  const Use use(*this);
  if (f(use.get()) == 0) return;
  const int error = nbd_get_errno() ? nbd_get_errno() : EIO;
  const std::string text = last_message();
  if (use.is_lost()) is_lost_ = true;
  fail(error, text);
}

void NbdStore::read(uint8_t* out, size_t len, uint64_t offset) {
  while (len > 0) {
    const size_t now = std::min(len, most_per_request_);
    request(cli::mark("cannot be read"), [&](nbd_handle* handle) {
      if (is_patient_) return nbd_pread(handle, out, now, offset, 0);
      const int64_t read = nbd_aio_pread(handle, out, now, offset, NBD_NULL_COMPLETION, 0);
      int done = read < 0 ? -1 : 0;
      const bool answers = wait_until(handle, kMostSilence, [&] {
        if (done == 0) done = nbd_aio_command_completed(handle, static_cast<uint64_t>(read));
        return done != 0;
      });
      if (!answers && nbd_aio_is_dead(handle) != 1 && nbd_aio_is_closed(handle) != 1) {
        is_lost_ = true;  // an answer that still comes would be written to `out`, which is gone by then
        fail_silent(name_);
      }
      return done == 1 ? 0 : -1;
    });
    out += now;
    len -= now;
    offset += now;
  }
}

void NbdStore::write(const uint8_t* in, size_t len, uint64_t offset) {
  while (len > 0) {
    const size_t now = std::min(len, most_per_request_);
    request(cli::mark("cannot be written"), [&](nbd_handle* handle) { return nbd_pwrite(handle, in, now, offset, 0); });
    in += now;
    len -= now;
    offset += now;
  }
}

void NbdStore::flush() {
  if (!can_flush_) return;
  flush_.run([&] { request(cli::mark("cannot be flushed"), [](nbd_handle* handle) { return nbd_flush(handle, 0); }); },
             [&](int error) { throw IoError(error, name_ + ": " + tr("an earlier flush failed")); });
}

void NbdStore::discard(uint64_t offset, uint64_t len) {
  while (can_trim_ && len > 0) {
    const uint64_t now = std::min<uint64_t>(len, uint64_t{1} << 30);
    request(cli::mark("cannot give space back"), [&](nbd_handle* handle) { return nbd_trim(handle, now, offset, 0); });
    offset += now;
    len -= now;
  }
}

}  // namespace vsh::disk
