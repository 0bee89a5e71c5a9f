// Packets in MGM: those of RFC 9058 and RFC 9367, and of the library's own one-message calls. A slot
// on the emulated device and on every device here; batches through the C ABI.
#include "gpu/schedule/packet_buffers.hpp"

#include <algorithm>
#include <deque>

#include "gpu/programs/packets_programs.hpp"
#include "gpu/support/device_test.hpp"
#include "support/random.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.h"

namespace vsh::gpu {
namespace {

using vec::Bytes;
using vec::Record;

struct Packet {
  Bytes key, nonce, data, text, sealed;
  size_t tag_len;
};

struct Cipher {
  Algorithm algorithm;
  vsh_cipher_algorithm number;
  vsh_aead_algorithm aead;
  const char* section;
  size_t n;
};
const Cipher kCiphers[] = {{Algorithm::kuznyechik, VSH_KUZNYECHIK, VSH_KUZNYECHIK_MGM, "kuznyechik", 16},
                           {Algorithm::magma, VSH_MAGMA, VSH_MAGMA_MGM, "magma", 8}};

std::deque<Packet> of_the_standards(const Cipher& cipher) {
  std::deque<Packet> packets;
  for (const Record& r : vec::read("mgm.vec", cipher.section, {"Key", "Nonce", "Aad", "In", "Out", "Tag"})) {
    Packet p{r.bytes("Key"), r.bytes("Nonce"), r.bytes("Aad"), r.bytes("In"), r.bytes("Out"), 0};
    const Bytes tag = r.bytes("Tag");
    p.sealed.insert(p.sealed.end(), tag.begin(), tag.end());
    p.tag_len = tag.size();
    packets.push_back(p);
  }
  EXPECT_FALSE(packets.empty());
  return packets;
}

// By vsh_aead.
Packet make_packet(const Cipher& cipher, test::Random& random, size_t data_len, size_t len, size_t tag_len) {
  Packet p{random.bytes(32),  random.bytes(cipher.n), random.bytes(data_len),
           random.bytes(len), Bytes(len + tag_len),   tag_len};
  p.nonce[0] &= 0x7f;
  vsh_options options = VSH_OPTIONS_INIT;
  options.flags = VSH_ALLOW_SHORT_TAGS;
  vsh_aead* aead = nullptr;
  size_t sealed_len = 0;
  EXPECT_EQ(vsh_aead_new(&aead, cipher.aead, p.key.data(), 32, tag_len, &options), VSH_OK);
  EXPECT_EQ(vsh_aead_seal(aead, p.sealed.data(), p.sealed.size(), &sealed_len, p.nonce.data(), cipher.n, p.data.data(),
                          data_len, p.text.data(), len),
            VSH_OK);
  vsh_aead_free(aead);
  return p;
}

std::deque<Packet> make_packets(const Cipher& cipher, test::Random& random, size_t num, size_t longest) {
  std::deque<Packet> packets;
  for (size_t i = 0; i < num; ++i) {
    const size_t data_len = random.below(4) ? random.below(40) : 0;
    packets.push_back(make_packet(cipher, random, data_len, random.below(longest) + (data_len == 0),
                                  i % 3 ? cipher.n : 4 + random.below(cipher.n - 3)));
  }
  return packets;
}

constexpr uint8_t kUntouched = 0xe5;

class PacketSlot {
 public:
  PacketSlot(Device& device, std::shared_ptr<const PacketCipher> cipher) : cipher_(std::move(cipher)), queue_(device) {}
  void run(streams::Selection<streams::Packet> packets) {
    queue_.run([&](Queue& queue) { buffers_.run(queue_.device(), queue, *cipher_, packets); });
  }

