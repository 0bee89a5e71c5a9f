// The C ABI of preparation: hostile arguments, counts of values, the axis of rotation. Each step is held against its
// definition by integrations/python/tests/test_tomography_preparation.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "vershina/tomography.hpp"

namespace vershina::tomography {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kHuge = std::numeric_limits<size_t>::max() / 2;

// All steps in place, with arguments that are right.
using Step = vsh_tomo_status (*)(float*, size_t, size_t, size_t);
const std::vector<float> kWhite(12, 2.0F);
const Step kSteps[] = {
    [](float* p, size_t a, size_t r, size_t b) {
      return vsh_tomo_normalise(p, a, r, b, kWhite.data(), nullptr, nullptr);
    },
    [](float* p, size_t a, size_t r, size_t b) { return vsh_tomo_fill_gaps(p, a, r, b, nullptr); },
    [](float* p, size_t a, size_t r, size_t b) { return vsh_tomo_minus_log(p, a, r, b, nullptr, nullptr); },
    [](float* p, size_t a, size_t r, size_t b) { return vsh_tomo_retrieve_phase(p, a, r, b, 100, 20, 1, 1, 0); },
    [](float* p, size_t a, size_t r, size_t b) { return vsh_tomo_remove_zingers(p, a, r, b, 0.3, 2, nullptr); },
    [](float* p, size_t a, size_t r, size_t b) { return vsh_tomo_remove_stripes_sorting(p, a, r, b, 0, 1); },
    [](float* p, size_t a, size_t r, size_t b) { return vsh_tomo_remove_stripes_wavelet(p, a, r, b, 2, 1); },
};

TEST(TomographyPreparation, Sizes) {
  std::vector<float> values(5 * 3 * 4, 1.0F);
  for (const Step step : kSteps) {
    EXPECT_EQ(step(values.data(), 5, 3, 4), VSH_TOMO_OK);
    EXPECT_EQ(step(values.data(), 1, 1, 1), VSH_TOMO_OK);
    EXPECT_EQ(step(nullptr, 5, 3, 4), VSH_TOMO_E_ARGUMENT);
    EXPECT_EQ(step(values.data(), 0, 3, 4), VSH_TOMO_E_SIZE);
    EXPECT_EQ(step(values.data(), 5, 0, 4), VSH_TOMO_E_SIZE);
    EXPECT_EQ(step(values.data(), 5, 3, 0), VSH_TOMO_E_SIZE);
    EXPECT_EQ(step(values.data(), 5, kHuge, 4), VSH_TOMO_E_SIZE);
    EXPECT_EQ(step(values.data(), 5, 3, VSH_TOMO_MAX_BINS + 1), VSH_TOMO_E_SIZE);
    EXPECT_EQ(step(values.data(), VSH_TOMO_MAX_ANGLES + 1, 1, 1), VSH_TOMO_E_ANGLES);
  }
}

TEST(TomographyPreparation, Parameters) {
  std::vector<float> v(60, 1.0F);
  const std::vector<float> least{0.5F, 0, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F};
  EXPECT_EQ(vsh_tomo_normalise(v.data(), 5, 3, 4, nullptr, nullptr, nullptr), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_minus_log(v.data(), 5, 3, 4, least.data(), nullptr), VSH_TOMO_E_PARAMETERS);
  for (const double bad : {0.0, -1.0, kNan, kInfinity, 1e300}) {
    EXPECT_EQ(vsh_tomo_remove_zingers(v.data(), 5, 3, 4, bad, 1, nullptr), VSH_TOMO_E_PARAMETERS) << bad;
    EXPECT_EQ(vsh_tomo_remove_stripes_wavelet(v.data(), 5, 3, 4, bad, 1), VSH_TOMO_E_PARAMETERS) << bad;
    for (int i = 0; i < 4; ++i) {
      double of[4] = {100, 20, 1, 1};
      of[i] = bad;
      EXPECT_EQ(vsh_tomo_retrieve_phase(v.data(), 5, 3, 4, of[0], of[1], of[2], of[3], 1), VSH_TOMO_E_PARAMETERS) << i;
    }
  }
  EXPECT_EQ(vsh_tomo_retrieve_phase(v.data(), 5, 3, 4, 1e9, 1e-3, 1e9, 1e-6, 1), VSH_TOMO_E_PARAMETERS);
  for (const size_t window : {size_t{1}, size_t{2}, size_t{1002}, kHuge})
    EXPECT_EQ(vsh_tomo_remove_stripes_sorting(v.data(), 5, 3, 4, window, 1), VSH_TOMO_E_PARAMETERS) << window;
  EXPECT_EQ(vsh_tomo_remove_stripes_sorting(v.data(), 5, 3, 4, 1001, 1), VSH_TOMO_OK);
}

TEST(TomographyPreparation, WhatIsNoNumber) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    for (size_t i = 3; i < std::size(kSteps); ++i) {
      std::vector<float> v(60, 1.0F);
      v[17] = static_cast<float>(bad);
      EXPECT_EQ(kSteps[i](v.data(), 5, 3, 4), VSH_TOMO_E_VALUES) << i;
    }
  }
}

