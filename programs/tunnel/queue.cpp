#include "programs/tunnel/queue.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "programs/common/system/console.hpp"
#include "programs/common/system/random.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tunnel {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr size_t kBatch = 128;
constexpr uint64_t kFirstWait = 200, kMostWait = 10000;  // ms between hellos: doubled until there is an answer
constexpr uint64_t kAnswerWait = 100;                    // ms between answers to old hellos; below kFirstWait
constexpr uint8_t kIpv4 = 4, kIpv6 = 41, kDummy = 59;    // next headers

void must(vsh_status status) {
  if (status != VSH_OK) throw Failure(ExitCode::internal, tr(vsh_status_message(status)));
}

// Returns 0 unless it is an IP packet of this length.
uint8_t next_header_of(const uint8_t* packet, size_t len) {
  const auto field = [packet](size_t at) { return static_cast<size_t>(packet[at]) << 8 | packet[at + 1]; };
  if (len >= 20 && packet[0] >> 4 == 4) return field(2) == len ? kIpv4 : 0;
  if (len >= 40 && packet[0] >> 4 == 6) return field(4) + 40 == len ? kIpv6 : 0;
  return 0;
}

uint32_t spi_of(const uint8_t* packet) {
  return static_cast<uint32_t>(packet[0]) << 24 | packet[1] << 16 | packet[2] << 8 | packet[3];
}

void fill_challenge(Challenge& challenge) { cli::fill_random(challenge); }

}  // namespace

uint64_t milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

Queue::Queue(const KeyFile& file, const QueueSettings& settings, StateFile& state, cli::Descriptor device,
             cli::Descriptor socket)
    : settings_(settings),
      state_(state),
      device_(std::move(device)),
      socket_(std::move(socket)),
      send_keys_(keys_in(send_bytes_)),
      receive_keys_(keys_in(receive_bytes_)),
      transform_(file.transform),
      peer_(settings.peer),
      last_sent_(state.of(settings.number).sent),
      seen_(state.of(settings.number).seen),
      offloads_(device_.get()),
      joiner_(offloads_.has_headers()),
      sender_(socket_.get(), settings.segments),
      receiver_(socket_.get(), settings.segments),
      read_(sizeof(DeviceHeader) + kMaxDevicePacket),
      buffers_(kBatch * (VSH_ESP_HEAD_LEN + settings.mtu + VSH_ESP_MAX_TAIL_LEN)) {
  derive(send_bytes_, file, true, settings.number);
  derive(receive_bytes_, file, false, settings.number);
  if (send_keys_.spi == receive_keys_.spi || send_keys_.control_spi == receive_keys_.control_spi ||
      send_keys_.spi == receive_keys_.control_spi || receive_keys_.spi == send_keys_.control_spi)
    throw Failure(ExitCode::usage, tr("these keys give two associations one SPI"), tr("make new ones"));
  vsh_esp* made = nullptr;
  must(vsh_esp_new(&made, 1, nullptr));
  out_.reset(made);
  made = nullptr;
  must(vsh_esp_new(&made, 1, nullptr));
  in_.reset(made);
  fill_challenge(challenge_);
  add_outbound();
}

void Queue::add_outbound() {
  exhausted_ = last_sent_ == UINT64_MAX;
  vsh_esp_sa sa{};
  sa.transform = transform_, sa.flags = VSH_ESP_OUTBOUND | VSH_ESP_ESN, sa.spi = send_keys_.spi;
  sa.key = send_keys_.transform_key, sa.key_len = vsh_esp_key_len(transform_);
  sa.sequence = exhausted_ ? UINT64_MAX : last_sent_ + 1;
  must(vsh_esp_add(out_.get(), 0, &sa));
}

void Queue::run(int stop) {
  for (;;) {
    const uint64_t now = settings_.clock();
    greet(now);
    pollfd waiting[] = {{device_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}, {stop, POLLIN, 0}};
    const uint64_t wait = next_hello_ > now ? std::min<uint64_t>(next_hello_ - now, 1000) : 0;
    const int n = ::poll(waiting, 3, static_cast<int>(wait));
    if (n < 0 && errno != EINTR) throw Failure(ExitCode::internal, tr("{1}: {2}", "poll", std::strerror(errno)));
    if (n <= 0) continue;
    if (waiting[2].revents) return;
    if (waiting[0].revents & ~POLLIN) throw Failure(ExitCode::input, tr("the TUN device was closed"));
    if (waiting[0].revents) from_device();
    if (waiting[1].revents) from_socket();
  }
}

