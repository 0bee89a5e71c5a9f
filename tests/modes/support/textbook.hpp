// Every mode, slow and straight from its clause, over any block function: the reference for the fast ones. Written with
// strings of bytes, MSB and LSB as in the standards; nothing of src/modes is used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace vsh::test::textbook {

using Bytes = std::vector<uint8_t>;
using BlockFunction = std::function<Bytes(const Bytes&)>;  // e_K or d_K

// GOST R 34.13-2015 clause 3.2.
inline Bytes MSB(size_t len, const Bytes& a) { return Bytes(a.begin(), a.begin() + static_cast<long>(len)); }
inline Bytes LSB(size_t len, const Bytes& a) { return Bytes(a.end() - static_cast<long>(len), a.end()); }

inline void append(Bytes& a, const Bytes& b) { a.insert(a.end(), b.begin(), b.end()); }

inline Bytes join(Bytes a, const Bytes& b) {
  append(a, b);
  return a;
}

// As long as the shorter one.
inline Bytes add(const Bytes& a, const Bytes& b) {
  Bytes c;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) c.push_back(a[i] ^ b[i]);
  return c;
}

// P = P_1 || ... || P_q, pieces of len bytes, the last one perhaps shorter.
inline std::vector<Bytes> pieces(const Bytes& p, size_t len) {
  std::vector<Bytes> result;
  for (size_t i = 0; i < p.size(); i += len)
    result.emplace_back(p.begin() + static_cast<long>(i), p.begin() + static_cast<long>(std::min(p.size(), i + len)));
  return result;
}

// Vec_n(Int_n(a) + 1 mod 2^n).
inline Bytes increment(Bytes a) {
  for (size_t i = a.size(); i-- > 0;)
    if (++a[i] != 0) break;
  return a;
}

// Clause 5.2.
inline Bytes ctr(const BlockFunction& e, size_t n, const Bytes& iv, size_t s, const Bytes& p) {
  Bytes counter = join(iv, Bytes(n / 2, 0)), c;
  for (const Bytes& p_i : pieces(p, s)) {
    append(c, add(p_i, MSB(s, e(counter))));
    counter = increment(counter);
  }
  return c;
}

// RFC 8645 section 6.2.1: the next section's key.
inline Bytes acpkm(const BlockFunction& e, size_t n) {
  Bytes d, key;
  for (int i = 0x80; i <= 0x9f; ++i) d.push_back(static_cast<uint8_t>(i));
  for (const Bytes& d_i : pieces(d, n)) append(key, e(d_i));
  return key;
}

using Cipher = std::function<BlockFunction(const Bytes& key)>;

// Section 6.2.2, with s as in R 1323565.1.017-2018. section: N in bytes.
inline Bytes ctr_acpkm(const Cipher& cipher, Bytes key, size_t n, const Bytes& iv, size_t s, size_t section,
                       const Bytes& p) {
  Bytes counter = join(iv, Bytes(n / 2, 0)), c;
  for (const Bytes& p_j : pieces(p, section)) {
    const BlockFunction e = cipher(key);
    for (const Bytes& p_i : pieces(p_j, s)) {
      append(c, add(p_i, MSB(s, e(counter))));
      counter = increment(counter);
    }
    key = acpkm(e, n);
  }
  return c;
}

// Clause 5.3.
inline Bytes ofb(const BlockFunction& e, size_t n, const Bytes& iv, size_t s, const Bytes& p) {
  const size_t m = iv.size();
  Bytes r = iv, c;
  for (const Bytes& p_i : pieces(p, s)) {
    const Bytes y = e(MSB(n, r));
    append(c, add(p_i, MSB(s, y)));
    r = join(LSB(m - n, r), y);
  }
  return c;
}

// Clause 5.4.
inline Bytes cbc_encrypt(const BlockFunction& e, size_t n, const Bytes& iv, const Bytes& p) {
  const size_t m = iv.size();
  Bytes r = iv, c;
  for (const Bytes& p_i : pieces(p, n)) {
    const Bytes c_i = e(add(p_i, MSB(n, r)));
    append(c, c_i);
    r = join(LSB(m - n, r), c_i);
  }
  return c;
}

