// The report of `vershina disk info` on a LUKS2 header, in which anything may be wrong.
#pragma once

#include <string>

#include "programs/common/disk/formats/luks2_metadata.hpp"

namespace vsh::disk {

struct Luks2Report {
  Luks2Metadata metadata;
  std::string uuid, label;
  std::string problem;                                                     // why it is not served
  std::string why_no_plugin;                                               // of one that is there and does not count
  Layout layout;                                                           // without a problem
  bool has_nbdkit = false, has_plugin = false, has_kernel_cipher = false;  // this machine
};

// Both return lines without control characters, whatever the header says. path: as the user named it.
std::string luks2_text(const std::string& path, const Luks2Report& report);
std::string luks2_json(const Luks2Report& report);

}  // namespace vsh::disk
