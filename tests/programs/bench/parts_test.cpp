// Parts of the benchmark that are testable on any machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/block_engine.hpp"
#include "keys/cipher_key.hpp"
#include "measure/sampler.hpp"
#include "measure/statistics.hpp"
#include "programs/bench/report/bars.hpp"
#include "programs/bench/report/chart.hpp"
#include "programs/bench/report/format.hpp"
#include "programs/bench/report/plot.hpp"
#include "programs/bench/report/published.hpp"
#include "programs/bench/report/summary.hpp"
#include "programs/bench/rows/key_setup.hpp"
#include "programs/bench/rows/plan.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/options.hpp"
#include "programs/bench/setup/process.hpp"
#include "programs/bench/studies/order.hpp"

using namespace vsh::bench;
namespace measure = vsh::measure;

TEST(Statistics, MedianAndSpread) {
  EXPECT_EQ(measure::median({}), 0);
  EXPECT_EQ(measure::median({7}), 7);
  EXPECT_EQ(measure::median({9, 1, 5}), 5);
  EXPECT_EQ(measure::median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(measure::relative_spread({10, 10, 10, 1000}), 0);
  EXPECT_DOUBLE_EQ(measure::relative_spread({8, 10, 12}), 0.2);
}

TEST(Sizes, AreWritten) {
  EXPECT_EQ(format_size(16), "16");
  EXPECT_EQ(format_size(16384), "16 KiB");
  EXPECT_EQ(format_size(67108864), "64 MiB");
  EXPECT_EQ(format_size(1001000), "1001000");
}

TEST(Order, OfAssociations) {
  EXPECT_EQ(order_of_packets("rotation", 5, 3), (std::vector<size_t>{0, 1, 2, 0, 1}));
  constexpr size_t kNum = 1 << 16, kAssociations = 64;
  for (const std::string& order : order_names()) {
    const std::vector<size_t> list = order_of_packets(order, kNum, kAssociations);
    EXPECT_EQ(list, order_of_packets(order, kNum, kAssociations));
    EXPECT_EQ(order_of_packets(order, 9, 1), std::vector<size_t>(9, 0));
    std::vector<double> packets(kAssociations);
    size_t neighbours = 0;
    for (size_t i = 0; i < kNum; ++i) {
      ++packets.at(list[i]);
      if (i > 0 && list[i] == (list[i - 1] + 1) % kAssociations) ++neighbours;
    }
    std::sort(packets.rbegin(), packets.rend());
    const bool rotates = order == "rotation", is_even = order != "zipf";
    EXPECT_NEAR(static_cast<double>(neighbours) / kNum, rotates ? 1 : 1.0 / kAssociations, rotates ? 1e-4 : 0.01);
    // By Zipf's law the second has half, and the tenth a tenth, of the busiest one's packets.
    EXPECT_NEAR(packets[1] / packets[0], is_even ? 1 : 0.5, 0.1) << order;
    EXPECT_NEAR(packets[9] / packets[0], is_even ? 1 : 0.1, 0.15) << order;
  }
}

TEST(Plan, CoversEveryWorkOfTheLibrary) {
  Options options;
  options.kernels = {"all"};
  std::set<std::string> planned;
  for (const Group& g : make_plan(options, 2)) planned.insert(g.work.algorithm + g.work.mode + g.work.operation);
  for (const Work& w : own_works())
    EXPECT_TRUE(planned.count(w.algorithm + w.mode + w.operation)) << w.algorithm << w.mode;
}

TEST(Plan, LeavesOutWhatCannotBe) {
  Options options;
  options.kernels = {"all"};
  options.sizes = {8};
  options.threads = {1, 0};
  options.in_place = InPlace::both;
  for (const Group& g : make_plan(options, 4)) {
    EXPECT_TRUE(!g.work.transforms() || g.work.algorithm != "kuznyechik") << "8 bytes are half a block";
    EXPECT_TRUE(g.threads == 1 || g.threads == 4);
    EXPECT_TRUE(g.threads == 1 || !g.work.sequential());
    EXPECT_TRUE(!g.in_place || g.work.transforms());
  }
}

TEST(Own, EveryKernelGivesTheSameResult) {
  std::vector<uint8_t> in(4096), expected(4096), got(4096);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 131 >> 3);
  for (const Work& work : own_works()) {
    ASSERT_TRUE(own_task(work, "", VSH_SBOX_DEFAULT, 1)->run(expected.data(), in.data(), in.size()));
    for (const Kernel& kernel : own_kernels(work.algorithm)) {
      if (!kernel.runnable) continue;
      const auto task = own_task(work, kernel.variant, VSH_SBOX_DEFAULT, 1);
      if (!task) {
        EXPECT_TRUE(work.mode == "imit" || (work.mode == "hmac" && !kernel.constant_time))
            << work.mode << ' ' << kernel.variant << ": IMIT has one implementation, HMAC none by tables";
        continue;
      }
      EXPECT_TRUE(task->run(got.data(), in.data(), in.size()));
      EXPECT_EQ(got, expected) << work.algorithm << " " << work.mode << " " << kernel.variant;
    }
  }
}

