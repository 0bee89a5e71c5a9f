// Streebog over many messages on devices against the slow reference: emulated, and on every device here.
#include "gpu/ciphers/message_hash.hpp"

#include <algorithm>

#include "gpu/programs/hash_programs.hpp"
#include "gpu/support/device_test.hpp"
#include "streebog/reference.hpp"
#include "support/random.hpp"

namespace vsh::gpu {
namespace {

using Bytes = std::vector<uint8_t>;

// Hashes messages on the device with gaps between them.
std::vector<Bytes> hashes(Device& device, unsigned bits, const std::vector<Bytes>& messages) {
  const MessageHash hash(device, bits);
  std::vector<uint64_t> lens;
  for (const Bytes& message : messages) lens.push_back(message.size());
  const size_t max_len = *std::max_element(lens.begin(), lens.end()), stride = max_len / 4 * 4 + 4;
  Bytes data(stride * messages.size(), 0xA5), out(hash.hash_size() * messages.size());
  for (size_t i = 0; i < messages.size(); ++i)
    std::copy(messages[i].begin(), messages[i].end(), data.begin() + static_cast<ptrdiff_t>(i * stride));
  const auto queue = device.make_queue();
  const auto on_device = [&](const void* bytes, size_t len) {
    auto buffer = device.allocate(len);
    queue->upload(*buffer, 0, bytes, len);
    return buffer;
  };
  const auto from = on_device(data.data(), data.size()), to = on_device(out.data(), out.size());
  const auto all_lens = on_device(lens.data(), lens.size() * sizeof lens[0]);
  MessageHash::Scratch scratch;
  for (int times = 0; times < 2; ++times)  // what a launch leaves in the scratch is of no meaning to the next
    hash.launch(*queue, scratch,
                {to.get(), from.get(), all_lens.get(), static_cast<uint32_t>(messages.size()), stride, max_len});
  queue->download(out.data(), *to, 0, out.size());
  queue->finish();
  std::vector<Bytes> all;
  for (size_t i = 0; i < messages.size(); ++i)
    all.emplace_back(out.begin() + static_cast<ptrdiff_t>(i * hash.hash_size()),
                     out.begin() + static_cast<ptrdiff_t>((i + 1) * hash.hash_size()));
  return all;
}

void check(Device& device) {
  SCOPED_TRACE(test::seed_note());
  test::Random random;
  std::vector<Bytes> messages;
  for (size_t len = 0; len <= 70; ++len) messages.push_back(random.bytes(len));
  for (const size_t len : {127, 128, 129, 191, 192, 383}) messages.push_back(random.bytes(len));
  messages.emplace_back(320, uint8_t{0xff});  // the sum of blocks carries through all words
  for (size_t len = 300; len < 305; ++len) messages.insert(messages.begin(), random.bytes(len));
  for (const unsigned bits : {256u, 512u}) {
    const auto got = hashes(device, bits, messages);
    for (size_t i = 0; i < messages.size(); ++i) {
      Bytes expected(bits / 8);
      streebog::reference::hash(static_cast<int>(bits), expected.data(), messages[i].data(), messages[i].size());
      EXPECT_EQ(got[i], expected) << bits << " bits, " << messages[i].size() << " bytes";
    }
  }
}

// RFC 6986, section 10.1: M1, whose first byte in memory is the last that the standard prints.
TEST(HashEmulated, ExampleOfTheStandard) {
  test::EmulatedDevice emulated(test::hash_programs_lut3());
  Bytes m1;
  for (size_t i = 0; i < 63; ++i) m1.push_back(static_cast<uint8_t>('0' + i % 10));
  const uint8_t first[] = {0x1b, 0x54, 0xd0, 0x1a, 0x4a, 0xf5, 0xb9, 0xd5};  // H(M1) of 512 bits, as memory has it
  const Bytes hash = hashes(emulated, 512, {m1})[0];
  EXPECT_TRUE(std::equal(std::begin(first), std::end(first), hash.begin()));
}

TEST(HashEmulated, EveryLength) {
  test::EmulatedDevice lut3(test::hash_programs_lut3()), gates2(test::hash_programs_gates2());
  check(lut3);
  check(gates2);
}

class HashOnDevices : public test::DeviceTest {};

TEST_F(HashOnDevices, EveryLength) {
  for_each_device([](Device& device) { check(device); });
}

}  // namespace
}  // namespace vsh::gpu
