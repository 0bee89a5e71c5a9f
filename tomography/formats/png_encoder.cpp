#include "tomography/formats/png_encoder.hpp"

#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"
#if VSH_WITH_PNG
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <new>
#endif

namespace vsh::tomo {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

#if VSH_WITH_PNG
namespace {

// libpng's errors jump, so what these functions own is in here.
struct Encoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  Bytes out;
  bool is_out_of_memory = false;
  char message[200] = "";

  ~Encoder() {
    if (png != nullptr) png_destroy_write_struct(&png, &info);
  }
};

void keep_message(png_structp png, png_const_charp text) {
  auto* encoder = static_cast<Encoder*>(png_get_error_ptr(png));
  std::snprintf(encoder->message, sizeof encoder->message, "%s", text);
  png_longjmp(png, 1);
}
void keep_quiet(png_structp, png_const_charp) {}

void take(png_structp png, png_bytep bytes, size_t len) {
  auto* encoder = static_cast<Encoder*>(png_get_io_ptr(png));
  try {
    encoder->out.insert(encoder->out.end(), bytes, bytes + len);
  } catch (const std::bad_alloc&) {
    encoder->is_out_of_memory = true;
  }
  if (encoder->is_out_of_memory) png_error(png, "out of memory");
}
void flush(png_structp) {}

bool encode(Encoder& encoder, const uint8_t* pixels, size_t rows, size_t columns, int bits, png_text* texts, int num) {
  if (setjmp(png_jmpbuf(encoder.png)) != 0) return false;  // NOLINT
  png_set_write_fn(encoder.png, &encoder, take, flush);
  png_set_compression_level(encoder.png, 3);  // noise packs badly at any level
  png_set_IHDR(encoder.png, encoder.info, static_cast<png_uint_32>(columns), static_cast<png_uint_32>(rows), bits,
               PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (num > 0) png_set_text(encoder.png, encoder.info, texts, num);
  png_write_info(encoder.png, encoder.info);
  const size_t stride = columns * static_cast<size_t>(bits) / 8;
  for (size_t row = 0; row < rows; ++row) png_write_row(encoder.png, pixels + row * stride);
  png_write_end(encoder.png, nullptr);
  return true;
}

}  // namespace

Bytes encode_png(const Bytes& pixels, size_t rows, size_t columns, int bits,
                 const std::vector<std::pair<std::string, std::string>>& texts) {
  Encoder encoder;
  encoder.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder, keep_message, keep_quiet);
  if (encoder.png != nullptr) encoder.info = png_create_info_struct(encoder.png);
  if (encoder.info == nullptr) throw std::bad_alloc();
  std::vector<std::pair<std::string, std::string>> kept = texts;
  std::vector<png_text> chunks(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    chunks[i].compression = PNG_TEXT_COMPRESSION_NONE;
    chunks[i].key = kept[i].first.data();
    chunks[i].text = kept[i].second.data();
    chunks[i].text_length = kept[i].second.size();
  }
  if (!encode(encoder, pixels.data(), rows, columns, bits, chunks.data(), static_cast<int>(chunks.size()))) {
    if (encoder.is_out_of_memory) throw std::bad_alloc();
    throw Failure(ExitCode::internal, tr("a PNG picture cannot be made: {1}", cli::quote_name(encoder.message)));
  }
  return std::move(encoder.out);
}

#else

Bytes encode_png(const Bytes&, size_t, size_t, int, const std::vector<std::pair<std::string, std::string>>&) {
  throw Failure(ExitCode::usage, tr("this program was built without libpng"), tr("choose another format with --format"));
}

#endif

}  // namespace vsh::tomo
