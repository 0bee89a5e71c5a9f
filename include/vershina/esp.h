/* ESP, the packets of IPsec (RFC 4303), with the Russian transforms of RFC 9227. Part of vershina.h, whose conventions
 * hold here. docs/esp.md describes the use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_ESP_H
#define VERSHINA_ESP_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Transforms -------------------------------------------------------------------------------------------------- */

/* Numbered as IANA does (RFC 9227 section 6).
 *
 *  transform             transform key     ICV  confidentiality  octets under one leaf key (RFC 9227 section 5)
 *  KUZNYECHIK_MGM        44: root, salt 12  12   yes              2^41, which 2^24 packets cannot reach
 *  MAGMA_MGM             36: root, salt 4    8   yes              2^28
 *  KUZNYECHIK_MGM_MAC    44                 12   no               2^41
 *  MAGMA_MGM_MAC         36                  8   no               2^28
 */
typedef enum vsh_esp_transform {
  VSH_ESP_KUZNYECHIK_MGM = 32,     /* ENCR_KUZNYECHIK_MGM_KTREE */
  VSH_ESP_MAGMA_MGM = 33,          /* ENCR_MAGMA_MGM_KTREE */
  VSH_ESP_KUZNYECHIK_MGM_MAC = 34, /* ENCR_KUZNYECHIK_MGM_MAC_KTREE */
  VSH_ESP_MAGMA_MGM_MAC = 35       /* ENCR_MAGMA_MGM_MAC_KTREE */
} vsh_esp_transform;

VSH_API vsh_status vsh_esp_by_name(vsh_esp_transform* transform, const char* name); /* "kuznyechik-mgm-ktree" */
/* Returns the i-th name, in a stable order; NULL past the end. Static storage. */
VSH_API const char* vsh_esp_name(size_t i);
VSH_API size_t vsh_esp_key_len(vsh_esp_transform transform); /* bytes; 0 for an unknown transform */

#define VSH_ESP_MAX_KEY_LEN 44
/* Bytes in front of the payload: SPI, sequence number, IV. */
#define VSH_ESP_HEAD_LEN 16
/* Bytes behind the payload, at most: padding to a multiple of 4, its length, the next header, the ICV. */
#define VSH_ESP_MAX_TAIL_LEN 17
/* The longest packet, from the SPI to the ICV: what an IP packet can carry. */
#define VSH_ESP_MAX_PACKET_LEN 65535

/* Returns the length of the packet that a payload of payload_len bytes becomes; 0 if it is too long, or for an unknown
 * transform. */
VSH_API size_t vsh_esp_packet_len(vsh_esp_transform transform, size_t payload_len);

/* ---- Security associations --------------------------------------------------------------------------------------- */

/* Flags of vsh_esp_sa: one of the first two. */
#define VSH_ESP_OUTBOUND 1u
#define VSH_ESP_INBOUND 2u
#define VSH_ESP_ESN 4u /* extended sequence numbers: 64 bits, of which 32 are sent (RFC 4303 2.2.1) */

#define VSH_ESP_MIN_WINDOW 64
#define VSH_ESP_MAX_WINDOW 4096

/* A security association: one direction under one key. Keys come from IKE (RFC 9385, RFC 7296 2.17). RFC 9227 section 5
 * forbids keys set by hand, because no sequence number may ever be used twice under one key: if you set them by hand
 * anyway, keep `sequence` over restarts, as docs/tunnel.md describes. */
typedef struct vsh_esp_sa {
  vsh_esp_transform transform;
  uint32_t flags;
  uint32_t spi;       /* 256 and above; lower ones are reserved (RFC 4303 2.1) */
  uint32_t window;    /* inbound: anti-replay window in packets, a multiple of 64; 0: 64 */
  const uint8_t* key; /* transform key: 32 bytes of root, then the salt; copied */
  size_t key_len;
  /* Outbound: the first packet's number, 0 for 1. Inbound: packets up to this number count as seen. */
  uint64_t sequence;
  /* Outbound: packets under one leaf of the key tree; 0: 65536 for Kuznyechik, 4096 for Magma. At most 2^24, of Magma
   * 4096, so that no leaf can exceed the octets above. The IV is a function of the sequence number s: leaf number
   * first_leaf + (s - 1) / leaf_packets, whose 40 bits are i1, i2, i3, and pnum = (s - 1) mod leaf_packets. */
  uint32_t leaf_packets;
  uint64_t first_leaf;
  /* Lifetime: packets, and octets of payload with trailer, sealed or verified; 0: no limit. */
  uint64_t max_packets, max_octets;
} vsh_esp_sa;

/* Holds security associations, numbered by the caller. One thread at a time. */
typedef struct vsh_esp vsh_esp;

/* Creates a set for up to max_associations associations. Uses flags, threads and kernel of the options. Some 4 KiB
 * an association. Errors: ARGUMENT (0, or more than 2^20), PADDING, SEGMENT, SECTION, SBOX, KERNEL_*, DEVICE, MEMORY.
 */
VSH_API vsh_status vsh_esp_new(vsh_esp** set, size_t max_associations, const vsh_options* options);
VSH_API void vsh_esp_free(vsh_esp* set);

