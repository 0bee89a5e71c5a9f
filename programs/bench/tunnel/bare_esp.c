/* vsh_esp_seal and vsh_esp_open without their cipher, for the program vershina-tunnel-bare, which only run.py starts:
 * the linker puts these functions in their place (--wrap). Packets have the length and the SPI of real ones; the SPI is
 * taken from one real packet. Their payload is not encrypted. */
#include <string.h>

#include "vershina/esp.h"

vsh_status __real_vsh_esp_seal_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num, size_t size);
vsh_status __wrap_vsh_esp_seal_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num, size_t size);
vsh_status __wrap_vsh_esp_open_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num, size_t size);

enum { kTail = 2 + 12 }; /* of Kuznyechik, before padding */

vsh_status __wrap_vsh_esp_seal_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num, size_t size) {
  static _Thread_local uint8_t head[VSH_ESP_HEAD_LEN];
  static _Thread_local int known;
  size_t i = 0;
  if (!known && num) {
    const vsh_status status = __real_vsh_esp_seal_packets(set, packets, 1, size);
    if (status != VSH_OK) return status;
    memcpy(head, packets[0].buffer + packets[0].offset, 4);
    known = 1;
    i = 1;
  }
  for (; i < num; ++i) {
    vsh_esp_packet* const p = &packets[i];
    const size_t padding = (2 - p->len) & 3;
    memset(p->buffer + p->offset + p->len, 0, padding + kTail);
    p->offset -= VSH_ESP_HEAD_LEN;
    memcpy(p->buffer + p->offset, head, VSH_ESP_HEAD_LEN);
    p->len += VSH_ESP_HEAD_LEN + padding + kTail;
    p->status = VSH_OK;
  }
  return VSH_OK;
}

vsh_status __wrap_vsh_esp_open_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num, size_t size) {
  size_t i;
  (void)set;
  (void)size;
  for (i = 0; i < num; ++i) {
    vsh_esp_packet* const p = &packets[i];
    const uint8_t* const payload = p->buffer + VSH_ESP_HEAD_LEN;
    const size_t len = p->len > VSH_ESP_HEAD_LEN + 20 + kTail ? (size_t)payload[2] << 8 | payload[3] : 0;
    p->status = len && len <= p->len - VSH_ESP_HEAD_LEN ? VSH_OK : VSH_E_TAG;
    if (p->status != VSH_OK) continue;
    p->offset += VSH_ESP_HEAD_LEN;
    p->len = len;
    p->next_header = 4;
  }
  return VSH_OK;
}
