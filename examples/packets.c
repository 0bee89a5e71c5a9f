/* Seals a batch of packets under the keys of many security associations, and opens it again; one was forged on its way.
 *
 *   cc packets.c $(pkg-config --cflags --libs vershina) && ./a.out
 */
#include <stdio.h>
#include <string.h>
#include <vershina/aead.h>
#include <vershina/vershina.h>

enum { kAssociations = 100, kPackets = 256, kLongest = 1500, kTag = 16 };

static uint8_t keys[kAssociations][VSH_KEY_LEN];
static uint8_t nonces[kPackets][16];
static uint8_t headers[kPackets][8]; /* authenticated, not encrypted */
static uint8_t packets[kPackets][kLongest + kTag];
static size_t lengths[kPackets];
static vsh_mgm_job jobs[kPackets];

static void fill(void) { /* stands for a gateway's keys, counters of packets, and traffic */
  for (size_t i = 0; i < kAssociations; ++i) memset(keys[i], (int)i, VSH_KEY_LEN);
  for (size_t i = 0; i < kPackets; ++i) {
    nonces[i][14] = (uint8_t)(i >> 8);
    nonces[i][15] = (uint8_t)i;
    lengths[i] = 40 + 97 * i % (kLongest - 40);
    memset(packets[i], (int)i, lengths[i]);
  }
}

/* Each packet is processed where it lies. */
static vsh_status run(const vsh_streams* gateway, vsh_stream_work work) {
  for (size_t i = 0; i < kPackets; ++i) {
    const size_t sealed = lengths[i] + kTag;
    const int seals = work == VSH_STREAM_ENCRYPT;
    jobs[i] = (vsh_mgm_job){.work = work,
                            .key_index = i % kAssociations,
                            .nonce = nonces[i],
                            .nonce_len = sizeof nonces[i],
                            .data = headers[i],
                            .data_len = sizeof headers[i],
                            .in = packets[i],
                            .in_len = seals ? lengths[i] : sealed,
                            .out = packets[i],
                            .out_len = seals ? sealed : lengths[i],
                            .tag_len = kTag};
  }
  return vsh_streams_mgm(gateway, jobs, kPackets);
}

int main(void) {
  vsh_streams* gateway = NULL;
  fill();
  /* The keys are prepared once for all batches. */
  vsh_status status = vsh_streams_new(&gateway, VSH_KUZNYECHIK, keys[0], kAssociations, NULL);
  if (status == VSH_OK) status = run(gateway, VSH_STREAM_ENCRYPT);
  if (status != VSH_OK) {
    fprintf(stderr, "packets: %s\n", vsh_status_message(status));
    vsh_streams_free(gateway);
    return 1;
  }
  packets[7][3] ^= 1;
  status = run(gateway, VSH_STREAM_DECRYPT); /* VSH_E_JOB: the jobs say which and why */
  vsh_streams_free(gateway);
  size_t opened = 0;
  for (size_t i = 0; i < kPackets; ++i) {
    if (jobs[i].status == VSH_OK) opened += packets[i][0] == (uint8_t)i && packets[i][lengths[i] - 1] == (uint8_t)i;
    else printf("packet %zu: %s\n", i, vsh_status_name(jobs[i].status));
  }
  printf("%zu of %d packets opened\n", opened, (int)kPackets);
  return status != VSH_E_JOB || opened != kPackets - 1 || jobs[7].status != VSH_E_TAG;
}
