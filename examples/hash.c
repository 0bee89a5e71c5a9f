/* Hashes a string with Streebog-256: prints the digest.
 *
 *   cc hash.c -lvershina && ./a.out "some text"
 */
#include <stdio.h>
#include <string.h>
#include <vershina/vershina.h>

int main(int argc, char** argv) {
  const char* text = argc > 1 ? argv[1] : "012345678901234567890123456789012345678901234567890123456789012";
  uint8_t digest[32];
  /* Without this flag only constant-time kernels run: the library cannot know that the text is not secret. */
  vsh_options options = VSH_OPTIONS_INIT;
  options.flags = VSH_INPUT_IS_PUBLIC;

  const vsh_status status =
      vsh_hash_digest(digest, sizeof digest, VSH_STREEBOG256, (const uint8_t*)text, strlen(text), &options);
  if (status != VSH_OK) {
    fprintf(stderr, "hash: %s\n", vsh_status_message(status));
    return 1;
  }
  for (size_t i = 0; i < sizeof digest; ++i) printf("%02x", digest[i]);
  printf("\n");
  return 0;
}
