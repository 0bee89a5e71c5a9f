#include "programs/common/text/translate.hpp"

#include <gtest/gtest.h>
#include <vershina/vershina.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "programs/common/text/columns.hpp"
#include "programs/common/text/text.hpp"
#include "programs/vershina/text/library_messages.hpp"

namespace vsh::cli {
namespace {

TEST(Translate, FillsPlacesInAnyOrder) {
  EXPECT_EQ(tr("{2}, {1}, {2}", "a", 7), "7, a, 7");
  EXPECT_EQ(tr("{1}: {2}", "{2}", "b"), "{2}: b");
}

TEST(Translate, LeavesOtherBraces) {
  EXPECT_EQ(tr("find . {} + {1} {", "x"), "find . {} + x {");
  EXPECT_EQ(tr("{0} {3} {a} {12}", "x", "y"), "{0} {3} {a} {12}");
  EXPECT_EQ(tr("{1}"), "{1}");  // without arguments nothing is replaced
}

TEST(Translate, CountsInEnglish) {
  EXPECT_EQ(tr_count(1, "{1} file of {2}", "{1} files of {2}", "x"), "1 file of x");
  EXPECT_EQ(tr_count(0, "{1} byte", "{1} bytes"), "0 bytes");
  EXPECT_EQ(bytes_of(UINT64_MAX), "18446744073709551615 bytes");
}

TEST(Translate, EveryStatusOfTheLibraryIsInTheCatalogue) {
  const auto is_listed = [](std::string_view message) {
    return std::find(std::begin(kLibraryMessages), std::end(kLibraryMessages), message) != std::end(kLibraryMessages);
  };
  const std::string_view unknown = vsh_status_message(static_cast<vsh_status>(-1));
  int num = 0;
  for (int status = 0; status < 100; ++status) {
    const std::string_view message = vsh_status_message(static_cast<vsh_status>(status));
    EXPECT_TRUE(is_listed(message)) << message;
    num += message != unknown;
  }
  EXPECT_GE(num, 30);
}

TEST(Translate, ColumnsAreCharacters) {
  EXPECT_EQ(columns_of("ключ k"), 6u);
  EXPECT_EQ(first_columns("ключ", 2), "кл");
  EXPECT_EQ(first_columns("ключ", 9), "ключ");
  EXPECT_EQ(first_columns("ключ", 0), "");
  EXPECT_EQ(fold("один два три", 8), "один два\nтри");
  EXPECT_EQ(align_columns({{"да", "a"}, {"no", "b"}}, {}), "да  a\nno  b\n");
}

}  // namespace
}  // namespace vsh::cli
