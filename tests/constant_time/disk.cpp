// XTS: keys and sectors are secret; numbers and lengths are not.
#include "vershina/disk.h"
#include "cases.hpp"

namespace vsh::test {
namespace {

constexpr size_t kSector = 512, kNumSectors = 3;

bool run_xts(const vsh_options& options, bool encrypts) {
  const Bytes key = secret(VSH_XTS_KEY_LEN), in = secret(kNumSectors * kSector), number = pattern(16);
  Bytes out(in.size());
  vsh_xts* context = nullptr;
  must("xts", vsh_xts_new(&context, key.data(), key.size(), &options));
  const auto sectors = encrypts ? vsh_xts_encrypt_sectors : vsh_xts_decrypt_sectors;
  const auto unit = encrypts ? vsh_xts_encrypt_unit : vsh_xts_decrypt_unit;
  must("xts", sectors(context, out.data(), in.data(), kNumSectors, kSector, 7));
  bool depends = is_secret(out.data(), out.size());
  const size_t len = kSector + 5;  // steals
  must("xts", unit(context, out.data(), in.data(), len, number.data()));
  depends &= is_secret(out.data(), len);
  vsh_xts_free(context);
  return depends;
}

void add_modes(Cases& cases, const std::string& suffix, Expect expect, bool runnable, const vsh_options& options) {
  cases.push_back({"disk/xts" + suffix + "/encrypt", expect, runnable, [=] { return run_xts(options, true); }});
  cases.push_back({"disk/xts" + suffix + "/decrypt", expect, runnable, [=] { return run_xts(options, false); }});
}

}  // namespace

// The default, and a kernel whose leaks must be detected: the rows themselves are other cases.
void add_disk(Cases& cases) {
  vsh_options options = VSH_OPTIONS_INIT;
  add_modes(cases, "", Expect::clean, true, options);
  options.kernel = "tables";
  options.flags = VSH_ALLOW_TABLES;
  add_modes(cases, "/tables", Expect::leaks, true, options);
}

}  // namespace vsh::test
