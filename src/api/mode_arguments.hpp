// What a mode takes beside key and data: the rules of vsh_mode, for vsh_cipher and vsh_streams.
#pragma once

#include "api/options.hpp"

namespace vsh::api {

inline bool pads(unsigned mode) noexcept { return mode == VSH_ECB || mode == VSH_CBC; }

// IV_LENGTH; ARGUMENT where bytes are missing.
vsh_status check_iv(unsigned algorithm, unsigned mode, const uint8_t* iv, size_t iv_len) noexcept;

// The options' segment, or a whole block. SEGMENT where the mode cannot have it.
vsh_status read_segment(size_t& segment_len, unsigned algorithm, unsigned mode, const Options& options) noexcept;

}  // namespace vsh::api