// Reads what the device has, seals it and sends it.
void Queue::from_device() {
  packets_.clear();
  for (size_t i = 0; i < kBatch && packets_.size() < kBatch; ++i) {
    const ssize_t n = ::read(device_.get(), read_.data(), read_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) throw Failure(ExitCode::input, tr("TUN device: {1}", std::strerror(errno)));
    if (n <= 0) break;
    DeviceHeader header{};
    const size_t header_len = offloads_.has_headers() ? sizeof header : 0;
    const bool is_whole = static_cast<size_t>(n) > header_len;
    if (is_whole) std::memcpy(&header, read_.data(), header_len);
    if (is_whole && segmenter_.take(header, &read_[header_len], static_cast<size_t>(n) - header_len)) add_packets();
    else count(counters_.not_ip);
  }
  send_packets();
}

// Adds what the segmenter has; a batch that is full is sent before.
void Queue::add_packets() {
  const size_t room = VSH_ESP_HEAD_LEN + settings_.mtu + VSH_ESP_MAX_TAIL_LEN;
  while (const size_t len = segmenter_.next_len()) {
    if (len > settings_.mtu || !ready_ || exhausted_) {
      count(len > settings_.mtu ? counters_.too_long : !ready_ ? counters_.not_ready : counters_.exhausted);
      segmenter_.skip_next();
      continue;
    }
    if (packets_.size() == kBatch) send_packets();
    uint8_t* const buffer = &buffers_[packets_.size() * room];
    segmenter_.write_next(buffer + VSH_ESP_HEAD_LEN);
    const uint8_t next_header = next_header_of(buffer + VSH_ESP_HEAD_LEN, len);
    if (next_header == 0) count(counters_.not_ip);
    else packets_.push_back({buffer, room, VSH_ESP_HEAD_LEN, len, 0, 0, next_header, VSH_OK});
  }
}

void Queue::send_packets() {
  if (packets_.empty()) return;
  datagrams_.clear();
  for (const vsh_esp_packet& p : packets_) datagrams_.push_back({nullptr, 0, p.len});
  const uint64_t more = std::min<uint64_t>(packets_.size(), UINT64_MAX - last_sent_);
  state_.reserve(settings_.number, last_sent_ + more);  // on the disk before it is used
  last_sent_ += more;
  const vsh_status status = vsh_esp_seal(out_.get(), packets_.data(), packets_.size());
  if (status != VSH_OK && status != VSH_E_JOB) throw Failure(ExitCode::internal, tr(vsh_status_message(status)));
  size_t num = 0;
  for (size_t i = 0; i < packets_.size(); ++i) {
    const vsh_esp_packet& p = packets_[i];
    if (p.status == VSH_OK) {
      datagrams_[num++] = {p.buffer + p.offset, p.len, datagrams_[i].payload};
    } else {
      exhausted_ = true;
      count(counters_.exhausted);
    }
  }
  datagrams_.resize(num);
  const Sender::Result result = sender_.send(datagrams_, peer_);
  count(counters_.sent_packets, result.sent);
  count(counters_.sent_bytes, result.sent_bytes);
  count(counters_.too_long, result.too_long);
  count(counters_.no_room, result.no_room);
  count(counters_.unreachable, result.unreachable);
  packets_.clear();
}

// Receives what has arrived, opens it and gives it to the device.
void Queue::from_socket() {
  packets_.clear();
  receiver_.receive([&](const Datagram& d, const Address& from) {
    switch (vsh_esp_udp_kind(d.data, d.len)) {
      case VSH_ESP_UDP_ESP: break;
      case VSH_ESP_UDP_INVALID: return count(counters_.malformed);
      default: return count(counters_.keepalives);
    }
    const uint32_t spi = spi_of(d.data);
    if (spi == receive_keys_.control_spi) return take_hello(d, from);
    if (spi == send_keys_.control_spi || spi == send_keys_.spi) return count(counters_.own_spi);
    if (spi != receive_keys_.spi) return count(counters_.unknown_spi);
    if (!ready_) return count(counters_.early);
    packets_.push_back({d.data, d.len, 0, d.len, 0, 0, 0, VSH_OK});
  });
  if (!packets_.empty()) open_packets();
}

