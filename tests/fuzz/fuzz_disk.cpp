// XTS: many sectors in one call equal one after the other and come back; every kernel agrees; invalid arguments
// are refused and leave the output untouched.
#include <algorithm>

#include "fuzz.hpp"
#include "vershina/disk.h"

namespace {

using namespace vsh::fuzz;

// Sectors of any length and number: refused, or correct.
void fuzz_xts(Input& input) {
  const std::vector<const char*> kernels = variants("kuznyechik");
  Bytes keys = input.bytes(VSH_XTS_KEY_LEN);
  vsh_options options = VSH_OPTIONS_INIT;
  options.flags = VSH_ALLOW_TABLES;
  options.kernel = kernels[input.below(kernels.size())];
  options.threads = 1 + static_cast<unsigned>(input.below(2));
  vsh_xts *xts = nullptr, *other = nullptr;
  const bool equal_halves = std::equal(keys.begin(), keys.begin() + 32, keys.begin() + 32);
  const vsh_status made = vsh_xts_new(&xts, keys.data(), keys.size(), &options);
  check(made == (equal_halves ? VSH_E_ARGUMENT : VSH_OK), "a wrong verdict on a key", "xts");
  if (made != VSH_OK) return;
  options.kernel = kernels[input.below(kernels.size())];
  check(vsh_xts_new(&other, keys.data(), keys.size(), &options) == VSH_OK, "a good key refused", "xts");

  size_t sector_len = 512 * (1 + input.below(8));
  if (input.below(16) == 0) sector_len = input.byte() * 37u;
  uint64_t first = 0;
  for (int i = 0; i < 8; ++i) first = first << 8 | input.byte();
  if (input.below(4)) first -= sector_len >= 512 ? first % (sector_len / 512) : 0;
  Bytes number(16);
  for (int i = 0; i < 8; ++i) number[static_cast<size_t>(i)] = static_cast<uint8_t>(first >> 8 * i);
  const Bytes in = input.rest();

  const size_t num = sector_len ? std::min<size_t>(in.size() / sector_len, 64) : 1;
  Bytes out(num * sector_len, 0xA5);
  const vsh_status status = vsh_xts_encrypt_sectors(xts, out.data(), in.data(), num, sector_len, first);
  const bool good_len = sector_len >= 512 && sector_len <= 4096 && sector_len % 512 == 0;
  if (!good_len || first % (sector_len / 512)) {
    check(status == VSH_E_SECTOR, "a bad sector accepted", "xts");
  } else if (status == VSH_OK) {
    for (size_t i = 0; i < num; ++i) {
      Bytes one(sector_len);
      check(vsh_xts_encrypt_sectors(other, one.data(), in.data() + i * sector_len, 1, sector_len,
                                    first + i * (sector_len / 512)) == VSH_OK,
            "refused alone", "xts");
      check(std::equal(one.begin(), one.end(), out.begin() + static_cast<long>(i * sector_len)), "not as alone", "xts");
    }
    check(vsh_xts_decrypt_sectors(other, out.data(), out.data(), num, sector_len, first) == VSH_OK, "no way back",
          "xts");
    check(std::equal(out.begin(), out.end(), in.begin()), "another text comes back", "xts");
  } else {
    check(status == VSH_E_LIMIT && num > 1 && first > UINT64_MAX - num * 8, "good sectors refused", "xts");
  }
  if (status != VSH_OK)
    check(std::all_of(out.begin(), out.end(), [](uint8_t b) { return b == 0xA5; }), "a refusal wrote", "xts");

  Bytes unit(in.size());
  const vsh_status of_unit = vsh_xts_encrypt_unit(xts, unit.data(), in.data(), in.size(), number.data());
  check(of_unit == (in.size() < 16 ? VSH_E_DATA_LENGTH : VSH_OK), "a wrong verdict on a unit", "xts");
  if (of_unit == VSH_OK) {
    check(vsh_xts_decrypt_unit(other, unit.data(), unit.data(), unit.size(), number.data()) == VSH_OK, "no way back",
          "xts");
    check(unit == in, "another unit comes back", "xts");
  }
  vsh_xts_free(xts);
  vsh_xts_free(other);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  fuzz_xts(input);
  return 0;
}
