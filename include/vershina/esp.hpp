// ESP, the packets of IPsec. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_ESP_HPP
#define VERSHINA_ESP_HPP

#include <vershina/esp.h>
#include <vershina/vershina.hpp>

namespace vershina {

// Security associations: vsh_esp. Movable, not copyable.
class Esp {
 public:
  explicit Esp(size_t max_associations, const Options& options = {}) {
    vsh_esp* c = nullptr;
    check(vsh_esp_new(&c, max_associations, &options));
    context_.reset(c);
  }

  // key: of vsh_esp_key_len bytes; takes the place of sa.key and sa.key_len.
  void add(size_t number, vsh_esp_sa sa, View key) {
    sa.key = key.data(), sa.key_len = key.size();
    check(vsh_esp_add(context_.get(), number, &sa));
  }
  void remove(size_t number) { check(vsh_esp_remove(context_.get(), number)); }
  void skip(size_t number, uint64_t sequence) { check(vsh_esp_skip(context_.get(), number, sequence)); }
  vsh_esp_counters count(size_t number) const {
    vsh_esp_counters counters;
    check(vsh_esp_count(context_.get(), number, &counters));
    return counters;
  }

  // Return whether every packet is OK; each one's status says what happened.
  [[nodiscard]] bool seal(std::span<vsh_esp_packet> packets) { return run(vsh_esp_seal_packets, packets); }
  [[nodiscard]] bool open(std::span<vsh_esp_packet> packets) { return run(vsh_esp_open_packets, packets); }

 private:
  bool run(decltype(&vsh_esp_seal_packets) f, std::span<vsh_esp_packet> packets) {
    const vsh_status status = f(context_.get(), packets.data(), packets.size(), sizeof(vsh_esp_packet));
    if (status != VSH_E_JOB) check(status);
    return status == VSH_OK;
  }
  struct Free {
    void operator()(vsh_esp* c) const noexcept { vsh_esp_free(c); }
  };
  std::unique_ptr<vsh_esp, Free> context_;
};

}  // namespace vershina

#endif
