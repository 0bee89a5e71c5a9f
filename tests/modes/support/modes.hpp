// Keys, engines and reference ciphers for the tests of modes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "core/block_engine.hpp"
#include "core/bytes.hpp"
#include "keys/cipher_key.hpp"
#include "kuznyechik/reference.hpp"
#include "magma/reference.hpp"
#include "modes/support/textbook.hpp"
#include "support/random.hpp"

namespace vsh::test {

using textbook::Bytes;

// A cipher under one random key: the engine, and the reference as block functions. GOST 28147-89 has
// CryptoPro-A.
struct Keyed {
  Keyed(Algorithm a, Random& random, unsigned threads = 1) : Keyed(a, random.bytes(32), threads) {}
  Keyed(Algorithm a, const Bytes& chosen_key, unsigned threads = 1)
      : algorithm(a),
        key(chosen_key),
        round_keys({a, tables::MagmaSbox::cryptopro_a}, key.data()),
        engine(std::make_unique<BlockEngine>(choose_block_kernel(a, {}, false), round_keys, threads)) {
    std::array<uint8_t, 32> k;
    std::copy(key.begin(), key.end(), k.begin());
    if (a == Algorithm::kuznyechik) {
      use_kuznyechik(kuznyechik::reference::key_schedule(k));
      return;
    }
    const bool is_magma = a == Algorithm::magma;
    const auto set = is_magma ? tables::MagmaSbox::tc26_z : tables::MagmaSbox::cryptopro_a;
    const auto* rows = tables::kMagmaSboxes[static_cast<int>(set)].rows;
    const auto schedule =
        is_magma ? magma::reference::key_schedule_magma(k) : magma::reference::key_schedule_gost28147(k);
    const auto block_function = [=](auto number_function) {
      return [=](const Bytes& a) {
        // Magma: a_1 || a_0 in the order of the text. GOST 28147-89: N1 = a_0 comes first, little-endian.
        const uint64_t x = is_magma ? load_be64(a.data()) : load_le64(a.data());
        const uint64_t y = number_function(rows, schedule, x);
        Bytes b(8);
        is_magma ? store_be64(b.data(), y) : store_le64(b.data(), y);
        return b;
      };
    };
    e = block_function(magma::reference::E);
    d = block_function(magma::reference::D);
    // RFC 5830 clause 8: the first 16 rounds of ECB, halves not exchanged at the end.
    rounds16 = [=](const Bytes& a) {
      uint32_t n1 = load_le32(a.data()), n2 = load_le32(a.data() + 4);
      for (size_t i = 0; i < 16; ++i) {
        const uint32_t next = magma::reference::g(rows, schedule[i], n1) ^ n2;
        n2 = n1;
        n1 = next;
      }
      Bytes b(8);
      store_le32(b.data(), n1);
      store_le32(b.data() + 4, n2);
      return b;
    };
  }

  size_t n() const { return engine->block_size(); }

  Algorithm algorithm;
  Bytes key;
  keys::CipherKey round_keys;
  std::unique_ptr<BlockEngine> engine;
  textbook::BlockFunction e, d, rounds16;  // the reference
  // The engine block by block: faster than the reference, for long messages.
  textbook::BlockFunction engine_e() const {
    return [this](const Bytes& a) {
      Bytes b(n());
      engine->encrypt_one(b.data(), a.data());
      return b;
    };
  }
  textbook::BlockFunction engine_d() const {
    return [this](const Bytes& a) {
      Bytes b(n());
      engine->decrypt_one(b.data(), a.data());
      return b;
    };
  }

 private:
  void use_kuznyechik(const std::array<kuznyechik::reference::Block, 10>& schedule) {
    const auto block_function = [=](auto function) {
      return [=](const Bytes& a) {
        kuznyechik::reference::Block x;
        std::copy(a.begin(), a.end(), x.begin());
        x = function(schedule, x);
        return Bytes(x.begin(), x.end());
      };
    };
    e = block_function(kuznyechik::reference::E);
    d = block_function(kuznyechik::reference::D);
  }
};

// Random places to cut `len` bytes at: many short pieces, empty ones, now and then a long one.
inline std::vector<size_t> random_pieces(Random& random, size_t len) {
  std::vector<size_t> result;
  while (len) {
    const size_t bound = random.below(4) ? std::min<size_t>(len, 40) : len;
    const size_t piece = random.below(bound + 1);
    result.push_back(piece);
    len -= piece;
  }
  return result;
}

// mode.process over the whole message, in one call.
template <class Mode>
Bytes process(Mode mode, const Bytes& in) {
  Bytes out(in.size());
  mode.process(out.data(), in.data(), in.size());
  return out;
}

// The same in random pieces, every other time in place.
template <class Mode>
Bytes process_in_pieces(Mode mode, const Bytes& in, Random& random) {
  const bool in_place = random.below(2);
  Bytes out = in_place ? in : Bytes(in.size());
  size_t at = 0;
  for (const size_t piece : random_pieces(random, in.size())) {
    mode.process(out.data() + at, (in_place ? out.data() : in.data()) + at, piece);
    at += piece;
  }
  return out;
}

// Interesting lengths: 0 .. 3 blocks + 1, and around the batches of the many-block code.
inline std::vector<size_t> short_lengths(size_t n) {
  std::vector<size_t> result;
  for (size_t len = 0; len <= 3 * n + 1; ++len) result.push_back(len);
  return result;
}

inline const Algorithm kCiphers[] = {Algorithm::kuznyechik, Algorithm::magma, Algorithm::gost28147};
inline const Algorithm kCiphers2015[] = {Algorithm::kuznyechik, Algorithm::magma};

}  // namespace vsh::test
