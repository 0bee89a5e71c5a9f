// Which options an algorithm reads: what the library says, what it does, and what its header says.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tomography/support/phantoms.hpp"

namespace vershina::tomography {
namespace {

struct Case {
  vsh_tomo_option option;
  const char* name;
  std::function<void(Options&)> change;
};
const Case kCases[] = {
    {VSH_TOMO_OPTION_FILTER, "filter", [](Options& o) { o.filter = VSH_TOMO_HANN; }},
    {VSH_TOMO_OPTION_INTERPOLATION, "interpolation", [](Options& o) { o.interpolation = VSH_TOMO_CUBIC; }},
    {VSH_TOMO_OPTION_QUALITY, "quality", [](Options& o) { o.quality = VSH_TOMO_FAST; }},
    {VSH_TOMO_OPTION_ANGLE_WEIGHTS, "angle_weights", [](Options& o) { o.angle_weights = VSH_TOMO_UNIFORM; }},
    {VSH_TOMO_OPTION_PADDING, "padding", [](Options& o) { o.padding = VSH_TOMO_EDGES; }},
    {VSH_TOMO_OPTION_DISPLACED, "displaced", [](Options& o) { o.displaced = VSH_TOMO_DISPLACED_YES; }},
    {VSH_TOMO_OPTION_DEPTH, "depth", [](Options& o) { o.depth = 5; }},
    {VSH_TOMO_OPTION_ITERATIONS, "iterations", [](Options& o) { o.iterations = 4; }},
    {VSH_TOMO_OPTION_RELAXATION, "relaxation", [](Options& o) { o.relaxation = 0.5; }},
    {VSH_TOMO_OPTION_TV_WEIGHT, "tv_weight", [](Options& o) { o.tv_weight = 0; }},
    {VSH_TOMO_OPTION_NONNEGATIVE, "nonnegative", [](Options& o) { o.nonnegative = 1; }}};
constexpr vsh_tomo_algorithm kAll[] = {VSH_TOMO_FBP,  VSH_TOMO_DFR,  VSH_TOMO_HFBP,
                                       VSH_TOMO_SIRT, VSH_TOMO_CGLS, VSH_TOMO_TV};
constexpr vsh_tomo_beam kBeams[] = {VSH_TOMO_PARALLEL, VSH_TOMO_FAN, VSH_TOMO_CONE};

// Uneven angles, of a fan no whole turn, about an axis off the middle: so that each option can change something.
class TomographyOptions : public testing::Test {
 protected:
  static constexpr size_t kBins = 16, kRows = 6;

  void take(vsh_tomo_beam beam) {
    angles_.clear();
    projections_.clear();
    const double range = beam == VSH_TOMO_PARALLEL ? pi : beam == VSH_TOMO_FAN ? pi + 0.6 : 2 * pi;
    for (int i = 0; i < 60; ++i) angles_.push_back(range * (i + 0.2 * (i % 3)) / 60);
    geometry_ = Geometry(angles_, kBins);
    geometry_.beam = beam;
    geometry_.centre_offset = 2;
    if (beam != VSH_TOMO_PARALLEL) geometry_.source_distance = 80;
    if (beam == VSH_TOMO_CONE) geometry_.num_rows = kRows;
    for (size_t i = 0; i < angles_.size() * kRows * kBins; ++i)
      projections_.push_back(static_cast<float>(std::sin(static_cast<double>(i * i % 1009))));
  }
  std::vector<float> reconstruct(const Options& options) {
    return Plan(geometry_, options).reconstruct(projections_, options.depth ? options.depth : kRows);
  }

  std::vector<double> angles_;
  Geometry geometry_;
  std::vector<float> projections_;
};

TEST_F(TomographyOptions, ThoseThatAreReadChangeTheSlices) {
  for (const vsh_tomo_beam beam : kBeams) {
    take(beam);
    for (const vsh_tomo_algorithm algorithm : kAll) {
      Options options;
      options.algorithm = algorithm;
      options.displaced = VSH_TOMO_DISPLACED_NO;
      options.iterations = 3;
      const unsigned read = vsh_tomo_options_of(beam, algorithm);
      if (read == 0) {
        vsh_tomo_plan* plan = nullptr;
        EXPECT_EQ(vsh_tomo_plan_new(&plan, &geometry_, &options), VSH_TOMO_E_COMBINATION);
        continue;
      }
      const std::vector<float> slices = reconstruct(options);
      for (const auto& [option, name, change] : kCases) {
        Options changed = options;
        change(changed);
        vsh_tomo_plan* plan = nullptr;
        if (changed.depth != 0 && (read & option) == 0) {
          EXPECT_EQ(vsh_tomo_plan_new(&plan, &geometry_, &changed), VSH_TOMO_E_SIZE);
          continue;
        }
        EXPECT_EQ(reconstruct(changed) != slices, (read & option) != 0) << beam << ' ' << algorithm << ' ' << name;
      }
    }
  }
}

TEST_F(TomographyOptions, UnknownEnumeratorsReadNothing) {
  for (const int bad : {-1, 0, 7, 1 << 30}) {
    EXPECT_EQ(vsh_tomo_options_of(VSH_TOMO_PARALLEL, static_cast<vsh_tomo_algorithm>(bad)), 0u);
    EXPECT_EQ(vsh_tomo_options_of(static_cast<vsh_tomo_beam>(bad), VSH_TOMO_FBP), 0u);
  }
}

// The table in front of vsh_tomo_options: " *   FBP        filter, interpolation, ...".
TEST_F(TomographyOptions, HeaderSaysTheSame) {
  const std::map<std::string, std::pair<vsh_tomo_beam, vsh_tomo_algorithm>> rows = {
      {"FBP", {VSH_TOMO_PARALLEL, VSH_TOMO_FBP}},   {"of a cone", {VSH_TOMO_CONE, VSH_TOMO_FBP}},
      {"DFR", {VSH_TOMO_PARALLEL, VSH_TOMO_DFR}},   {"HFBP", {VSH_TOMO_FAN, VSH_TOMO_HFBP}},
      {"SIRT", {VSH_TOMO_PARALLEL, VSH_TOMO_SIRT}}, {"CGLS", {VSH_TOMO_FAN, VSH_TOMO_CGLS}},
      {"TV", {VSH_TOMO_PARALLEL, VSH_TOMO_TV}}};
  std::ifstream header(VSH_SOURCE_DIR "/include/vershina/tomography.h");
  size_t num = 0;
  for (std::string line; std::getline(header, line);) {
    for (const auto& [word, row] : rows) {
      const std::string begin = " *   " + word + "  ";
      if (!line.starts_with(begin)) continue;
      unsigned said = 0;
      for (const Case& each : kCases) {
        const size_t at = line.find(std::string(" ") + each.name, begin.size() - 1);
        const size_t end = at + 1 + std::string(each.name).size();
        if (at != line.npos && (end >= line.size() || std::isalpha(line[end]) == 0)) said |= each.option;
      }
      EXPECT_EQ(said, vsh_tomo_options_of(row.first, row.second)) << line;
      ++num;
    }
  }
  EXPECT_EQ(num, rows.size());
}

}  // namespace
}  // namespace vershina::tomography
