#include "programs/tunnel/net.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/udp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tunnel/segments.hpp"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

namespace vsh::tunnel {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr int kSocketBuffer = 8 << 20;
constexpr size_t kMaxSegments = 64, kMaxMessage = 65000;
constexpr int kMostWait = 50;  // ms, for room in the socket

[[noreturn]] void fail(const std::string& what) {
  throw Failure(ExitCode::output, tr("{1}: {2}", what, std::strerror(errno)), {}, errno);
}

// For a root's shell, where $USER is root.
std::string this_user() {
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry ? entry->pw_name : std::to_string(::geteuid());
}

}  // namespace

uint16_t Address::port() const {
  return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

void Address::set_port(uint16_t port) {
  if (storage.ss_family == AF_INET6) reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
  else reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
}

bool Address::is_wildcard() const {
  if (storage.ss_family == AF_INET6)
    return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr);
  return reinterpret_cast<const sockaddr_in&>(storage).sin_addr.s_addr == INADDR_ANY;
}

bool Address::operator==(const Address& other) const {
  if (storage.ss_family != other.storage.ss_family || port() != other.port()) return false;
  if (storage.ss_family == AF_INET6)
    return std::memcmp(&reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr,
                       &reinterpret_cast<const sockaddr_in6&>(other.storage).sin6_addr, 16) == 0;
  return reinterpret_cast<const sockaddr_in&>(storage).sin_addr.s_addr ==
         reinterpret_cast<const sockaddr_in&>(other.storage).sin_addr.s_addr;
}

std::string Address::text() const {
  char host[NI_MAXHOST];
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&storage), len, host, sizeof host, nullptr, 0, NI_NUMERICHOST) !=
      0)
    return "?";
  return (storage.ss_family == AF_INET6 ? "[" + std::string(host) + "]" : host) + ":" + std::to_string(port());
}

Address read_address(const std::string& option, const std::string& text) {
  const Failure wrong(ExitCode::usage, tr("{1}: not an address and a port: {2}", option, text),
                      tr("192.0.2.1:4500 or [2001:db8::1]:4500"));
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw wrong;
  std::string host = text.substr(0, colon);
  const std::string port = text.substr(colon + 1);
  uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc{} || end != port.data() + port.size() || number == 0) throw wrong;
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (bracketed != (host.find(':') != std::string::npos)) throw wrong;
  addrinfo hints{}, *found = nullptr;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_DGRAM;
  if (host.empty()) throw wrong;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0)
    throw Failure(ExitCode::usage, tr("{1}: not an address: {2}", option, host),
                  tr("names are not looked up: give what `getent ahosts {1}` says", host));
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.len = found->ai_addrlen;
  ::freeaddrinfo(found);
  return address;
}

cli::Descriptor open_udp(const Address& local) {
  cli::Descriptor fd(::socket(local.storage.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.is_open()) fail(local.text());
  const int size = kSocketBuffer, on = 1, never = IP_PMTUDISC_DO, never6 = IPV6_PMTUDISC_DO;
  for (const int which : {SO_RCVBUF, SO_SNDBUF}) {
    const int forced = which == SO_RCVBUF ? SO_RCVBUFFORCE : SO_SNDBUFFORCE;
    if (::setsockopt(fd.get(), SOL_SOCKET, forced, &size, sizeof size) != 0)
      (void)::setsockopt(fd.get(), SOL_SOCKET, which, &size, sizeof size);
  }
  if (local.storage.ss_family == AF_INET6) {
    (void)::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    (void)::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, &never6, sizeof never6);
  } else {
    (void)::setsockopt(fd.get(), IPPROTO_IP, IP_MTU_DISCOVER, &never, sizeof never);
  }
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&local.storage), local.len) != 0) fail(local.text());
  return fd;
}

