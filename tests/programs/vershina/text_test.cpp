// Text for people: names in which nothing hides, lines broken at blanks. The JSON writer.
#include "programs/common/text/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "programs/common/text/json.hpp"

using namespace vsh::cli;

TEST(Fold, BreaksAtBlanks) {
  EXPECT_EQ(fold("", 10), "");
  EXPECT_EQ(fold("one two three", 13), "one two three");
  EXPECT_EQ(fold("one two three", 12), "one two\nthree");
  EXPECT_EQ(fold("one two three", 7), "one two\nthree");
  EXPECT_EQ(fold("one two three", 6), "one\ntwo\nthree");
}

TEST(Fold, KeepsLongWordsWhole) {
  EXPECT_EQ(fold("abcdefgh", 5), "abcdefgh");
  EXPECT_EQ(fold("abcdefgh ij kl mn", 5), "abcdefgh\nij kl\nmn");
  EXPECT_EQ(fold("ab cdefghijk lm no p", 5), "ab\ncdefghijk\nlm no\np");
}

// A Russian letter has two bytes and one column.
TEST(Fold, CountsCharacters) {
  EXPECT_EQ(fold("ключ есть", 9), "ключ есть");
  EXPECT_EQ(fold("ключ есть", 8), "ключ\nесть");
  EXPECT_EQ(fold("файл ключа открыт", 10), "файл ключа\nоткрыт");
}

TEST(Text, HasSmallLettersOfLatinAndRussian) {
  EXPECT_EQ(lower_case("Kuznyechik-CTR @[`{"), "kuznyechik-ctr @[`{");
  EXPECT_EQ(lower_case("АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"), "абвгдеёжзийклмнопрстуфхцчшщъыьэюя");
  EXPECT_EQ(lower_case("абп рюя ё"), "абп рюя ё");
  EXPECT_EQ(lower_case("ЏІ\xd0"), "ЏІ\xd0");  // of other languages, and half a letter
}

TEST(Text, QuotesWhatDoesNotShowItself) {
  EXPECT_EQ(quote_name("report.pdf"), "report.pdf");
  EXPECT_EQ(quote_name("сейф"), "сейф");
  EXPECT_EQ(quote_name("a b"), "'a b'");
  EXPECT_EQ(quote_name("\x1b[2J"), R"(''$'\033''[2J')");
  EXPECT_EQ(quote_name("\xc2\x9b"
                       "2J"),
            R"(''$'\302\233''2J')");
  EXPECT_EQ(quote_name("exe.\xe2\x80\xae"
                       "fdp"),
            R"('exe.'$'\342\200\256''fdp')");                                 // U+202E, right to left
  EXPECT_EQ(quote_name("a\xef\xbb\xbf"), R"('a'$'\357\273\277')");            // U+FEFF, nothing
  EXPECT_EQ(quote_name("\xf3\xa0\x81\x81"), R"(''$'\363\240\201\201')");      // U+E0041, nothing
  EXPECT_EQ(quote_name("\xe2\x80\xa8\n\tx"), R"(''$'\342\200\250\n\t''x')");  // U+2028 ends a line
  EXPECT_EQ(quote_name("\xd9\x85\xe2\x80\x8c"), "\xd9\x85\xe2\x80\x8c");      // U+200C, part of words
  EXPECT_EQ(quote_name("\xf0\x9f\x94\x91"), "\xf0\x9f\x94\x91");
  EXPECT_EQ(quote_name("a\u3164"), R"('a'$'\343\205\244')");          // a filler
  EXPECT_EQ(quote_name("a\u2800"), R"('a'$'\342\240\200')");          // braille of no dots
  EXPECT_EQ(quote_name("a\U000e0100"), R"('a'$'\363\240\204\200')");  // a variation selector
}

