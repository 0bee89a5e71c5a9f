// Key derivation, passwords, and key wrapping. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_KEYS_HPP
#define VERSHINA_KEYS_HPP

#include <vershina/vershina.hpp>

namespace vershina {

}  // namespace vershina

#endif