cli::Descriptor open_tun(std::string& name, bool several, unsigned mtu, bool headers) {
  if (name.size() >= IFNAMSIZ)
    throw Failure(ExitCode::usage, tr("--tun: the name of a device has at most {1} characters", IFNAMSIZ - 1));
  cli::Descriptor fd(::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open())
    throw Failure(ExitCode::output, tr("{1}: {2}", "/dev/net/tun", std::strerror(errno)),
                  errno == ENOENT ? "modprobe tun" : std::string(), errno);
  ifreq request{};
  std::memcpy(request.ifr_name, name.c_str(), name.size());
  const int flags = IFF_TUN | IFF_NO_PI | (headers ? IFF_VNET_HDR : 0);
  const auto attach = [&](int more) {
    request.ifr_flags = static_cast<short>(flags | more);
    return ::ioctl(fd.get(), TUNSETIFF, &request) == 0;
  };
  // A device that stays may be one of several queues, and this the only one in use.
  if (!attach(several ? IFF_MULTI_QUEUE : 0) && (several || errno != EINVAL || !attach(IFF_MULTI_QUEUE))) {
    if (several && errno == EINVAL)
      throw Failure(ExitCode::output, tr("TUN device {1}: it has one queue, and the key file several", name),
                    "ip tuntap add " + name + " mode tun multi_queue", EINVAL);
    throw Failure(ExitCode::output, tr("{1}: {2}", tr("TUN device {1}", name), std::strerror(errno)),
                  errno == EPERM ? tr("run this as root, or make the device before, as root: {1}",
                                      "ip tuntap add " + (name.empty() ? "vsh0" : name) + " mode tun user " +
                                          this_user() + (several ? " multi_queue" : ""))
                                 : std::string(),
                  errno);
  }
  name = request.ifr_name;
  const cli::Descriptor control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto ask = [&](unsigned long what) { return ::ioctl(control.get(), what, &request) == 0; };
  const auto refuse = [&](const std::string& what) {
    throw Failure(ExitCode::output, tr("{1}: {2}", what, std::strerror(errno)),
                  errno == EPERM ? "ip link set " + name + " mtu " + std::to_string(mtu) + " up" : std::string(),
                  errno);
  };
  request = {};
  std::memcpy(request.ifr_name, name.c_str(), name.size());
  if (!ask(SIOCGIFMTU)) fail(name);
  const bool has_mtu = request.ifr_mtu == static_cast<int>(mtu);
  request.ifr_mtu = static_cast<int>(mtu);
  if (!has_mtu && !ask(SIOCSIFMTU)) refuse(tr("MTU of {1}", name));
  if (!ask(SIOCGIFFLAGS)) fail(name);
  const bool is_up = request.ifr_flags & IFF_UP;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  if (!is_up && !ask(SIOCSIFFLAGS)) refuse(tr("starting {1}", name));
  return fd;
}

Offloads::Offloads(int fd) : fd_(fd) {
  ifreq request{};
  if (::ioctl(fd, TUNGETIFF, &request) != 0) return;  // no TUN device
  const int flags = request.ifr_flags;
  if (!(flags & IFF_TUN) || !(flags & IFF_NO_PI))
    throw Failure(ExitCode::input, tr("descriptor {1}: not a TUN device with IFF_NO_PI", fd));
  has_headers_ = flags & IFF_VNET_HDR;
  const int len = sizeof(DeviceHeader);
  if (has_headers_ && ::ioctl(fd, TUNSETVNETHDRSZ, &len) != 0) fail(request.ifr_name);
  constexpr unsigned kOffloads = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
  (void)::ioctl(fd, TUNSETOFFLOAD, has_headers_ ? kOffloads : 0u);
}

Offloads::~Offloads() { (void)::ioctl(fd_, TUNSETOFFLOAD, 0u); }

void set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) fail(tr("descriptor {1}", fd));
}

// The arguments of sendmmsg(2).
struct Sender::Messages {
  struct alignas(cmsghdr) Control {
    char bytes[CMSG_SPACE(sizeof(uint16_t))];
  };
  iovec parts[kMaxSegments];
  mmsghdr heads[kMaxSegments];
  Control controls[kMaxSegments];
  size_t num = 0;
};

void Sender::build(Messages& messages, std::span<const Datagram> datagrams, const Address& to) const {
  messages.num = 0;
  datagrams = datagrams.first(std::min(datagrams.size(), kMaxSegments));
  for (size_t first = 0, end = 0; first < datagrams.size(); first = end, ++messages.num) {
    const size_t len = datagrams[first].len;
    size_t total = 0;
    do {
      messages.parts[end] = {datagrams[end].data, datagrams[end].len};
      total += datagrams[end].len;
      ++end;
    } while (segments_ && end < datagrams.size() && datagrams[end - 1].len == len && datagrams[end].len <= len &&
             total + datagrams[end].len <= kMaxMessage);
    msghdr& head = messages.heads[messages.num].msg_hdr;
    head = {};
    head.msg_name = const_cast<sockaddr_storage*>(&to.storage), head.msg_namelen = to.len;
    head.msg_iov = &messages.parts[first], head.msg_iovlen = end - first;
    if (head.msg_iovlen == 1) continue;
    Messages::Control& control = messages.controls[messages.num] = {};
    head.msg_control = control.bytes, head.msg_controllen = sizeof control.bytes;
    cmsghdr* const c = CMSG_FIRSTHDR(&head);
    c->cmsg_level = IPPROTO_UDP, c->cmsg_type = UDP_SEGMENT, c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    const auto segment = static_cast<uint16_t>(len);
    std::memcpy(CMSG_DATA(c), &segment, sizeof segment);
  }
}

