// Datagrams as a queue of the tunnel receives them, from a kernel and a peer that this target plays: hellos and
// packets, repeated, changed, made up, joined as by UDP_GRO and divided by whatever length the kernel states. Before
// the queue gets a batch, a model predicts the result. Only packets that the peer has sealed reach the device,
// once; only a new hello moves the peer's address and the numbers; only an authentic hello is answered, by one; each
// datagram is counted once.
#include <netinet/udp.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>

#include "fuzz.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/tunnel/queue.hpp"

#ifndef UDP_GRO
#define UDP_GRO 104
#endif

namespace {

using namespace vsh::fuzz;
using namespace vsh::tunnel;
using vsh::cli::Descriptor;

const char* const kWhere = "datagrams";
constexpr size_t kLongest = 65535;  // bytes of a datagram, or of joined ones
constexpr uint8_t kIpv4 = 4, kIpv6 = 41, kDummy = 59;

uint64_t now = 0;  // ms, of the queue's clock

struct Esp {
  Esp() { check(vsh_esp_new(&set, 1, nullptr) == VSH_OK, "vsh_esp_new", kWhere); }
  ~Esp() { vsh_esp_free(set); }
  void add(const KeyFile& file, const DirectionKeys& keys, uint32_t flags, uint64_t sequence) {
    vsh_esp_sa sa{};
    sa.transform = file.transform, sa.flags = flags | VSH_ESP_ESN, sa.spi = keys.spi, sa.sequence = sequence;
    sa.key = keys.transform_key, sa.key_len = vsh_esp_key_len(file.transform);
    check(vsh_esp_add(set, 0, &sa) == VSH_OK, "vsh_esp_add", kWhere);
  }
  vsh_esp* set = nullptr;
};

struct Keys {
  Keys(const KeyFile& file, bool sends) { derive(bytes, file, sends, 0); }
  const DirectionKeys& operator*() const { return keys_in(bytes); }
  const DirectionKeys* operator->() const { return &**this; }
  vsh::cli::SecretBytes<sizeof(DirectionKeys)> bytes;
};

struct End : KeyFile {
  End(uint8_t send_byte, uint8_t receive_byte, vsh_esp_transform which) {
    transform = which;
    std::memset(send.bytes, send_byte, kSecretLen);
    std::memset(receive.bytes, receive_byte, kSecretLen);
  }
};

// 0: the peer as it was configured; another port, another host, another family.
Address address(size_t number) {
  Address a;
  if (number == 3) {
    auto& in6 = reinterpret_cast<sockaddr_in6&>(a.storage);
    in6.sin6_family = AF_INET6, in6.sin6_addr.s6_addr[15] = 1;
    a.len = sizeof in6;
  } else {
    auto& in = reinterpret_cast<sockaddr_in&>(a.storage);
    in.sin_family = AF_INET, in.sin_addr.s_addr = htonl(number == 2 ? 0xc0000202 : 0xc0000201);
    a.len = sizeof in;
  }
  a.set_port(number == 1 ? 1024 : 4500);
  return a;
}

bool is_ip(const Bytes& p, uint8_t next_header) {
  const auto field = [&p](size_t at) { return size_t{p[at]} << 8 | p[at + 1]; };
  if (next_header == kIpv4) return p.size() >= 20 && p[0] >> 4 == 4 && field(2) == p.size();
  return next_header == kIpv6 && p.size() >= 40 && p[0] >> 4 == 6 && field(4) + 40 == p.size();
}

Bytes ip_packet(size_t len, bool ipv4) {
  Bytes packet(len + (ipv4 ? 20 : 40));
  packet[0] = ipv4 ? 0x45 : 0x60;
  packet[ipv4 ? 3 : 5] = static_cast<uint8_t>(ipv4 ? packet.size() : len);
  packet[ipv4 ? 2 : 4] = static_cast<uint8_t>((ipv4 ? packet.size() : len) >> 8);
  return packet;
}

class Play {
 public:
  explicit Play(Input& input);
  ~Play() { current = nullptr; }
  void run();

