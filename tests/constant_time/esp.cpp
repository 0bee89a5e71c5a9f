// Security associations of ESP: keys, salts and payloads are secret; SPIs, sequence numbers and IVs are not.
#include "cases.hpp"

namespace vsh::test {
namespace {

bool run(const std::string& name, vsh_esp_transform transform, uint32_t esn) {
  constexpr size_t kPackets = 40, kAssociations = 3, kLen = 90, kRoom = VSH_ESP_HEAD_LEN + kLen + VSH_ESP_MAX_TAIL_LEN;
  vsh_esp *out = nullptr, *in = nullptr;
  must(name, vsh_esp_new(&out, kAssociations, nullptr));
  must(name, vsh_esp_new(&in, kAssociations, nullptr));
  const size_t key_len = vsh_esp_key_len(transform);
  const Bytes keys = secret(kAssociations * key_len);
  for (size_t i = 0; i < kAssociations; ++i) {
    vsh_esp_sa sa{};
    sa.transform = transform, sa.spi = static_cast<uint32_t>(1000 + i);
    sa.key = &keys[i * key_len], sa.key_len = key_len;
    sa.leaf_packets = 5;
    sa.flags = VSH_ESP_OUTBOUND | esn;
    must(name, vsh_esp_add(out, i, &sa));
    sa.flags = VSH_ESP_INBOUND | esn;
    must(name, vsh_esp_add(in, i, &sa));
  }
  Bytes buffers(kPackets * kRoom);
  std::vector<vsh_esp_packet> packets(kPackets);
  for (size_t i = 0; i < kPackets; ++i) {
    vsh_esp_packet& p = packets[i];
    p.buffer = &buffers[i * kRoom], p.capacity = kRoom, p.offset = VSH_ESP_HEAD_LEN, p.len = kLen - i;
    p.association = i * i % kAssociations;
    make_secret(p.buffer + p.offset, p.len);
  }
  must(name, vsh_esp_seal(out, packets.data(), kPackets));
  bool depends = true;
  for (const vsh_esp_packet& p : packets) depends = depends && is_secret(p.buffer + p.offset + p.len - 8, 8);
  packets[7].buffer[packets[7].len - 1] ^= 1;  // forged
  vsh_status status = vsh_esp_open(in, packets.data(), kPackets);
  declassify(&status, sizeof status);
  depends = depends && status == VSH_E_JOB && packets[7].status == VSH_E_TAG;
  for (const vsh_esp_packet& p : packets) depends = depends && is_secret(p.buffer + p.offset + VSH_ESP_HEAD_LEN, 20);
  vsh_esp_free(out);
  vsh_esp_free(in);
  return depends;
}

}  // namespace

void add_esp(Cases& cases) {
  for (size_t i = 0; const char* transform_name = vsh_esp_name(i); ++i)
    for (const bool extended : {false, true}) {
      const std::string name = std::string("esp/") + transform_name + (extended ? "/esn" : "");
      vsh_esp_transform transform;
      must(name, vsh_esp_by_name(&transform, transform_name));
      cases.push_back({name, Expect::clean, true, [=] { return run(name, transform, extended ? VSH_ESP_ESN : 0); }});
    }
}

}  // namespace vsh::test
