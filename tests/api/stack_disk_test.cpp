// No secret of a disk stays on the stack: stack.hpp.
#include "api/support/stack.hpp"
#include "vershina/disk.h"

namespace {

using namespace vsh::test;

void check_xts(const Row& row) {
  Random random(7);
  const Bytes keys = random.bytes(64), plain = random.bytes(4096);
  const vsh_options o = row.options();
  Bytes cipher(plain.size()), result(plain.size());
  Secrets secrets;
  row.add_key(secrets, "the key", Bytes(keys.begin(), keys.begin() + 32));
  row.add_key(secrets, "the tweaks' key", Bytes(keys.begin() + 32, keys.end()));
  secrets.add("plaintext", plain);
  uint8_t number[16] = {9};
  Bytes tweak(number, number + 16);
  row.subject(Bytes(keys.begin() + 32, keys.end()))->encrypt(tweak.data());
  secrets.add("tweak", tweak);
  vsh_xts* c = nullptr;
  const std::string what = row.name() + ": ";
  check(what + "vsh_xts_new", secrets, [&] { OK(vsh_xts_new(&c, keys.data(), keys.size(), &o)); });
  check(what + "vsh_xts_encrypt_sectors", secrets,
        [&] { OK(vsh_xts_encrypt_sectors(c, cipher.data(), plain.data(), 8, 512, 9)); });
  check(what + "vsh_xts_decrypt_sectors", secrets,
        [&] { OK(vsh_xts_decrypt_sectors(c, result.data(), cipher.data(), 8, 512, 9)); });
  EXPECT_EQ(result, plain);
  for (const size_t len : {size_t{16}, size_t{75}, plain.size() - 3}) {
    check(what + "vsh_xts_encrypt_unit", secrets,
          [&] { OK(vsh_xts_encrypt_unit(c, cipher.data(), plain.data(), len, number)); });
    check(what + "vsh_xts_decrypt_unit", secrets,
          [&] { OK(vsh_xts_decrypt_unit(c, result.data(), cipher.data(), len, number)); });
  }
  vsh_xts_free(c);
}

TEST(StackDisk, Disks) {
  SKIP_UNLESS_OPTIMISED();
  for (const Row& row : rows(VSH_KUZNYECHIK)) check_xts(row);
}

}  // namespace
