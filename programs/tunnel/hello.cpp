#include "programs/tunnel/hello.hpp"

#include <cstring>

namespace vsh::tunnel {
namespace {

constexpr size_t kTag = 32, kTagged = Hello::kLen - kTag;

void store(uint8_t* at, uint64_t value, size_t len) {
  for (size_t i = 0; i < len; ++i) at[i] = static_cast<uint8_t>(value >> (8 * (len - 1 - i)));
}
uint64_t load(const uint8_t* at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | at[i];
  return value;
}

}  // namespace

void write_hello(uint8_t* message, const DirectionKeys& keys, const Hello& hello) {
  std::memset(message, 0, Hello::kLen);
  store(message, keys.control_spi, 4);
  std::memcpy(message + 8, hello.challenge.data(), 16);
  std::memcpy(message + 24, hello.echo.data(), 16);
  store(message + 40, hello.sent, 8);
  store(message + 48, hello.seen, 8);
  authenticate(message + kTagged, keys.control_key, message, kTagged);
}

bool read_hello(Hello& hello, const DirectionKeys& keys, const uint8_t* message, size_t len) {
  uint8_t tag[kTag];
  if (len != Hello::kLen) return false;
  authenticate(tag, keys.control_key, message, kTagged);
  if (!vsh_equal(tag, message + kTagged, kTag)) return false;
  std::memcpy(hello.challenge.data(), message + 8, 16);
  std::memcpy(hello.echo.data(), message + 24, 16);
  hello.sent = load(message + 40);
  hello.seen = load(message + 48);
  return true;
}

}  // namespace vsh::tunnel
