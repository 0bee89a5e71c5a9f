// What a mode takes beside key and data: the rules of vsh_mode, for vsh_cipher and vsh_streams.
#pragma once

#include "api/options.hpp"

namespace vsh::api {

inline bool pads(unsigned mode) noexcept { return mode == VSH_ECB || mode == VSH_CBC; }

// IV_LENGTH; ARGUMENT where bytes are missing.
vsh_status check_iv(unsigned algorithm, unsigned mode, const uint8_t* iv, size_t iv_len) noexcept;

// The options' segment, or a whole block. SEGMENT where the mode cannot have it.
vsh_status read_segment(size_t& segment_len, unsigned algorithm, unsigned mode, const Options& options) noexcept;

// Bytes of a section of ACPKM, the options' or the mode's own; 0 for a mode without sections. SECTION where the mode has
// none, or none of that length.
vsh_status read_section(size_t& section_len, unsigned algorithm, unsigned mode, size_t segment_len,
                        const Options& options) noexcept;

}  // namespace vsh::api
