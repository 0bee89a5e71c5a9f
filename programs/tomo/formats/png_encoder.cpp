#include "programs/tomo/formats/png_encoder.hpp"

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#if VSH_WITH_PNG
#include <png.h>

#include <algorithm>
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

void keep_encoder_message(png_structp png, png_const_charp text) {
  auto* encoder = static_cast<Encoder*>(png_get_error_ptr(png));
  std::snprintf(encoder->message, sizeof encoder->message, "%s", text);
  png_longjmp(png, 1);
}
void ignore_warning(png_structp, png_const_charp) {}

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

// The colours of Pascal VOC: bits 0, 1, 2 of a class are the highest bits of red, green, blue, bits 3, 4, 5 the next.
png_color colour_of(unsigned number) {
  png_color colour{};
  for (unsigned bit = 0; bit < 8; ++bit) {
    png_byte* const channel = bit % 3 == 0 ? &colour.red : bit % 3 == 1 ? &colour.green : &colour.blue;
    *channel = static_cast<png_byte>(*channel | (number >> bit & 1) << (7 - bit / 3));
  }
  return colour;
}

bool encode(Encoder& encoder, const uint8_t* pixels, size_t rows, size_t columns, int bits, png_text* texts, int num,
            PngColours colours) {
  if (setjmp(png_jmpbuf(encoder.png)) != 0) return false;  // NOLINT
  png_set_write_fn(encoder.png, &encoder, take, flush);
  png_set_compression_level(encoder.png, 3);  // noise packs badly at any level
  png_set_IHDR(encoder.png, encoder.info, static_cast<png_uint_32>(columns), static_cast<png_uint_32>(rows), bits,
               colours == PngColours::grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (colours == PngColours::of_classes) {
    png_color palette[256];
    for (unsigned i = 0; i < 256; ++i) palette[i] = colour_of(i);
    png_set_PLTE(encoder.png, encoder.info, palette, 256);
  }
  if (num > 0) png_set_text(encoder.png, encoder.info, texts, num);
  png_write_info(encoder.png, encoder.info);
  const size_t stride = columns * static_cast<size_t>(bits) / 8;
  for (size_t row = 0; row < rows; ++row) png_write_row(encoder.png, pixels + row * stride);
  png_write_end(encoder.png, nullptr);
  return true;
}

}  // namespace

Bytes encode_png(const Bytes& pixels, size_t rows, size_t columns, int bits,
                 const std::vector<std::pair<std::string, std::string>>& texts, PngColours colours) {
  Encoder encoder;
  encoder.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder, keep_encoder_message, ignore_warning);
  if (encoder.png != nullptr) encoder.info = png_create_info_struct(encoder.png);
  if (encoder.info == nullptr) throw std::bad_alloc();
  std::vector<std::pair<std::string, std::string>> kept = texts;
  std::vector<png_text> chunks(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    // tEXt is Latin-1, iTXt is UTF-8.
    const bool is_ascii = std::all_of(kept[i].second.begin(), kept[i].second.end(),
                                      [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    chunks[i].compression = is_ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
    chunks[i].key = kept[i].first.data();
    chunks[i].text = kept[i].second.data();
    (is_ascii ? chunks[i].text_length : chunks[i].itxt_length) = kept[i].second.size();
  }
  if (!encode(encoder, pixels.data(), rows, columns, bits, chunks.data(), static_cast<int>(chunks.size()), colours)) {
    if (encoder.is_out_of_memory) throw std::bad_alloc();
    throw Failure(ExitCode::internal, tr("a PNG picture cannot be made: {1}", cli::quote_name(encoder.message)));
  }
  return std::move(encoder.out);
}

#else

Bytes encode_png(const Bytes&, size_t, size_t, int, const std::vector<std::pair<std::string, std::string>>&,
                 PngColours) {
  throw Failure(ExitCode::usage, tr("this program was built without libpng"),
                tr("choose another format with --format"));
}

#endif

}  // namespace vsh::tomo
