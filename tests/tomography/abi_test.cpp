// Hostile arguments of the C ABI of tomography.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "vershina/tomography.hpp"

namespace vershina::tomography {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class TomographyAbi : public testing::Test {
 protected:
  vsh_tomo_status make() {
    vsh_tomo_plan* plan = nullptr;
    const vsh_tomo_status status = vsh_tomo_plan_new(&plan, &geometry, &options);
    EXPECT_EQ(status == VSH_TOMO_OK, plan != nullptr);
    vsh_tomo_plan_free(plan);
    return status;
  }

  std::vector<double> angles{0, 0.5, 1, 1.5, 2, 2.5, 3};
  Geometry geometry{angles, 16};
  Options options;
};

TEST_F(TomographyAbi, DefaultsAreAPlan) {
  EXPECT_EQ(make(), VSH_TOMO_OK);
  vsh_tomo_plan* plan = nullptr;
  ASSERT_EQ(vsh_tomo_plan_new(&plan, &geometry, nullptr), VSH_TOMO_OK);
  EXPECT_EQ(vsh_tomo_plan_size(plan), 16u);
  EXPECT_GT(vsh_tomo_plan_batch(plan), 0u);
  EXPECT_GT(vsh_tomo_plan_memory(plan, 1), 0u);
  vsh_tomo_plan_free(plan);
  vsh_tomo_plan_free(nullptr);
}

TEST_F(TomographyAbi, NoPlan) {
  EXPECT_EQ(vsh_tomo_plan_size(nullptr), 0u);
  EXPECT_EQ(vsh_tomo_plan_batch(nullptr), 0u);
  EXPECT_EQ(vsh_tomo_plan_memory(nullptr, 1), 0u);
  EXPECT_EQ(vsh_tomo_plan_kernel(nullptr), nullptr);
}

TEST_F(TomographyAbi, NullAndWrongSizesOfStructs) {
  vsh_tomo_plan* plan = nullptr;
  EXPECT_EQ(vsh_tomo_plan_new(nullptr, &geometry, &options), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_plan_new(&plan, nullptr, &options), VSH_TOMO_E_ARGUMENT);
  geometry.angles = nullptr;
  EXPECT_EQ(make(), VSH_TOMO_E_ARGUMENT);
  geometry.angles = angles.data();
  geometry.struct_size -= 1;
  EXPECT_EQ(make(), VSH_TOMO_E_ARGUMENT);
  geometry.struct_size += 1;
  options.struct_size = 0;
  EXPECT_EQ(make(), VSH_TOMO_E_ARGUMENT);
}

TEST_F(TomographyAbi, Sizes) {
  for (const size_t bins : {size_t{0}, size_t{VSH_TOMO_MAX_BINS} + 1, std::numeric_limits<size_t>::max()}) {
    geometry.num_bins = bins;
    EXPECT_EQ(make(), VSH_TOMO_E_SIZE) << bins;
  }
  geometry.num_bins = 16;
  options.size = std::numeric_limits<size_t>::max();
  EXPECT_EQ(make(), VSH_TOMO_E_SIZE);
  options.size = 0;
  options.depth = 1;  // of a parallel beam
  EXPECT_EQ(make(), VSH_TOMO_E_SIZE);
}

TEST_F(TomographyAbi, Angles) {
  geometry.num_angles = 0;
  EXPECT_EQ(make(), VSH_TOMO_E_ANGLES);
  geometry.num_angles = std::numeric_limits<size_t>::max();
  EXPECT_EQ(make(), VSH_TOMO_E_ANGLES);
  geometry.num_angles = angles.size();
  for (const double bad : {kNan, kInfinity, -kInfinity, 1e300}) {
    angles[3] = bad;
    EXPECT_EQ(make(), VSH_TOMO_E_ANGLES) << bad;
  }
}

TEST_F(TomographyAbi, AxisAndSource) {
  const double end = static_cast<double>(geometry.num_bins) / 2;  // of the detector
  for (const double bad : {kNan, kInfinity, 1e10, end + 0.01, -end - 0.01}) {
    geometry.centre_offset = bad;
    EXPECT_EQ(make(), VSH_TOMO_E_GEOMETRY) << bad;
  }
  for (const double good : {end, -end}) {
    geometry.centre_offset = good;
    EXPECT_EQ(make(), VSH_TOMO_OK) << good;
  }
  geometry.centre_offset = 0;
  geometry.beam = VSH_TOMO_FAN;
  for (const double bad : {kNan, kInfinity, 0.0, -1.0}) {
    geometry.source_distance = bad;
    EXPECT_EQ(make(), VSH_TOMO_E_GEOMETRY) << bad;
  }
  geometry.beam = static_cast<vsh_tomo_beam>(9);
  EXPECT_EQ(make(), VSH_TOMO_E_ARGUMENT);
}

TEST_F(TomographyAbi, RowOfTheSource) {
  geometry.row_offset = 1;  // of a parallel beam
  EXPECT_EQ(make(), VSH_TOMO_E_GEOMETRY);
  for (size_t i = 0; i < angles.size(); ++i) angles[i] = 2 * M_PI * static_cast<double>(i) / 7;
  geometry.beam = VSH_TOMO_CONE;
  geometry.num_rows = 4;
  for (const double bad : {kNan, kInfinity, -1e6}) {
    geometry.row_offset = bad;
    EXPECT_EQ(make(), VSH_TOMO_E_GEOMETRY) << bad;
  }
  // The least distance and the greatest offset: the computation stays within the detector.
  options.size = options.depth = 16;
  geometry.source_distance = 8 + 1e-9;
  for (const double offset : {-131072.0, 131072.0, 3.0}) {
    geometry.row_offset = offset;
    Plan plan(geometry, options);
    const std::vector<float> scan(angles.size() * 4 * 16, 1.0f);
    for (const float value : plan.reconstruct(scan, 16)) ASSERT_TRUE(std::isfinite(value));
  }
}

// Coinciding views are one, which covers nothing, however wide its step.
TEST_F(TomographyAbi, FanOfOneView) {
  geometry.beam = VSH_TOMO_FAN;
  geometry.source_distance = 30;
  angles[1] = angles[0];
  for (const vsh_tomo_algorithm algorithm : {VSH_TOMO_FBP, VSH_TOMO_DFR, VSH_TOMO_HFBP, VSH_TOMO_CGLS}) {
    options.algorithm = algorithm;
    for (const size_t num : {size_t{1}, size_t{2}}) {
      geometry.num_angles = num;
      EXPECT_EQ(make(), VSH_TOMO_E_GEOMETRY) << algorithm << ' ' << num;
    }
  }
}

TEST_F(TomographyAbi, Options) {
  const auto refuses = [&](auto change, vsh_tomo_status expected) {
    options = {};
    change();
    EXPECT_EQ(make(), expected);
  };
  refuses([&] { options.algorithm = static_cast<vsh_tomo_algorithm>(0); }, VSH_TOMO_E_ARGUMENT);
  refuses([&] { options.filter = static_cast<vsh_tomo_filter>(6); }, VSH_TOMO_E_ARGUMENT);
  refuses([&] { options.interpolation = static_cast<vsh_tomo_interpolation>(3); }, VSH_TOMO_E_ARGUMENT);
  refuses([&] { options.quality = static_cast<vsh_tomo_quality>(-1); }, VSH_TOMO_E_ARGUMENT);
  refuses([&] { options.angle_weights = static_cast<vsh_tomo_angle_weights>(3); }, VSH_TOMO_E_ARGUMENT);
  refuses([&] { options.padding = static_cast<vsh_tomo_padding>(3); }, VSH_TOMO_E_ARGUMENT);
  refuses([&] { options.displaced = static_cast<vsh_tomo_displaced>(0); }, VSH_TOMO_E_ARGUMENT);
  refuses([&] { options.displaced = static_cast<vsh_tomo_displaced>(4); }, VSH_TOMO_E_ARGUMENT);
  for (const double bad : {0.0, 2.0, -1.0, kNan, kInfinity})
    refuses([&] { options.relaxation = bad; }, VSH_TOMO_E_PARAMETERS);
  for (const double bad : {-1.0, kNan, kInfinity}) refuses([&] { options.tv_weight = bad; }, VSH_TOMO_E_PARAMETERS);
  refuses([&] { options.iterations = std::numeric_limits<size_t>::max(); }, VSH_TOMO_E_PARAMETERS);
  refuses([&] { options.kernel = "avx9000"; }, VSH_TOMO_E_KERNEL_UNKNOWN);
}

TEST_F(TomographyAbi, ReconstructionOfImpossibleSizes) {
  Plan plan(geometry, options);
  vsh_tomo_plan* p = nullptr;
  ASSERT_EQ(vsh_tomo_plan_new(&p, &geometry, &options), VSH_TOMO_OK);
  float value = 0;
  const size_t huge = std::numeric_limits<size_t>::max();
  EXPECT_EQ(vsh_tomo_reconstruct(p, nullptr, &value, 0, 1), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_reconstruct(p, &value, nullptr, 0, 1), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_reconstruct(nullptr, &value, &value, 0, 1), VSH_TOMO_E_ARGUMENT);
  EXPECT_EQ(vsh_tomo_reconstruct(p, &value, &value, 0, 0), VSH_TOMO_E_SIZE);
  EXPECT_EQ(vsh_tomo_reconstruct(p, &value, &value, 0, huge), VSH_TOMO_E_SIZE);
  EXPECT_EQ(vsh_tomo_reconstruct(p, &value, &value, 0, huge / 16), VSH_TOMO_E_SIZE);
  EXPECT_EQ(vsh_tomo_reconstruct(p, &value, &value, 15, 1), VSH_TOMO_E_SIZE);  // less than a row
  EXPECT_EQ(vsh_tomo_reconstruct(p, &value, &value, huge, 1), VSH_TOMO_E_SIZE);
  vsh_tomo_plan_free(p);

  std::vector<float> volume(255), projections(7 * 16);
  EXPECT_THROW(plan.reconstruct(volume, projections, 1), Error);
  volume.resize(256);
  projections.pop_back();
  EXPECT_THROW(plan.reconstruct(volume, projections, 1), Error);
}

TEST_F(TomographyAbi, MessagesAreDifferentSentences) {
  std::vector<std::string> seen;
  for (int status = 0; status <= VSH_TOMO_E_CENTRE + 1; ++status) {
    const std::string text = vsh_tomo_status_message(static_cast<vsh_tomo_status>(status));
    EXPECT_FALSE(text.empty() || text.back() == '.') << status;
    for (const std::string& other : seen) EXPECT_NE(text, other);
    seen.push_back(text);
  }
}

TEST_F(TomographyAbi, ProgressRunsToTheEndAndStops) {
  struct Seen {
    double last = 0;
    int calls = 0, stop_at = 1 << 30;
  } seen;
  options.progress = [](void* context, double done) {
    Seen& s = *static_cast<Seen*>(context);
    EXPECT_GE(done, s.last);
    s.last = done;
    return ++s.calls >= s.stop_at ? 1 : 0;
  };
  options.progress_context = &seen;
  Plan plan(geometry, options);
  const std::vector<float> projections(7 * 16 * 3);
  std::vector<float> volume = plan.reconstruct(projections, 3);
  EXPECT_DOUBLE_EQ(seen.last, 1);
  seen = {0, 0, 3};
  try {
    plan.reconstruct(volume, projections, 3);
    FAIL() << "was not stopped";
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), VSH_TOMO_E_STOPPED);
  }
  EXPECT_EQ(seen.calls, 3);
}

}  // namespace
}  // namespace vershina::tomography
