#include "programs/tomo/commands/socket_arrivals.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/formats/elements.hpp"
#include "programs/tomo/formats/fields.hpp"
#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

constexpr size_t kHeader = 24, kPiece = 1 << 20;
constexpr size_t kMostFields = 4096;  // whites, or darks
// After the last line frames that were under way are read and dropped for so long: closing at once would reset a TCP
// connection, and the line would be lost.
constexpr double kFarewell = 5;  // seconds

[[noreturn]] void fail(const std::string& name, int error, const std::string& advice) {
  throw Failure(ExitCode::input, quote_name(name) + ": " + std::strerror(error), advice, error);
}

}  // namespace

bool is_socket_name(const std::string& name) { return name.starts_with("unix:") || name.starts_with("tcp:"); }

SocketArrivals::SocketArrivals(ArrivalPlan plan) : Arrivals(std::move(plan)), address_(plan_.folder) { listen(); }

SocketArrivals::~SocketArrivals() { remove_name(); }

void SocketArrivals::listen() {
  const std::string rest = address_.substr(address_.find(':') + 1);
  const bool is_unix = address_.starts_with("unix:");
  listener_ = cli::Descriptor(::socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener_.is_open()) fail(address_, errno, "");
  if (is_unix) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (rest.empty() || rest.size() >= sizeof name.sun_path)
      throw Failure(ExitCode::usage, tr("{1}: not a name of a socket", quote_name(address_)),
                    tr("give 1 to {1} bytes", sizeof name.sun_path - 1));
    std::copy(rest.begin(), rest.end(), name.sun_path);
    const cli::InterruptHold hold;
    const mode_t mask = ::umask(0177);
    const int error = ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 ? 0 : errno;
    ::umask(mask);
    if (error != 0) fail(rest, error, error == EADDRINUSE ? tr("remove it if nothing uses it") : "");
    path_ = rest;
    guard_ = std::make_unique<cli::InterruptGuard>(hold, path_, "");
  } else {
    uint16_t port = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
    if (error != std::errc() || end != rest.data() + rest.size())
      throw Failure(ExitCode::usage, tr("{1}: not a port", quote_name(address_)), tr("give tcp:0 to tcp:65535"));
    sockaddr_in name{};
    socklen_t len = sizeof name;
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&name), &len) != 0)
      fail(address_, errno, tr("choose another port, or 0"));
    address_ = "tcp:127.0.0.1:" + std::to_string(ntohs(name.sin_port));
  }
  if (::listen(listener_.get(), 1) != 0) fail(address_, errno, "");
}

void SocketArrivals::remove_name() {
  if (path_.empty()) return;
  (void)guard_->commit([&] { return ::unlink(path_.c_str()) == 0 ? 0 : errno; });
  guard_.reset();
  path_.clear();
}

void SocketArrivals::refuse(const std::string& problem, const std::string& advice) const {
  throw Failure(ExitCode::input, quote_name(address_) + ": " + problem, advice);
}

// Returns true if there is something to read, false after `seconds` (0: waits for ever).
bool SocketArrivals::wait_for(int descriptor, double seconds) const {
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    int left = -1;
    if (seconds > 0) {
      const double gone = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (gone >= seconds) return false;
      left = static_cast<int>(std::min(1000 * (seconds - gone), 1e6)) + 1;
    }
    pollfd events = {descriptor, POLLIN, 0};
    const int num = ::poll(&events, 1, left);
    if (num > 0) return true;
    if (num < 0 && errno != EINTR) fail(address_, errno, "");
  }
}

// Waits for the one client; after that nobody else can connect.
bool SocketArrivals::accept_client(double seconds) {
  while (!client_.is_open()) {
    if (!wait_for(listener_.get(), seconds)) return false;
    client_ = cli::Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client_.is_open() && errno != EINTR && errno != ECONNABORTED) fail(address_, errno, "");
  }
  if (listener_.is_open()) {
    listener_ = cli::Descriptor();
    remove_name();
  }
  return true;
}

