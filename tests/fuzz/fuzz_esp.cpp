// Packets of ESP as they arrive: whatever the fuzzer makes of sealed packets is refused and leaves its buffer as it
// was, or is one of those that were sealed; each of them opens once.
#include <algorithm>
#include <set>

#include "fuzz.hpp"

namespace {

using namespace vsh::fuzz;

struct Set {
  vsh_esp* context = nullptr;
  ~Set() { vsh_esp_free(context); }
};

constexpr size_t kAssociations = 4, kLen = 60, kRoom = VSH_ESP_HEAD_LEN + kLen + VSH_ESP_MAX_TAIL_LEN;

struct Sealed {
  Bytes packet, payload;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const char* const where = "esp";
  Set out, in;
  check(vsh_esp_new(&out.context, kAssociations, nullptr) == VSH_OK, "vsh_esp_new", where);
  check(vsh_esp_new(&in.context, kAssociations, nullptr) == VSH_OK, "vsh_esp_new", where);
  const uint64_t first = input.byte() % 2 ? (uint64_t{1} << 32) - input.byte() : 1 + input.byte();
  const uint32_t window = 64 * static_cast<uint32_t>(1 + input.below(64));
  for (size_t i = 0; i < kAssociations; ++i) {
    const Bytes key(VSH_ESP_MAX_KEY_LEN, static_cast<uint8_t>(i + 1));
    vsh_esp_sa sa{};
    check(vsh_esp_by_name(&sa.transform, vsh_esp_name(i)) == VSH_OK, "name", where);
    sa.spi = static_cast<uint32_t>(256 + i), sa.key = key.data(), sa.key_len = vsh_esp_key_len(sa.transform);
    sa.window = window, sa.leaf_packets = 3;
    const uint32_t esn = first > 300 ? VSH_ESP_ESN : 0;
    sa.flags = VSH_ESP_OUTBOUND | esn, sa.sequence = first;
    check(vsh_esp_add(out.context, i, &sa) == VSH_OK, "vsh_esp_add", where);
    sa.flags = VSH_ESP_INBOUND | esn, sa.sequence = first - 1;
    check(vsh_esp_add(in.context, i, &sa) == VSH_OK, "vsh_esp_add", where);
  }

  const size_t num = 1 + input.below(12);
  Bytes buffers(num * kRoom);
  std::vector<vsh_esp_packet> packets(num);
  std::vector<Sealed> sealed(num);
  for (size_t i = 0; i < num; ++i) {
    vsh_esp_packet& p = packets[i];
    p = {};
    p.buffer = &buffers[i * kRoom], p.capacity = kRoom, p.offset = VSH_ESP_HEAD_LEN, p.len = input.below(kLen);
    p.association = input.below(kAssociations), p.next_header = input.byte();
    std::fill_n(p.buffer + p.offset, p.len, static_cast<uint8_t>(i));
    sealed[i].payload.assign(p.buffer + p.offset, p.buffer + p.offset + p.len);
  }
  check(vsh_esp_seal(out.context, packets.data(), num) == VSH_OK, "vsh_esp_seal", where);
  for (size_t i = 0; i < num; ++i)
    sealed[i].packet.assign(packets[i].buffer + packets[i].offset,
                            packets[i].buffer + packets[i].offset + packets[i].len);

  std::set<size_t> opened;
  for (int round = 0; round < 3; ++round) {
    std::vector<Bytes> arrived(1 + input.below(20));
    std::vector<vsh_esp_packet> batch(arrived.size());
    for (size_t i = 0; i < arrived.size(); ++i) {
      Bytes& packet = arrived[i];
      const uint8_t what = input.byte();
      if (what < 16) packet = input.bytes(input.byte());
      else packet = sealed[what % num].packet;
      if (what >= 160 && !packet.empty())
        packet[input.byte() % packet.size()] ^= static_cast<uint8_t>(input.byte() | 1);
      if (what >= 230) packet.resize(input.below(packet.size() + 1));
    }
    const std::vector<Bytes> before = arrived;
    for (size_t i = 0; i < arrived.size(); ++i) {
      batch[i] = {};
      batch[i].buffer = arrived[i].data(), batch[i].capacity = batch[i].len = arrived[i].size();
      if (arrived[i].empty()) batch[i].buffer = buffers.data();
    }
    vsh_esp_open(in.context, batch.data(), batch.size());
    for (size_t i = 0; i < batch.size(); ++i) {
      const auto known =
          std::find_if(sealed.begin(), sealed.end(), [&](const Sealed& s) { return s.packet == before[i]; });
      const auto number = static_cast<size_t>(known - sealed.begin());
      if (batch[i].status == VSH_OK) {
        check(number < num, "a forged packet opened", where);
        check(opened.insert(number).second, "a packet opened twice", where);
        const uint8_t* const at = batch[i].buffer + batch[i].offset;
        check(Bytes(at, at + batch[i].len) == sealed[number].payload, "another payload", where);
      } else if (number < num) {
        check(batch[i].status == VSH_E_REPLAY && opened.count(number), "a right packet was refused", where);
      } else {
        check(arrived[i] == before[i], "a refused packet was changed", where);
      }
    }
  }
  return 0;
}
