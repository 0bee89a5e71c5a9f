// The parser of numbers and names: bounds, units, errors.
#include "programs/common/options/option_values.hpp"

#include <gtest/gtest.h>

#include "programs/common/text/text.hpp"

using namespace vsh::cli;

namespace {

constexpr NumberRule kSize = {.is_size = true};

std::string problem(std::string_view text, const NumberRule& rule = {}) {
  return read_number("--option", text, rule).problem;
}

uint64_t number(std::string_view text, const NumberRule& rule = {}) {
  const auto read = read_number("--option", text, rule);
  EXPECT_EQ(read.problem, "") << text;
  return read.value;
}

}  // namespace

TEST(Numbers, AreDecimal) {
  EXPECT_EQ(number("0"), 0u);
  EXPECT_EQ(number("010"), 10u);
  EXPECT_EQ(number("00000000000000000000000000000000000009"), 9u);
  EXPECT_EQ(number("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(problem("18446744073709551616"), "--option: 18446744073709551616 is too large");
  EXPECT_EQ(problem("-1"), "--option: -1 has a sign");
  EXPECT_EQ(problem("+1"), "--option: +1 has a sign");
  EXPECT_EQ(problem(""), "--option: '' is empty");
  EXPECT_EQ(problem("1 "), "--option: '1 ' has a blank");
  EXPECT_EQ(problem("1K"), "--option: 1K is not a whole number");
  EXPECT_EQ(problem(std::string_view("1\0", 2)), "--option: '1'$'\\000' is not a whole number");
  EXPECT_NE(problem(std::string(1 << 20, 'x')).size(), 0u);
  EXPECT_LT(problem(std::string(1 << 20, 'x')).size(), 200u);
}

TEST(Numbers, HaveBounds) {
  const NumberRule rule = {.min = 8, .max = 64, .multiple_of = 8, .note = "8: one"};
  EXPECT_EQ(number("8", rule), 8u);
  EXPECT_EQ(number("64", rule), 64u);
  EXPECT_EQ(problem("0", rule), "--option: 0 is too small");
  EXPECT_EQ(problem("72", rule), "--option: 72 is too large");
  EXPECT_EQ(problem("12", rule), "--option: 12 is not a multiple of 8");
  EXPECT_EQ(read_number("--option", "12", rule).advice, "give a multiple of 8 from 8 to 64 (8: one)");
  const NumberRule power = {.min = 4, .max = 64, .power_of_two = true};
  EXPECT_EQ(number("32", power), 32u);
  EXPECT_EQ(problem("33", power), "--option: 33 is not a power of two");
  EXPECT_EQ(read_number("--option", "33", power).advice, "give a power of two from 4 to 64");
}

TEST(Numbers, OfBytesHaveUnits) {
  for (const char* unit : {"K", "KiB"}) EXPECT_EQ(number(std::string("3") + unit, kSize), 3u << 10);
  for (const char* unit : {"M", "MiB"}) EXPECT_EQ(number(std::string("3") + unit, kSize), 3u << 20);
  for (const char* unit : {"G", "GiB"}) EXPECT_EQ(number(std::string("3") + unit, kSize), uint64_t{3} << 30);
  for (const char* unit : {"T", "TiB"}) EXPECT_EQ(number(std::string("3") + unit, kSize), uint64_t{3} << 40);
  EXPECT_EQ(number("16777215T", kSize), uint64_t{16777215} << 40);
  EXPECT_EQ(problem("16777216T", kSize), "--option: 16777216T is too large");
  for (const char* bad : {"3k", "3kB", "3KB", "3MB", "3Kib", "3B", "3iB", "3KK", "3P", "3TiBB"})
    EXPECT_NE(problem(bad, kSize), "") << bad;
  EXPECT_EQ(problem("3KB", kSize), "--option: 3KB has an unknown unit");
  EXPECT_EQ(problem("K", kSize), "--option: K is not a whole number");
}

TEST(Decimals, HaveOnePointAndAnExponent) {
  const auto read = [](std::string_view text) { return read_decimal("--option", text, 0.001, 60); };
  EXPECT_EQ(read("6.5e-3").value, 0.0065);
  EXPECT_EQ(read("65E-4").value, 0.0065);
  EXPECT_EQ(read(".5").value, 0.5);
  EXPECT_EQ(read("5.").value, 5);
  EXPECT_EQ(read("2e+1").value, 20);
  EXPECT_EQ(read("0.25").value, 0.25);
  EXPECT_EQ(read("010").value, 10);
  EXPECT_EQ(read("60").value, 60);
  for (const char* bad : {"",      ".",  "e1",  "1e",  "1e+", "1e1.5",    "1e-4", "1e2", "1e9999", "1e-9999", "+1",
                          "1.2.3", "-1", "0x1", "nan", "inf", "infinity", "61",   "0",   " 1",     "1 "})
    EXPECT_NE(read(bad).problem, "") << bad;
  EXPECT_NE(read(std::string(400, '9')).problem, "");
}

TEST(Names, AreFoundWithoutRegardToCapitals) {
  const NameRule rule = {"cipher", [] {
                           return std::vector<std::string>{"kuznyechik-ctr", "kuznyechik-ctr-acpkm", "magma-ctr"};
                         }};
  const auto read = [&](std::string_view text) { return read_name("--cipher", text, rule); };
  EXPECT_EQ(read("KUZNYECHIK-CTR").value, "kuznyechik-ctr");
  EXPECT_EQ(read("kuznechik-ctr").problem, "--cipher: unknown cipher kuznechik-ctr");
  EXPECT_EQ(read("kuznechik-ctr").advice, "did you mean kuznyechik-ctr?");
  EXPECT_EQ(read("kuznyechik").problem, "--cipher: kuznyechik needs a mode");
  EXPECT_EQ(read("kuznyechik").advice, "choose one of kuznyechik-ctr, kuznyechik-ctr-acpkm");
  EXPECT_EQ(read("xyz").advice, "choose one of kuznyechik-ctr, kuznyechik-ctr-acpkm, magma-ctr");
  EXPECT_NE(read("gost89-cnt").advice.find("--sbox cryptopro-a --key-meshing cryptopro"), std::string::npos);
}

TEST(Nearest, IsTheOneWithFewestChanges) {
  EXPECT_EQ(nearest("--keyfile", {"--key-file", "--key-hex", "--key-format"}), "--key-file");
  EXPECT_EQ(nearest("enrcypt", {"encrypt", "decrypt"}), "encrypt");
  EXPECT_EQ(nearest("xcrypt", {"acrypt", "bcrypt"}), "");
  EXPECT_EQ(nearest("nonsense", {"encrypt", "decrypt"}), "");
  EXPECT_EQ(nearest(std::string(1 << 20, 'a'), {"encrypt"}), "");
}