Sender::Result Sender::send(std::span<const Datagram> datagrams, const Address& to) {
  Result result;
  Messages messages;
  while (!datagrams.empty()) {
    build(messages, datagrams, to);
    size_t done = 0;
    const auto of_next = [&] {
      const auto next = datagrams.first(messages.heads[done++].msg_hdr.msg_iovlen);
      datagrams = datagrams.subspan(next.size());
      return next;
    };
    while (done < messages.num) {
      const int n = ::sendmmsg(fd_, messages.heads + done, static_cast<unsigned>(messages.num - done), 0);
      if (const int error = errno; n <= 0 && !can_repeat(error)) fall_back(error, of_next(), to, result);
      for (int i = 0; i < n; ++i) {
        const auto sent = of_next();
        result.sent += sent.size();
        for (const Datagram& d : sent) result.sent_bytes += d.payload;
      }
    }
  }
  return result;
}

bool Sender::can_repeat(int error) const {
  pollfd room{fd_, POLLOUT, 0};
  return error == EINTR || (error == EAGAIN && ::poll(&room, 1, kMostWait) > 0);
}

void Sender::fall_back(int error, std::span<const Datagram> refused, const Address& to, Result& result) {
  if (error == EAGAIN || error == ENOBUFS) {
    result.no_room += refused.size();
  } else if (refused.size() > 1 && (error == EIO || error == EINVAL || error == EOPNOTSUPP || error == EMSGSIZE)) {
    // One of them may be too long, for which kernels have EMSGSIZE or EINVAL; else this one has no segments.
    const bool before = std::exchange(segments_, false);
    const Result singly = send(refused, to);
    segments_ = before && (error == EMSGSIZE || singly.too_long > 0);
    result.sent += singly.sent, result.sent_bytes += singly.sent_bytes, result.too_long += singly.too_long;
    result.no_room += singly.no_room, result.unreachable += singly.unreachable;
  } else if (error == EMSGSIZE) {
    result.too_long += refused.size();
  } else {
    result.unreachable += refused.size();
  }
}

Receiver::Receiver(int fd, bool joined)
    : fd_(fd),
      buffers_(kMessages * kMessage),
      messages_(kMessages),
      parts_(kMessages),
      from_(kMessages),
      controls_(kMessages) {
  const int on = 1;
  if (joined) (void)::setsockopt(fd_, IPPROTO_UDP, UDP_GRO, &on, sizeof on);
}

size_t Receiver::receive_messages() {
  for (size_t i = 0; i < kMessages; ++i) {
    parts_[i] = {&buffers_[i * kMessage], kMessage};
    msghdr& m = messages_[i].msg_hdr;
    m = {};
    m.msg_name = &from_[i].storage, m.msg_namelen = sizeof from_[i].storage;
    m.msg_iov = &parts_[i], m.msg_iovlen = 1;
    m.msg_control = controls_[i].bytes, m.msg_controllen = sizeof controls_[i].bytes;
  }
  const int n = ::recvmmsg(fd_, messages_.data(), kMessages, MSG_DONTWAIT, nullptr);
  for (int i = 0; i < n; ++i) from_[static_cast<size_t>(i)].len = messages_[static_cast<size_t>(i)].msg_hdr.msg_namelen;
  return n > 0 ? static_cast<size_t>(n) : 0;
}

size_t Receiver::part_len(size_t i) const {
  auto& m = const_cast<msghdr&>(messages_[i].msg_hdr);
  for (cmsghdr* c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
    if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO) continue;
    int segment = 0;
    std::memcpy(&segment, CMSG_DATA(c), sizeof segment);
    if (segment > 0) return static_cast<size_t>(segment);
  }
  return kMessage;
}

}  // namespace vsh::tunnel