// The library's own choice in an engine that only records the first rung called.
TEST(Own, DefaultKernelIsTheOneThatRuns) {
  if (std::getenv("VERSHINA_KERNEL")) GTEST_SKIP() << "which forces one";
  static int first;
  static constexpr auto kStubs = []<int... i>(std::integer_sequence<int, i...>) {
    return std::array{+[](const void*, uint8_t*, const uint8_t*, size_t) { first = first < 0 ? i : first; }...};
  }
  (std::make_integer_sequence<int, vsh::Ladder::kMaxRungs>{});
  for (const auto& [name, algorithm] : {std::pair{"kuznyechik", vsh::Algorithm::kuznyechik},
                                        {"magma", vsh::Algorithm::magma},
                                        {"gost28147", vsh::Algorithm::gost28147}}) {
    const vsh::Ladder chosen = vsh::choose_block_kernel(algorithm, "", false).ladder;
    std::vector<vsh::BlockKernel> rows;
    std::vector<vsh::Candidate> candidates;
    for (const vsh::Rung& rung : chosen) rows.push_back(*rung.row);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].prepare = [](void*, const void*) {};
      rows[i].encrypt = kStubs[i];
      candidates.push_back({&rows[i], chosen[i].cost});
    }
    const uint8_t key[32] = {};
    const vsh::BlockEngine engine({vsh::Choice::ok, vsh::Ladder(candidates[0], candidates)},
                                  vsh::keys::CipherKey(algorithm, key), 1);
    ASSERT_EQ(engine.ladder().size(), chosen.size());
    for (size_t num = 1; num <= 2 * chosen.many().info.lanes + 1; ++num) {
      std::vector<uint8_t> data(num * rows[0].block_size);
      first = -1;
      engine.encrypt(data.data(), data.data(), num);
      ASSERT_GE(first, 0);
      const std::string ran = rows[static_cast<size_t>(first)].info.variant;
      EXPECT_EQ(default_kernel({name, "ecb", "encrypt"}, data.size()), ran) << name << " " << num << " blocks";
      EXPECT_EQ(default_kernel({name, "cbc", "encrypt"}, data.size()), chosen.one().info.variant);
      EXPECT_EQ(default_kernel({name, "cfb", "encrypt"}, data.size()), chosen.one().info.variant);
    }
  }
}

TEST(Own, RefusedEnvironment) {
  const char* before = std::getenv("VERSHINA_KERNEL");
  const std::string kept = before ? before : "";
  const Work work{"magma", "ctr", "encrypt"};
  ::setenv("VERSHINA_KERNEL", "bogus", 1);
  EXPECT_EQ(default_status(work), VSH_E_KERNEL_UNKNOWN);
  EXPECT_EQ(default_kernel(work, 16), "");
  EXPECT_EQ(kernels_of_environment(), "");
  ::setenv("VERSHINA_KERNEL", "magma:portable", 1);
  EXPECT_EQ(default_status(work), VSH_OK);
  EXPECT_EQ(default_kernel(work, 16), "portable");
  EXPECT_EQ(kernels_of_environment(), "magma:portable");
  before ? ::setenv("VERSHINA_KERNEL", kept.c_str(), 1) : ::unsetenv("VERSHINA_KERNEL");
}

