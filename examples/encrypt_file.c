/* Encrypts or decrypts a file of any size with Magma in CBC mode, a piece at a time.
 *
 *   cc encrypt_file.c -lvershina
 *   ./a.out -e plain.txt secret.bin && ./a.out -d secret.bin plain2.txt && cmp plain.txt plain2.txt
 *
 * CBC hides the content of a file, but does not detect changes: authenticate the ciphertext as well
 * (verify_mac.cpp), and trust nothing of a decrypted file before that and before the end, where the padding
 * is checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vershina/vershina.h>

enum { PIECE = 64 * 1024 };

static int fail(const char* file, const char* what) {
  fprintf(stderr, "encrypt_file: %s: %s\n", file, what);
  return 1;
}

/* Reads `in` to its end, writes the result to `out`. The capacity of `buffer` is PIECE + VSH_FINAL_CAPACITY.
 */
static int convert(vsh_cipher* cipher, FILE* out, FILE* in, const char* out_name, const char* in_name, uint8_t* piece,
                   uint8_t* buffer) {
  const size_t capacity = PIECE + VSH_FINAL_CAPACITY;
  size_t read, written;
  vsh_status status;
  while ((read = fread(piece, 1, PIECE, in)) > 0) {
    status = vsh_cipher_update(cipher, buffer, capacity, &written, piece, read);
    if (status != VSH_OK) return fail(in_name, vsh_status_message(status));
    if (fwrite(buffer, 1, written, out) != written) return fail(out_name, "cannot write");
  }
  if (ferror(in)) return fail(in_name, "cannot read");
  status = vsh_cipher_final(cipher, buffer, capacity, &written);
  if (status != VSH_OK) return fail(in_name, vsh_status_message(status));
  if (fwrite(buffer, 1, written, out) != written) return fail(out_name, "cannot write");
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4 || (strcmp(argv[1], "-e") && strcmp(argv[1], "-d"))) {
    fprintf(stderr, "usage: encrypt_file -e|-d IN OUT\n");
    return 2;
  }
  /* An example's key and IV. A real IV is unpredictable and new for every file. */
  uint8_t key[VSH_KEY_LEN], iv[8];
  memset(key, 0x42, sizeof key);
  memset(iv, 0x24, sizeof iv);

  vsh_cipher* cipher = NULL;
  const vsh_direction direction = strcmp(argv[1], "-e") ? VSH_DECRYPT : VSH_ENCRYPT;
  const vsh_status status =
      vsh_cipher_new(&cipher, VSH_MAGMA, VSH_CBC, direction, key, sizeof key, iv, sizeof iv, NULL);
  if (status != VSH_OK) return fail(argv[2], vsh_status_message(status));

  int result = 1;
  uint8_t* memory = malloc(2 * PIECE + VSH_FINAL_CAPACITY);
  FILE* in = fopen(argv[2], "rb");
  FILE* out = in ? fopen(argv[3], "wb") : NULL;
  if (!memory) {
    fail(argv[2], "out of memory");
  } else if (!in) {
    fail(argv[2], "cannot open");
  } else if (!out) {
    fail(argv[3], "cannot open");
  } else {
    result = convert(cipher, out, in, argv[3], argv[2], memory, memory + PIECE);
  }
  if (out && fclose(out) != 0 && result == 0) result = fail(argv[3], "cannot write");
  if (out && result != 0) remove(argv[3]);
  if (in) fclose(in);
  free(memory);
  vsh_cipher_free(cipher);
  if (result == 0) printf("%s -> %s\n", argv[2], argv[3]);
  return result;
}
