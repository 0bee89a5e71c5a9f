// Reproducible random bytes; the seed is printed with every failure through SCOPED_TRACE(seed_note()).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace vsh::test {

// Fixed, or VERSHINA_TEST_SEED.
inline uint64_t seed() {
  static const uint64_t value = [] {
    const char* text = std::getenv("VERSHINA_TEST_SEED");
    return text ? std::strtoull(text, nullptr, 0) : 20150619u;
  }();
  return value;
}
inline std::string seed_note() { return "VERSHINA_TEST_SEED=" + std::to_string(seed()); }

class Random {
 public:
  explicit Random(uint64_t salt = 0) : engine_(seed() ^ (salt * 0x9E3779B97F4A7C15u)) {}
  uint64_t operator()() { return engine_(); }
  size_t below(size_t bound) { return static_cast<size_t>(engine_() % bound); }
  void fill(uint8_t* p, size_t len) {
    for (size_t i = 0; i < len; ++i) p[i] = static_cast<uint8_t>(engine_() >> 24);
  }
  std::vector<uint8_t> bytes(size_t len) {
    std::vector<uint8_t> v(len);
    fill(v.data(), len);
    return v;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace vsh::test
