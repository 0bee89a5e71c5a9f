// The kernel that runs: the requested one, or an error; by default the first of kernels.def that this CPU can run, and
// a table kernel only if the caller allows it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "core/block_engine.hpp"
#include "core/registry.hpp"
#include "support/skipped_rows.hpp"
#include "vershina/vershina.h"

namespace {

std::vector<vsh_kernel_info> all_rows() {
  std::vector<vsh_kernel_info> rows;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) rows.push_back(info);
  return rows;
}

// Rows of Streebog for many messages.
bool hashes_many(const vsh_kernel_info& row) { return std::strcmp(row.family, "streebog") == 0 && row.lanes > 1; }

// Sets VERSHINA_KERNEL for a scope.
class Environment {
 public:
  explicit Environment(const std::string& value) { setenv("VERSHINA_KERNEL", value.c_str(), 1); }
  ~Environment() { unsetenv("VERSHINA_KERNEL"); }
};

// Creates a context of one algorithm under options, and returns its kernels.
struct Maker {
  const char* algorithm;  // as VERSHINA_KERNEL has it
  const char* family;
  vsh_status (*make)(const vsh_options& options, std::string* many, std::string* one);
};

constexpr uint8_t kKey[VSH_KEY_LEN] = {1, 2, 3};
constexpr uint8_t kIv[VSH_MAX_BLOCK_LEN] = {};
char untouched;

template <vsh_cipher_algorithm algorithm>
vsh_status make_cipher(const vsh_options& options, std::string* many, std::string* one) {
  auto* context = reinterpret_cast<vsh_cipher*>(&untouched);
  const vsh_status status =
      vsh_cipher_new(&context, algorithm, VSH_ECB, VSH_ENCRYPT, kKey, sizeof kKey, kIv, 0, &options);
  if (status != VSH_OK) {
    EXPECT_EQ(reinterpret_cast<char*>(context), &untouched) << "a failed call changed its output";
    return status;
  }
  *many = vsh_cipher_kernel(context);
  *one = vsh_cipher_kernel_one_block(context);
  vsh_cipher_free(context);
  return status;
}
template <vsh_mac_algorithm algorithm>
vsh_status make_mac(const vsh_options& options, std::string* many, std::string* one) {
  auto* context = reinterpret_cast<vsh_mac*>(&untouched);
  const vsh_status status = vsh_mac_new(&context, algorithm, kKey, sizeof kKey, &options);
  if (status != VSH_OK) {
    EXPECT_EQ(reinterpret_cast<char*>(context), &untouched) << "a failed call changed its output";
    return status;
  }
  *many = *one = vsh_mac_kernel(context);
  vsh_mac_free(context);
  return status;
}
vsh_status make_hash(const vsh_options& options, std::string* many, std::string* one) {
  auto* context = reinterpret_cast<vsh_hash*>(&untouched);
  const vsh_status status = vsh_hash_new(&context, VSH_STREEBOG256, &options);
  if (status != VSH_OK) {
    EXPECT_EQ(reinterpret_cast<char*>(context), &untouched) << "a failed call changed its output";
    return status;
  }
  *many = *one = vsh_hash_kernel(context);
  vsh_hash_free(context);
  return status;
}

constexpr Maker kMakers[] = {
    {"kuznyechik", "kuznyechik", make_cipher<VSH_KUZNYECHIK>},
    {"magma", "magma", make_cipher<VSH_MAGMA>},
    {"gost28147", "magma", make_cipher<VSH_GOST28147>},
    {"kuznyechik", "kuznyechik", make_mac<VSH_KUZNYECHIK_MAC>},
    {"magma", "magma", make_mac<VSH_MAGMA_MAC>},
    {"streebog", "streebog", make_hash},
};

vsh_options allowing(uint32_t flags, const char* kernel = nullptr) {
  vsh_options options = VSH_OPTIONS_INIT;
  options.flags = flags;
  options.kernel = kernel;
  return options;
}
constexpr uint32_t kTablesAllowed = VSH_ALLOW_TABLES | VSH_INPUT_IS_PUBLIC;

vsh_status expected_status(const vsh_kernel_info& row, bool tables_allowed) {
  if (!row.runnable) return VSH_E_KERNEL_CPU;
  return row.constant_time || tables_allowed ? VSH_OK : VSH_E_KERNEL_TABLES;
}

