/* Encrypts and authenticates a message with Kuznyechik in MGM (RFC 9058), opens it again, and refuses a forgery.
 *
 *   cc mgm.c $(pkg-config --cflags --libs vershina) && ./a.out
 */
#include <stdio.h>
#include <string.h>
#include <vershina/aead.h>
#include <vershina/vershina.h>

static int fail(const char* what, vsh_status status) {
  fprintf(stderr, "mgm: %s: %s: %s\n", what, vsh_status_name(status), vsh_status_message(status));
  return 1;
}

int main(void) {
  /* A key of `vershina keygen`, or of a key agreement. A nonce is used once under a key: a counter is a good one. Its
   * first bit is 0. These are an example's. */
  uint8_t key[VSH_KEY_LEN];
  const uint8_t nonce[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  memset(key, 0x42, sizeof key);
  const char header[] = "to: accounts"; /* authenticated, not encrypted */
  const char text[] = "pay 100 roubles";
  uint8_t sealed[sizeof text + 16], opened[sizeof text];
  size_t sealed_len = 0, opened_len = 0;

  vsh_aead* aead = NULL;
  vsh_status status = vsh_aead_new(&aead, VSH_KUZNYECHIK_MGM, key, sizeof key, 16, NULL);
  if (status != VSH_OK) return fail("key", status);
  status = vsh_aead_seal(aead, sealed, sizeof sealed, &sealed_len, nonce, sizeof nonce, (const uint8_t*)header,
                         strlen(header), (const uint8_t*)text, sizeof text);
  if (status == VSH_OK)
    status = vsh_aead_open(aead, opened, sizeof opened, &opened_len, nonce, sizeof nonce, (const uint8_t*)header,
                           strlen(header), sealed, sealed_len);
  if (status != VSH_OK) {
    vsh_aead_free(aead);
    return fail("seal and open", status);
  }
  for (size_t i = 0; i < sealed_len; ++i) printf("%02x", sealed[i]);
  printf("\n%s\n", (const char*)opened);

  sealed[4] ^= 8; /* "900", if nobody looked */
  status = vsh_aead_open(aead, opened, sizeof opened, &opened_len, nonce, sizeof nonce, (const uint8_t*)header,
                         strlen(header), sealed, sealed_len);
  vsh_aead_free(aead); /* wipes the key in it; this one is the caller's to erase */
  if (status != VSH_E_TAG) return fail("a forgery", status);
  printf("forgery refused: %s\n", vsh_status_name(status));
  return 0;
}
