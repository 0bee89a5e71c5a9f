// Lines broken at blanks.
#include "cli/text/text.hpp"

#include <gtest/gtest.h>

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
