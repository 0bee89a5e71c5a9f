// Modes around a foreign block cipher: GOST R 34.13-2015 clause 5 for Kuznyechik and Magma, CNT of GOST 28147-89. One
// function for each clause, a block at a time; no code is shared with the library's own modes.
//
// Magma is GOST 28147-89 with id-tc26-gost-28147-param-Z and the opposite byte order: of the block, and of each
// 32-bit word of the key.
#include "differential/oracle.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace vsh::oracle {
namespace {

// One call encrypts or decrypts any number of independent whole blocks.
struct Blocks {
  size_t n = 0;
  std::function<std::optional<Bytes>(const Bytes&)> encrypt, decrypt;
};

Bytes xored(const Bytes& a, const Bytes& b) {  // as long as the shorter one
  Bytes r(std::min(a.size(), b.size()));
  for (size_t i = 0; i < r.size(); ++i) r[i] = a[i] ^ b[i];
  return r;
}

void append(Bytes& to, const Bytes& what) { to.insert(to.end(), what.begin(), what.end()); }
Bytes part(const Bytes& from, size_t at, size_t len) {
  return {from.begin() + static_cast<std::ptrdiff_t>(std::min(at, from.size())),
          from.begin() + static_cast<std::ptrdiff_t>(std::min(at + len, from.size()))};
}

std::optional<Bytes> padded(Bytes data, size_t n, const std::string& how) {
  if (how == "1") {  // 4.1.1
    while (data.size() % n) data.push_back(0);
  } else if (how == "2") {  // 4.1.2
    data.push_back(0x80);
    while (data.size() % n) data.push_back(0);
  } else if (how == "pkcs7") {
    const size_t count = n - data.size() % n;
    data.insert(data.end(), count, static_cast<uint8_t>(count));
  } else if (how != "none") {
    return std::nullopt;
  }
  if (data.size() % n) throw std::runtime_error("composed: not a whole number of blocks");
  return data;
}

// 5.2: CTR_1 = I_n(IV) = IV || 0, CTR_{i+1} = CTR_i + 1 mod 2^n; C_i = P_i xor T_s(e_K(CTR_i)).
Bytes ctr(const Blocks& e, const Bytes& iv, const Bytes& data, size_t s, size_t first = 0) {
  Bytes counter = iv, counters;
  counter.resize(e.n, 0);
  const size_t count = (data.size() + s - 1) / s;
  for (size_t i = 0; i < first + count; ++i) {
    if (i >= first) append(counters, counter);
    for (size_t j = e.n; j-- > 0 && ++counter[j] == 0;) {
    }
  }
  const Bytes gamma = *e.encrypt(counters);
  Bytes out;
  for (size_t i = 0; i < count; ++i) append(out, xored(part(data, i * s, s), part(gamma, i * e.n, e.n)));
  return out;
}

// 5.3: Y_i = e_K(MSB_n(R_i)), C_i = P_i xor T_s(Y_i), R_{i+1} = LSB_{m-n}(R_i) || Y_i.
Bytes ofb(const Blocks& e, const Bytes& iv, const Bytes& data, size_t s) {
  Bytes r = iv, out;
  for (size_t at = 0; at < data.size(); at += s) {
    const Bytes y = *e.encrypt(part(r, 0, e.n));
    append(out, xored(part(data, at, s), y));
    r.erase(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(e.n));
    append(r, y);
  }
  return out;
}

// 5.4: C_i = e_K(P_i xor MSB_n(R_i)), R_{i+1} = LSB_{m-n}(R_i) || C_i.
Bytes cbc(const Blocks& e, const Bytes& iv, const Bytes& data, bool encrypt) {
  Bytes r = iv, out;
  for (size_t at = 0; at < data.size(); at += e.n) {
    const Bytes in = part(data, at, e.n), first = part(r, 0, e.n);
    const Bytes result = encrypt ? *e.encrypt(xored(in, first)) : xored(*e.decrypt(in), first);
    append(out, result);
    r.erase(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(e.n));
    append(r, encrypt ? result : in);
  }
  return out;
}

// 5.5: C_i = P_i xor T_s(e_K(MSB_n(R_i))), R_{i+1} = LSB_{m-s}(R_i) || C_i.
Bytes cfb(const Blocks& e, const Bytes& iv, const Bytes& data, size_t s, bool encrypt) {
  Bytes r = iv, out;
  for (size_t at = 0; at < data.size(); at += s) {
    const Bytes in = part(data, at, s), result = xored(in, *e.encrypt(part(r, 0, e.n)));
    append(out, result);
    r.erase(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(s));
    append(r, encrypt ? result : in);
  }
  return out;
}

// GOST 28147-89, RFC 5830 clause 6: the IV is encrypted into (N3, N4); before each block N3 += 2^24 + 2^16 + 2^8 + 1
// modulo 2^32 and N4 += 2^24 + 2^16 + 2^8 + 4 modulo 2^32 - 1, where a sum of exactly 2^32 - 1 stays.
Bytes cnt(const Blocks& e, const Bytes& iv, const Bytes& data) {
  const Bytes start = *e.encrypt(iv);
  uint64_t n3 = 0, n4 = 0;
  for (size_t i = 4; i-- > 0;) {
    n3 = n3 << 8 | start[i];
    n4 = n4 << 8 | start[4 + i];
  }
  Bytes counters;
  for (size_t at = 0; at < data.size(); at += 8) {
    n3 = (n3 + 0x01010101) % 0x100000000;
    n4 += 0x01010104;
    if (n4 >= 0x100000000) n4 -= 0xffffffff;
    for (const uint64_t half : {n3, n4}) {
      for (int shift = 0; shift < 32; shift += 8) counters.push_back(static_cast<uint8_t>(half >> shift));
    }
  }
  return xored(data, *e.encrypt(counters));
}

// K_(i+1) = K_i * x.
Bytes times_x(Bytes v) {
  const bool carry = v[0] & 0x80;
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<uint8_t>(v[i] << 1 | (i + 1 < v.size() ? v[i + 1] >> 7 : 0));
  if (carry) v.back() ^= v.size() == 16 ? 0x87 : 0x1b;  // x^128 + x^7 + x^2 + x + 1, x^64 + x^4 + x^3 + x + 1
  return v;
}

// 5.6: R = e_K(0), K_1 = R * x, K_2 = K_1 * x; the last block, padded by procedure 3 if it is not whole, is added to
// K_1 or K_2.
Bytes mac(const Blocks& e, const Bytes& data) {
  const Bytes k1 = times_x(*e.encrypt(Bytes(e.n))), k2 = times_x(k1);
  const size_t num_before = data.empty() ? 0 : (data.size() - 1) / e.n;
  Bytes c(e.n), last = part(data, num_before * e.n, e.n);
  for (size_t i = 0; i < num_before; ++i) c = *e.encrypt(xored(c, part(data, i * e.n, e.n)));
  const bool whole = last.size() == e.n;
  if (!whole) {
    last.push_back(0x80);
    last.resize(e.n, 0);
  }
  return *e.encrypt(xored(xored(c, last), whole ? k1 : k2));
}

Bytes reversed(const Bytes& in, size_t unit) {
  Bytes out = in;
  for (size_t at = 0; at + unit <= out.size(); at += unit) {
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(at), out.begin() + static_cast<std::ptrdiff_t>(at + unit));
  }
  return out;
}

