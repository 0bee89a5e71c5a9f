/* Encrypts and authenticates a message with Kuznyechik in MGM, by OpenSSL 3 with the provider. Prints what mgm.c does.
 *
 *   cc provider.c -lcrypto && ./a.out
 *
 * vershina.so must lie in OpenSSL's folder of modules (`openssl version -m`), or OPENSSL_MODULES name its own. Where a
 * configuration loads the provider, as share/vershina/provider.cnf does, the program need not.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <string.h>

static const unsigned char kHeader[] = "to: accounts"; /* authenticated, not encrypted */
static const unsigned char kText[] = "pay 100 roubles";
enum { kTagLen = 16, kTextLen = sizeof kText };

/* Makes the tag if enc is 1; compares it if enc is 0: then 0 means that the message is not what was sealed. */
static int crypt(EVP_CIPHER* cipher, int enc, const unsigned char* key, const unsigned char* nonce, unsigned char* out,
                 const unsigned char* in, unsigned char* tag) {
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  int len = 0, done = ctx != NULL && EVP_CipherInit_ex2(ctx, cipher, key, nonce, enc, NULL);
  if (done && !enc) done = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, kTagLen, tag);
  done = done && EVP_CipherUpdate(ctx, NULL, &len, kHeader, sizeof kHeader - 1) /* no output: associated data */
         && EVP_CipherUpdate(ctx, out, &len, in, kTextLen) && EVP_CipherFinal_ex(ctx, out + len, &len);
  if (done && enc) done = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, kTagLen, tag);
  EVP_CIPHER_CTX_free(ctx);
  return done;
}

int main(void) {
  /* A nonce is used once under a key: a counter is a good one. Its first bit is 0. These are an example's. */
  unsigned char key[32], nonce[16] = {0}, sealed[kTextLen], opened[kTextLen], tag[kTagLen];
  memset(key, 0x42, sizeof key);
  nonce[15] = 1;
  OSSL_PROVIDER* provider = OSSL_PROVIDER_load(NULL, "vershina");
  EVP_CIPHER* mgm = EVP_CIPHER_fetch(NULL, "kuznyechik-mgm", NULL);
  if (provider == NULL || mgm == NULL || !crypt(mgm, 1, key, nonce, sealed, kText, tag) ||
      !crypt(mgm, 0, key, nonce, opened, sealed, tag)) {
    ERR_print_errors_fp(stderr);
    return 1;
  }
  for (int i = 0; i < kTextLen; ++i) printf("%02x", sealed[i]);
  for (int i = 0; i < kTagLen; ++i) printf("%02x", tag[i]);
  printf("\n%s\n", (const char*)opened);
  sealed[4] ^= 8;
  const int fooled = crypt(mgm, 0, key, nonce, opened, sealed, tag); /* do not use what came out of it */
  EVP_CIPHER_free(mgm);
  OSSL_PROVIDER_unload(provider);
  printf("forgery %s\n", fooled ? "accepted" : "refused");
  return fooled;
}