TEST(Text, VisibleIsWhatIsNotEscaped) {
  for (const char* const text : {"", "Alice", "сейф, 2-й этаж", "it's #1", "\xf0\x9f\x94\x91"})
    EXPECT_TRUE(is_visible_text(text)) << text;
  for (const char* const text : {"\n", "\x1b", "\x7f", "\xc2\x9b", "\xff", "\xd1", "\xe2\x80\xae", "\xc2\xad"})
    EXPECT_FALSE(is_visible_text(text)) << text;
}

TEST(Json, HasValuesOfEveryType) {
  EXPECT_EQ(Json().text(), "null");
  EXPECT_EQ(Json(true).text(), "true");
  EXPECT_EQ(Json(uint64_t{18446744073709551615u}).text(), "18446744073709551615");
  EXPECT_EQ(Json(-1).text(), "-1");
  EXPECT_EQ(Json("a\"b\\c\n\x1f\xd0\x96").text(), "\"a\\\"b\\\\c\\u000a\\u001f\xd0\x96\"");
  // Invisible characters, and those that turn text around, are escaped: the value is the same.
  EXPECT_EQ(Json("\x7f\xe2\x80\xae\xc2\xad\xf3\xa0\x81\x81x").text(), R"("\u007f\u202e\u00ad\udb40\udc41x")");
  EXPECT_EQ(Json("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0").text(), "\"\\u0080\\u009b\\u009f\xc2\xa0\"");
}

// The digits of std::to_chars, laid out as nlohmann-json does.
TEST(Json, HasNumbersInTheFewestDigitsThatReadBack) {
  const std::pair<double, const char*> numbers[] = {{0, "0.0"},
                                                    {-0.0, "-0.0"},
                                                    {1, "1.0"},
                                                    {0.1, "0.1"},
                                                    {-2.5, "-2.5"},
                                                    {1.0 / 3, "0.3333333333333333"},
                                                    {0.0001, "0.0001"},
                                                    {9.9e-5, "9.9e-05"},
                                                    {5e-324, "5e-324"},
                                                    {1e15, "1e+15"},
                                                    {123456789012345, "123456789012345.0"},
                                                    {1.5e300, "1.5e+300"}};
  for (const auto& [number, text] : numbers) EXPECT_EQ(Json(number).text(), text);
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).text(), "null");
  EXPECT_EQ(Json(std::numeric_limits<float>::quiet_NaN()).text(), "null");
  EXPECT_EQ(Json(std::optional<double>()).text(), "null");
  EXPECT_EQ(Json(std::optional<double>(0.5)).text(), "0.5");
}

TEST(Json, IsOnOneLineOrSeveral) {
  EXPECT_EQ(JsonArray().text(), "[]");
  EXPECT_EQ(JsonObject(JsonLayout::lines).text(), "{}");
  const JsonObject row = JsonObject().add("a", 1).add("b", JsonArray().add("x").add(false));
  EXPECT_EQ(row.text(), R"({"a": 1, "b": ["x", false]})");
  EXPECT_EQ(JsonObject({{"a", 1}, {"b", JsonArray(std::array{2, 3})}}).text(), R"({"a": 1, "b": [2, 3]})");
  const JsonArray rows = JsonArray(JsonLayout::lines).add(row).add(row);
  EXPECT_EQ(JsonObject(JsonLayout::lines).add("rows", rows).add("end", Json()).text(), R"({
  "rows": [
    {"a": 1, "b": ["x", false]},
    {"a": 1, "b": ["x", false]}
  ],
  "end": null
})");
}

TEST(Json, IsUtf8WhateverTheBytes) {
  EXPECT_EQ(Json("a\xff\xd0\x96\xd0").text(), "\"a\xef\xbf\xbd\xd0\x96\xef\xbf\xbd\"");
  EXPECT_EQ(Json("\xed\xa0\x80\xc2\x85").text(), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\u0085\"");
  JsonObject file, odd;
  EXPECT_EQ(add_file(file, "\xd0\x96").text(), "{\"file\": \"\xd0\x96\"}");
  EXPECT_EQ(add_file(odd, "\xff/").text(), "{\"file\": \"\xef\xbf\xbd/\", \"file_hex\": \"ff2f\"}");
}
