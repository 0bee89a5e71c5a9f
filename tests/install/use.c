/* A C11 program of a stranger: hashes the message M1 of GOST R 34.11-2012 (RFC 6986, 10.1.2), runs the self-test. */
#include <stdio.h>
#include <string.h>

#include <vershina/vershina.h>

int main(void) {
  static const char message[] = "012345678901234567890123456789012345678901234567890123456789012";
  static const unsigned char expected[32] = {0x9d, 0x15, 0x1e, 0xef, 0xd8, 0x59, 0x0b, 0x89, 0xda, 0xa6, 0xba,
                                             0x6c, 0xb7, 0x4a, 0xf9, 0x27, 0x5d, 0xd0, 0x51, 0x02, 0x6b, 0xb1,
                                             0x49, 0xa4, 0x52, 0xfd, 0x84, 0xe5, 0xe5, 0x7b, 0x55, 0x00};
  unsigned char digest[32];
  const char* failed = NULL;
  vsh_options options = VSH_OPTIONS_INIT;
  options.threads = 0;
  if (vsh_hash_digest(digest, sizeof digest, VSH_STREEBOG256, (const unsigned char*)message, strlen(message),
                      &options) != VSH_OK ||
      memcmp(digest, expected, sizeof digest) != 0) {
    puts("wrong hash");
    return 1;
  }
  if (vsh_selftest(&failed) != VSH_OK) {
    printf("self-test failed: %s\n", failed ? failed : "?");
    return 1;
  }
  printf("libvershina %s\n", vsh_version());
  return 0;
}
