/* Costs by which the library chooses: those that `vershina tune` measured on this machine, or its own. Part of
 * vershina.h, whose conventions hold here.
 *
 * The library never measures on its own. It reads a file of costs when it first needs it, once, and uses it if
 * it belongs to the user or to root, others may not write it, and it was made on this CPU by this build;
 * vershina-tune(1) says where it is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_TUNING_H
#define VERSHINA_TUNING_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vsh_tuning_subject {
  VSH_TUNING_KERNELS = 0, /* what each kernel costs: decides which of them runs */
  VSH_TUNING_DEVICES = 1  /* from which size on a device is faster: used by "auto" of vsh_options.device */
} vsh_tuning_subject;

typedef struct vsh_tuning_info {
  const char* path;    /* of the file; "" if none is looked for */
  const char* problem; /* why the library does not use it, in a few words; "" if it does */
  int missing;         /* there is no such file */
} vsh_tuning_info;

/* Fills the first info_size bytes of *info, so that the struct can grow; the strings are static. Reads the file where
 * that was not done before. Errors: ARGUMENT, also for an info_size larger than the library knows. */
VSH_API vsh_status vsh_tuning_read(vsh_tuning_subject subject, vsh_tuning_info* info, size_t info_size);
/* The same with the caller's own size. */
static inline vsh_status vsh_tuning(vsh_tuning_subject subject, vsh_tuning_info* info) {
  return vsh_tuning_read(subject, info, sizeof *info);
}

#ifdef __cplusplus
}
#endif

#endif