// Names a row once by the option and once by the environment.
template <class Check>
void both_ways(const Maker& maker, const std::string& variant, uint32_t flags, Check check) {
  std::string many, one;
  {
    SCOPED_TRACE("vsh_options.kernel = " + variant);
    const vsh_status status = maker.make(allowing(flags, variant.c_str()), &many, &one);
    check(status, many, one);
  }
  many.clear();
  one.clear();
  const std::string value = std::string(maker.algorithm) + ":" + variant;
  SCOPED_TRACE("VERSHINA_KERNEL=" + value);
  Environment environment(value);
  const vsh_status status = maker.make(allowing(flags), &many, &one);
  check(status, many, one);
}

TEST(Dispatch, AForcedKernelIsChosenOrRefusedWithItsReason) {
  size_t forced = 0;
  for (const Maker& maker : kMakers) {
    for (const auto& row : all_rows()) {
      if (std::strcmp(row.family, maker.family) != 0 || hashes_many(row)) continue;
      for (const uint32_t flags : {uint32_t{0}, kTablesAllowed}) {
        const vsh_status expected = expected_status(row, flags != 0);
        both_ways(maker, row.variant, flags, [&](vsh_status status, const std::string& many, const std::string& one) {
          EXPECT_EQ(status, expected) << vsh_status_message(status);
          if (status != VSH_OK) return;
          EXPECT_EQ(many, row.variant);
          EXPECT_EQ(one, row.variant);
          ++forced;
        });
      }
    }
  }
  EXPECT_GT(forced, 20u);
}

TEST(Dispatch, UnknownNamesAreRefused) {
  for (const Maker& maker : kMakers)
    for (const char* variant : {"no-such", "avx", "AVX2", "avx2 ", "portable,", "kuznyechik:portable", "*"})
      both_ways(maker, variant, kTablesAllowed, [](vsh_status status, const std::string&, const std::string&) {
        EXPECT_EQ(status, VSH_E_KERNEL_UNKNOWN);
      });
}

// An invalid value would silently leave the default in force.
TEST(Dispatch, AMalformedEnvironmentIsRefusedByEveryAlgorithm) {
  for (const char* value :
       {"portable", "kuznyechik", "kuznyechik:", ":portable", "kuznechik:portable", "kuznyechik=portable",
        "kuznyechik:portable,magma", "kuznyechik:portable,,magma:portable", ","}) {
    Environment environment(value);
    for (const Maker& maker : kMakers) {
      std::string many, one;
      EXPECT_EQ(maker.make(allowing(0), &many, &one), VSH_E_KERNEL_UNKNOWN) << value << " for " << maker.algorithm;
    }
  }
}

TEST(Dispatch, TheEnvironmentSpeaksOfOneAlgorithmAndTheOptionGoesFirst) {
  std::string before, after, one;
  ASSERT_EQ(make_cipher<VSH_MAGMA>(allowing(0), &before, &one), VSH_OK);
  Environment environment("kuznyechik:portable,gost28147:serial,streebog:portable");
  ASSERT_EQ(make_cipher<VSH_MAGMA>(allowing(0), &after, &one), VSH_OK);
  EXPECT_EQ(before, after);
  ASSERT_EQ(make_cipher<VSH_KUZNYECHIK>(allowing(0), &after, &one), VSH_OK);
  EXPECT_EQ(after, "portable");
  ASSERT_EQ(make_cipher<VSH_GOST28147>(allowing(0), &after, &one), VSH_OK);
  EXPECT_EQ(after, "serial");
  ASSERT_EQ(make_cipher<VSH_KUZNYECHIK>(allowing(0, "serial"), &after, &one), VSH_OK);
  EXPECT_EQ(after, "serial");
}

TEST(Dispatch, AnEmptyEnvironmentIsNone) {
  std::string before, after, one;
  ASSERT_EQ(make_cipher<VSH_MAGMA>(allowing(0), &before, &one), VSH_OK);
  Environment environment("");
  ASSERT_EQ(make_cipher<VSH_MAGMA>(allowing(0), &after, &one), VSH_OK);
  EXPECT_EQ(before, after);
}

TEST(Dispatch, DefaultsAreConstantTimeAndRunnable) {
  for (const Maker& maker : kMakers) {
    std::string many, one;
    ASSERT_EQ(maker.make(allowing(0), &many, &one), VSH_OK);
    size_t found = 0;
    for (const auto& row : all_rows()) {
      if (std::strcmp(row.family, maker.family) != 0 || (many != row.variant && one != row.variant)) continue;
      EXPECT_TRUE(row.constant_time) << row.variant;
      EXPECT_TRUE(row.runnable) << row.variant;
      ++found;
    }
    EXPECT_EQ(found, many == one ? 1u : 2u);
  }
}

