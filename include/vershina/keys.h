/* Key derivation, passwords, and key wrapping. Part of vershina.h, whose conventions hold here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_KEYS_H
#define VERSHINA_KEYS_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