  // The kernel's calls.
  int receive(mmsghdr* messages, size_t count);
  void take_hello(const Bytes& message, const Address& to);
  void take_packet(const Bytes& packet, const Address& to);

  static Play* current;

 private:
  struct Packet {
    Bytes payload;
    uint8_t next_header;
    uint64_t sequence;
    bool was_opened = false;
  };
  struct Answer {
    Address to;
    Challenge echo;
    unsigned challenges;  // that the queue has had until then
  };

  void send_from_device();
  Bytes datagram();
  Bytes hello(const Challenge& echo);
  Bytes packet();
  Bytes changed(Bytes bytes);
  size_t state_segment(msghdr& message, size_t first_len);
  void expect(const Bytes& datagram, const Address& from);
  void expect_opened(Packet& packet);
  void check_effects();
  void check_totals();

  Input& input_;
  const End ours_, theirs_;
  const Keys send_keys_, receive_keys_;  // the peer's
  const uint32_t window_;
  size_t rounds_;
  Esp sealing_, opening_;
  Descriptor stop_, device_;
  std::unique_ptr<StateFile> state_;
  std::unique_ptr<Queue> queue_;

  // The peer's datagrams, and the authentic ones among them.
  std::deque<Bytes> said_;
  std::map<Bytes, Hello> hellos_;
  std::map<Bytes, Packet> packets_;
  Bytes heard_;        // from the queue
  uint64_t last_ = 0;  // number of the last packet
  uint8_t num_hellos_ = 0;

  // The model.
  bool is_ready_ = false, will_fail_ = false;
  Address peer_;
  Challenge peer_challenge_{}, told_{};
  unsigned challenges_ = 1, told_challenges_ = 0;  // of the queue: had, and the one that was told
  uint64_t seen_, floor_ = 0, top_ = 0, next_answer_ = 0, next_greeting_ = 0;
  size_t num_datagrams_ = 0, num_from_device_ = 0;
  Totals totals_;
  std::vector<Packet*> arrived_;  // of this batch