TEST(Dispatch, EachFamilyHasOneDefaultForManyBlocksAndOneForOne) {
  for (const char* family : {"kuznyechik", "magma", "streebog", "gf2n"}) {
    int many = 0, one = 0;
    for (const auto& row : all_rows()) {
      if (std::strcmp(row.family, family) != 0 || hashes_many(row)) continue;
      many += row.chosen;
      one += row.chosen_one_block;
      EXPECT_EQ(row.chosen_min_blocks == 1, row.chosen_one_block != 0) << family << ' ' << row.variant;
      EXPECT_TRUE(row.chosen_min_blocks != 0 || !row.chosen) << family << ' ' << row.variant;
      if (row.chosen || row.chosen_one_block) {
        EXPECT_TRUE(row.runnable && row.constant_time) << family << ' ' << row.variant;
      }
    }
    EXPECT_EQ(many, 1) << family;
    EXPECT_EQ(one, 1) << family;
  }
}

// Forced, such a row refuses one message and many if this CPU lacks it, and otherwise leaves a single one to the
// default.
TEST(Dispatch, RowsForManyMessagesAreForcedOrRefused) {
  std::string by_default, many, one;
  ASSERT_EQ(make_hash(allowing(0), &by_default, &one), VSH_OK);
  size_t rows = 0, chosen = 0;
  for (const auto& row : all_rows()) {
    if (!hashes_many(row)) continue;
    ++rows;
    chosen += row.chosen != 0;
    EXPECT_TRUE(!row.chosen || (row.runnable && row.constant_time)) << row.variant;
    EXPECT_TRUE(row.chosen ? row.chosen_min_blocks > 0 && row.chosen_min_blocks <= row.lanes
                           : row.chosen_min_blocks == 0);
    EXPECT_FALSE(row.chosen_one_block) << row.variant;
    uint8_t digest[32];
    vsh_hash_job job{kKey, sizeof kKey, digest, sizeof digest, VSH_OK};
    const auto check = [&](const vsh_options& options) {
      const vsh_status expected = row.runnable ? VSH_OK : VSH_E_KERNEL_CPU;
      EXPECT_EQ(vsh_streams_hash(VSH_STREEBOG256, &job, 1, &options), expected) << row.variant;
      EXPECT_EQ(make_hash(options, &many, &one), expected) << row.variant;
      EXPECT_EQ(many, by_default);
    };
    many = by_default;
    check(allowing(0, row.variant));
    Environment environment(std::string("streebog:") + row.variant);
    check(allowing(0));
  }
  EXPECT_GT(rows, 0u);
  EXPECT_LE(chosen, 1u);
}

// Products are forced only by the environment; the cipher's kernel is unaffected.
TEST(Dispatch, AForcedProductKernelIsChosenOrRefusedWithItsReason) {
  const uint8_t key[32] = {};
  const auto status = [&] {
    vsh_aead* c = nullptr;
    const vsh_status s = vsh_aead_new(&c, VSH_MAGMA_MGM, key, sizeof key, 0, nullptr);
    vsh_aead_free(c);
    return s;
  };
  size_t rows = 0;
  for (const auto& row : all_rows()) {
    if (std::strcmp(row.family, "gf2n") != 0) continue;
    Environment environment(std::string("gf2n:") + row.variant);
    const vsh::ProductChoice choice = vsh::choose_product_kernel();
    EXPECT_EQ(status(), expected_status(row, false)) << row.variant;
    ASSERT_EQ(choice.row != nullptr, row.runnable != 0) << row.variant;
    if (choice.row) {
      EXPECT_STREQ(choice.row->info.variant, row.variant);
    }
    ++rows;
  }
  EXPECT_GT(rows, 0u);
  Environment environment("gf2n:no-such-row");
  EXPECT_EQ(status(), VSH_E_KERNEL_UNKNOWN);
}

// kernels.def is the only list: exactly its rows for this architecture exist, in its order.
TEST(Dispatch, RowsAreThoseOfKernelsDef) {
  std::ifstream file(VSH_SOURCE_DIR "/src/kernels.def");
  ASSERT_TRUE(file);
  const std::regex pattern(R"(VSH_(?:BLOCK|HASH|HASH_LANES|PRODUCT)_KERNEL\((\w+), (\w+), (\w+)\))");
  const auto rows = all_rows();
  size_t next = 0;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("VSH_") || !std::regex_match(line, match, pattern)) continue;
    if (next < rows.size() && match[1] == rows[next].family && match[2] == rows[next].variant) {
      EXPECT_EQ(match[3], rows[next].isa);
      ++next;
    } else {
      EXPECT_NE(match[3], "any") << line << ": missing, though every architecture has it";
    }
  }
  EXPECT_EQ(next, rows.size());
}

