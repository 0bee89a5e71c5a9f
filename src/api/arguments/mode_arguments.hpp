// Checks a mode's parameters besides key and data: the rules of vsh_mode, for vsh_cipher and vsh_streams.
#pragma once

#include "api/arguments/options.hpp"

namespace vsh::api {

inline bool pads(unsigned mode) noexcept { return mode == VSH_ECB || mode == VSH_CBC; }

// Checks the IV. Errors: IV_LENGTH; ARGUMENT if bytes are missing.
vsh_status check_iv(unsigned algorithm, unsigned mode, const uint8_t* iv, size_t iv_len) noexcept;

// Reads the options' segment, or a whole block. SEGMENT if the mode cannot have it.
vsh_status read_segment(size_t& segment_len, unsigned algorithm, unsigned mode, const Options& options) noexcept;

// Changes of a mode's key within a message. All lengths in bytes.
struct KeyChanges {
  size_t section_len = 0;         // of ACPKM or key meshing; 0: the key stays
  size_t master_section_len = 0;  // T* of OMAC-ACPKM
};
// Reads the options', or the mode's default. SECTION if the mode has none, or none of that length; SEGMENT for an
// incompatible segment; ARGUMENT for an unknown key meshing.
vsh_status read_key_changes(KeyChanges& changes, unsigned algorithm, unsigned mode, size_t segment_len,
                            const Options& options) noexcept;
// The same for a vsh_aead_algorithm: CTR-ACPKM as in CMS.
vsh_status read_aead_key_changes(KeyChanges& changes, unsigned aead_algorithm, const Options& options) noexcept;
// The same for a vsh_mac_algorithm.
vsh_status read_mac_key_changes(KeyChanges& changes, unsigned mac_algorithm, const Options& options) noexcept;

// For functions whose messages are never padded: PADDING.
vsh_status refuse_padding(const Options& options) noexcept;
// For functions whose keys never change within a message: SECTION; ARGUMENT for an unknown key meshing.
vsh_status refuse_key_changes(const Options& options) noexcept;
// For functions that take nothing of a vsh_mode: these two, and SEGMENT.
vsh_status refuse_mode_options(const Options& options) noexcept;

}  // namespace vsh::api
