// Works over many streams: the numbers of streams::Work, and properties derived from them.
#ifndef VSH_STREAM_WORKS_H
#define VSH_STREAM_WORKS_H

#define VSH_ECB_ENCRYPT 0
#define VSH_ECB_DECRYPT 1
#define VSH_CBC_ENCRYPT 2
#define VSH_CBC_DECRYPT 3
#define VSH_CFB_ENCRYPT 4
#define VSH_CFB_DECRYPT 5
#define VSH_OFB 6
#define VSH_CTR 7
#define VSH_CNT 8
#define VSH_MAC 9
#define VSH_IMIT 10

#define VSH_DECRYPTS (VSH_WORK == VSH_ECB_DECRYPT || VSH_WORK == VSH_CBC_DECRYPT)
// Whether each block depends on the result of the one before.
#define VSH_CHAINED                                                                                                  \
  (VSH_WORK == VSH_CBC_ENCRYPT || VSH_WORK == VSH_CFB_ENCRYPT || VSH_WORK == VSH_OFB || VSH_WORK == VSH_MAC || \
   VSH_WORK == VSH_IMIT)

// Offset of plane 0 of an item's sliced keys; plane p lies VSH_GROUP * p words further on: neighbouring items read
// neighbouring words.
VSH_FUNCTION vsh_u64 vsh_sliced(vsh_u32 item) {
  return (vsh_u64)(item / VSH_GROUP) * (32 * VSH_SCHEDULE_WORDS * VSH_GROUP) + item % VSH_GROUP;
}

#endif
