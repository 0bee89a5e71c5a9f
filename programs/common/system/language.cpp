#include "programs/common/system/language.hpp"

#include <string_view>

#include "programs/common/text/translate.hpp"

#if VSH_WITH_GETTEXT
#include <langinfo.h>

#include <clocale>

#include "programs/common/system/installation.hpp"
#endif

namespace vsh::cli {

#if VSH_WITH_GETTEXT
namespace {

// Returns the directory of catalogues: next to the program, so that an installation may be staged and moved; in the
// build tree; else where it was configured to be.
std::string catalogues() {
  const std::string below = "ru/LC_MESSAGES";
  for (const std::string directory : {VSH_CATALOGUES_FROM_PROGRAM, "share/locale"}) {
    static Installed found;  // gettext opens catalogues when the first message is translated
    found = find_from_program(directory + "/" + below, "vershina.mo");
    if (found) return path_of(found.folder) + "/../..";
  }
  return VSH_INSTALLED_CATALOGUES;
}

}  // namespace
#endif

void choose_language([[maybe_unused]] int argc, [[maybe_unused]] const char* const* argv) {
#if VSH_WITH_GETTEXT
  const auto is_word = [&](int at, std::string_view word) { return at < argc && argv[at] == word; };
  if (is_word(1, "completion") && is_word(2, "--candidates")) return;
  // Tables and lines are laid out by the characters of UTF-8.
  if (std::setlocale(LC_CTYPE, "") == nullptr || std::string_view(::nl_langinfo(CODESET)) != "UTF-8") {
    (void)std::setlocale(LC_CTYPE, "C");
    return;
  }
  if (std::setlocale(LC_MESSAGES, "") != nullptr) translate_from(catalogues());
#endif
}

}  // namespace vsh::cli