// Returns false at the end of the connection, if it may be here, before the first byte, or after `seconds` in
// which none came.
bool SocketArrivals::fill(uint8_t* out, size_t num, double seconds, bool may_end) {
  for (size_t done = 0; done < num;) {
    if (!wait_for(client_.get(), seconds)) {
      if (may_end && done == 0) return false;
      refuse(tr("a frame that is not complete, and nothing came for {1} seconds", shown(seconds)), "");
    }
    const ssize_t len = ::recv(client_.get(), out + done, num - done, 0);
    if (len < 0 && errno == EINTR) continue;
    if (len < 0) fail(address_, errno, tr("the client was lost"));
    if (len == 0) {
      is_at_end_ = true;
      if (may_end && done == 0) return false;
      refuse(tr("the client ended in the middle of a frame"), "");
    }
    done += static_cast<size_t>(len);
  }
  return true;
}

// Reads all rows of a frame, and keeps those that are reconstructed. Memory is taken as the rows come: a header costs
// its sender nothing.
std::vector<float> SocketArrivals::read_values(size_t rows, size_t element, double seconds) {
  const Element type{element == 0 ? ElementKind::u16 : ElementKind::f32, false};
  element_ = type.name();
  std::vector<float> values;
  std::vector<uint8_t> row(num_bins_ * type.size());
  for (size_t i = 0; i < rows; ++i) {
    (void)fill(row.data(), row.size(), seconds, false);
    if (i < first_row_ || i >= first_row_ + num_rows_) continue;
    values.resize(values.size() + num_bins_);
    to_floats(values.data() + values.size() - num_bins_, row.data(), num_bins_, type);
  }
  return values;
}

std::vector<std::string> SocketArrivals::wait(double seconds) {
  if (is_at_end_ || !accept_client(seconds)) return {};
  while (true) {
    uint8_t header[kHeader];
    if (!fill(header, kHeader, seconds, true)) return {};
    const unsigned kind = header[5], element = header[6];
    if (std::memcmp(header, "VSHP", 4) != 0 || header[4] != 1 || kind > 2 || element > 1 || header[7] != 0)
      refuse(tr("not a header of a frame"), tr("docs/tomography.md describes it"));
    const size_t rows = get<uint32_t>(header + 8), bins = get<uint32_t>(header + 12);
    const auto angle = std::bit_cast<double>(get<uint64_t>(header + 16));
    if (!(std::fabs(angle) <= 1e6)) refuse(tr("an angle that is not a number of degrees"), "");
    fix_size(rows, bins, address_);  // bounds both
    if (kind == 0) {
      if (num_ >= kMostAngles) refuse(tr("at most {1} projections are possible", kMostAngles), "");
      next_ = {std::nullopt, angle, read_values(rows, element, seconds)};
      return {address_ + " " + std::to_string(num_++)};
    }
    Sum& sum = fields_[kind - 1];
    if (num_ > 0) refuse(tr("a frame without object or beam after the first projection"), tr("send those before"));
    if (sum.num >= kMostFields) refuse(tr("more than {1} frames of one kind", kMostFields), "");
    const std::vector<float> values = read_values(rows, element, seconds);
    sum.values.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) sum.values[i] += static_cast<double>(values[i]);
    ++sum.num;
  }
}

std::vector<float> SocketArrivals::mean(const Sum& sum) {
  std::vector<float> values;
  for (const double value : sum.values) values.push_back(static_cast<float>(value / static_cast<double>(sum.num)));
  return values;
}

void SocketArrivals::tell(const std::string& line) {
  if (!client_.is_open()) return;
  // A client that is gone, or reads nothing, knows less, but the slices are complete.
  if (::send(client_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
  (void)::shutdown(client_.get(), SHUT_WR);
  std::vector<uint8_t> dropped(kPiece);
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const double left = kFarewell - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (left <= 0 || !wait_for(client_.get(), left)) return;
    if (::recv(client_.get(), dropped.data(), dropped.size(), 0) <= 0) return;
  }
}

}  // namespace vsh::tomo
