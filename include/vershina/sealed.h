/* Sealed files: one safe way to protect a file (docs/sealed-format.md). Part of vershina.h, whose conventions hold here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_SEALED_H
#define VERSHINA_SEALED_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
