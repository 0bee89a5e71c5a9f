// Batches of datagrams, before a kernel of this test's making: sendmmsg is the one below.
#include "programs/tunnel/net.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

using namespace vsh::tunnel;

namespace {

// Returns the error of a message; 0: it is sent. Empty: the real kernel.
std::function<int(const msghdr&)> error_of;

struct Kernel {
  size_t longest;        // datagram that the path takes
  int of_joined;         // what it says of several datagrams in one message, if one of them is longer
  bool segments = true;  // or it says EINVAL of every such message
  size_t joined = 0;     // such messages that came

  Kernel(size_t longest_, int of_joined_, bool segments_ = true)
      : longest(longest_), of_joined(of_joined_), segments(segments_) {
    error_of = [this](const msghdr& m) {
      const bool several = m.msg_iovlen > 1, is_long = m.msg_iov[0].iov_len > longest;
      joined += several;
      if (several && !segments) return EINVAL;
      return is_long ? (several ? of_joined : EMSGSIZE) : 0;
    };
  }
  ~Kernel() { error_of = nullptr; }
};

std::vector<Datagram> datagrams(size_t count, size_t len) {
  static uint8_t data[2000];
  return std::vector<Datagram>(count, Datagram{data, len});
}

}  // namespace

extern "C" int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  if (!error_of) return static_cast<int>(::syscall(SYS_sendmmsg, fd, messages, count, flags));
  for (unsigned i = 0; i < count; ++i) {
    if (const int error = error_of(messages[i].msg_hdr)) {
      errno = error;
      return i > 0 ? static_cast<int>(i) : -1;
    }
  }
  return static_cast<int>(count);
}

TEST(Address, Wildcards) {
  for (const char* any : {"0.0.0.0:4500", "[::]:4500"}) EXPECT_TRUE(read_address("--listen", any).is_wildcard()) << any;
  for (const char* one : {"127.0.0.1:4500", "0.0.0.1:1", "[::1]:4500"})
    EXPECT_FALSE(read_address("--listen", one).is_wildcard()) << one;
}

TEST(Sender, JoinsOnAfterDatagramsThatWereTooLong) {
  for (const int said : {EMSGSIZE, EINVAL}) {  // of several: newer kernels, older ones
    Kernel kernel(1000, said);
    Sender sender(-1, true);
    const Sender::Result first = sender.send(datagrams(10, 1001), {});
    EXPECT_EQ(first.too_long, 10u);
    EXPECT_EQ(first.sent, 0u);
    EXPECT_EQ(kernel.joined, 1u);
    EXPECT_EQ(sender.send(datagrams(10, 1000), {}).sent, 10u);
    EXPECT_EQ(kernel.joined, 2u) << said;
  }
}

TEST(Sender, JoinsNoMoreWhereTheKernelCannot) {
  Kernel kernel(1000, EINVAL, false);
  Sender sender(-1, true);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(sender.send(datagrams(10, 900), {}).sent, 10u);
  EXPECT_EQ(kernel.joined, 1u);
}

TEST(Sender, CountsTheBytesOfThoseThatAreSent) {
  for (const bool segments : {true, false}) {
    Kernel kernel(1000, EINVAL, segments);
    Sender sender(-1, segments);
    std::vector<Datagram> mixed;
    for (const size_t len : {1001u, 1001u, 1000u, 1000u, 500u, 1500u, 40u, 40u, 2000u}) {
      mixed.push_back(datagrams(1, len)[0]);
      mixed.back().payload = len - 30;
    }
    const Sender::Result result = sender.send(mixed, {});
    EXPECT_EQ(result.too_long, 4u);
    EXPECT_EQ(result.sent, 5u);
    EXPECT_EQ(result.sent_bytes, 2u * 970 + 470 + 2 * 10);
  }
}
