// Operations on many streams: -DVSH_OPERATION=name, a name of core/operation.def.
#ifndef VSH_STREAM_OPERATIONS_H
#define VSH_STREAM_OPERATIONS_H

// VSH_OPERATION_name, the number of each; VSH_CHAINED, whether the next block needs what this one gave.
#include "operations.inc"

#define VSH_PASTED_(a, b) a##b
#define VSH_PASTED(a, b) VSH_PASTED_(a, b)
// Says whether this is the program's operation.
#define VSH_IS(name) (VSH_PASTED(VSH_OPERATION_, VSH_OPERATION) == VSH_OPERATION_##name)
#define VSH_DECRYPTS (VSH_IS(ecb_decrypt) || VSH_IS(cbc_decrypt))

// Where plane 0 of an item's sliced keys lies; plane p lies VSH_GROUP * p words further on: neighbouring items read
// neighbouring words.
VSH_FUNCTION vsh_u64 vsh_sliced(vsh_u32 item) {
  return (vsh_u64)(item / VSH_GROUP) * (32 * VSH_SCHEDULE_WORDS * VSH_GROUP) + item % VSH_GROUP;
}

#endif