// ---- The row that was chosen is the row that runs -------------------------------------------------------------------

struct Calls {
  size_t prepare = 0, encrypt = 0, decrypt = 0, ctr = 0, blocks = 0;
} many_calls, one_calls;

struct NoRoundKeys {
  static constexpr const char* kFamily = "counting";
};

template <Calls& calls>
vsh::BlockKernel counting_row(uint32_t lanes) {
  vsh::BlockKernel row{};
  row.info = {"counting", "counting", vsh::cpu::Isa::any, lanes, lanes, true};
  row.block_size = 16;
  row.schedule_size = 64;
  row.prepare = [](void*, const void*) { ++calls.prepare; };
  row.encrypt = [](const void*, uint8_t*, const uint8_t*, size_t n) { ++calls.encrypt, calls.blocks += n; };
  row.decrypt = [](const void*, uint8_t*, const uint8_t*, size_t n) { ++calls.decrypt, calls.blocks += n; };
  row.ctr = [](const void*, uint8_t*, const uint8_t*, size_t n, const uint8_t*) { ++calls.ctr, calls.blocks += n; };
  return row;
}

TEST(Dispatch, TheEngineCallsTheRowsThatItWasGiven) {
  const auto many = counting_row<many_calls>(8), one = counting_row<one_calls>(1);
  const vsh::Candidate rows[] = {{&many, 8}, {&one, 1}};
  const vsh::BlockChoice choice{vsh::Choice::ok, vsh::Ladder(rows[0], rows)};
  const vsh::BlockEngine engine(choice, NoRoundKeys(), 1);
  EXPECT_EQ(many_calls.prepare, 1u);
  EXPECT_EQ(one_calls.prepare, 1u);
  uint8_t data[16 * 20] = {};
  const uint8_t counter[16] = {};
  engine.encrypt(data, data, 20);
  engine.decrypt(data, data, 20);
  engine.ctr(data, data, 20, counter);
  // Two passes of eight blocks and four blocks one by one, three times.
  EXPECT_EQ(many_calls.encrypt + many_calls.decrypt + many_calls.ctr, 3u);
  EXPECT_EQ(many_calls.blocks, 48u);
  EXPECT_EQ(one_calls.blocks, 12u);
}

// Rows of one layout share one schedule.
TEST(Dispatch, RowsOfOneLayoutShareTheirSchedule) {
  static std::vector<const void*> used;
  static int prepared;
  const auto row = [](uint32_t lanes, const char* layout) {
    vsh::BlockKernel made = counting_row<many_calls>(lanes);
    made.layout = layout;
    made.prepare = [](void*, const void*) { ++prepared; };
    made.encrypt = [](const void* schedule, uint8_t*, const uint8_t*, size_t) { used.push_back(schedule); };
    return made;
  };
  const vsh::BlockKernel wide = row(16, "a"), middle = row(8, nullptr), narrow = row(4, "a"), one = row(1, nullptr);
  const vsh::Candidate rows[] = {{&wide, 40}, {&middle, 30}, {&narrow, 20}, {&one, 10}};
  const vsh::BlockChoice choice{vsh::Choice::ok, vsh::Ladder(rows[0], rows)};
  ASSERT_EQ(choice.ladder.size(), 4u);
  const vsh::BlockEngine engine(choice, NoRoundKeys(), 1);
  EXPECT_EQ(prepared, 3);
  uint8_t data[16 * 16] = {};
  for (const size_t num_blocks : {16, 6, 2, 1}) engine.encrypt(data, data, num_blocks);
  ASSERT_EQ(used.size(), 4u);
  EXPECT_EQ(used[0], used[2]);
  EXPECT_NE(used[0], used[1]);
  EXPECT_NE(used[0], used[3]);
  EXPECT_NE(used[1], used[3]);
}

TEST(Dispatch, TheRegistryHandsOutTheForcedRow) {
  for (const auto algorithm : {vsh::Algorithm::kuznyechik, vsh::Algorithm::magma, vsh::Algorithm::gost28147}) {
    for (const auto* row : vsh::block_kernels(algorithm)) {
      if (!vsh::test::runs_here(row->info)) continue;
      const auto choice = vsh::choose_block_kernel(algorithm, row->info.variant, true);
      ASSERT_EQ(choice.ladder.size(), 1u);
      EXPECT_EQ(&choice.ladder.many(), row);
    }
  }
}

}  // namespace
