#include "programs/common/text/translate.hpp"

#if VSH_WITH_GETTEXT
#include <libintl.h>
#endif

namespace vsh::cli {
namespace {

bool translates = false;

#if VSH_WITH_GETTEXT
constexpr const char* kDomain = "vershina";
#endif

}  // namespace

void translate_from([[maybe_unused]] const std::string& catalogues) {
#if VSH_WITH_GETTEXT
  (void)::bindtextdomain(kDomain, catalogues.c_str());
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