TEST(Published, IsPartOfTheProgram) {
  EXPECT_GE(published_for("kuznyechik").size(), 15u);
  EXPECT_GE(published_for("streebog512").size(), 1u);
  for (const PublishedFigure& f : published_for("magma")) {
    EXPECT_FALSE(f.platform.empty());
    EXPECT_NE(f.source.find(';'), std::string::npos) << "a title, not a key";
  }
}

TEST(Sampler, MeasuresEveryContender) {
  int a = 0, b = 0;
  const measure::Sampler sampler(measure::calibrate(), 0.002);
  const auto costs = sampler.measure({[&] { ++a; }, [&] { ++b; }}, 1);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_GT(a, 100);
  EXPECT_GT(b, 100);
  for (const measure::Cost& cost : costs) {
    EXPECT_GE(cost.samples, 3);
    EXPECT_GT(cost.wall_seconds, 0);
  }
}

TEST(Plot, SizesBeginWithABlockAndGrow) {
  const auto sizes = plot_sizes();
  EXPECT_EQ(sizes.front(), 8u);
  EXPECT_EQ(sizes.back(), size_t{64} << 20);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  for (const size_t size : sizes) EXPECT_EQ(size % 8, 0u);
}

TEST(Plot, MeasuresTheChoiceBesideItsKernel) {
  Options options;
  options.plot = "-";
  options.algorithms = {"magma"};
  options.kernels = {"all"};
  bool large = false;
  for (const Group& g : make_plan(options, 4)) {
    EXPECT_EQ(g.work.mode, "ctr");
    EXPECT_EQ(g.threads, 1u);
    EXPECT_TRUE(g.choice_apart);
    EXPECT_EQ(std::count(g.kernels.begin(), g.kernels.end(), ""), 1);
    const auto serial = std::count(g.kernels.begin(), g.kernels.end(), "serial");
    EXPECT_EQ(serial, g.bytes <= size_t{1} << 20 ? 1 : 0) << g.bytes;
    large = large || serial == 0;
  }
  EXPECT_TRUE(large);
}

Result measured(const std::string& kernel, bool chosen, size_t bytes, double cpb) {
  Result r;
  r.work = {"magma", "ctr", "encrypt"};
  r.kernel = kernel;
  r.constant_time = kernel != "tables";
  r.chosen = chosen;
  r.bytes = bytes;
  r.cost.core_cycles = cpb * static_cast<double>(bytes);
  return r;
}

TEST(Plot, ChartsAndTheWorstChoice) {
  const std::vector<Result> results = {measured("default", true, 16, 30),  measured("wide", false, 16, 60),
                                       measured("tables", false, 16, 5),   measured("default", true, 4096, 2),
                                       measured("wide", false, 4096, 1.6), measured("tables", false, 4096, 5)};
  const auto charts = to_charts(results);
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(charts[0].title, "magma ctr");
  ASSERT_EQ(charts[0].series.size(), 3u);
  EXPECT_EQ(charts[0].series[0].style, Series::Style::thick);
  EXPECT_EQ(charts[0].series[1].style, Series::Style::plain);
  EXPECT_EQ(charts[0].series[2].style, Series::Style::dashed);
  EXPECT_EQ(charts[0].series[1].points[1], (std::pair<size_t, double>(4096, 1.6)));
  // Tables, which are not constant-time, are not a better choice at 16 bytes.
  const WorstChoice worst = worst_choice(results);
  EXPECT_DOUBLE_EQ(worst.ratio, 1.25);
  EXPECT_EQ(worst.bytes, 4096u);
  EXPECT_EQ(worst.best, "wide");
}

