#include "programs/common/digest/sha256.hpp"

#include <algorithm>
#include <bit>

namespace vsh::cli {
namespace {

// clang-format off
constexpr uint32_t kConstants[64] = {  // 4.2.2
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
// clang-format on

uint32_t big_sigma_0(uint32_t x) { return std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22); }
uint32_t big_sigma_1(uint32_t x) { return std::rotr(x, 6) ^ std::rotr(x, 11) ^ std::rotr(x, 25); }
uint32_t sigma_0(uint32_t x) { return std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3; }
uint32_t sigma_1(uint32_t x) { return std::rotr(x, 17) ^ std::rotr(x, 19) ^ x >> 10; }

}  // namespace

// 6.2.2. The message schedule keeps its last 16 words.
void Sha256::compress() {
  uint32_t w[16], s[8];
  for (size_t t = 0; t < 16; ++t) {
    const uint8_t* const p = block_ + 4 * t;
    w[t] = uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
  }
  std::copy_n(state_, 8, s);
  auto& [a, b, c, d, e, f, g, h] = s;
  for (size_t t = 0; t < 64; ++t) {
    if (t >= 16) w[t % 16] += sigma_1(w[(t - 2) % 16]) + w[(t - 7) % 16] + sigma_0(w[(t - 15) % 16]);
    const uint32_t t1 = h + big_sigma_1(e) + (g ^ (e & (f ^ g))) + kConstants[t] + w[t % 16];
    const uint32_t t2 = big_sigma_0(a) + ((a & b) | (c & (a | b)));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  for (size_t i = 0; i < 8; ++i) state_[i] += s[i];
  wipe(w, sizeof w);
  wipe(s, sizeof s);
}

void Sha256::update(std::span<const uint8_t> in) {
  while (!in.empty()) {
    const size_t at = len_ % kBlock, taken = std::min(in.size(), kBlock - at);
    std::copy_n(in.begin(), taken, block_ + at);
    len_ += taken;
    in = in.subspan(taken);
    if (at + taken == kBlock) compress();
  }
}

// 5.1.1: a bit 1, zeros, and the length in bits, the most significant byte first.
void Sha256::final(uint8_t (&digest)[kLen]) {
  static constexpr uint8_t kPadding[kBlock] = {0x80};
  uint8_t len_in_bits[8];
  for (size_t i = 0; i < 8; ++i) len_in_bits[i] = static_cast<uint8_t>(8 * len_ >> (56 - 8 * i));
  update(std::span(kPadding).first(1 + (kBlock + 55 - len_ % kBlock) % kBlock));
  update(len_in_bits);
  for (size_t i = 0; i < kLen; ++i) digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
}

HmacSha256::HmacSha256(std::span<const uint8_t> key) {
  SecretBytes<Sha256::kBlock> block;
  if (key.size() <= Sha256::kBlock) {
    std::copy(key.begin(), key.end(), block.bytes);
  } else {
    SecretBytes<kLen> digest;
    Sha256 hash;
    hash.update(key);
    hash.final(digest.bytes);
    std::copy_n(digest.bytes, kLen, block.bytes);
  }
  for (uint8_t& byte : block.bytes) byte ^= 0x36;
  inner_.update(block.bytes);
  for (uint8_t& byte : block.bytes) byte ^= 0x36 ^ 0x5c;
  outer_.update(block.bytes);
}

void HmacSha256::operator()(uint8_t (&tag)[kLen], std::span<const uint8_t> first,
                            std::span<const uint8_t> second) const {
  Sha256 inner = inner_, outer = outer_;
  inner.update(first);
  inner.update(second);
  inner.final(tag);
  outer.update(tag);
  outer.final(tag);
}

}  // namespace vsh::cli