TEST(TomographyPreparation, Counted) {
  std::vector<float> v{8, 4, 2, 1, 6, 0}, white{9, 1, 5}, dark{1, 1, 1};
  uint64_t found = 7;
  EXPECT_EQ(vsh_tomo_normalise(v.data(), 2, 1, 3, white.data(), dark.data(), &found), VSH_TOMO_OK);
  EXPECT_EQ(found, 2u);
  EXPECT_EQ(v[0], 7.0F / 8);
  EXPECT_TRUE(std::isnan(v[1]) && std::isnan(v[4]));
  EXPECT_EQ(vsh_tomo_fill_gaps(v.data(), 2, 1, 3, &found), VSH_TOMO_OK);
  EXPECT_EQ(found, 2u);
  EXPECT_EQ(vsh_tomo_minus_log(v.data(), 2, 1, 3, nullptr, &found), VSH_TOMO_OK);
  EXPECT_EQ(found, 3u);  // 0 and below, twice measured and once filled
  v.assign(60, 1.0F);
  v[30] = 0;
  EXPECT_EQ(vsh_tomo_remove_zingers(v.data(), 5, 3, 4, 0.3, 0, &found), VSH_TOMO_OK);
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(v[30], 1);
}

TEST(TomographyPreparation, OverSpans) {
  std::vector<float> v{8, 4, 2, 1, 6, 0};
  const std::vector<float> white{9, 1, 5}, dark{1, 1, 1}, least(3, 0.5F);
  Scan scan(v, 2, 1, 3);
  EXPECT_EQ(scan.normalise(white, dark), 2u);
  EXPECT_EQ(scan.fill_gaps(), 2u);
  EXPECT_EQ(scan.minus_log(least), 4u);     // all but 7/8 and 9/16
  EXPECT_EQ(scan.remove_zingers(0.1), 2u);  // these two
  scan.remove_stripes_sorting(3);
  scan.remove_stripes_wavelet(1, 2);
  scan.retrieve_phase(10, 20, 1, 1, 0);
  for (const float value : v) EXPECT_TRUE(std::isfinite(value));
  EXPECT_THROW(scan.normalise(std::span(white).first(2)), Error);
  EXPECT_THROW(scan.normalise(white, std::span(dark).first(2)), Error);
  EXPECT_THROW(scan.minus_log(std::span(least).first(2)), Error);
  EXPECT_THROW(scan.remove_zingers(-1), Error);
  EXPECT_THROW(Scan(v, 3, 1, 3), Error);
  EXPECT_THROW(Scan(v, kHuge, kHuge, kHuge), Error);
  EXPECT_THROW(Scan(v, 2, 0, 3), Error);
}

// How much of what lies so many rows away comes to a row.
TEST(TomographyPreparation, PhaseReach) {
  const auto share = [](size_t away) {
    std::vector<float> rows(120 * 16);
    std::fill(rows.begin() + static_cast<ptrdiff_t>((60 + away) * 16), rows.end(), 1.0F);
    EXPECT_EQ(vsh_tomo_retrieve_phase(rows.data(), 1, 120, 16, 300, 20, 100, 0.003, 1), VSH_TOMO_OK);
    return rows[60 * 16];
  };
  const size_t reach = vsh_tomo_phase_reach(300, 20, 100, 0.003);
  ASSERT_TRUE(reach > 20 && reach < 40) << reach;
  EXPECT_LT(share(reach), 1e-3);
  EXPECT_GT(share(reach * 4 / 5), 1e-3);
  for (int i = 0; i < 4; ++i) {
    for (const double bad : {0.0, -1.0, kNan, kInfinity, 2e9}) {
      double of[4] = {100, 20, 1, 1};
      of[i] = bad;
      EXPECT_EQ(vsh_tomo_phase_reach(of[0], of[1], of[2], of[3]), 0u) << i;
    }
  }
  EXPECT_EQ(vsh_tomo_phase_reach(1e9, 1e-300, 1e9, 1e-300), 1000000000000000u);
}

