// Authenticated encryption with associated data: MGM, and CTR-ACPKM with OMAC as in CMS. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_AEAD_HPP
#define VERSHINA_AEAD_HPP

#include <vershina/vershina.hpp>

namespace vershina {

}  // namespace vershina

#endif