  // The expected results of the batch, and the actual ones.
  std::vector<Answer> answers_;
  std::vector<Bytes> to_device_, to_peer_;
  std::vector<std::pair<Bytes, Address>> hellos_sent_;
  size_t packets_sent_ = 0;
};

Play* Play::current = nullptr;

Play::Play(Input& input)
    : input_(input),
      ours_(1, 2, input.byte() % 2 ? VSH_ESP_MAGMA_MGM : VSH_ESP_KUZNYECHIK_MGM),
      theirs_(2, 1, ours_.transform),
      send_keys_(theirs_, true),
      receive_keys_(theirs_, false),
      window_(64 * static_cast<uint32_t>(1 + input.below(3))),
      rounds_(1 + input.below(20)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  current = this;
  now = 0;
  constexpr uint64_t kNumbers[] = {0, 5, (uint64_t{1} << 32) - 3, uint64_t{1} << 40};
  const Sequences before{kNumbers[input.below(4)], kNumbers[input.below(4)]};
  seen_ = before.seen;
  last_ = input.below(4) ? before.seen + input.byte() : input.byte();  // that of a peer whose state was lost, too
  const std::string name =
      (std::filesystem::temp_directory_path() / ("fuzz_datagrams." + std::to_string(::getpid()))).string();
  StateFile::create(name, ours_);
  state_ = std::make_unique<StateFile>(name, ours_);
  ::unlink(name.c_str());
  state_->reserve(0, before.sent);
  state_->settle({before});
  sealing_.add(theirs_, *send_keys_, VSH_ESP_OUTBOUND, last_ + 1);
  opening_.add(theirs_, *receive_keys_, VSH_ESP_INBOUND, before.sent);
  int pair[2];
  check(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0, "socketpair", kWhere);
  device_ = Descriptor(pair[0]);
  QueueSettings settings;
  settings.window = window_, settings.clock = [] { return now; };
  if (input.below(3)) settings.peer = peer_ = address(0);
  // An eventfd instead of the socket can always be read.
  queue_ =
      std::make_unique<Queue>(ours_, settings, *state_, Descriptor(pair[1]), Descriptor(::eventfd(1, EFD_CLOEXEC)));
}

void Play::run() {
  bool has_failed = false;
  try {
    queue_->run(stop_.get());
  } catch (const vsh::cli::Failure& failure) {
    check(will_fail_ && failure.code() == vsh::cli::ExitCode::input, failure.what(), kWhere);
    has_failed = true;
  }
  check(has_failed == will_fail_, "a state that was rolled back goes on", kWhere);
  check_effects();
}

// The queue's work since its last call is over now.
int Play::receive(mmsghdr* messages, size_t count) {
  check(!will_fail_, "a state that was rolled back goes on", kWhere);
  check_effects();
  check_totals();
  if (rounds_ == 0) {
    ::eventfd_write(stop_.get(), 1);
  } else {
    --rounds_;
    const uint64_t unit = input_.below(2) ? 100 : 1;
    now += unit * input_.byte();
    send_from_device();
    const size_t num = input_.below(std::min<size_t>(count, 5));
    for (size_t i = 0; i < num; ++i) {
      const Address from = address(input_.below(4));
      const bool is_joined = input_.below(2);
      Bytes all = datagram();
      const size_t first_len = all.size();
      for (size_t more = is_joined ? input_.below(8) : 0; more > 0; --more) {
        const Bytes next = datagram();
        if (next.size() > first_len || all.size() + next.size() > kLongest) break;
        all.insert(all.end(), next.begin(), next.end());
        if (next.size() != first_len) break;
      }
      msghdr& m = messages[i].msg_hdr;
      std::memcpy(m.msg_name, &from.storage, from.len);
      m.msg_namelen = from.len;
      messages[i].msg_len = static_cast<unsigned>(all.size());
      check(m.msg_iovlen == 1 && m.msg_iov->iov_len >= kLongest, "no room for the longest datagram", kWhere);
      std::copy(all.begin(), all.end(), static_cast<uint8_t*>(m.msg_iov->iov_base));
      size_t len = state_segment(m, is_joined ? first_len : 0);
      if (len == 0) len = all.size();
      for (size_t at = 0; at == 0 || at < all.size(); at += len) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
        expect({begin, begin + static_cast<std::ptrdiff_t>(std::min(len, all.size() - at))}, from);
        if (all.empty()) break;
      }
    }
    if (!will_fail_)
      for (Packet* const packet : arrived_) expect_opened(*packet);
    arrived_.clear();
    if (num > 0) return static_cast<int>(num);
  }
  errno = EAGAIN;
  return -1;
}

// The kernel's control message. Returns the length by which it divides; 0: it does not.
size_t Play::state_segment(msghdr& message, size_t first_len) {
  const auto put = [&message](size_t at, int level, int type, int value) {
    auto* const c = reinterpret_cast<cmsghdr*>(static_cast<char*>(message.msg_control) + at);
    c->cmsg_level = level, c->cmsg_type = type, c->cmsg_len = CMSG_LEN(sizeof value);
    std::memcpy(CMSG_DATA(c), &value, sizeof value);
    return at + CMSG_SPACE(sizeof value);
  };
  int len = static_cast<int>(first_len);
  const size_t how = input_.below(8);
  if (how == 0) {
    constexpr int kHostile[] = {0, -1, INT_MIN, INT_MAX, 65535, 65536};
    len = kHostile[input_.below(6)];
  } else if (how == 1) {
    len = input_.byte();
  }
  size_t end = 0;
  if (how == 2) end = put(end, SOL_SOCKET, UDP_GRO, 1);
  if (how == 3) end = put(end, IPPROTO_UDP, UDP_GRO - 1, 1);
  if (len != 0 || how == 0) end = put(end, IPPROTO_UDP, UDP_GRO, len);
  message.msg_controllen = end;
  return len > 0 ? static_cast<size_t>(len) : 0;
}