inline Bytes cbc_decrypt(const BlockFunction& d, size_t n, const Bytes& iv, const Bytes& c) {
  const size_t m = iv.size();
  Bytes r = iv, p;
  for (const Bytes& c_i : pieces(c, n)) {
    append(p, add(d(c_i), MSB(n, r)));
    r = join(LSB(m - n, r), c_i);
  }
  return p;
}

// Clause 5.5.
inline Bytes cfb_encrypt(const BlockFunction& e, size_t n, const Bytes& iv, size_t s, const Bytes& p) {
  const size_t m = iv.size();
  Bytes r = iv, c;
  for (const Bytes& p_i : pieces(p, s)) {
    const Bytes c_i = add(p_i, MSB(s, e(MSB(n, r))));
    append(c, c_i);
    if (c_i.size() == s) r = join(LSB(m - s, r), c_i);
  }
  return c;
}

// Clause 5.6.1: one step of R -> K_1 -> K_2.
inline Bytes doubled(const Bytes& r) {
  Bytes k;
  for (size_t i = 0; i < r.size(); ++i)
    k.push_back(static_cast<uint8_t>(r[i] << 1 | (i + 1 < r.size() ? r[i + 1] >> 7 : 0)));
  if (r[0] & 0x80) k.back() ^= r.size() == 16 ? 0x87 : 0x1b;
  return k;
}

// Clause 5.6.2, s = n.
inline Bytes mac(const BlockFunction& e, size_t n, const Bytes& p) {
  const Bytes k1 = doubled(e(Bytes(n, 0))), k2 = doubled(k1);
  std::vector<Bytes> blocks = pieces(p, n);
  if (blocks.empty()) blocks.emplace_back();
  Bytes c(n, 0);
  for (size_t i = 0; i + 1 < blocks.size(); ++i) c = e(add(blocks[i], c));
  Bytes last = blocks.back();
  const bool whole = last.size() == n;
  if (!whole) last.push_back(0x80);  // procedure 3
  last.resize(n);
  return e(add(add(last, c), whole ? k1 : k2));
}

// RFC 8645 section 6.3.6. section: N, master_section: T*, in bytes.
inline Bytes omac_acpkm(const Cipher& cipher, const Bytes& key, size_t n, size_t section, size_t master_section,
                        const Bytes& p) {
  std::vector<Bytes> sections = pieces(p, section);
  if (sections.empty()) sections.emplace_back();
  const Bytes zeros(sections.size() * (32 + n), 0);
  const std::vector<Bytes> material =
      pieces(ctr_acpkm(cipher, key, n, Bytes(n / 2, 0xff), n, master_section, zeros), 32 + n);
  Bytes c(n, 0);
  for (size_t i = 0; i < sections.size(); ++i) {
    const BlockFunction e = cipher(MSB(32, material[i]));
    std::vector<Bytes> blocks = pieces(sections[i], n);
    if (blocks.empty()) blocks.emplace_back();
    if (i + 1 == sections.size()) {
      Bytes& last = blocks.back();
      const Bytes k1 = LSB(n, material[i]);
      const bool whole = last.size() == n;
      if (!whole) last.push_back(0x80);
      last.resize(n);
      last = add(last, whole ? k1 : doubled(k1));
    }
    for (const Bytes& block : blocks) c = e(add(block, c));
  }
  return c;
}

// Clause 4.1.1 and 4.1.2, RFC 5652 clause 6.3.
inline Bytes padded1(Bytes p, size_t n) {
  while (p.size() % n) p.push_back(0);
  return p;
}
inline Bytes padded2(Bytes p, size_t n) {
  p.push_back(0x80);
  return padded1(p, n);
}
inline Bytes padded_pkcs7(const Bytes& p, size_t n) {
  const size_t b = n - p.size() % n;
  return join(p, Bytes(b, static_cast<uint8_t>(b)));
}

