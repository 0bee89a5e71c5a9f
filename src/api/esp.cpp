// vsh_esp: security associations, and batches of their packets.
#include "api/arguments/keys.hpp"
#include "api/arguments/mode_arguments.hpp"
#include "api/arguments/names.hpp"
#include "api/hash_kernels.hpp"
#include "esp/association_set.hpp"

using namespace vsh;
using namespace vsh::api;
using esp::kTransforms;
using esp::Transform;

static_assert(VSH_ESP_HEAD_LEN == esp::kHeadLen && VSH_ESP_MAX_PACKET_LEN == esp::kMaxPacket);
static_assert(VSH_ESP_MIN_WINDOW == esp::Window::kMin && VSH_ESP_MAX_WINDOW == esp::Window::kMax);

struct vsh_esp : ErasedOnFree {
  vsh_esp(const Options& o, size_t size, const HashKernel* hash, const ProductKernel& products)
      : forced_kernel(o.kernel), checked(o), set(size, hash, products) {
    checked.kernel = forced_kernel;
  }

  std::string forced_kernel;
  Options checked;
  esp::AssociationSet set;
};

namespace {

constexpr size_t kMaxAssociations = 1 << 20;

const Transform* find_transform(unsigned number) noexcept {
  for (const Transform& t : kTransforms)
    if (t.number == number) return &t;
  return nullptr;
}

vsh_status status_of(esp::Verdict verdict) noexcept {
  switch (verdict) {
    case esp::Verdict::ok: return VSH_OK;
    case esp::Verdict::no_association: return VSH_E_STATE;
    case esp::Verdict::unknown_spi: return VSH_E_SPI;
    case esp::Verdict::no_room: return VSH_E_CAPACITY;
    case esp::Verdict::bad_length: return VSH_E_DATA_LENGTH;
    case esp::Verdict::exhausted: return VSH_E_LIMIT;
    case esp::Verdict::replayed: return VSH_E_REPLAY;
    case esp::Verdict::forged: return VSH_E_TAG;
    case esp::Verdict::bad_trailer: return VSH_E_BAD_PADDING;
    case esp::Verdict::none: break;
  }
  return VSH_E_MEMORY;
}

bool is_packet(const vsh_esp_packet& p) noexcept {
  return p.buffer && is_buffer(p.buffer, p.capacity) && p.offset <= p.capacity && p.len <= p.capacity - p.offset;
}

vsh_status run(vsh_esp* e, vsh_esp_packet* packets, size_t num, size_t packet_size,
               void (esp::AssociationSet::*process)(std::span<esp::Packet>)) {
  if (!e || packet_size != sizeof(vsh_esp_packet) || num > UINT32_MAX - 1 || num > SIZE_MAX / sizeof *packets ||
      !is_buffer(packets, num * sizeof *packets))
    return VSH_E_ARGUMENT;
  std::vector<esp::Packet> items;
  std::vector<uint32_t> of;  // the packet of each item
  vsh_status result = VSH_OK;
  const vsh_status outcome = guarded([&] {
    items.reserve(num);
    of.reserve(num);
    for (size_t i = 0; i < num; ++i) {
      const vsh_esp_packet& p = packets[i];
      if (!is_packet(p)) continue;
      items.push_back({p.buffer + p.offset, p.len, p.offset, p.capacity - p.offset - p.len, p.association, 0,
                       p.next_header, esp::Verdict::none});
      of.push_back(static_cast<uint32_t>(i));
    }
    (e->set.*process)(items);
    return VSH_OK;
  });
  size_t next = 0;
  for (size_t i = 0; i < num; ++i) {
    vsh_esp_packet& p = packets[i];
    if (next == of.size() || of[next] != i) {
      p.status = is_packet(p) ? outcome : VSH_E_ARGUMENT;
    } else {
      const esp::Packet& item = items[next++];
      p.status =
          item.verdict == esp::Verdict::none ? (outcome == VSH_OK ? VSH_E_MEMORY : outcome) : status_of(item.verdict);
      p.association = item.association, p.sequence = item.sequence;
      if (p.status == VSH_OK) {
        p.offset = static_cast<size_t>(item.at - p.buffer), p.len = item.len;
        p.next_header = item.next_header;
      }
    }
    if (p.status != VSH_OK) result = VSH_E_JOB;
  }
  return outcome == VSH_OK ? result : outcome;
}

}  // namespace

vsh_status vsh_esp_by_name(vsh_esp_transform* transform, const char* name) {
  const Transform* t = find_name(kTransforms, name);
  if (!t || !transform) return VSH_E_ARGUMENT;
  *transform = static_cast<vsh_esp_transform>(t->number);
  return VSH_OK;
}

const char* vsh_esp_name(size_t i) { return name_at(kTransforms, i); }

size_t vsh_esp_key_len(vsh_esp_transform transform) {
  const Transform* t = find_transform(number(transform));
  return t ? t->key_len() : 0;
}

size_t vsh_esp_packet_len(vsh_esp_transform transform, size_t payload_len) {
  const Transform* t = find_transform(number(transform));
  return t ? t->packet_len(payload_len) : 0;
}

