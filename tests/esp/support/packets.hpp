// Packets in buffers with room around them, and sets of associations.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "support/random.hpp"
#include "vershina/esp.h"

namespace vsh::test {

using Bytes = std::vector<uint8_t>;

inline constexpr vsh_esp_transform kEspTransforms[] = {VSH_ESP_KUZNYECHIK_MGM, VSH_ESP_MAGMA_MGM,
                                                       VSH_ESP_KUZNYECHIK_MGM_MAC, VSH_ESP_MAGMA_MGM_MAC};

struct EspFree {
  void operator()(vsh_esp* e) const { vsh_esp_free(e); }
};
using Esp = std::unique_ptr<vsh_esp, EspFree>;

inline Esp new_esp(size_t size, unsigned threads = 1, const char* kernel = nullptr) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.threads = threads;
  o.kernel = kernel;
  o.flags = VSH_ALLOW_TABLES;
  vsh_esp* e = nullptr;
  EXPECT_EQ(vsh_esp_new(&e, size, &o), VSH_OK);
  return Esp(e);
}

inline vsh_esp_sa sa_of(vsh_esp_transform transform, uint32_t flags, uint32_t spi, const Bytes& key) {
  vsh_esp_sa sa{};
  sa.transform = transform, sa.flags = flags, sa.spi = spi, sa.key = key.data(), sa.key_len = key.size();
  return sa;
}

// A batch whose buffers have exactly the room that sealing needs, or `room` more on both sides.
class EspBatch {
 public:
  static constexpr uint8_t kFill = 0xa5;

  void add(const Bytes& content, size_t association = 0, uint8_t next_header = 4, size_t head = VSH_ESP_HEAD_LEN,
           size_t tail = VSH_ESP_MAX_TAIL_LEN) {
    buffers_.emplace_back(head + content.size() + tail, kFill);
    std::copy(content.begin(), content.end(), buffers_.back().begin() + static_cast<long>(head));
    packets.push_back({});
    vsh_esp_packet& p = packets.back();
    p.offset = head, p.len = content.size(), p.association = association, p.next_header = next_header;
    for (size_t i = 0; i < packets.size(); ++i)
      packets[i].buffer = buffers_[i].data(), packets[i].capacity = buffers_[i].size();
  }
  Bytes content(size_t i) const {
    const uint8_t* const at = packets[i].buffer + packets[i].offset;
    return Bytes(at, at + packets[i].len);
  }
  const Bytes& buffer(size_t i) const { return buffers_[i]; }

  vsh_status seal(const Esp& e) { return vsh_esp_seal(e.get(), packets.data(), packets.size()); }
  vsh_status open(const Esp& e) { return vsh_esp_open(e.get(), packets.data(), packets.size()); }

  std::vector<vsh_esp_packet> packets;

 private:
  std::vector<Bytes> buffers_;
};

// Seals one packet.
inline Bytes sealed(const Esp& e, size_t association, const Bytes& payload, uint8_t next_header = 4) {
  EspBatch batch;
  batch.add(payload, association, next_header);
  EXPECT_EQ(batch.seal(e), VSH_OK) << vsh_status_message(batch.packets[0].status);
  return batch.content(0);
}

// Opens one packet.
inline vsh_status opens(const Esp& e, const Bytes& packet, Bytes* payload = nullptr) {
  EspBatch batch;
  batch.add(packet);
  batch.open(e);
  if (payload) *payload = batch.content(0);
  return batch.packets[0].status;
}

}  // namespace vsh::test
