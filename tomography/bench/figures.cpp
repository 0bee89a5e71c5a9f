// Times reconstruction from memory to memory of the two published sets (bench/published/published.toml, tomo2020): 511
// slices of 511 x 511 from 511 x 420, and 1261 of 1175 x 1175 from 1175 x 400. Parallel beam throughout; the published
// phantom was a fan's.
//   tomography-figures [SLICES [KERNEL]]     SLICES: of each set, 0 for all of them; 64 if not given
// Output memory is touched before. Prints the least of three runs; of a part, also the whole set at that rate.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "vershina/tomography.hpp"

using namespace vershina::tomography;

namespace {

struct Set {
  const char* name;
  size_t bins, num_angles, num_slices;
};
struct Algorithm {
  const char* name;
  vsh_tomo_algorithm algorithm;
  vsh_tomo_quality quality;
};

double run(const Set& set, const Algorithm& algorithm, size_t slices, unsigned threads, const char* kernel,
           const std::vector<float>& scan, std::vector<float>& volume) {
  std::vector<double> angles;
  for (size_t i = 1; i <= set.num_angles; ++i) angles.push_back(static_cast<double>(i) * std::numbers::pi / 360);
  Options options;
  options.algorithm = algorithm.algorithm;
  options.quality = algorithm.quality;
  options.threads = threads;
  options.kernel = kernel;
  Plan plan(Geometry(angles, set.bins), options);
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    plan.reconstruct(volume, scan, slices);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 64;
  const char* const kernel = argc > 2 ? argv[2] : nullptr;
  for (const Set& set : {Set{"511 x 511, 420 angles", 511, 420, 511}, Set{"1175 x 1175, 400 angles", 1175, 400, 1261}}) {
    const size_t slices = wanted == 0 ? set.num_slices : std::min(wanted, set.num_slices);
    // A disc that grows with the slice.
    std::vector<float> scan;
    scan.reserve(set.num_angles * slices * set.bins);
    for (size_t a = 0; a < set.num_angles; ++a) {
      for (size_t s = 0; s < slices; ++s) {
        for (size_t k = 0; k < set.bins; ++k) {
          const double t = static_cast<double>(k) - static_cast<double>(set.bins) / 2;
          const double r = static_cast<double>(set.bins) * (0.2 + 0.25 * static_cast<double>(s) / static_cast<double>(slices));
          scan.push_back(static_cast<float>(2 * std::sqrt(std::max(0.0, r * r - t * t))));
        }
      }
    }
    std::vector<float> volume(slices * set.bins * set.bins);
    for (const Algorithm& algorithm :
         {Algorithm{"FBP", VSH_TOMO_FBP, VSH_TOMO_ACCURATE}, Algorithm{"DFR", VSH_TOMO_DFR, VSH_TOMO_ACCURATE},
          Algorithm{"HFBP fast", VSH_TOMO_HFBP, VSH_TOMO_FAST}, Algorithm{"HFBP accurate", VSH_TOMO_HFBP, VSH_TOMO_ACCURATE}}) {
      for (const unsigned threads : {1u, 0u}) {
        const double seconds = run(set, algorithm, slices, threads, kernel, scan, volume);
        const double each = seconds / static_cast<double>(slices);
        std::printf("%-24s %-14s %-11s %6zu slices %8.2f s  %7.2f ms a slice  %8.2f s for %zu\n", set.name,
                    algorithm.name, threads == 1 ? "one thread" : "all threads", slices, seconds, each * 1e3,
                    each * static_cast<double>(set.num_slices), set.num_slices);
        std::fflush(stdout);
      }
    }
  }
  return 0;
}