void Play::send_from_device() {
  for (size_t num = input_.below(4); num > 0; --num) {
    const Bytes packet = ip_packet(input_.byte(), num % 2);
    check(::write(device_.get(), packet.data(), packet.size()) > 0, "the device is full", kWhere);
    to_peer_.push_back(packet);
  }
}

Bytes Play::hello(const Challenge& echo) {
  Hello h{};
  h.challenge.fill(++num_hellos_);
  h.echo = echo;
  switch (input_.below(8)) {
    case 0: h.sent = input_.byte(); break;
    case 1: h.sent = last_ + input_.byte(); break;
    case 2: h.sent = UINT64_MAX; break;
    default: h.sent = last_;
  }
  const uint8_t seen = input_.byte();
  h.seen = seen < 128 ? 0 : queue_->used().sent + (seen == 255);
  Bytes message(Hello::kLen);
  write_hello(message.data(), *send_keys_, h);
  hellos_.emplace(message, h);
  return message;
}

Bytes Play::packet() {
  Packet p;
  switch (input_.below(8)) {
    case 0: p.next_header = kDummy, p.payload = input_.bytes(input_.byte()); break;
    case 1: p.next_header = input_.byte(), p.payload = input_.bytes(input_.byte()); break;
    case 2: p.next_header = kIpv6, p.payload = ip_packet(input_.byte(), false); break;
    case 3: last_ += uint64_t{1} << input_.below(20); [[fallthrough]];
    default: p.next_header = kIpv4, p.payload = ip_packet(input_.byte(), true);
  }
  p.sequence = ++last_;
  check(vsh_esp_skip(sealing_.set, 0, p.sequence) == VSH_OK, "vsh_esp_skip", kWhere);
  Bytes buffer(VSH_ESP_HEAD_LEN + p.payload.size() + VSH_ESP_MAX_TAIL_LEN);
  std::copy(p.payload.begin(), p.payload.end(), buffer.begin() + VSH_ESP_HEAD_LEN);
  vsh_esp_packet job{buffer.data(), buffer.size(), VSH_ESP_HEAD_LEN, p.payload.size(), 0, 0, p.next_header, VSH_OK};
  check(vsh_esp_seal(sealing_.set, &job, 1) == VSH_OK && job.sequence == p.sequence, "vsh_esp_seal", kWhere);
  const Bytes packet(job.buffer + job.offset, job.buffer + job.offset + job.len);
  packets_.emplace(packet, std::move(p));
  return packet;
}

Bytes Play::changed(Bytes bytes) {
  if (bytes.empty()) return bytes;
  switch (input_.below(4)) {
    case 0: bytes.resize(input_.below(bytes.size() + 1)); break;
    case 1: bytes.resize(std::min(bytes.size() + input_.byte(), kLongest)); break;
    default: bytes[input_.byte() % bytes.size()] ^= static_cast<uint8_t>(input_.byte() | 1);
  }
  return bytes;
}

Bytes Play::datagram() {
  const uint8_t what = input_.byte() % 16;
  Bytes bytes;
  if (what < 3) {
    bytes = hello(told_);
  } else if (what == 3) {
    bytes = hello({});
  } else if (what == 4) {
    Challenge echo;
    echo.fill(input_.byte());
    bytes = hello(echo);
  } else if (what < 9) {
    bytes = packet();
  } else if (what < 13 && !said_.empty()) {
    bytes = said_[input_.byte() % said_.size()];
    if (what >= 11) bytes = changed(bytes);
  } else if (what == 13) {
    const uint32_t spi = input_.below(2) ? send_keys_->spi : send_keys_->control_spi;
    bytes = input_.bytes(input_.byte() % 100);
    for (size_t i = 0; i < std::min<size_t>(4, bytes.size()); ++i) bytes[i] = static_cast<uint8_t>(spi >> (24 - 8 * i));
  } else if (what == 14) {
    bytes = heard_;
  } else {
    bytes = input_.bytes(input_.byte());
    bytes.resize(bytes.size() * (1 + input_.below(4)));
  }
  said_.push_back(bytes);
  return bytes;
}

