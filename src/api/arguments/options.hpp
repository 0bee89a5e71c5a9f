// Validates vsh_options.
#pragma once

#include <string_view>

#include "api/arguments/context.hpp"
#include "gpu/schedule/make_accelerator.hpp"

namespace vsh::api {

struct Options {
  bool allow_tables = false;      // VSH_ALLOW_TABLES
  bool input_is_public = false;   // VSH_INPUT_IS_PUBLIC
  bool allow_short_tags = false;  // VSH_ALLOW_SHORT_TAGS
  unsigned padding = VSH_PADDING_DEFAULT;
  size_t segment_len = 0;
  unsigned sbox = VSH_SBOX_DEFAULT;
  const uint8_t* custom_sbox = nullptr;
  unsigned threads = 1;
  size_t section_len = 0;         // 0: the mode's default
  size_t master_section_len = 0;  // 0: the mode's default
  unsigned key_meshing = VSH_MESHING_NONE;
  std::string_view kernel;  // empty: not forced
  gpu::DeviceChoice device;
};

// States whether the caller's operation can run on a device; if not, a named device is an error, and `auto` is not.
enum class DeviceUse { none, possible };

// Checks everything that does not depend on the algorithm. Errors: ARGUMENT, KERNEL_UNKNOWN (an empty name), DEVICE (an
// invalid word, or an operation that cannot run on a device).
vsh_status read_options(Options& checked, const vsh_options* options, DeviceUse use = DeviceUse::none) noexcept;

}  // namespace vsh::api
