// Times reconstruction from memory to memory of the two published sets (programs/bench/published/published.toml,
// tomo2020): 511 slices of 511 x 511 from 511 x 420, and 1261 of 1175 x 1175 from 1175 x 400. Parallel beam throughout;
// the published phantom was a fan's.
//   tomography-figures [SLICES [KERNEL]]     SLICES: of each set, 0 for all of them; 64 if not given
// Output memory is touched before. Prints the least of three runs, as time and as the processors' time, which other
// programs on the machine change less; of a part, also the whole set at that rate.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
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

struct Seconds {
  double wall = 1e300, processors = 1e300;
};

double processors() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Seconds run(const Set& set, const Algorithm& algorithm, size_t slices, unsigned threads, const char* kernel,
            const std::vector<float>& scan, std::vector<float>& volume) {
  std::vector<double> angles;
  for (size_t i = 1; i <= set.num_angles; ++i) angles.push_back(static_cast<double>(i) * std::numbers::pi / 360);
  Options options;
  options.algorithm = algorithm.algorithm;
  options.quality = algorithm.quality;
  options.threads = threads;
  options.kernel = kernel;
  Plan plan(Geometry(angles, set.bins), options);
  Seconds best;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double used = processors();
    plan.reconstruct(volume, scan, slices);
    best.processors = std::min(best.processors, processors() - used);
    best.wall = std::min(best.wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 64;
  const char* const kernel = argc > 2 ? argv[2] : nullptr;
  for (const Set& set :
       {Set{"511 x 511, 420 angles", 511, 420, 511}, Set{"1175 x 1175, 400 angles", 1175, 400, 1261}}) {
    const size_t slices = wanted == 0 ? set.num_slices : std::min(wanted, set.num_slices);
    // A disc that grows with the slice.
    std::vector<float> scan;
    scan.reserve(set.num_angles * slices * set.bins);
    for (size_t a = 0; a < set.num_angles; ++a) {
      for (size_t s = 0; s < slices; ++s) {
        for (size_t k = 0; k < set.bins; ++k) {
          const double t = static_cast<double>(k) - static_cast<double>(set.bins) / 2;
          const double r =
              static_cast<double>(set.bins) * (0.2 + 0.25 * static_cast<double>(s) / static_cast<double>(slices));
          scan.push_back(static_cast<float>(2 * std::sqrt(std::max(0.0, r * r - t * t))));
        }
      }
    }
    std::vector<float> volume(slices * set.bins * set.bins);
    for (const Algorithm& algorithm :
         {Algorithm{"FBP", VSH_TOMO_FBP, VSH_TOMO_ACCURATE}, Algorithm{"DFR", VSH_TOMO_DFR, VSH_TOMO_ACCURATE},
          Algorithm{"HFBP fast", VSH_TOMO_HFBP, VSH_TOMO_FAST},
          Algorithm{"HFBP accurate", VSH_TOMO_HFBP, VSH_TOMO_ACCURATE}}) {
      for (const unsigned threads : {1u, 0u}) {
        const Seconds seconds = run(set, algorithm, slices, threads, kernel, scan, volume);
        const double num = static_cast<double>(slices), whole = static_cast<double>(set.num_slices) / num;
        std::printf("%-23s %-14s %-11s %8.2f ms a slice, processors %7.2f; %zu slices %8.2f s, processors %8.2f s\n",
                    set.name, algorithm.name, threads == 1 ? "one thread" : "all threads", seconds.wall / num * 1e3,
                    seconds.processors / num * 1e3, set.num_slices, seconds.wall * whole, seconds.processors * whole);
        std::fflush(stdout);
      }
    }
  }
  return 0;
}
