// Sealed files: one safe way to protect a file (docs/sealed-format.md). Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_SEALED_HPP
#define VERSHINA_SEALED_HPP

#include <vershina/vershina.hpp>

namespace vershina {

}  // namespace vershina

#endif
