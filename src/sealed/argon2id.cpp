#include "sealed/argon2id.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "core/wipe.hpp"

namespace vsh::sealed {
namespace {

constexpr const char* kLibrary = "libargon2.so.1";

// argon2_context of libargon2's argon2.h, which need not be installed: part of the interface that .so.1 stands for.
struct Context {
  uint8_t* out;
  uint32_t out_len;
  uint8_t* passphrase;
  uint32_t passphrase_len;
  uint8_t* salt;
  uint32_t salt_len;
  uint8_t* secret;
  uint32_t secret_len;
  uint8_t* associated;
  uint32_t associated_len;
  uint32_t passes, memory, lanes, threads, version;
  int (*allocate)(uint8_t** memory, size_t len);
  void (*release)(uint8_t* memory, size_t len);
  uint32_t flags;
};
using Run = int (*)(Context*);

constexpr uint32_t kVersion13 = 0x13;
constexpr int kArgon2Ok = 0;
// The deepest frames of libargon2 hold ten blocks of 1 KiB at most.
constexpr size_t kStackLen = size_t{32} << 10;

int run(Run function, std::span<uint8_t> out, const Argon2idInput& input, const Argon2idCost& cost) noexcept {
  const auto pointer = [](std::span<const uint8_t> bytes) { return const_cast<uint8_t*>(bytes.data()); };
  const auto length = [](std::span<const uint8_t> bytes) { return static_cast<uint32_t>(bytes.size()); };
  Context context{};
  context.out = out.data(), context.out_len = length(out);
  context.passphrase = pointer(input.passphrase), context.passphrase_len = length(input.passphrase);
  context.salt = pointer(input.salt), context.salt_len = length(input.salt);
  context.secret = pointer(input.secret), context.secret_len = length(input.secret);
  context.associated = pointer(input.associated), context.associated_len = length(input.associated);
  context.passes = cost.passes, context.memory = cost.memory, context.lanes = cost.lanes;
  context.threads = 1;
  context.version = kVersion13;
  // libargon2 wipes the memory before it frees it; inputs stay, since no flag says otherwise.
  const int status = function(&context);
  wipe_stack(kStackLen);
  clear_registers();
  return status;
}

template <size_t kLen>
constexpr std::array<uint8_t, kLen> repeated(uint8_t byte) {
  std::array<uint8_t, kLen> bytes{};
  for (uint8_t& b : bytes) b = byte;
  return bytes;
}

// RFC 9106 clause 5.3. It uses every member of Context, so a library with another one fails here.
bool computes_vector(Run function) noexcept {
  static constexpr auto passphrase = repeated<32>(1), tag_room = repeated<32>(0);
  static constexpr auto salt = repeated<16>(2);
  static constexpr auto secret = repeated<8>(3);
  static constexpr auto associated = repeated<12>(4);
  static constexpr uint8_t tag[] = {0x0d, 0x64, 0x0d, 0xf5, 0x8d, 0x78, 0x76, 0x6c, 0x08, 0xc0, 0x37,
                                    0xa3, 0x4a, 0x8b, 0x53, 0xc9, 0xd0, 0x1e, 0xf0, 0x45, 0x2d, 0x75,
                                    0xb6, 0x5e, 0xb5, 0x25, 0x20, 0xe9, 0x6b, 0x01, 0xe6, 0x59};
  auto out = tag_room;
  if (run(function, out, {passphrase, salt, secret, associated}, {3, 32, 4}) != kArgon2Ok) return false;
  return std::equal(out.begin(), out.end(), std::begin(tag));
}

// Loads the library once it is there; a missing one may be installed while a long-lived process runs.
Run loaded() noexcept {
  static std::atomic<Run> loaded_function = nullptr;
  if (const Run function = loaded_function) return function;
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto function = reinterpret_cast<Run>(::dlsym(library, "argon2id_ctx"));
  if (function == nullptr || !computes_vector(function)) {
    ::dlclose(library);
    return nullptr;
  }
  return loaded_function = function;
}

}  // namespace

bool has_argon2id() noexcept { return loaded() != nullptr; }

Argon2idStatus argon2id(std::span<uint8_t> out, const Argon2idInput& input, const Argon2idCost& cost) noexcept {
  const Run function = loaded();
  if (function == nullptr) return Argon2idStatus::missing;
  if (run(function, out, input, cost) == kArgon2Ok) return Argon2idStatus::ok;
  // All numbers were validated: the cause is memory, or more of it than a process of 32 bits addresses.
  std::fill(out.begin(), out.end(), uint8_t{0});
  return Argon2idStatus::memory;
}

}  // namespace vsh::sealed