 private:
  const std::shared_ptr<const PacketCipher> cipher_;
  PacketBuffers buffers_;
  SlotQueue queue_;
};

// Every other one in place.
void check_slot(PacketSlot& slot, const std::deque<Packet>& packets, bool opens, bool forges) {
  std::vector<Bytes> in, out;
  std::vector<streams::Packet> batch;
  for (const Packet& p : packets) {
    in.push_back(opens ? p.sealed : p.text);
    if (forges && in.size() % 5 == 0) in.back()[in.size() % in.back().size()] ^= 0x10;
    out.emplace_back(opens ? p.text.size() : p.sealed.size(), kUntouched);
  }
  std::vector<Bytes> before = in;
  for (size_t i = 0; i < packets.size(); ++i) {
    const Packet& p = packets[i];
    streams::Packet one{};
    one.opens = opens;
    in[i].resize(p.sealed.size());
    one.key = p.key.data(), one.nonce = p.nonce.data(), one.data = p.data.data(), one.in = in[i].data();
    one.out = i % 2 ? in[i].data() : out[i].data();
    one.data_len = p.data.size(), one.len = p.text.size(), one.tag_len = p.tag_len;
    batch.push_back(one);
  }
  slot.run(batch);
  for (size_t i = 0; i < packets.size(); ++i) {
    const bool is_forged = forges && i % 5 == 4;
    ASSERT_TRUE(batch[i].done);
    ASSERT_EQ(batch[i].right, !is_forged) << i;
    const Bytes& expected = is_forged ? (i % 2 ? before[i] : out[i]) : opens ? packets[i].text : packets[i].sealed;
    const Bytes& found = i % 2 ? in[i] : out[i];
    ASSERT_TRUE(std::equal(expected.begin(), expected.begin() + ptrdiff_t(out[i].size()), found.begin())) << i;
    if (is_forged) {
      ASSERT_EQ(out[i], Bytes(out[i].size(), kUntouched));
    }
  }
}

void check(Device& device) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(9058);
  for (const Cipher& cipher : kCiphers) {
    SCOPED_TRACE(cipher.section);
    const std::shared_ptr<const PacketCipher> on_device(new PacketCipher(device, cipher.algorithm));
    PacketSlot slot(device, on_device);
    std::deque<Packet> packets = of_the_standards(cipher);
    check_slot(slot, packets, false, false);
    check_slot(slot, packets, true, false);
    for (const size_t num : {1, 70}) {
      packets = make_packets(cipher, random, num, 200);
      check_slot(slot, packets, false, false);
      check_slot(slot, packets, true, true);
    }
    packets = {make_packet(cipher, random, 3000, 5001, cipher.n), make_packet(cipher, random, 0, 9000, cipher.n)};
    check_slot(slot, packets, false, false);
    packets = {make_packet(cipher, random, 5, 0, cipher.n), make_packet(cipher, random, 1, 0, cipher.n)};
    check_slot(slot, packets, true, false);
  }
}

TEST(PacketsEmulated, OfStandardsAndOfTheProcessor) {
  test::EmulatedDevice emulated(test::packets_programs());
  check(emulated);
}

class PacketsOnDevices : public test::DeviceTest {};

TEST_F(PacketsOnDevices, OfStandardsAndOfTheProcessor) {
  for_each_device([](Device& device) { check(device); });
}

// Enough of several kinds for the device, and too few of others; forged ones and bad jobs fail without affecting
// others.
TEST_F(PacketsOnDevices, Batches) {
  SCOPED_TRACE(test::seed_note());
  test::Random random(9059);
  for_each_device([&](Device& device) {
    for (const Cipher& cipher : kCiphers) {
      SCOPED_TRACE(cipher.section);
      std::deque<Packet> packets = make_packets(cipher, random, 300, 1500);
      packets.push_back(make_packet(cipher, random, 9, 70000, cipher.n));
      Bytes prepared;
      for (const Packet& p : packets) prepared.insert(prepared.end(), p.key.begin(), p.key.end());
      vsh_options options = VSH_OPTIONS_INIT;
      options.flags = VSH_ALLOW_SHORT_TAGS;
      options.device = device.info().id.c_str();
      vsh_streams* streams = nullptr;
      ASSERT_EQ(vsh_streams_new(&streams, cipher.number, prepared.data(), packets.size(), &options), VSH_OK)
          << vsh_device_message();
      for (const bool opens : {false, true}) {
        std::vector<Bytes> in, out;
        std::vector<vsh_mgm_job> jobs;
        for (const Packet& p : packets) {
          in.push_back(opens ? p.sealed : p.text);
          out.emplace_back(opens ? p.text.size() : p.sealed.size(), kUntouched);
        }
        for (size_t i = 0; i < packets.size(); ++i) {
          const Packet& p = packets[i];
          if (opens && i % 7 == 3) in[i].back() ^= 1;
          jobs.push_back({opens ? VSH_STREAM_DECRYPT : VSH_STREAM_ENCRYPT, i % 2 ? p.key.data() : nullptr, i,
                          p.nonce.data(), i % 7 == 5 ? 1 : cipher.n, p.data.data(), p.data.size(), in[i].data(),
                          in[i].size(), out[i].data(), out[i].size(), p.tag_len, VSH_E_STATE});
        }
        EXPECT_EQ(vsh_streams_mgm(streams, jobs.data(), jobs.size()), VSH_E_JOB) << vsh_device_message();
        for (size_t i = 0; i < packets.size(); ++i) {
          const vsh_status expected = i % 7 == 5 ? VSH_E_IV_LENGTH : opens && i % 7 == 3 ? VSH_E_TAG : VSH_OK;
          ASSERT_EQ(jobs[i].status, expected) << i;
          const Bytes& right = opens ? packets[i].text : packets[i].sealed;
          ASSERT_EQ(out[i], expected == VSH_OK ? right : Bytes(right.size(), kUntouched)) << i;
        }
      }
      vsh_streams_free(streams);
    }
  });
}

}  // namespace
}  // namespace vsh::gpu
