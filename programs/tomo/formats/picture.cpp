#include "programs/tomo/formats/picture.hpp"

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {

bool is_picture_name(const std::string& name) {
  const std::string lower = cli::lower_case(name);
  return !name.starts_with('.') && (lower.ends_with(".tif") || lower.ends_with(".tiff") || lower.ends_with(".png"));
}

std::unique_ptr<Pictures> open_picture(const FileName& file) {
  return cli::lower_case(file.path).ends_with(".png") ? open_png(file) : open_tiff(file);
}

#if !VSH_WITH_TIFF
std::unique_ptr<Pictures> open_tiff(const FileName& file) {
  throw cli::Failure(cli::ExitCode::input,
                     cli::tr("{1}: this program was built without libtiff", cli::quote_name(file.path)),
                     cli::tr("save the pictures as PNG or NumPy"));
}
#endif

#if !VSH_WITH_PNG
std::unique_ptr<Pictures> open_png(const FileName& file) {
  throw cli::Failure(cli::ExitCode::input,
                     cli::tr("{1}: this program was built without libpng", cli::quote_name(file.path)),
                     cli::tr("save the pictures as TIFF or NumPy"));
}
#endif

}  // namespace vsh::tomo
