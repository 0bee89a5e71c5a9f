#include "cli/text/translate.hpp"

#include <filesystem>
#include <system_error>

#if VSH_WITH_GETTEXT
#include <langinfo.h>
#include <libintl.h>

#include <clocale>
#endif

namespace vsh::cli {
namespace {

bool translates = false;

#if VSH_WITH_GETTEXT
constexpr const char* kDomain = "vershina";

// Returns the directory of catalogues: beside the program, so that an installation may be staged and moved; in the
// build tree; else where it was configured to be.
std::string catalogues() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* const below : {VSH_CATALOGUES_FROM_PROGRAM, "share/locale"}) {
    const fs::path directory = (program / below).lexically_normal();
    if (!program.empty() && fs::exists(directory / "ru/LC_MESSAGES/vershina.mo", error)) return directory.string();
  }
  return VSH_INSTALLED_CATALOGUES;
}
#endif

}  // namespace

void choose_language([[maybe_unused]] int argc, [[maybe_unused]] const char* const* argv) {
#if VSH_WITH_GETTEXT
  const auto is_word = [&](int at, std::string_view word) { return at < argc && argv[at] == word; };
  if (is_word(1, "completion") && is_word(2, "--candidates")) return;
  // Tables and lines are laid out by the characters of UTF-8.
  if (std::setlocale(LC_CTYPE, "") == nullptr || std::string_view(::nl_langinfo(CODESET)) != "UTF-8") {
    (void)std::setlocale(LC_CTYPE, "C");
    return;
  }
  if (std::setlocale(LC_MESSAGES, "") == nullptr) return;
  (void)::bindtextdomain(kDomain, catalogues().c_str());
  translates = true;
#endif
}

English::English() : before_(translates) { translates = false; }
English::~English() { translates = before_; }

std::string translated(const char* english) {
#if VSH_WITH_GETTEXT
  if (translates && *english != '\0') return ::dgettext(kDomain, english);
#endif
  return english;
}

std::string translated(const char* one, const char* many, unsigned long long count) {
#if VSH_WITH_GETTEXT
  // The plural depends on the last digits; unsigned long may be shorter.
  const auto number = static_cast<unsigned long>(count > 1000000 ? 1000000 + count % 1000000 : count);
  if (translates) return ::dngettext(kDomain, one, many, number);
#endif
  return count == 1 ? one : many;
}

std::string fill(std::string_view text, std::initializer_list<std::string> arguments) {
  std::string filled;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_place = i + 2 < text.size() && text[i] == '{' && text[i + 2] == '}';
    const auto number = is_place ? static_cast<size_t>(text[i + 1] - '1') : arguments.size();
    if (number >= arguments.size()) {
      filled += text[i];
    } else {
      filled += arguments.begin()[number];
      i += 2;
    }
  }
  return filled;
}

}  // namespace vsh::cli