void Queue::open_packets() {
  const vsh_status status = vsh_esp_open(in_.get(), packets_.data(), packets_.size());
  if (status != VSH_OK && status != VSH_E_JOB) throw Failure(ExitCode::internal, tr(vsh_status_message(status)));
  for (const vsh_esp_packet& p : packets_) {
    switch (p.status) {
      case VSH_OK: break;
      case VSH_E_REPLAY: count(counters_.replayed); continue;
      case VSH_E_TAG: count(counters_.forged); continue;
      case VSH_E_SPI: count(counters_.unknown_spi); continue;
      default: count(counters_.malformed); continue;
    }
    if (p.sequence > seen_) seen_ = p.sequence;
    uint8_t* const payload = p.buffer + p.offset;
    if (p.next_header == kDummy) {
      count(counters_.dummies);
    } else if (p.next_header != next_header_of(payload, p.len) || p.next_header == 0) {
      count(counters_.received_not_ip);
    } else if (!joiner_.add(payload, p.len)) {
      write_joined();
      joiner_.add(payload, p.len);  // alone, it is always taken
    }
  }
  write_joined();
}

void Queue::write_joined() {
  const std::span<const iovec> parts = joiner_.parts();
  if (parts.empty()) return;
  size_t len = 0;
  for (const iovec& part : parts) len += part.iov_len;
  if (::writev(device_.get(), parts.data(), static_cast<int>(parts.size())) != static_cast<ssize_t>(len)) {
    count(counters_.device_full, joiner_.packets());
  } else {
    count(counters_.received_packets, joiner_.packets());
    count(counters_.received_bytes, joiner_.bytes());
  }
  joiner_.clear();
}

void Queue::send_hello(const Address& to, const Challenge& echo) {
  if (to.len == 0) return;
  uint8_t message[Hello::kLen];
  write_hello(message, send_keys_, {challenge_, echo, last_sent_, seen_});
  (void)::sendto(socket_.get(), message, sizeof message, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to.storage),
                 to.len);
}

void Queue::greet(uint64_t now) {
  if (now < next_hello_) return;
  hello_wait_ = ready_ ? kMostWait : std::clamp(2 * hello_wait_, kFirstWait, kMostWait / 5);
  next_hello_ = now + hello_wait_;
  send_hello(peer_, peer_challenge_);
}

// A hello that echoes this end's challenge is new. Others, which may be recordings, change nothing. They are answered,
// but not each: an answer that comes late is old, too, and would be answered in turn. Those of a start echo nothing,
// and are never answers, so each is answered: no flood of recordings keeps a restarted peer out.
void Queue::take_hello(const Datagram& datagram, const Address& from) {
  Hello hello{};
  if (!read_hello(hello, receive_keys_, datagram.data, datagram.len)) return count(counters_.forged_hellos);
  if (hello.echo != challenge_) {
    count(counters_.stale_hellos);
    if (hello.echo != Challenge{}) {
      const uint64_t now = settings_.clock();
      if (now < next_answer_) return;
      next_answer_ = now + kAnswerWait;
    }
    return send_hello(from, hello.challenge);
  }
  count(counters_.hellos);
  // Not above what the state file has: more may be reserved there by now.
  if (hello.seen > last_sent_)
    throw Failure(ExitCode::input,
                  tr("the peer knows of number {1}, and the state file only of {2}: the state was rolled back",
                     hello.seen, last_sent_.load()),
                  tr("nothing is sent; make new keys for both ends with `vershina tunnel keygen`"));
  const bool is_first = !ready_;
  if (is_first && hello.sent < seen_) {  // later ones may be overtaken by packets
    count(counters_.rolled_back);
    fill_challenge(challenge_);
    return send_hello(from, hello.challenge);  // it ends when it reads which numbers were seen
  }
  peer_challenge_ = hello.challenge;
  if (!(from == peer_)) {
    if (peer_.len) count(counters_.address_changes);
    peer_ = from;
  }
  if (hello.sent > seen_) seen_ = hello.sent;  // numbers of lost packets are used up, too
  if (is_first) {
    // Everything that the peer has sent until now counts as seen: recordings are refused, also after a restart.
    vsh_esp_sa sa{};
    sa.transform = transform_, sa.flags = VSH_ESP_INBOUND | VSH_ESP_ESN, sa.spi = receive_keys_.spi;
    sa.key = receive_keys_.transform_key, sa.key_len = vsh_esp_key_len(transform_);
    sa.window = settings_.window, sa.sequence = hello.sent;
    must(vsh_esp_add(in_.get(), 0, &sa));
    state_.note_seen(settings_.number, seen_);  // or a crash within the next seconds would take it back
    ready_ = true;
  }
  fill_challenge(challenge_);  // each is answered once
  if (is_first) send_hello(peer_, peer_challenge_);
  next_hello_ = settings_.clock() + kMostWait;
}

}  // namespace vsh::tunnel