/* Makes association `number`, and replaces the one that had this number. Errors: ARGUMENT (number; unknown transform or
 * flags; a reserved SPI; an SPI that another inbound association has; leaf_packets, first_leaf or sequence out of
 * range), KEY_LENGTH, PARAMETERS (window), KERNEL_*, MEMORY. sa_size: sizeof(vsh_esp_sa). */
VSH_API vsh_status vsh_esp_add_sa(vsh_esp* set, size_t number, const vsh_esp_sa* sa, size_t sa_size);
static inline vsh_status vsh_esp_add(vsh_esp* set, size_t number, const vsh_esp_sa* sa) {
  return vsh_esp_add_sa(set, number, sa, sizeof *sa);
}
/* Removes an association and erases its keys. Errors: ARGUMENT (number), STATE (there is none). */
VSH_API vsh_status vsh_esp_remove(vsh_esp* set, size_t number);

typedef struct vsh_esp_counters {
  uint64_t sequence; /* of the last packet sealed, or the highest one verified; 0: none */
  uint64_t packets, octets;
} vsh_esp_counters;
/* Errors: ARGUMENT, STATE (there is no such association). */
VSH_API vsh_status vsh_esp_count(const vsh_esp* set, size_t number, vsh_esp_counters* counters);
/* Lets the next packet have at least this sequence number; lower ones change nothing. Errors: ARGUMENT, STATE (there is
 * no such outbound association), LIMIT (beyond 2^32 - 1 without extended numbers). */
VSH_API vsh_status vsh_esp_skip(vsh_esp* set, size_t number, uint64_t sequence);

/* ---- Batches of packets ------------------------------------------------------------------------------------------ */

/* A packet in a buffer of the caller, sealed and opened in place. No buffer may overlap another. */
typedef struct vsh_esp_packet {
  uint8_t* buffer;
  size_t capacity; /* bytes of the buffer */
  size_t offset;   /* where the payload begins, or the ESP packet; the call moves both as the data changes */
  size_t len;
  size_t association;  /* seal: its number; set by open */
  uint64_t sequence;   /* set by both */
  uint8_t next_header; /* seal: protocol of the payload; set by open. 59: a dummy packet, to be dropped */
  vsh_status status;   /* set by both */
} vsh_esp_packet;

/* Seals: payloads become ESP packets, whose sequence numbers ascend in the order of the batch. A packet needs
 * VSH_ESP_HEAD_LEN bytes before the payload and vsh_esp_packet_len - VSH_ESP_HEAD_LEN - len behind it.
 * A packet that fails is as before, except its status: ARGUMENT, STATE (no outbound association of that number),
 * CAPACITY (head or tail), DATA_LENGTH (too long), LIMIT (no sequence number or leaf is left, or this packet exceeds
 * the lifetime: nothing is sent under this association any more, shorter packets neither). MEMORY: invalid output,
 * whose sequence number is not used again. Returns OK if all packets are OK, else JOB; ARGUMENT: none was examined. */
VSH_API vsh_status vsh_esp_seal_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num_packets, size_t packet_size);
/* Opens: finds each packet's association by its SPI, verifies, decrypts, and removes the padding. Packets keep their
 * places. A packet that fails is as before, except for its status: DATA_LENGTH (below 8 bytes or above
 * VSH_ESP_MAX_PACKET_LEN; or, looked at behind the SPI, a length that none of its transform has), SPI, REPLAY (its
 * sequence number is left of the window, or was verified before), LIMIT (it exceeds the lifetime; it was not verified,
 * so a shorter one may still be taken), TAG (not authentic; as after vsh_aead_open nothing of it is released, and the
 * window is as before). Authentic packets that are refused behind others of the same batch end with an erased payload:
 * REPLAY of one that it verified, and LIMIT where it used up the lifetime; so does BAD_PADDING, an authentic packet
 * with an impossible trailer. MEMORY: invalid output. Returns as vsh_esp_seal_packets. */
VSH_API vsh_status vsh_esp_open_packets(vsh_esp* set, vsh_esp_packet* packets, size_t num_packets, size_t packet_size);
static inline vsh_status vsh_esp_seal(vsh_esp* set, vsh_esp_packet* packets, size_t num_packets) {
  return vsh_esp_seal_packets(set, packets, num_packets, sizeof *packets);
}
static inline vsh_status vsh_esp_open(vsh_esp* set, vsh_esp_packet* packets, size_t num_packets) {
  return vsh_esp_open_packets(set, packets, num_packets, sizeof *packets);
}

/* ---- ESP in UDP (RFC 3948) --------------------------------------------------------------------------------------- */

/* An ESP packet is the datagram's whole payload: its SPI is never 0. */
typedef enum vsh_esp_udp {
  VSH_ESP_UDP_ESP = 1,
  VSH_ESP_UDP_NOT_ESP = 2,   /* behind the marker, four bytes of 0, is what a port shared with IKE has (2.2) */
  VSH_ESP_UDP_KEEPALIVE = 3, /* one byte ff (2.3), to be dropped */
  VSH_ESP_UDP_INVALID = 4
} vsh_esp_udp;
#define VSH_ESP_UDP_MARKER_LEN 4
#define VSH_ESP_UDP_KEEPALIVE_BYTE 0xff

VSH_API vsh_esp_udp vsh_esp_udp_kind(const uint8_t* datagram, size_t len);

#ifdef __cplusplus
}
#endif
#endif