// The window that is taken where none is given.
TEST(TomographyPreparation, StripeWindow) {
  for (const size_t bins : {1, 100, 500, 1000, 3000}) {
    std::vector<float> values(3 * bins);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 8191);
    const auto mended = [&](size_t window) {
      std::vector<float> copy = values;
      EXPECT_EQ(vsh_tomo_remove_stripes_sorting(copy.data(), 3, 1, bins, window, 1), VSH_TOMO_OK);
      return copy;
    };
    const size_t window = vsh_tomo_stripe_window(bins);
    EXPECT_EQ(mended(window), mended(0)) << bins;
    EXPECT_EQ(mended(window + 2) == mended(0), bins == 1) << bins;
  }
  for (const size_t bins : {size_t{0}, size_t{VSH_TOMO_MAX_BINS + 1}, kHuge})
    EXPECT_EQ(vsh_tomo_stripe_window(bins), 0u) << bins;
}

// A disc off the axis, in a scan of half a turn.
class TomographyCentre : public testing::Test {
 protected:
  TomographyCentre() { scan(90, std::numbers::pi / 90); }
  void scan(size_t num_angles, double step) {
    angles.clear(), values.clear();
    for (size_t i = 0; i < num_angles; ++i) {
      angles.push_back(static_cast<double>(i) * step);
      for (size_t k = 0; k < 64; ++k) {
        const double t = static_cast<double>(k) - 29.5 - 9 * std::cos(angles[i]) - 5 * std::sin(angles[i]);
        values.push_back(static_cast<float>(2 * std::sqrt(std::max(0.0, 100 - t * t))));
      }
    }
    geometry = Geometry(angles, 64);
  }
  vsh_tomo_status find(vsh_tomo_centre_method method = VSH_TOMO_CENTRE_AUTO, size_t stride = 0) {
    return vsh_tomo_find_centre(&offset, &confidence, values.data(), stride, &geometry, method);
  }

  std::vector<double> angles;
  std::vector<float> values;
  Geometry geometry;
  vsh_tomo_status find_all(size_t capacity = 4, size_t stride = 0) {
    return vsh_tomo_find_centres(centres, &num, capacity, values.data(), stride, &geometry);
  }
  // The results of find_all() are those of find(), by these methods.
  void expect_all(vsh_tomo_centre_method chosen, const std::vector<vsh_tomo_centre_method>& methods) {
    ASSERT_EQ(num, 1 + methods.size());
    for (size_t i = 0; i < num; ++i) {
      ASSERT_EQ(find(i == 0 ? VSH_TOMO_CENTRE_AUTO : methods[i - 1]), VSH_TOMO_OK);
      EXPECT_EQ(centres[i].method, i == 0 ? chosen : methods[i - 1]);
      EXPECT_EQ(centres[i].centre_offset, offset) << i;
      EXPECT_EQ(centres[i].confidence, confidence) << i;
    }
  }

  vsh_tomo_centre centres[4] = {};
  size_t num = 99;
  double offset = 99, confidence = 99;
};

TEST_F(TomographyCentre, IsFound) {
  for (const auto method :
       {VSH_TOMO_CENTRE_AUTO, VSH_TOMO_CENTRE_FOURIER, VSH_TOMO_CENTRE_CORRELATION, VSH_TOMO_CENTRE_MASS}) {
    ASSERT_EQ(find(method), VSH_TOMO_OK) << method;
    EXPECT_NEAR(offset, -2, method == VSH_TOMO_CENTRE_CORRELATION ? 0.6 : 0.3) << method;
    EXPECT_GT(confidence, 0.1) << method;
  }
  EXPECT_EQ(vsh_tomo_find_centre(&offset, nullptr, values.data(), 0, &geometry, VSH_TOMO_CENTRE_MASS), VSH_TOMO_OK);
  // One row of several: each angle's is behind those of the others.
  std::vector<float> rows(90 * 3 * 64, 5.0F);
  for (size_t i = 0; i < 90; ++i) std::copy_n(&values[i * 64], 64, &rows[(i * 3 + 1) * 64]);
  ASSERT_EQ(vsh_tomo_find_centre(&offset, &confidence, &rows[64], 3 * 64, &geometry, VSH_TOMO_CENTRE_MASS),
            VSH_TOMO_OK);
  EXPECT_NEAR(offset, -2, 0.1);
  EXPECT_EQ(find_centre(std::span(rows).subspan(64), geometry, VSH_TOMO_CENTRE_MASS, 3 * 64).centre_offset, offset);
  EXPECT_THROW(find_centre(std::span(rows).subspan(64, 89 * 3 * 64), geometry, VSH_TOMO_CENTRE_MASS, 3 * 64), Error);
  EXPECT_THROW(find_centre({}, geometry), Error);
}