class Composed final : public Oracle {
 public:
  explicit Composed(Oracle& inner) : inner_(inner) {}

  std::string name() const override { return "modes around " + inner_.name(); }

  std::optional<Bytes> crypt(const Cipher& c, const Bytes& data) override {
    if (c.meshing) return std::nullopt;
    const size_t dash = c.name.find('-');
    const std::string cipher = c.name.substr(0, dash), mode = c.name.substr(dash + 1);
    if (mode == "ctr-acpkm") return ctr_acpkm(cipher, c, data);
    const std::optional<Blocks> e = blocks(cipher, c.key, c.sbox);
    if (!e) return std::nullopt;
    const size_t s = c.segment ? c.segment : e->n;
    if (mode == "ctr") return ctr(*e, c.iv, data, s);
    if (mode == "ofb") return ofb(*e, c.iv, data, s);
    if (mode == "cfb") return cfb(*e, c.iv, data, s, c.encrypt);
    if (mode == "cnt") return cnt(*e, c.iv, data);
    if (mode != "ecb" && mode != "cbc") return std::nullopt;
    const std::optional<Bytes> in = padded(data, e->n, c.padding);
    if (!in) return std::nullopt;
    if (mode == "cbc") return cbc(*e, c.iv, *in, c.encrypt);
    return c.encrypt ? e->encrypt(*in) : e->decrypt(*in);
  }

  std::optional<Bytes> mac(const std::string& name, const Bytes& key, const std::string&, const Bytes& data,
                           size_t tag_len) override {
    if (name != "kuznyechik-mac" && name != "magma-mac") return std::nullopt;
    const std::optional<Blocks> e = blocks(name.substr(0, name.rfind('-')), key, "");
    if (!e) return std::nullopt;
    return part(vsh::oracle::mac(*e, data), 0, tag_len);
  }