void Play::expect(const Bytes& datagram, const Address& from) {
  if (will_fail_) return;
  ++num_datagrams_;
  if (const auto found = packets_.find(datagram); found != packets_.end()) {
    if (is_ready_) arrived_.push_back(&found->second);
    else ++totals_.early;
    return;
  }
  const auto found = hellos_.find(datagram);
  if (found == hellos_.end()) return;
  const Hello& h = found->second;
  const auto answer = [&] { answers_.push_back({from, h.challenge, challenges_}); };
  if (told_challenges_ != challenges_ || h.echo != told_) {
    ++totals_.stale_hellos;
    if (h.echo != Challenge{} && now < next_answer_) return;
    if (h.echo != Challenge{}) next_answer_ = now + 100;
    return answer();
  }
  if (h.seen > queue_->used().sent) {
    will_fail_ = true;
    return;
  }
  ++totals_.hellos;
  ++challenges_;
  if (!is_ready_ && h.sent < seen_) {
    ++totals_.rolled_back;
    return answer();
  }
  totals_.address_changes += peer_.len > 0 && !(from == peer_);
  peer_ = from, peer_challenge_ = h.challenge;
  seen_ = std::max(seen_, h.sent);
  if (is_ready_) return;
  is_ready_ = true;
  floor_ = top_ = h.sent;
  answer();
}

// packet: an authentic one.
void Play::expect_opened(Packet& packet) {
  const uint64_t left = top_ < window_ ? 0 : top_ - (window_ - 1);
  if (packet.was_opened || packet.sequence <= floor_ || packet.sequence < left ||
      packet.sequence - left >= uint64_t{1} << 32)
    return;
  packet.was_opened = true;
  top_ = std::max(top_, packet.sequence);
  seen_ = std::max(seen_, packet.sequence);
  if (packet.next_header == kDummy) {
    ++totals_.dummies;
  } else if (!is_ip(packet.payload, packet.next_header)) {
    ++totals_.received_not_ip;
  } else {
    ++totals_.received_packets, totals_.received_bytes += packet.payload.size();
    to_device_.push_back(packet.payload);
  }
}

void Play::take_hello(const Bytes& message, const Address& to) {
  hellos_sent_.emplace_back(message, to);
  heard_ = message;
}

void Play::take_packet(const Bytes& packet, const Address& to) {
  check(is_ready_ && to == peer_, "a packet goes to a peer that has not proved that it is there", kWhere);
  heard_ = packet;
  Bytes buffer = packet;
  vsh_esp_packet job{buffer.data(), buffer.size(), 0, buffer.size(), 0, 0, 0, VSH_OK};
  check(vsh_esp_open(opening_.set, &job, 1) == VSH_OK, "a packet that the peer does not open", kWhere);
  check(packets_sent_ < to_peer_.size() &&
            Bytes(job.buffer + job.offset, job.buffer + job.offset + job.len) == to_peer_[packets_sent_],
        "a packet that the device did not give", kWhere);
  ++packets_sent_;
}