TEST_F(TomographyCentre, ByAllMethods) {
  ASSERT_EQ(find_all(), VSH_TOMO_OK);
  expect_all(VSH_TOMO_CENTRE_FOURIER, {VSH_TOMO_CENTRE_FOURIER, VSH_TOMO_CENTRE_CORRELATION, VSH_TOMO_CENTRE_MASS});
  scan(50, std::numbers::pi / 90);  // too short for two of them
  ASSERT_EQ(find_all(), VSH_TOMO_OK);
  expect_all(VSH_TOMO_CENTRE_MASS, {VSH_TOMO_CENTRE_MASS});
  EXPECT_EQ(centres[0].confidence, centres[1].confidence / 2);  // none agrees with it
  centres[1] = {};
  ASSERT_EQ(find_all(1), VSH_TOMO_OK);
  EXPECT_EQ(num, 1u);
  EXPECT_EQ(centres[1].confidence, 0);
  scan(180, std::numbers::pi / 90);
  geometry.beam = VSH_TOMO_FAN, geometry.source_distance = 1e6;
  ASSERT_EQ(find_all(), VSH_TOMO_OK);
  expect_all(VSH_TOMO_CENTRE_OPPOSITE, {VSH_TOMO_CENTRE_OPPOSITE, VSH_TOMO_CENTRE_SYMMETRY});
}

// One row of several is read where it is, and nothing else.
TEST_F(TomographyCentre, OfOneRowOfSeveral) {
  for (const auto beam : {VSH_TOMO_PARALLEL, VSH_TOMO_FAN}) {
    scan(180, std::numbers::pi / 90);
    geometry.beam = beam, geometry.source_distance = beam == VSH_TOMO_FAN ? 1e6 : 0;
    ASSERT_EQ(find_all(), VSH_TOMO_OK);
    const std::vector<vsh_tomo_centre> alone(centres, centres + num);
    std::vector<float> rows(180 * 3 * 64, static_cast<float>(kNan));
    for (size_t i = 0; i < 180; ++i) std::copy_n(&values[i * 64], 64, &rows[(i * 3 + 1) * 64]);
    values.assign(rows.begin() + 64, rows.end());
    ASSERT_EQ(find_all(4, 3 * 64), VSH_TOMO_OK) << beam;
    ASSERT_EQ(num, alone.size());
    for (size_t i = 0; i < num; ++i) {
      EXPECT_EQ(centres[i].centre_offset, alone[i].centre_offset) << i;
      EXPECT_EQ(centres[i].confidence, alone[i].confidence) << i;
    }
  }
}

TEST_F(TomographyCentre, OfManyTurns) {
  scan(180, std::numbers::pi * (std::sqrt(5) - 1));  // golden angles
  ASSERT_EQ(find(), VSH_TOMO_OK);
  EXPECT_NEAR(offset, -2, 0.1);
  for (const size_t turns : {1, 2, 3, 4}) {
    scan(180 * turns, 2 * std::numbers::pi / 180);
    for (size_t i = 0; i < angles.size(); ++i) angles[i] += i % 3 * 1e-6;
    geometry.beam = VSH_TOMO_FAN, geometry.source_distance = 1e6;  // rays are as good as parallel
    for (const auto method : {VSH_TOMO_CENTRE_AUTO, VSH_TOMO_CENTRE_OPPOSITE, VSH_TOMO_CENTRE_SYMMETRY}) {
      ASSERT_EQ(find(method), VSH_TOMO_OK) << turns << " turns, method " << method;
      EXPECT_NEAR(offset, -2, 0.3) << turns << " turns, method " << method;
    }
  }
}

