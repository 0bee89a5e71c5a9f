// operation_of translates numbers of the C ABI into operations: the one place that does.
#pragma once

#include "core/operation.hpp"
#include "vershina/vershina.h"

namespace vsh::api {

// Returns what a mode does to a message. mode: checked.
constexpr Operation operation_of(unsigned mode, bool encrypts) noexcept {
  switch (mode) {
    case VSH_ECB: return encrypts ? Operation::ecb_encrypt : Operation::ecb_decrypt;
    case VSH_CBC: return encrypts ? Operation::cbc_encrypt : Operation::cbc_decrypt;
    case VSH_CFB: return encrypts ? Operation::cfb_encrypt : Operation::cfb_decrypt;
    case VSH_OFB: return Operation::ofb;
    case VSH_CNT: return Operation::cnt;
    default: return Operation::ctr;  // with ACPKM, too
  }
}

// Returns the operation of a job of a batch. algorithm, work, mode: numbers that go together.
constexpr Operation operation_of(unsigned algorithm, unsigned work, unsigned mode) noexcept {
  if (work == VSH_STREAM_MAC) return algorithm == VSH_GOST28147 ? Operation::imit : Operation::mac;
  return operation_of(mode, work == VSH_STREAM_ENCRYPT);
}

}  // namespace vsh::api