TEST(Chart, TextHasEverySizeAndAGapWhereNothingWasMeasured) {
  const Chart chart{"title", {{"first", Series::Style::thick, {{8, 100.5}, {16384, 2}}}, {"second", {}, {{8, 7}}}}};
  const std::string text = to_text(chart);
  EXPECT_NE(text.find("100.50"), std::string::npos);
  const std::string last = text.substr(text.find("16 KiB"));
  EXPECT_NE(last.find("2.00"), std::string::npos);
  EXPECT_NE(last.find("-"), std::string::npos);
}

// The cost falls by ten while the size grows by 64: both axes logarithmic, so the middle of the line is the middle of
// the plot.
TEST(Chart, AxesAreLogarithmic) {
  const Chart chart{"a < b", {{"line", Series::Style::plain, {{16, 10}, {128, std::sqrt(10.0)}, {1024, 1}}}}};
  const std::string svg = to_svg({chart}, "heading & more", {"caption"});
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("heading &amp; more"), std::string::npos);
  const size_t at = svg.find("points=\"");
  ASSERT_NE(at, std::string::npos);
  double x[3], y[3];
  const char* const pattern = "points=\"%lf,%lf %lf,%lf %lf,%lf";
  ASSERT_EQ(std::sscanf(svg.c_str() + at, pattern, &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]), 6);
  EXPECT_NEAR(x[1], (x[0] + x[2]) / 2, 0.2);
  EXPECT_NEAR(y[1], (y[0] + y[2]) / 2, 0.2);
  EXPECT_LT(x[0], x[2]);
  EXPECT_LT(y[0], y[2]) << "more cost is higher up";
}

// A row of magma of 1000 bytes at so many cycles a byte; its rate is 1000 MB/s over them.
static Result row(const char* mode, const char* kernel, double cpb, bool chosen = false, bool is_peer = false) {
  Result r;
  r.work = {"magma", mode, std::string(mode) == "mac" ? "mac" : "encrypt"};
  r.kernel = kernel;
  r.bytes = 1000;
  r.constant_time = std::string(kernel) != "tables";
  r.chosen = chosen;
  if (is_peer) r.peer = Result::PeerName{kernel, "1"};
  r.cost.core_cycles = cpb * 1000;
  r.cost.wall_seconds = cpb * 1e-6;
  return r;
}

TEST(Summary, ComparesTheChoiceWithTheBestOtherLibrary) {
  const std::vector<Result> results = {row("ecb", "wide", 1),
                                       row("ecb", "other", 2, false, true),
                                       row("ctr", "tables", 2),
                                       row("ctr", "wide", 3),
                                       row("ctr", "chosen", 4, true),
                                       row("ctr", "other", 40, false, true),
                                       row("ctr", "better", 20, false, true),
                                       row("mac", "wide", 20, true),
                                       row("mac", "better", 10, false, true)};
  const auto list = summarize(results);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].one.ours, &results[4]) << "the choice, in the counter mode, though ECB and tables are faster";
  EXPECT_EQ(list[0].one.peer, &results[6]);
  EXPECT_DOUBLE_EQ(list[0].one.ratio(), 5);
  EXPECT_EQ(list[0].all, nullptr);
  const Verdict v = judge(results);
  EXPECT_EQ(v.faster, 2u);
  EXPECT_EQ(v.slower, 1u);
  EXPECT_DOUBLE_EQ(v.least, 0.5);
  EXPECT_DOUBLE_EQ(v.most, 5);
  EXPECT_EQ(v.slowest, "magma mac of 1000 bytes");
}

TEST(Summary, ConstantTimeKernelsStandForAChoiceThatWasNotMeasured) {
  const std::vector<Result> results = {row("ctr", "tables", 1), row("ctr", "slow", 9), row("ctr", "fast", 5)};
  EXPECT_EQ(summarize(results)[0].one.ours, &results[2]);
  EXPECT_EQ(judge(results).least, 0) << "there was no other library";
}

// A page and a summary tell works apart by their names only.
TEST(Summary, NamesOfWorksDiffer) {
  std::set<std::string> names;
  for (const Work& work : own_works()) EXPECT_TRUE(names.insert(work_name(work)).second) << work_name(work);
  EXPECT_TRUE(names.count("kuznyechik ctr"));
  EXPECT_TRUE(names.count("streebog256"));
}

