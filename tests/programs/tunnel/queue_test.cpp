// A queue before a peer that this test plays: the last sequence numbers, and the counts of wrong or early
// messages; keys; what a queue leaves behind when it cannot be made.
#include "programs/tunnel/queue.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

using namespace vsh;
using namespace vsh::tunnel;

namespace {

constexpr uint64_t kLast = UINT64_MAX;
constexpr int kPatience = 30000;  // ms

using Bytes = std::vector<uint8_t>;

// The queues' clock, ms.
std::atomic<uint64_t> now{0};

Address loopback() {
  Address address;
  auto& in = reinterpret_cast<sockaddr_in&>(address.storage);
  in.sin_family = AF_INET, in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.len = sizeof in;
  return address;
}

Address address_of(int fd) {
  Address address;
  address.len = sizeof address.storage;
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.len), 0);
  return address;
}

// The smallest packet of IPv4.
Bytes ip_packet() {
  Bytes packet(20);
  packet[0] = 0x45, packet[3] = 20;
  return packet;
}

template <class Condition>
void wait_for(Condition condition) {
  for (int ms = 0; !condition(); ++ms) {
    ASSERT_LT(ms, kPatience) << "in vain";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string temporary_file() {
  static std::atomic<int> number{0};
  return ::testing::TempDir() + "queue_test." + std::to_string(::getpid()) + "." + std::to_string(++number);
}

// A queue that runs, and its peer and its device, which the test plays.
class Played {
 public:
  // state: of the queue's end.
  explicit Played(const Sequences& state, vsh_esp_transform transform = VSH_ESP_KUZNYECHIK_MGM) {
    ours_.transform = theirs_.transform = transform;
    std::memset(ours_.send.bytes, 1, kSecretLen);
    std::memset(ours_.receive.bytes, 2, kSecretLen);
    std::memset(theirs_.send.bytes, 2, kSecretLen);
    std::memset(theirs_.receive.bytes, 1, kSecretLen);
    derive(send_bytes_, theirs_, true, 0);
    derive(receive_bytes_, theirs_, false, 0);
    StateFile::create(name_, ours_);
    {
      StateFile file(name_, ours_);
      file.reserve(0, state.sent);
      file.settle({state});
    }
    vsh_esp* made = nullptr;
    EXPECT_EQ(vsh_esp_new(&made, 1, nullptr), VSH_OK);
    esp_.reset(made);
    vsh_esp_sa sa{};
    sa.transform = theirs_.transform, sa.flags = VSH_ESP_OUTBOUND | VSH_ESP_ESN, sa.spi = send_keys().spi;
    sa.key = send_keys().transform_key, sa.key_len = vsh_esp_key_len(sa.transform), sa.sequence = 1;
    EXPECT_EQ(vsh_esp_add(esp_.get(), 0, &sa), VSH_OK);
    start();
  }
  ~Played() {
    stop();
    ::unlink(name_.c_str());
  }

  void start() {
    state_ = std::make_unique<StateFile>(name_, ours_);
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    device_ = cli::Descriptor(pair[0]);
    socket_ = open_udp(loopback());
    cli::Descriptor socket = open_udp(loopback());
    queue_address_ = address_of(socket.get());
    QueueSettings settings;
    settings.peer = address_of(socket_.get());
    settings.clock = [] { return now.load(); };
    queue_ = std::make_unique<Queue>(ours_, settings, *state_, cli::Descriptor(pair[1]), std::move(socket));
    stop_ = cli::Descriptor(::eventfd(0, EFD_CLOEXEC));
    failure_.clear();
    has_ended_ = false;
    thread_ = std::thread([this] {
      try {
        queue_->run(stop_.get());
      } catch (const std::exception& failure) {
        failure_ = failure.what();
      }
      has_ended_ = true;
    });
  }

  // Returns the failure by which it had ended, or nothing.
  std::string stop() {
    if (thread_.joinable()) {
      const uint64_t one = 1;
      EXPECT_EQ(::write(stop_.get(), &one, sizeof one), ssize_t{sizeof one});
      thread_.join();
      state_->settle({queue_->used()});
      queue_.reset();
      state_.reset();
    }
    return failure_;
  }
  // Returns the failure by which it ends itself. A queue that goes on takes what comes next, too.
  std::string wait_for_failure() {
    const uint64_t before = counters().stale_hellos;
    to_queue(Hello{{77}, {78}, 0, 0});
    wait_for([&] { return has_ended_.load() || counters().stale_hellos != before; });
    return has_ended_ ? stop() : "it goes on";
  }

  const Counters& counters() const { return queue_->counters(); }
  const Queue& queue() const { return *queue_; }

  void to_device(const Bytes& packet) {
    EXPECT_EQ(::send(device_.get(), packet.data(), packet.size(), 0), static_cast<ssize_t>(packet.size()));
  }
  void to_queue(const Bytes& message) {
    EXPECT_EQ(::sendto(socket_.get(), message.data(), message.size(), 0,
                       reinterpret_cast<const sockaddr*>(&queue_address_.storage), queue_address_.len),
              static_cast<ssize_t>(message.size()));
  }
  void to_queue(const Hello& hello) {
    Bytes message(Hello::kLen);
    write_hello(message.data(), send_keys(), hello);
    to_queue(message);
  }
  // Returns the next datagram from the queue; empty, if none comes in that time.
  Bytes receive(int ms = kPatience) { return next_of(socket_, ms); }
  // The next hello of the queue; ESP packets before it are put into `packets`.
  Hello receive_hello(std::vector<Bytes>* packets = nullptr) {
    Hello hello{};
    for (;;) {
      const Bytes message = receive();
      if (message.empty() || read_hello(hello, receive_keys(), message.data(), message.size())) {
        EXPECT_FALSE(message.empty()) << "no hello comes";
        return hello;
      }
      if (packets) packets->push_back(message);
    }
  }
  // An authentic hello that echoes nothing: the queue's answer comes after all that was sent until then.
  Hello ask(std::vector<Bytes>* packets = nullptr) {
    Challenge challenge;
    challenge.fill(++asked_);
    now += 100;  // behind its last answer
    to_queue(Hello{challenge, {}, 0, 0});
    for (;;) {
      const Hello hello = receive_hello(packets);
      if (hello.echo == challenge || ::testing::Test::HasFailure()) return hello;
    }
  }
  // Answers the queue's challenge.
  void answer(uint64_t sent, uint64_t seen) { to_queue(Hello{{}, ask().challenge, sent, seen}); }
  void make_ready(uint64_t sent = 0, uint64_t seen = 0) {
    answer(sent, seen);
    wait_for([this] { return queue_->is_ready(); });
  }

  Bytes seal(const Bytes& payload, uint8_t next_header) {
    Bytes buffer(VSH_ESP_HEAD_LEN + payload.size() + VSH_ESP_MAX_TAIL_LEN);
    std::copy(payload.begin(), payload.end(), buffer.begin() + VSH_ESP_HEAD_LEN);
    vsh_esp_packet packet{buffer.data(), buffer.size(), VSH_ESP_HEAD_LEN, payload.size(), 0, 0, next_header, VSH_OK};
    EXPECT_EQ(vsh_esp_seal(esp_.get(), &packet, 1), VSH_OK);
    return {packet.buffer + packet.offset, packet.buffer + packet.offset + packet.len};
  }
  Bytes from_device(int ms = kPatience) { return next_of(device_, ms); }

 private:
  static Bytes next_of(const cli::Descriptor& fd, int ms) {
    Bytes message(2000);
    pollfd waiting{fd.get(), POLLIN, 0};
    const ssize_t n = ::poll(&waiting, 1, ms) > 0 ? ::recv(fd.get(), message.data(), message.size(), 0) : 0;
    message.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return message;
  }

  const DirectionKeys& send_keys() const { return keys_in(send_bytes_); }
  const DirectionKeys& receive_keys() const { return keys_in(receive_bytes_); }

  const std::string name_ = temporary_file();
  KeyFile ours_, theirs_;
  cli::SecretBytes<sizeof(DirectionKeys)> send_bytes_, receive_bytes_;
  struct Free {
    void operator()(vsh_esp* e) const { vsh_esp_free(e); }
  };
  std::unique_ptr<vsh_esp, Free> esp_;
  std::unique_ptr<StateFile> state_;
  cli::Descriptor device_{-1}, socket_{-1}, stop_{-1};
  Address queue_address_;
  std::unique_ptr<Queue> queue_;
  std::thread thread_;
  std::string failure_;
  std::atomic<bool> has_ended_{false};
  uint8_t asked_ = 0;
};

uint32_t number_of(const Bytes& packet) {
  return uint32_t{packet[4]} << 24 | uint32_t{packet[5]} << 16 | uint32_t{packet[6]} << 8 | packet[7];
}

// Whether the kernel may leave TCP segments for this device whole.
bool has_offloads(const std::string& device) {
  const cli::Descriptor control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_value value{ETHTOOL_GTSO, 0};
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&value);
  EXPECT_EQ(::ioctl(control.get(), SIOCETHTOOL, &request), 0);
  return value.data != 0;
}

}  // namespace

