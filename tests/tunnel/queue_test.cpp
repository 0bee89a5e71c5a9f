// What a queue leaves behind when it cannot be made.
#include "tunnel/queue.hpp"

#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>

using namespace vsh;
using namespace vsh::tunnel;

namespace {

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
  if (::unshare(CLONE_NEWNET) != 0) GTEST_SKIP() << "no network namespaces here";
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
