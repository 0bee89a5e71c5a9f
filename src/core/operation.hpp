// Operation names what an engine, a batch or a device does to blocks or messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vsh {

// CTR, CNT: one name for both directions. ctr_left, ctr_right: MGM's counters (RFC 9058 clause 3), of which one half
// counts. mgm_...: text, or associated data; mgm: a packet, sealed or opened. CFB on devices: segments of whole blocks.
enum class Operation : uint8_t {
#define VSH_OPERATION_ROW(name, order, use) name,
#include "core/operation.def"
#undef VSH_OPERATION_ROW
};

struct OperationRow {
  enum Order : uint8_t { parallel, chained } order;
  enum Use : uint8_t { request = 1, batch = 2, both = 3 } use;
  std::string_view name;
};
inline constexpr size_t kNumOperations = 0
#define VSH_OPERATION_ROW(name, order, use) +1
#include "core/operation.def"
#undef VSH_OPERATION_ROW
    ;

// A switch: a table in a header would be a unique symbol (tests/symbols.sh).
constexpr OperationRow row_of(Operation o) noexcept {
  switch (o) {
#define VSH_OPERATION_ROW(name, order, use) \
  case Operation::name:                     \
    return {OperationRow::order, OperationRow::use, #name};
#include "core/operation.def"
#undef VSH_OPERATION_ROW
  }
  return {};
}
constexpr std::string_view operation_name(Operation o) noexcept { return row_of(o).name; }
// Returns whether each block needs the result of the one before.
constexpr bool chained(Operation o) noexcept { return row_of(o).order == OperationRow::chained; }
// Returns whether the register holds the ciphertext before a block, so that decryption can look back.
constexpr bool looks_back(Operation o) noexcept { return o == Operation::cbc_decrypt || o == Operation::cfb_decrypt; }
constexpr bool is_mac(Operation o) noexcept { return o == Operation::mac || o == Operation::imit; }
constexpr bool is_xts(Operation o) noexcept { return o == Operation::xts_encrypt || o == Operation::xts_decrypt; }
// Returns whether a request has multipliers and a sum.
constexpr bool is_mgm(Operation o) noexcept {
  return o == Operation::mgm_encrypt || o == Operation::mgm_decrypt || o == Operation::mgm_authenticate;
}

}  // namespace vsh
