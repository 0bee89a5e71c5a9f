// The language of messages (programs/common/text/translate.hpp).
#pragma once

namespace vsh::cli {

// Takes the language from the environment, unless the words are a query of a completion script, whose answers are for
// a machine. Numbers are formatted and parsed as in the C locale in any case.
void choose_language(int argc, const char* const* argv);

}  // namespace vsh::cli