TEST_F(TomographyCentre, HostileArguments) {
  EXPECT_EQ(vsh_tomo_find_centre(nullptr, nullptr, values.data(), 0, &geometry, VSH_TOMO_CENTRE_AUTO),
            VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_find_centre(&offset, nullptr, nullptr, 0, &geometry, VSH_TOMO_CENTRE_AUTO), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_find_centre(&offset, nullptr, values.data(), 0, nullptr, VSH_TOMO_CENTRE_AUTO),
            VSH_TOMO_E_ARGUMENT);
  for (const int method : {0, 7, -1}) EXPECT_EQ(find(static_cast<vsh_tomo_centre_method>(method)), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(find(VSH_TOMO_CENTRE_OPPOSITE), VSH_TOMO_E_COMBINATION);
  EXPECT_EQ(find(VSH_TOMO_CENTRE_AUTO, 63), VSH_TOMO_E_SIZE);
  EXPECT_EQ(find(VSH_TOMO_CENTRE_AUTO, kHuge), VSH_TOMO_E_SIZE);
  EXPECT_EQ(vsh_tomo_find_centres(nullptr, &num, 4, values.data(), 0, &geometry), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_find_centres(centres, nullptr, 4, values.data(), 0, &geometry), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_find_centres(centres, &num, 4, nullptr, 0, &geometry), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_find_centres(centres, &num, 4, values.data(), 0, nullptr), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(find_all(0), VSH_TOMO_E_SIZE);
  EXPECT_EQ(find_all(4, 63), VSH_TOMO_E_SIZE);
  EXPECT_EQ(find_all(4, kHuge), VSH_TOMO_E_SIZE);
  values[70] = static_cast<float>(kNan);
  EXPECT_EQ(find(), VSH_TOMO_E_VALUES);
  EXPECT_EQ(find_all(), VSH_TOMO_E_VALUES);
  values.assign(values.size(), 0);
  EXPECT_EQ(find(VSH_TOMO_CENTRE_MASS), VSH_TOMO_E_CENTRE);
  geometry.num_angles = 7;
  EXPECT_EQ(find_all(), VSH_TOMO_E_CENTRE);
  geometry.num_angles = 90;
  geometry.beam = VSH_TOMO_FAN;
  EXPECT_EQ(find(), VSH_TOMO_E_GEOMETRY);  // without the source's distance
  EXPECT_EQ(find_all(), VSH_TOMO_E_GEOMETRY);
  geometry.source_distance = 200;
  EXPECT_EQ(find(VSH_TOMO_CENTRE_MASS), VSH_TOMO_E_COMBINATION);
  EXPECT_EQ(find(VSH_TOMO_CENTRE_SYMMETRY), VSH_TOMO_E_CENTRE);  // no whole turn
  EXPECT_EQ(offset, 99);
  EXPECT_EQ(num, 99u);
}

// Every number of angles and bins that is small, all methods: reads stay within the projections (asan).
TEST_F(TomographyCentre, SmallScans) {
  for (size_t num = 1; num <= 33; num += 2) {
    for (size_t bins = 1; bins <= 19; ++bins) {
      for (const double range : {0.0, 1.0, 2.0}) {
        std::vector<double> few(num);
        for (size_t i = 0; i < num; ++i)
          few[i] = range * std::numbers::pi * static_cast<double>(i) / static_cast<double>(num);
        const std::vector<float> rows(values.begin(), values.begin() + static_cast<ptrdiff_t>(num * bins));
        Geometry small(few, bins);
        for (const auto beam : {VSH_TOMO_PARALLEL, VSH_TOMO_FAN}) {
          small.beam = beam, small.source_distance = beam == VSH_TOMO_FAN ? 40 : 0;
          for (int method = 1; method <= 6; ++method) {
            const vsh_tomo_status status = vsh_tomo_find_centre(&offset, &confidence, rows.data(), 0, &small,
                                                                static_cast<vsh_tomo_centre_method>(method));
            if (status == VSH_TOMO_OK)
              EXPECT_TRUE(std::abs(offset) <= static_cast<double>(bins) && confidence >= 0 && confidence <= 1);
            else EXPECT_TRUE(status == VSH_TOMO_E_CENTRE || status == VSH_TOMO_E_COMBINATION) << status;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace vershina::tomography