// RFC 5830 clause 6.1, bytes in memory order: N3 and N4 are little-endian.
inline Bytes cnt(const BlockFunction& e, const Bytes& iv, const Bytes& p) {
  const auto word = [](const Bytes& b, size_t at) {
    return uint64_t{b[at]} | uint64_t{b[at + 1]} << 8 | uint64_t{b[at + 2]} << 16 | uint64_t{b[at + 3]} << 24;
  };
  const Bytes s = e(iv);
  uint64_t n3 = word(s, 0), n4 = word(s, 4);
  Bytes c;
  for (const Bytes& p_i : pieces(p, 8)) {
    n3 = (n3 + 0x01010101) % 0x100000000;  // [+]
    n4 = n4 + 0x01010104;                  // [+]', addition modulo 2^32 - 1
    if (n4 >= 0x100000000) n4 = n4 - 0x100000000 + 1;
    Bytes counter;
    for (int i = 0; i < 4; ++i) counter.push_back(static_cast<uint8_t>(n3 >> 8 * i));
    for (int i = 0; i < 4; ++i) counter.push_back(static_cast<uint8_t>(n4 >> 8 * i));
    append(c, add(p_i, e(counter)));
  }
  return c;
}

// RFC 4357 section 2.3.2: K' = D_K(C).
inline Bytes meshed_key(const BlockFunction& d) {
  const Bytes c = {0x69, 0x00, 0x72, 0x22, 0x64, 0xC9, 0x04, 0x23, 0x8D, 0x3A, 0xDB, 0x96, 0x46, 0xE9, 0x2A, 0xC4,
                   0x18, 0xFE, 0xAC, 0x94, 0x00, 0xED, 0x07, 0x12, 0xC0, 0x86, 0xDC, 0xC2, 0xEF, 0x4C, 0xA9, 0x2B};
  Bytes key;
  for (const Bytes& c_i : pieces(c, 8)) append(key, d(c_i));
  return key;
}

// RFC 5830 clause 8 over the 16 rounds; a message shorter than two blocks is filled with zeros to two.
inline Bytes imit(const BlockFunction& rounds16, Bytes p) {
  p = padded1(p, 8);
  if (p.size() < 16) p.resize(16);
  Bytes s(8, 0);
  for (const Bytes& t_i : pieces(p, 8)) s = rounds16(add(s, t_i));
  return s;
}

// IEEE 1619-2007 clause 5.2: the 16 bytes as a polynomial, byte 0 with the lowest coefficients, times alpha.
inline Bytes times_alpha(const Bytes& a) {
  Bytes b(16);
  for (size_t i = 0; i < 16; ++i) b[i] = static_cast<uint8_t>(a[i] << 1 | (i ? a[i - 1] >> 7 : 0));
  if (a[15] & 0x80) b[0] ^= 0x87;
  return b;
}

// Clauses 5.3 and 5.4: one data unit. crypt: e or d under the first key, e2: e under the second; number: 16 bytes.
inline Bytes xts(const BlockFunction& crypt, bool encrypts, const BlockFunction& e2, const Bytes& number,
                 const Bytes& in) {
  Bytes t = e2(number), out;
  const auto one = [&](const Bytes& block, const Bytes& tweak) { return add(crypt(add(block, tweak)), tweak); };
  std::vector<Bytes> blocks = pieces(in, 16);
  const bool steals = blocks.back().size() < 16;
  for (size_t j = 0; j + (steals ? 2 : 0) < blocks.size(); ++j, t = times_alpha(t)) append(out, one(blocks[j], t));
  if (!steals) return out;
  const Bytes before = blocks[blocks.size() - 2], last = blocks.back(), next = times_alpha(t);
  const Bytes cc = one(before, encrypts ? t : next);
  append(out, one(join(last, LSB(16 - last.size(), cc)), encrypts ? next : t));
  append(out, MSB(last.size(), cc));
  return out;
}

}  // namespace vsh::test::textbook
