/* Authenticated encryption with associated data: MGM, and CTR-ACPKM with OMAC as in CMS. Part of vershina.h, whose conventions hold here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_AEAD_H
#define VERSHINA_AEAD_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