  // RFC 8645 6.3.6.
  std::optional<Bytes> omac_acpkm(const std::string& name, const Bytes& key, size_t section, size_t master_section,
                                  const Bytes& data) override {
    const std::string cipher = name.substr(0, name.find('-'));
    const size_t n = cipher == "magma" ? 8 : 16, num = data.empty() ? 1 : (data.size() + section - 1) / section;
    Cipher master;
    master.key = key, master.iv = Bytes(n / 2, 0xff), master.section = master_section;
    const std::optional<Bytes> material = ctr_acpkm(cipher, master, Bytes(num * (32 + n)));
    if (!material) return std::nullopt;
    Bytes c(n);
    for (size_t i = 0; i < num; ++i) {
      const Blocks e = *blocks(cipher, part(*material, i * (32 + n), 32), "");
      const Bytes k1 = part(*material, i * (32 + n) + 32, n), mine = part(data, i * section, section);
      for (size_t at = 0; at == 0 || at < mine.size(); at += n) {
        Bytes block = part(mine, at, n);
        if (i + 1 == num && at + n >= mine.size()) {
          const bool whole = block.size() == n;
          if (!whole) block.push_back(0x80);
          block.resize(n, 0);
          block = xored(block, whole ? k1 : times_x(k1));
        }
        c = *e.encrypt(xored(c, block));
      }
    }
    return c;
  }

 private:
  // RFC 8645 6.2.1 and 6.2.2.
  std::optional<Bytes> ctr_acpkm(const std::string& cipher, const Cipher& c, const Bytes& data) {
    Bytes key = c.key, out, d;
    for (int i = 0x80; i <= 0x9f; ++i) d.push_back(static_cast<uint8_t>(i));
    for (size_t at = 0; at == 0 || at < data.size(); at += c.section) {
      const std::optional<Blocks> e = blocks(cipher, key, "");
      if (!e) return std::nullopt;
      const size_t s = c.segment ? c.segment : e->n;
      append(out, ctr(*e, c.iv, part(data, at, c.section), s, at / s));
      key = *e->encrypt(d);
    }
    return out;
  }

  std::optional<Blocks> blocks(const std::string& cipher, const Bytes& key, const std::string& sbox) {
    const bool magma = cipher == "magma";
    Cipher c;
    c.name = magma ? "gost28147-ecb" : cipher + "-ecb";
    c.key = magma ? reversed(key, 4) : key;
    c.sbox = magma ? "tc26-z" : sbox;
    Blocks e;
    e.n = cipher == "kuznyechik" ? 16 : 8;
    const auto call = [this, magma](const Cipher& with, const Bytes& in) -> std::optional<Bytes> {
      const std::optional<Bytes> out = inner_.crypt(with, magma ? reversed(in, 8) : in);
      return out && magma ? reversed(*out, 8) : out;
    };
    e.encrypt = [call, c](const Bytes& in) { return call(c, in); };
    c.encrypt = false;
    e.decrypt = [call, c](const Bytes& in) { return call(c, in); };
    if (!e.encrypt(Bytes(e.n))) return std::nullopt;  // the library has no such cipher
    return e;
  }

  Oracle& inner_;
};

}  // namespace

std::unique_ptr<Oracle> make_composed(Oracle& blocks) { return std::make_unique<Composed>(blocks); }

std::vector<std::unique_ptr<Oracle>> all_oracles(std::vector<Absent>* absent) {
  std::vector<std::unique_ptr<Oracle>> result;
  const auto add = [&](const char* name, [[maybe_unused]] auto make) {
    std::string why;
    std::unique_ptr<Oracle> oracle = make(&why);
    if (!oracle) {
      absent->push_back({name, why});
      return;
    }
    result.push_back(std::move(oracle));
  };
  [[maybe_unused]] const auto not_built = [](std::string* why) {
    *why = "not built: its development package was not found";
    return std::unique_ptr<Oracle>();
  };
#ifdef VSH_ORACLE_OPENSSL
  add("OpenSSL with gost-engine", make_openssl);
#else
  add("OpenSSL with gost-engine", not_built);
#endif
#ifdef VSH_ORACLE_GCRYPT
  add("libgcrypt", make_gcrypt);
#else
  add("libgcrypt", not_built);
#endif
#ifdef VSH_ORACLE_BOTAN
  add("Botan", make_botan);
#else
  add("Botan", not_built);
#endif
#ifdef VSH_ORACLE_NETTLE
  add("Nettle", make_nettle);
#else
  add("Nettle", not_built);
#endif
  add("RustCrypto", make_rustcrypto);
  const size_t num_libraries = result.size();
  for (size_t i = 0; i < num_libraries; ++i) {
    if (result[i]->has_blocks()) result.push_back(make_composed(*result[i]));
  }
  return result;
}

}  // namespace vsh::oracle
