// Every mode that may pass requests to an accelerator, for tests that compare results with and without one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "modes/cbc.hpp"
#include "modes/cfb.hpp"
#include "modes/cnt.hpp"
#include "modes/ctr.hpp"
#include "modes/mgm.hpp"
#include "modes/support/modes.hpp"
#include "modes/xts.hpp"

namespace vsh::gpu::test {

using modes::Direction;
using vsh::test::Keyed;
using vsh::test::Random;
using Bytes = std::vector<uint8_t>;

// A key, an engine under it without an accelerator, and one that gets one.
struct Subject {
  Subject(Algorithm a, Random& random) : plain(a, random), tweak(a, random), fast(*plain.engine) {}
  size_t n() const { return fast.block_size(); }

  Keyed plain, tweak;
  BlockEngine fast;
};

// An engine's results by every mode that may use a device: a fresh mode for each call.
struct Mode {
  const char* name;
  bool kuznyechik_only, gost_only, not_gost;
  std::function<Bytes(const Subject&, const BlockEngine&, Bytes data, bool in_place)> run;
};

inline Bytes through(Bytes& data, bool in_place, const std::function<void(uint8_t*, const uint8_t*)>& f) {
  if (in_place) {
    f(data.data(), data.data());
    return data;
  }
  Bytes out(data.size(), 0xee);
  f(out.data(), data.data());
  return out;
}

inline Bytes append(Bytes a, const uint8_t* b, size_t len) {
  a.insert(a.end(), b, b + len);
  return a;
}

inline const Bytes kIv = [] {
  Bytes iv(256);
  for (size_t i = 0; i < iv.size(); ++i) iv[i] = static_cast<uint8_t>(i * 37 + 3);
  iv[0] = 0x7f;
  return iv;
}();

template <class F>
auto simple(F f) {
  return [f](const Subject& p, const BlockEngine& e, Bytes data, bool in_place) {
    return through(data, in_place, [&](uint8_t* out, const uint8_t* in) { f(p, e, out, in, data.size()); });
  };
}

inline auto mgm(bool encrypts) {
  return [encrypts](const Subject& p, const BlockEngine& e, Bytes data, bool in_place) {
    modes::Mgm mode(e, *choose_product_kernel().row);
    mode.start(kIv.data());
    mode.add_data(data.data(), data.size() - 7);
    uint8_t tag[16];
    Bytes out = through(data, in_place, [&](uint8_t* to, const uint8_t* from) {
      encrypts ? mode.encrypt(to, from, data.size()) : mode.decrypt(to, from, data.size());
    });
    mode.final(tag);
    return append(out, tag, p.n());
  };
}

inline auto register_mode(bool is_cbc, size_t z) {
  return simple([=](const Subject& p, const BlockEngine& e, uint8_t* out, const uint8_t* in, size_t len) {
    if (is_cbc) {
      modes::Cbc mode(e, kIv.data(), z * p.n());
      mode.decrypt(out, in, len / p.n() / 2);  // and goes on
      mode.decrypt(out + len / p.n() / 2 * p.n(), in + len / p.n() / 2 * p.n(), len / p.n() - len / p.n() / 2);
    } else {
      modes::Cfb(e, Direction::decrypt, kIv.data(), z * p.n(), p.n()).process(out, in, len);
    }
  });
}

inline auto xts(Direction direction) {
  return simple([=](const Subject& p, const BlockEngine& e, uint8_t* out, const uint8_t* in, size_t len) {
    constexpr size_t kUnit = 3;  // blocks
    modes::Xts(e, *p.tweak.engine, 1, *choose_product_kernel().row)
        .process(direction, out, in, len / p.n() / kUnit, kUnit, 7, 5);
  });
}

// One data unit with a partial last block.
inline auto xts_unit(Direction direction) {
  return [direction](const Subject& p, const BlockEngine& e, Bytes data, bool in_place) {
    data.resize(data.size() - 5);
    return through(data, in_place, [&](uint8_t* out, const uint8_t* in) {
      modes::Xts(e, *p.tweak.engine, 2, *choose_product_kernel().row)
          .process_unit(direction, out, in, data.size(), kIv.data());
    });
  };
}

inline const Mode kModes[] = {
    {"ecb encrypt", false, false, false,
     simple([](const Subject& p, const BlockEngine& e, uint8_t* out, const uint8_t* in, size_t len) {
       e.encrypt(out, in, len / p.n());
     })},
    {"ecb decrypt", false, false, false,
     simple([](const Subject& p, const BlockEngine& e, uint8_t* out, const uint8_t* in, size_t len) {
       e.decrypt(out, in, len / p.n());
     })},
    {"ctr", false, false, false,
     simple([](const Subject& p, const BlockEngine& e, uint8_t* out, const uint8_t* in, size_t len) {
       modes::Ctr mode(e, kIv.data(), p.n());
       mode.process(out, in, len);
     })},
    {"cnt", false, true, false,
     simple([](const Subject& p, const BlockEngine& e, uint8_t* out, const uint8_t* in, size_t len) {
       modes::Cnt mode(e, kIv.data(), p.n());
       mode.process(out, in, len);
     })},
    {"cbc", false, false, false, register_mode(true, 1)},
    {"cbc, 3 blocks", false, false, true, register_mode(true, 3)},
    {"cbc, 16 blocks", false, false, true, register_mode(true, 16)},
    {"cfb", false, false, false, register_mode(false, 1)},
    {"cfb, 5 blocks", false, false, true, register_mode(false, 5)},
    {"xts encrypt", true, false, false, xts(Direction::encrypt)},
    {"xts decrypt", true, false, false, xts(Direction::decrypt)},
    {"xts encrypt, a unit", true, false, false, xts_unit(Direction::encrypt)},
    {"xts decrypt, a unit", true, false, false, xts_unit(Direction::decrypt)},
    {"mgm encrypt", false, false, true, mgm(true)},
    {"mgm decrypt", false, false, true, mgm(false)},
};

inline bool has(Algorithm a, const Mode& mode) {
  if (mode.kuznyechik_only) return a == Algorithm::kuznyechik;
  if (mode.gost_only) return a == Algorithm::gost28147;
  return !(mode.not_gost && a == Algorithm::gost28147);
}

// Checks sizes from `least` bytes on, in place and not.
inline void check(Subject& pair, const Mode& mode, size_t least, Random& random) {
  const size_t len = least * 3 + random.below(8) * (10 << 10) + random.below(pair.n());
  const Bytes data = random.bytes(len - (mode.name[0] == 'c' && mode.name[1] != 'b' ? 0 : len % (3 * pair.n())));
  const Bytes expected = mode.run(pair, *pair.plain.engine, data, false);
  for (const bool in_place : {false, true}) {
    SCOPED_TRACE(std::string(mode.name) + (in_place ? " in place" : ""));
    const Bytes found = mode.run(pair, pair.fast, data, in_place);
    ASSERT_EQ(found.size(), expected.size());
    const auto differs = std::mismatch(found.begin(), found.end(), expected.begin()).first - found.begin();
    EXPECT_TRUE(found == expected) << "first at " << differs << " of " << found.size();
  }
}

}  // namespace vsh::gpu::test
