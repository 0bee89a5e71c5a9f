/* Encryption of disk sectors: XTS and DEC. Part of vershina.h, whose conventions hold here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_DISK_H
#define VERSHINA_DISK_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
