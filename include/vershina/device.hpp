// Devices. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_DEVICE_HPP
#define VERSHINA_DEVICE_HPP

#include <vershina/vershina.hpp>

namespace vershina {

// Lists all devices of this machine, CUDA's first: vsh_device.
inline std::vector<vsh_device_info> devices() {
  std::vector<vsh_device_info> all;
  vsh_device_info info{};
  while (vsh_device(all.size(), &info) == VSH_OK) all.push_back(info);
  return all;
}

// Lists why drivers or devices cannot be used.
inline std::vector<std::string_view> device_problems() {
  std::vector<std::string_view> all;
  while (const char* problem = vsh_device_problem(all.size())) all.push_back(problem);
  return all;
}

// Throws Error unless the device computes correctly.
inline void device_selftest(const std::string& id) { check(vsh_device_selftest(id.c_str())); }

}  // namespace vershina

#endif
