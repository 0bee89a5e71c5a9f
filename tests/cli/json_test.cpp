// The JSON writer: escapes, types, and layout.
#include "cli/text/json.hpp"

#include <gtest/gtest.h>

using namespace vsh::cli;

TEST(Json, HasValuesOfEveryType) {
  EXPECT_EQ(Json().text(), "null");
  EXPECT_EQ(Json(true).text(), "true");
  EXPECT_EQ(Json(uint64_t{18446744073709551615u}).text(), "18446744073709551615");
  EXPECT_EQ(Json(-1).text(), "-1");
  EXPECT_EQ(Json("a\"b\\c\n\x1f\xd0\x96").text(), "\"a\\\"b\\\\c\\u000a\\u001f\xd0\x96\"");
  // What shows nothing or turns text around is escaped: the value is the same.
  EXPECT_EQ(Json("\x7f\xe2\x80\xae\xc2\xad\xf3\xa0\x81\x81x").text(), R"("\u007f\u202e\u00ad\udb40\udc41x")");
}

TEST(Json, IsOnOneLineOrSeveral) {
  EXPECT_EQ(JsonArray().text(), "[]");
  EXPECT_EQ(JsonObject(JsonLayout::lines).text(), "{}");
  const JsonObject row = JsonObject().add("a", 1).add("b", JsonArray().add("x").add(false));
  EXPECT_EQ(row.text(), R"({"a": 1, "b": ["x", false]})");
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
  EXPECT_EQ(Json("\xed\xa0\x80\xc2\x85").text(), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc2\x85\"");
  JsonObject file, odd;
  EXPECT_EQ(add_file(file, "\xd0\x96").text(), "{\"file\": \"\xd0\x96\"}");
  EXPECT_EQ(add_file(odd, "\xff/").text(), "{\"file\": \"\xef\xbf\xbd/\", \"file_hex\": \"ff2f\"}");
}
