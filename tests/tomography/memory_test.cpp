// The memory that preparation states, against its allocations, which this program counts.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <numbers>
#include <vector>

#include "vershina/tomography.hpp"

namespace {

thread_local size_t now = 0, peak = 0;

// Neither is inlined: GCC would see allocation and free behind new and delete, and warn of a mismatch.
[[gnu::noinline]] void* take(size_t size) noexcept {
  void* const place = std::malloc(size);
  now += malloc_usable_size(place);
  peak = std::max(peak, now);
  return place;
}
[[gnu::noinline]] void give_back(void* place) noexcept {
  now -= malloc_usable_size(place);
  std::free(place);
}

}  // namespace

void* operator new(size_t size) {
  if (void* const place = take(size)) return place;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* place) noexcept { give_back(place); }
void operator delete(void* place, size_t) noexcept { give_back(place); }
void operator delete(void* place, const std::nothrow_t&) noexcept { give_back(place); }

namespace vershina::tomography {
namespace {

constexpr size_t kAngles = 200, kRows = 3, kBins = 300;
constexpr size_t kHuge = std::numeric_limits<size_t>::max() / 2;
constexpr vsh_tomo_preparation kAll[] = {
    VSH_TOMO_RETRIEVE_PHASE,         VSH_TOMO_REMOVE_ZINGERS, VSH_TOMO_REMOVE_STRIPES_SORTING,
    VSH_TOMO_REMOVE_STRIPES_WAVELET, VSH_TOMO_FIND_CENTRE,    VSH_TOMO_FIND_CENTRE_FAN};

// The bytes that the calling thread allocates for it at the same time.
size_t allocated(vsh_tomo_preparation preparation, float* p) {
  std::vector<double> angles;
  for (size_t i = 0; i < kAngles; ++i) angles.push_back(2 * std::numbers::pi * static_cast<double>(i) / kAngles);
  Geometry geometry(angles, kBins);
  if (preparation == VSH_TOMO_FIND_CENTRE_FAN) geometry.beam = VSH_TOMO_FAN, geometry.source_distance = 1000;
  vsh_tomo_centre centres[4];
  size_t num = 0;
  const size_t before = peak = now;
  const vsh_tomo_status status = [&] {
    switch (preparation) {
      case VSH_TOMO_RETRIEVE_PHASE: return vsh_tomo_retrieve_phase(p, kAngles, kRows, kBins, 100, 20, 1, 0.01, 1);
      case VSH_TOMO_REMOVE_ZINGERS: return vsh_tomo_remove_zingers(p, kAngles, kRows, kBins, 0.3, 1, nullptr);
      case VSH_TOMO_REMOVE_STRIPES_SORTING: return vsh_tomo_remove_stripes_sorting(p, kAngles, kRows, kBins, 0, 1);
      case VSH_TOMO_REMOVE_STRIPES_WAVELET: return vsh_tomo_remove_stripes_wavelet(p, kAngles, kRows, kBins, 2, 1);
      default: return vsh_tomo_find_centres(centres, &num, 4, p, kRows * kBins, &geometry);
    }
  }();
  EXPECT_EQ(status, VSH_TOMO_OK);
  return peak - before;
}

TEST(TomographyMemory, OfPreparation) {
  const size_t reach = vsh_tomo_phase_reach(100, 20, 1, 0.01);
  for (const vsh_tomo_preparation preparation : kAll) {
    std::vector<float> values(kAngles * kRows * kBins);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 8191) / 8191;
    const uint64_t said = vsh_tomo_preparation_memory(preparation, kAngles, kRows, kBins, reach);
    const size_t real = allocated(preparation, values.data());
    // Single rows are left out, and what a search of the axis compares has a bound that it seldom reaches.
    EXPECT_LE(real, said + 64 * (kAngles + kBins)) << preparation;
    EXPECT_GE(real, said / (preparation >= VSH_TOMO_FIND_CENTRE ? 8 : 1)) << preparation;
  }
}

TEST(TomographyMemory, OfWhatIsRefused) {
  for (const vsh_tomo_preparation preparation : kAll) {
    const auto bytes = [&](size_t angles, size_t rows, size_t bins, size_t reach = 10) {
      return vsh_tomo_preparation_memory(preparation, angles, rows, bins, reach);
    };
    EXPECT_GT(bytes(5, 3, 4), 0u);
    EXPECT_GT(bytes(VSH_TOMO_MAX_ANGLES, 1, VSH_TOMO_MAX_BINS), uint64_t{1} << 25);
    EXPECT_EQ(bytes(0, 3, 4), 0u);
    EXPECT_EQ(bytes(5, 0, 4), 0u);
    EXPECT_EQ(bytes(5, 3, 0), 0u);
    EXPECT_EQ(bytes(VSH_TOMO_MAX_ANGLES + 1, 3, 4), 0u);
    EXPECT_EQ(bytes(5, 3, VSH_TOMO_MAX_BINS + 1), 0u);
    EXPECT_EQ(bytes(5, kHuge, 4), 0u);
    EXPECT_EQ(bytes(kHuge, kHuge, kHuge), 0u);
    const bool is_phase = preparation == VSH_TOMO_RETRIEVE_PHASE;
    for (const size_t reach : {size_t{0}, size_t{VSH_TOMO_MAX_BINS + 1}, kHuge})
      EXPECT_EQ(bytes(5, 3, 4, reach) == 0, is_phase) << reach;
    EXPECT_EQ(bytes(1, size_t{1} << 40, 4, VSH_TOMO_MAX_BINS) == 0, is_phase);
  }
  for (const int preparation : {0, 7, -1})
    EXPECT_EQ(vsh_tomo_preparation_memory(static_cast<vsh_tomo_preparation>(preparation), 5, 3, 4, 10), 0u);
}

}  // namespace
}  // namespace vershina::tomography