TEST(Summary, AllThreads) {
  std::vector<Result> results = {row("ctr", "wide", 4, true), row("ctr", "wide", 2, true), row("ecb", "wide", 1, true),
                                 row("ctr", "wide", 3, true)};
  results[1].threads = results[2].threads = results[3].threads = 2;
  EXPECT_EQ(summarize(results)[0].all, &results[1]) << "the same work, its best rate";
}

TEST(Summary, IsCutOffAtItsLastLine) {
  EXPECT_EQ(at_most("a\nb\nc\n", 3), "a\nb\nc\n");
  EXPECT_EQ(at_most("a\nb\nc\nd\n", 3), "a\nb\nand 2 lines more: --all\n");
}

TEST(Bars, AreInProportionAndEscaped) {
  EXPECT_EQ(escape("<a & \"b\"'\x01"), "&lt;a &amp; &quot;b&quot;&#39; ");
  const BarChart chart{
      "title", "MB/s", {{"group", {{"a<b", Bar::Kind::own, 200, ""}, {"c", Bar::Kind::peer, 50, "n&m"}}}}};
  const std::string svg = to_inline_svg(chart);
  EXPECT_NE(svg.find("group, a&lt;b: 200 MB/s"), std::string::npos);
  EXPECT_NE(svg.find("n&amp;m"), std::string::npos);
  double first = 0, second = 0;
  ASSERT_EQ(
      std::sscanf(svg.c_str() + svg.find("class=\"own\""), "class=\"own\" x=\"%*f\" y=\"%*f\" width=\"%lf", &first), 1);
  ASSERT_EQ(
      std::sscanf(svg.c_str() + svg.find("class=\"peer\""), "class=\"peer\" x=\"%*f\" y=\"%*f\" width=\"%lf", &second),
      1);
  EXPECT_NEAR(first, 4 * second, 0.3);
}

TEST(KeySetup, CoversTheChoiceAndEveryKernel) {
  const measure::Sampler sampler(measure::calibrate(), 0.001);
  const Buffers buffers(KeySetup::kBytesPerKey, 0);
  for (const char* algorithm : {"kuznyechik", "magma", "gost28147"}) {
    const auto list = measure_key_setup(algorithm, sampler, buffers);
    size_t runnable = 0;
    for (const Kernel& kernel : own_kernels(algorithm)) runnable += kernel.runnable;
    ASSERT_EQ(list.size(), runnable + 1);
    EXPECT_EQ(list[0].kernel, "default");
    for (const KeySetup& k : list) EXPECT_GT(k.cycles, 0) << k.kernel;
  }
  EXPECT_TRUE(measure_key_setup("streebog256", sampler, buffers).empty());
}

TEST(Process, OutputStatusAndWhatWentWrong) {
  const Finished fine = run_program({"sh", "-c", "cat; echo $VSH_TEST"}, "/dev/null", {"VSH_TEST=seen"});
  EXPECT_EQ(fine.status, 0);
  EXPECT_EQ(fine.output, "seen\n");
  EXPECT_GT(fine.wall_seconds, 0);
  const Finished failed = run_program({"sh", "-c", "echo note >&2; echo an error: this >&2; exit 3"});
  EXPECT_EQ(failed.status, 3);
  EXPECT_EQ(failed.error, "an error: this");
  EXPECT_EQ(run_program({"/nonexistent/program"}).status, 127);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 128 + 9);
}

TEST(Process, PartnerAnswersUntilItIsGone) {
  Partner cat("/bin/cat");
  std::array<std::byte, 4> request = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, answer{};
  cat.send(request);
  cat.receive(answer);
  EXPECT_EQ(answer, request);
  Partner gone("/bin/true");
  EXPECT_THROW(gone.receive(answer), std::runtime_error);
  EXPECT_THROW(Partner("/nonexistent/program"), std::runtime_error);
}