TEST(Queue, OneThatIsRefusedLeavesNoOffloads) {
  cli::Descriptor before(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (::unshare(CLONE_NEWNET) != 0) GTEST_SKIP() << "no network namespaces here";
  const struct Namespace {  // the tests behind this one are where they were
    cli::Descriptor before;
    ~Namespace() { EXPECT_EQ(::setns(before.get(), CLONE_NEWNET), 0); }
  } kept{std::move(before)};
  std::string name;
  cli::Descriptor device(-1);
  try {
    device = open_tun(name, false, 1400, true);
  } catch (const std::exception&) {
    GTEST_SKIP() << "no TUN devices here";
  }
  {
    const Offloads offloads(device.get());
    EXPECT_TRUE(offloads.has_headers());
    EXPECT_TRUE(has_offloads(name));
  }
  EXPECT_FALSE(has_offloads(name));

  KeyFile keys;  // one secret for both directions gives them one SPI
  std::memset(keys.send.bytes, 1, kSecretLen);
  std::memset(keys.receive.bytes, 1, kSecretLen);
  const std::string file = ::testing::TempDir() + "queue_test." + std::to_string(::getpid());
  StateFile::create(file, keys);
  StateFile state(file, keys);
  ::unlink(file.c_str());
  Address local;
  local.storage.ss_family = AF_INET, local.len = sizeof(sockaddr_in);
  EXPECT_ANY_THROW(Queue(keys, {}, state, cli::Descriptor(::dup(device.get())), open_udp(local)));
  EXPECT_FALSE(has_offloads(name));
}

// The key tree has 2^40 leaves, of 2^16 packets (Magma: 2^12); the sequence numbers would go on behind them.
TEST(Queue, TheLastNumbersAreSentOnceAndNothingBehindThem) {
  const struct {
    vsh_esp_transform transform;
    uint64_t used;
    size_t left;
  } cases[] = {{VSH_ESP_KUZNYECHIK_MGM, (uint64_t{1} << 56) - 3, 3},
               {VSH_ESP_MAGMA_MGM, (uint64_t{1} << 52) - 3, 3},
               {VSH_ESP_KUZNYECHIK_MGM, kLast - 3, 0},
               {VSH_ESP_KUZNYECHIK_MGM, kLast, 0}};
  for (const auto& c : cases) {
    for (const bool at_once : {true, false}) {
      SCOPED_TRACE(std::to_string(c.used) + (at_once ? ", at once" : ", singly"));
      Played played({c.used, 0}, c.transform);
      played.make_ready();
      std::vector<Bytes> packets;
      for (size_t i = 0; i < 5; ++i) {
        played.to_device(ip_packet());
        if (!at_once) wait_for([&] { return played.counters().sent_packets + played.counters().exhausted == i + 1; });
      }
      wait_for([&] { return played.counters().exhausted == 5 - c.left; });
      uint64_t sent = played.ask(&packets).sent;  // hellos go on
      EXPECT_GE(sent, c.used + c.left);
      ASSERT_EQ(packets.size(), c.left);
      for (size_t i = 0; i < c.left; ++i) EXPECT_EQ(number_of(packets[i]), static_cast<uint32_t>(c.used + 1 + i));

      for (int starts = 1; starts < 3; ++starts) {  // nothing after a restart, either
        EXPECT_EQ(played.stop(), "");
        played.start();
        packets.clear();
        played.make_ready(0, sent);
        played.to_device(ip_packet());
        wait_for([&] { return played.counters().exhausted == 1; });
        EXPECT_GE(played.ask(&packets).sent, sent);
        EXPECT_TRUE(packets.empty());
      }
    }
  }
}

TEST(Queue, HearsAPeerThatHasUsedAllNumbers) {
  Played played({0, 0});
  played.make_ready(kLast);
  EXPECT_EQ(played.ask().seen, kLast);
  played.to_queue(played.seal(ip_packet(), 4));  // number 1 is a replay
  wait_for([&] { return played.counters().replayed == 1; });
}

TEST(Queue, CountsWhatItDoesNotTake) {
  Played played({0, 0});
  const Counters& c = played.counters();
  const Bytes ip = ip_packet();
  Bytes longer = ip, version_6 = ip;
  longer.push_back(0);
  version_6[0] = 0x60;

  played.to_queue(played.seal(ip, 4));
  wait_for([&] { return c.early == 1; });

  // Hellos of an earlier time, forged ones and those of another length.
  played.to_queue(Hello{{}, {}, 0, 0});
  wait_for([&] { return c.stale_hellos == 1; });
  const Hello hello = played.receive_hello();
  Bytes message(Hello::kLen);
  cli::SecretBytes<sizeof(DirectionKeys)> keys;
  KeyFile theirs;
  std::memset(theirs.send.bytes, 2, kSecretLen);
  derive(keys, theirs, true, 0);
  write_hello(message.data(), keys_in(keys), {{}, hello.challenge, 0, 0});
  message.back() ^= 1;
  played.to_queue(message);
  message.back() ^= 1;
  message.push_back(0);
  played.to_queue(message);
  wait_for([&] { return c.forged_hellos == 2; });
  EXPECT_EQ(c.stale_hellos, 1u);
  EXPECT_FALSE(played.queue().is_ready());
  EXPECT_EQ(c.hellos, 0u);
  message.pop_back();
  played.to_queue(message);
  wait_for([&] { return played.queue().is_ready(); });
  EXPECT_EQ(c.hellos, 1u);
  played.to_queue(message);  // once more: its challenge has been answered
  wait_for([&] { return c.stale_hellos == 2; });

  for (int i = 0; i < 2; ++i) played.to_queue(played.seal(Bytes(50), 59));
  wait_for([&] { return c.dummies == 2; });

  const struct {
    Bytes payload;
    uint8_t next_header;
  } wrong[] = {{ip, 41}, {ip, 17}, {ip, 0}, {longer, 4}, {version_6, 41}, {version_6, 4}, {{}, 4}, {Bytes(19), 4}};
  for (const auto& w : wrong) played.to_queue(played.seal(w.payload, w.next_header));
  wait_for([&] { return c.received_not_ip == std::size(wrong); });

  played.to_queue(played.seal(ip, 4));
  EXPECT_EQ(played.from_device(), ip) << "the first packet that the device gets";
  wait_for([&] { return c.received_packets == 1; });
  EXPECT_EQ(c.early + c.dummies, 3u);
  EXPECT_EQ(c.forged + c.malformed + c.replayed + c.unknown_spi, 0u);
}

TEST(Queue, APeerWhoseStateWasRolledBackGetsNothing) {
  Played played({10, 100});
  played.answer(99, 10);
  wait_for([&] { return played.counters().rolled_back == 1; });
  played.to_device(ip_packet());
  wait_for([&] { return played.counters().not_ready == 1; });
  EXPECT_EQ(played.ask().seen, 100u);  // by which it learns of it
  EXPECT_FALSE(played.queue().is_ready());
  played.make_ready(100, 10);
}

TEST(Queue, EndsBeforeAPeerThatKnowsOfMore) {
  for (const bool ready : {false, true}) {
    Played played({10, 0});
    if (ready) played.make_ready(0, 10);
    played.answer(0, 11);
    EXPECT_NE(played.wait_for_failure().find("rolled back"), std::string::npos);
  }
}

// Each end answers what the other one answers: without a limit, N recordings would make N^2 hellos.
TEST(Queue, AnswersFewOfManyRecordedHellos) {
  for (const bool ready : {false, true}) {
    Played played({0, 0});
    if (ready) played.make_ready();
    const Counters& c = played.counters();
    const Challenge last = played.ask().challenge;
    const Hello recorded{{77}, {78}, 0, 0};
    size_t answers = 0;
    for (int periods = 1; periods <= 3; ++periods) {
      now += 100;
      for (int i = 0; i < 100; ++i) {
        const uint64_t before = c.stale_hellos;
        played.to_queue(recorded);
        wait_for([&] { return c.stale_hellos == before + 1; });
      }
    }
    const Hello asked{{79}, {}, 0, 0};  // a peer that has restarted: answered at once
    played.to_queue(asked);
    for (Hello hello = played.receive_hello(); hello.echo != asked.challenge; hello = played.receive_hello())
      answers += hello.echo == recorded.challenge;
    EXPECT_EQ(answers, 3u);
    played.to_queue(Hello{{80}, last, 0, 0});
    wait_for([&] { return c.hellos == 1u + ready; });
  }
}

// Ends that read their files differently share no SPI and no key.
TEST(Keys, AllParametersGiveOthers) {
  std::set<uint32_t> spis;
  std::set<Bytes> keys;
  size_t num = 0;
  for (const vsh_esp_transform transform : {VSH_ESP_KUZNYECHIK_MGM, VSH_ESP_MAGMA_MGM}) {
    for (unsigned queues = 1; queues <= kMaxQueues; ++queues) {
      for (unsigned queue = 0; queue < queues; ++queue) {
        for (const bool sends : {true, false}) {
          KeyFile file;
          file.transform = transform, file.queues = queues;
          std::memset(file.send.bytes, 1, kSecretLen);
          std::memset(file.receive.bytes, 2, kSecretLen);
          cli::SecretBytes<sizeof(DirectionKeys)> bytes, again;
          derive(bytes, file, sends, queue);
          const DirectionKeys& k = keys_in(bytes);
          for (const uint32_t spi : {k.spi, k.control_spi}) {
            EXPECT_TRUE(spis.insert(spi).second) << spi;
            EXPECT_GT(spi, 0xffffu);
          }
          const uint8_t* const t = k.transform_key;
          for (const Bytes& key : {Bytes(t, t + 32), Bytes(t + 32, t + vsh_esp_key_len(transform)),  // the salt
                                   Bytes(std::begin(k.control_key), std::end(k.control_key))})
            EXPECT_TRUE(keys.insert(key).second);
          ++num;
          std::memset(file.send.bytes, 2, kSecretLen);  // the other end
          std::memset(file.receive.bytes, 1, kSecretLen);
          derive(again, file, !sends, queue);
          EXPECT_EQ(std::memcmp(bytes.bytes, again.bytes, sizeof bytes.bytes), 0);
        }
      }
    }
  }
  EXPECT_EQ(spis.size(), 2 * num);
  EXPECT_EQ(keys.size(), 3 * num);
}
