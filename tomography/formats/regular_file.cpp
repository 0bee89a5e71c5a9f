#include "tomography/formats/regular_file.hpp"

#include <sys/stat.h>

#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::tomo {

cli::InputFile open_regular(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw cli::Failure(cli::ExitCode::input, cli::tr("{1}: is no regular file", cli::quote_name(path)),
                       cli::tr("copy it into a file first"));
  return path == "-" ? cli::InputFile("./-") : cli::InputFile(path);
}

}  // namespace vsh::tomo
