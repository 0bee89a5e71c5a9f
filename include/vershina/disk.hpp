// Encryption of disk sectors: XTS and DEC. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_DISK_HPP
#define VERSHINA_DISK_HPP

#include <vershina/vershina.hpp>

namespace vershina {

}  // namespace vershina

#endif