void Play::check_effects() {
  for (const Bytes& payload : to_device_) {
    Bytes got(65536);
    const ssize_t n = ::recv(device_.get(), got.data(), got.size(), 0);
    got.resize(n > 0 ? static_cast<size_t>(n) : 0);
    check(got == payload, "the device did not get the peer's packet", kWhere);
  }
  uint8_t byte = 0;
  check(::recv(device_.get(), &byte, 1, 0) < 0, "the device got what no peer sent", kWhere);
  to_device_.clear();

  check(hellos_sent_.size() >= answers_.size(), "a hello was not answered", kWhere);
  check(hellos_sent_.size() <= answers_.size() + 1, "answers to nothing", kWhere);
  for (size_t i = 0; i < hellos_sent_.size(); ++i) {
    const auto& [message, to] = hellos_sent_[i];
    const bool is_greeting = i == answers_.size();
    const Answer due = is_greeting ? Answer{peer_, peer_challenge_, challenges_} : answers_[i];
    Hello h{};
    check(read_hello(h, *receive_keys_, message.data(), message.size()), "no hello", kWhere);
    check(to == due.to && h.echo == due.echo, "a hello to another", kWhere);
    if (is_greeting) {
      check(now >= next_greeting_, "hellos follow too soon", kWhere);
      next_greeting_ = now + 200;
    }
    check((told_challenges_ == due.challenges) == (told_ == h.challenge), "a challenge for two answers", kWhere);
    told_ = h.challenge, told_challenges_ = due.challenges;
  }
  hellos_sent_.clear(), answers_.clear();

  check(queue_->is_ready() == is_ready_, "ready without a new hello", kWhere);
  check(queue_->used().seen == seen_, "another number was seen", kWhere);
}

void Play::check_totals() {
  Totals t;
  t += queue_->counters();
  check(t.hellos == totals_.hellos && t.rolled_back == totals_.rolled_back &&
            t.address_changes == totals_.address_changes && t.received_packets == totals_.received_packets &&
            t.received_bytes == totals_.received_bytes && t.received_not_ip == totals_.received_not_ip &&
            t.dummies == totals_.dummies && t.device_full == 0,
        "authentic datagrams are counted otherwise", kWhere);
  check(t.early >= totals_.early && t.stale_hellos >= totals_.stale_hellos, "some are not counted", kWhere);
  check(t.early + t.unknown_spi + t.own_spi + t.replayed + t.forged + t.malformed + t.received_not_ip + t.dummies +
                t.keepalives + t.hellos + t.stale_hellos + t.forged_hellos + t.received_packets ==
            num_datagrams_,
        "the counters do not add up", kWhere);
  check(packets_sent_ == (is_ready_ ? to_peer_.size() : 0), "packets of the device are missing", kWhere);
  check(t.sent_packets + t.not_ready == (num_from_device_ += to_peer_.size()), "some are not counted", kWhere);
  packets_sent_ = 0, to_peer_.clear();
}

}  // namespace

extern "C" {

int recvmmsg(int, mmsghdr* messages, unsigned count, int, timespec*) { return Play::current->receive(messages, count); }

ssize_t sendto(int, const void* data, size_t len, int, const sockaddr* to, socklen_t to_len) {
  Address address;
  std::memcpy(&address.storage, to, to_len);
  address.len = to_len;
  const auto* const bytes = static_cast<const uint8_t*>(data);
  Play::current->take_hello({bytes, bytes + len}, address);
  return static_cast<ssize_t>(len);
}

int sendmmsg(int, mmsghdr* messages, unsigned count, int) {
  for (unsigned i = 0; i < count; ++i) {
    const msghdr& m = messages[i].msg_hdr;
    Address address;
    std::memcpy(&address.storage, m.msg_name, m.msg_namelen);
    address.len = m.msg_namelen;
    for (size_t part = 0; part < m.msg_iovlen; ++part) {
      const auto* const bytes = static_cast<const uint8_t*>(m.msg_iov[part].iov_base);
      Play::current->take_packet({bytes, bytes + m.msg_iov[part].iov_len}, address);
    }
  }
  return static_cast<int>(count);
}

// The state file's: nothing here has to outlive the machine.
int fsync(int) { return 0; }
int fdatasync(int) { return 0; }

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  Play play(input);
  play.run();
  return 0;
}

}  // extern "C"
