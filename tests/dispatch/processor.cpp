// Lists what the registry says a processor lacks: a line for each feature and for each row of this build that it does
// not run, in the words of the tests that skip them. tools/skips.sh accepts these skips and no other.
//   processor               this CPU
//   processor FEATURE…      one with these alone, by the names of cpu::feature_names
#include <cstdio>
#include <string>

#include "core/registry.hpp"
#include "dispatch/processors.hpp"
#include "support/skipped_rows.hpp"
#if VSH_TEST_TOMOGRAPHY
#include "tomography/slices/registry.hpp"
#endif

using vsh::test::why_skipped;

int main(int argc, char** argv) {
  uint32_t features = argc > 1 ? 0 : vsh::cpu::features();
  for (int i = 1; i < argc; ++i) {
    const uint32_t bit = vsh::test::feature_by_name(argv[i]);
    if (bit == 0) return std::fprintf(stderr, "processor: no feature %s\n", argv[i]), 2;
    features |= bit;
  }
  for (uint32_t bit = 1; bit != 0; bit <<= 1)
    if (vsh::cpu::feature_names(bit) != "none" && (features & bit) == 0)
      std::printf("%s\n", why_skipped("feature", bit, features).c_str());
  const auto print = [&](const auto& rows) {
    for (const auto* row : rows)
      if ((vsh::cpu::required(row->info.isa) & ~features) != 0)
        std::printf("%s\n", why_skipped(row->info, features).c_str());
  };
  print(vsh::block_kernels(vsh::Algorithm::kuznyechik));
  print(vsh::block_kernels(vsh::Algorithm::magma));
  print(vsh::hash_kernels());
  print(vsh::hash_lanes_kernels());
  print(vsh::product_kernels());
#if VSH_TEST_TOMOGRAPHY
  print(vsh::tomography::slice_kernels());
#endif
}
