// Translates a job of a batch into the work of src/streams.
#pragma once

#include "streams/job.hpp"
#include "vershina/vershina.h"

namespace vsh::api {

// algorithm, work, mode: numbers that go together.
inline streams::Work stream_work(unsigned algorithm, unsigned work, unsigned mode) noexcept {
  using streams::Work;
  if (work == VSH_STREAM_MAC) return algorithm == VSH_GOST28147 ? Work::imit : Work::mac;
  const bool encrypts = work == VSH_STREAM_ENCRYPT;
  switch (mode) {
    case VSH_ECB: return encrypts ? Work::ecb_encrypt : Work::ecb_decrypt;
    case VSH_CBC: return encrypts ? Work::cbc_encrypt : Work::cbc_decrypt;
    case VSH_CFB: return encrypts ? Work::cfb_encrypt : Work::cfb_decrypt;
    case VSH_OFB: return Work::ofb;
    case VSH_CTR: return Work::ctr;
    default: return Work::cnt;
  }
}

}  // namespace vsh::api