vsh_status vsh_esp_new(vsh_esp** set, size_t max_associations, const vsh_options* options) {
  if (!set || max_associations == 0 || max_associations > kMaxAssociations) return VSH_E_ARGUMENT;
  Options o;
  if (const vsh_status s = read_options(o, options)) return s;
  if (const vsh_status s = refuse_mode_options(o)) return s;
  if (const vsh_status s = check_sbox(Algorithm::kuznyechik, o)) return s;
  const HashChoice hash = choose_hash_kernel({}, false);
  if (const vsh_status s = api::status_of(hash.status)) return s;
  const ProductChoice products = choose_product_kernel();
  if (const vsh_status s = api::status_of(products.status)) return s;
  return guarded([&] {
    *set = new vsh_esp(o, max_associations, hash.row, *products.row);
    return VSH_OK;
  });
}

void vsh_esp_free(vsh_esp* set) { delete set; }

vsh_status vsh_esp_add_sa(vsh_esp* e, size_t sa_number, const vsh_esp_sa* sa, size_t sa_size) {
  if (!e || !sa || sa_size != sizeof *sa || sa_number >= e->set.size()) return VSH_E_ARGUMENT;
  const Transform* t = find_transform(number(sa->transform));
  const bool outbound = sa->flags & VSH_ESP_OUTBOUND, inbound = sa->flags & VSH_ESP_INBOUND;
  const bool extended = sa->flags & VSH_ESP_ESN;
  if (!t || outbound == inbound || sa->flags > (VSH_ESP_OUTBOUND | VSH_ESP_INBOUND | VSH_ESP_ESN))
    return VSH_E_ARGUMENT;
  if (sa->key_len != t->key_len()) return VSH_E_KEY_LENGTH;
  if (!sa->key || !is_buffer(sa->key, sa->key_len) || sa->spi < 256) return VSH_E_ARGUMENT;
  const uint32_t window = sa->window ? sa->window : VSH_ESP_MIN_WINDOW;
  if (window < VSH_ESP_MIN_WINDOW || window > VSH_ESP_MAX_WINDOW || window % 64) return VSH_E_PARAMETERS;
  const uint32_t leaf_packets = sa->leaf_packets ? sa->leaf_packets : t->leaf_packets;
  if (leaf_packets > t->most_leaf_packets || sa->first_leaf >> esp::kLeafBits) return VSH_E_ARGUMENT;
  if (!extended && sa->sequence > UINT32_MAX) return VSH_E_ARGUMENT;
  if (inbound && e->set.is_taken(sa->spi, sa_number)) return VSH_E_ARGUMENT;
  const BlockChoice kernels = choose_block_kernel(t->cipher, e->checked.kernel, e->checked.allow_tables);
  if (const vsh_status s = api::status_of(kernels.status)) return s;
  return guarded([&] {
    if (!e->set.is_prepared_for(t->cipher))
      e->set.prepare_for(
          streams::Cipher{keys::CipherParameters(t->cipher), kernels, block_size(t->cipher), e->checked.threads});
    e->set.add(sa_number, {t, outbound, extended, sa->spi, window, sa->key, sa->sequence, leaf_packets, sa->first_leaf,
                           sa->max_packets, sa->max_octets});
    return VSH_OK;
  });
}

vsh_status vsh_esp_remove(vsh_esp* e, size_t sa_number) {
  if (!e || sa_number >= e->set.size()) return VSH_E_ARGUMENT;
  if (!e->set.find(sa_number)) return VSH_E_STATE;
  const SecretWork scope;
  e->set.remove(sa_number);
  return VSH_OK;
}

vsh_status vsh_esp_count(const vsh_esp* e, size_t sa_number, vsh_esp_counters* counters) {
  if (!e || !counters || sa_number >= e->set.size()) return VSH_E_ARGUMENT;
  const esp::Association* sa = e->set.find(sa_number);
  if (!sa) return VSH_E_STATE;
  *counters = {sa->outbound ? sa->next() - 1 : sa->window.top(), sa->packets, sa->octets};
  return VSH_OK;
}

vsh_status vsh_esp_skip(vsh_esp* e, size_t sa_number, uint64_t sequence) {
  if (!e || sa_number >= e->set.size()) return VSH_E_ARGUMENT;
  esp::Association* sa = e->set.find(sa_number);
  if (!sa || !sa->outbound) return VSH_E_STATE;
  if (sequence > sa->last_sequence()) return VSH_E_LIMIT;
  if (sa->next() != 0 && sequence > sa->next()) sa->set_next(sequence);
  return VSH_OK;
}

vsh_status vsh_esp_seal_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num_packets, size_t packet_size) {
  return run(set, packets, num_packets, packet_size, &esp::AssociationSet::seal);
}

vsh_status vsh_esp_open_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num_packets, size_t packet_size) {
  return run(set, packets, num_packets, packet_size, &esp::AssociationSet::open);
}

vsh_esp_udp vsh_esp_udp_kind(const uint8_t* datagram, size_t len) {
  static constexpr uint8_t kMarker[VSH_ESP_UDP_MARKER_LEN] = {};
  if (!datagram) return VSH_ESP_UDP_INVALID;
  if (len == 1 && datagram[0] == VSH_ESP_UDP_KEEPALIVE_BYTE) return VSH_ESP_UDP_KEEPALIVE;
  if (len < sizeof kMarker) return VSH_ESP_UDP_INVALID;
  return std::memcmp(datagram, kMarker, sizeof kMarker) == 0 ? VSH_ESP_UDP_NOT_ESP : VSH_ESP_UDP_ESP;
}
