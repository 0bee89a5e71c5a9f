// One packet of ESP, written from the clauses over the references of the standards; nothing of src/esp, src/streams,
// src/modes or src/keys is used.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "circuits/sbox_tables.hpp"
#include "gf2n/reference.hpp"
#include "kuznyechik/reference.hpp"
#include "magma/reference.hpp"
#include "modes/support/textbook.hpp"
#include "streebog/reference.hpp"
#include "vershina/esp.h"

namespace vsh::test::plain {

using textbook::add;
using textbook::append;
using textbook::BlockFunction;
using textbook::Bytes;
using textbook::join;

inline Bytes big_endian(uint64_t value, size_t len) {
  Bytes bytes(len);
  for (size_t i = 0; i < len; ++i) bytes[len - 1 - i] = static_cast<uint8_t>(value >> (8 * i));
  return bytes;
}

inline Bytes streebog256(const Bytes& message) {
  Bytes digest(32);
  streebog::reference::hash(256, digest.data(), message.data(), message.size());
  return digest;
}

// RFC 2104 with B = 64.
inline Bytes hmac(Bytes key, const Bytes& message) {
  key.resize(64);
  return streebog256(join(add(key, Bytes(64, 0x5c)), streebog256(join(add(key, Bytes(64, 0x36)), message))));
}

// RFC 7836 4.5.
inline Bytes kdf(const Bytes& key, const std::string& label, const Bytes& seed) {
  Bytes message{0x01};
  append(message, Bytes(label.begin(), label.end()));
  append(message, {0x00});
  append(message, seed);
  return hmac(key, join(message, {0x01, 0x00}));
}

inline BlockFunction block_function(bool magma, const Bytes& key) {
  std::array<uint8_t, 32> k;
  std::copy(key.begin(), key.end(), k.begin());
  if (!magma)
    return [schedule = kuznyechik::reference::key_schedule(k)](const Bytes& a) {
      kuznyechik::reference::Block block;
      std::copy(a.begin(), a.end(), block.begin());
      const auto out = kuznyechik::reference::E(schedule, block);
      return Bytes(out.begin(), out.end());
    };
  return [schedule = magma::reference::key_schedule_magma(k)](const Bytes& a) {
    uint64_t block = 0;
    for (const uint8_t byte : a) block = block << 8 | byte;
    return big_endian(magma::reference::E(tables::kMagmaSboxes[0].rows, schedule, block), 8);
  };
}

// RFC 9058 4.1. Returns the ciphertext and the tag of n bytes.
inline std::pair<Bytes, Bytes> mgm(const BlockFunction& e, size_t n, Bytes nonce, const Bytes& a, const Bytes& p) {
  const auto increment_half = [n](Bytes& block, size_t end) {
    for (size_t i = end; i-- > end - n / 2;)
      if (++block[i] != 0) break;
  };
  nonce[0] &= 0x7f;
  Bytes y = e(nonce), c;
  for (const Bytes& piece : textbook::pieces(p, n)) {
    append(c, add(piece, e(y)));
    increment_half(y, n);
  }
  nonce[0] |= 0x80;
  Bytes z = e(nonce), sum(n);
  const auto absorb = [&](Bytes block) {
    block.resize(n);
    sum = add(sum, gf2n::reference::multiply(e(z), block));
    increment_half(z, n / 2);
  };
  for (const Bytes& piece : textbook::pieces(a, n)) absorb(piece);
  for (const Bytes& piece : textbook::pieces(c, n)) absorb(piece);
  absorb(join(big_endian(8 * a.size(), n / 2), big_endian(8 * c.size(), n / 2)));
  return {c, e(sum)};
}

struct Association {
  vsh_esp_transform transform;
  bool extended;
  uint32_t spi;
  Bytes key;  // root and salt
};

// iv: 8 bytes. text: the plaintext, trailer included.
inline Bytes packet_of_text(const Association& sa, uint64_t sequence, const Bytes& iv, const Bytes& text) {
  const bool magma = sa.transform == VSH_ESP_MAGMA_MGM || sa.transform == VSH_ESP_MAGMA_MGM_MAC;
  const bool encrypts = sa.transform == VSH_ESP_KUZNYECHIK_MGM || sa.transform == VSH_ESP_MAGMA_MGM;
  const Bytes root(sa.key.begin(), sa.key.begin() + 32), salt(sa.key.begin() + 32, sa.key.end());
  // RFC 9227 4.1
  const Bytes k_msg = kdf(kdf(kdf(root, "level1", {0, iv[0]}), "level2", {iv[1], iv[2]}), "level3", {iv[3], iv[4]});
  const Bytes nonce = join({0, iv[5], iv[6], iv[7]}, salt);  // 4.3
  const Bytes spi = big_endian(sa.spi, 4), sent = join(spi, big_endian(sequence & 0xffffffff, 4));
  Bytes aad = join(spi, big_endian(sequence, sa.extended ? 8 : 4));  // 4.7.1
  if (!encrypts) aad = join(join(aad, iv), text);
  const size_t n = magma ? 8 : 16;
  const auto [c, tag] = mgm(block_function(magma, k_msg), n, nonce, aad, encrypts ? text : Bytes());
  return join(join(join(sent, iv), encrypts ? c : text), textbook::MSB(magma ? 8 : 12, tag));
}

// RFC 4303 2.4.
inline Bytes packet(const Association& sa, uint64_t sequence, const Bytes& iv, Bytes payload, uint8_t next_header) {
  uint8_t padding = 0;
  while ((payload.size() + 2) % 4 != 0) payload.push_back(++padding);
  append(payload, {padding, next_header});
  return packet_of_text(sa, sequence, iv, payload);
}

// IVs as vershina/esp.h defines them.
inline Bytes iv_of(uint64_t sequence, uint32_t leaf_packets, uint64_t first_leaf = 0) {
  return join(big_endian(first_leaf + (sequence - 1) / leaf_packets, 5), big_endian((sequence - 1) % leaf_packets, 3));
}

}  // namespace vsh::test::plain
