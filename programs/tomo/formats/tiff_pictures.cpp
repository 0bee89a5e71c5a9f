// TIFF through libtiff, which swaps bytes and unpacks; everything that a header says is checked before it is used.
#include <fcntl.h>
#include <tiffio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/parse_json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/limits.hpp"
#include "programs/tomo/formats/picture.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr tmsize_t kMostMemory = tmsize_t{1} << 30;
constexpr uint64_t kLeastBare = uint64_t{1} << 31;  // bytes; programs write 4 GB and more with one directory, unasked

// Keeps libtiff's first message; it says more than a status.
int keep_message(TIFF*, void* kept, const char*, const char* format, va_list arguments) {
  char text[200];
  std::vsnprintf(text, sizeof text, format, arguments);
  auto& message = *static_cast<std::string*>(kept);
  if (message.empty()) message = text;
  return 1;
}
int keep_quiet(TIFF*, void*, const char*, const char*, va_list) { return 1; }

class TiffPictures : public Pictures {
 public:
  explicit TiffPictures(const FileName& file) : input_(open_regular(file)), name_(input_.name()) {
    TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
    if (options == nullptr) throw std::bad_alloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, kMostMemory);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_message, &message_);
    TIFFOpenOptionsSetWarningHandlerExtR(options, keep_quiet, nullptr);
    const int copy = ::fcntl(input_.descriptor(), F_DUPFD_CLOEXEC, 0);
    // m: no memory mapping, a file that shrinks is an error
    if (copy >= 0) tiff_.reset(TIFFFdOpenExt(copy, file.path.c_str(), "rm", options));
    TIFFOpenOptionsFree(options);
    if (!tiff_ && copy >= 0) (void)::close(copy);
    if (!tiff_) fail();
    do {
      if (++num_pages_ > kMostAngles) refuse(tr("more than {1} pages", kMostAngles));
    } while (TIFFReadDirectory(tiff_.get()) == 1);
    if (!message_.empty()) fail();  // the chain of pages breaks off
    if (TIFFSetDirectory(tiff_.get(), 0) != 1) fail();
    if (num_pages_ == 1) find_bare_pages();
  }

  size_t num_pages() const override { return num_pages_; }
  std::string note() const override { return note_; }

  PictureShape shape() override {
    uint32_t rows = 0, columns = 0;
    uint16_t samples = 1, bits = 1, format = SAMPLEFORMAT_UINT, photometric = PHOTOMETRIC_MINISBLACK, compression = 1;
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGELENGTH, &rows);
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGEWIDTH, &columns);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_COMPRESSION, &compression);
    TIFFGetField(tiff_.get(), TIFFTAG_PHOTOMETRIC, &photometric);
    if (rows == 0 || columns == 0 || rows > kMostRows || columns > kMostBins)
      refuse(tr("a picture of {1} x {2} pixels", rows, columns));
    if (samples != 1) refuse(tr("{1} channels instead of one", samples));
    if (photometric == PHOTOMETRIC_MINISWHITE) refuse(tr("its numbers are inverted (MinIsWhite)"));
    if (photometric != PHOTOMETRIC_MINISBLACK) refuse(tr("is not a greyscale picture"));
    if (!TIFFIsCODECConfigured(compression)) refuse(tr("libtiff cannot unpack compression {1} here", compression));
    PictureShape shape{rows, columns, {}};
    shape.element.is_big_endian = std::endian::native == std::endian::big;
    const unsigned key = format * 100U + bits;
    switch (key) {
      case SAMPLEFORMAT_UINT * 100 + 8: shape.element.kind = ElementKind::u8; break;
      case SAMPLEFORMAT_UINT * 100 + 16: shape.element.kind = ElementKind::u16; break;
      case SAMPLEFORMAT_UINT * 100 + 32: shape.element.kind = ElementKind::u32; break;
      case SAMPLEFORMAT_INT * 100 + 8: shape.element.kind = ElementKind::i8; break;
      case SAMPLEFORMAT_INT * 100 + 16: shape.element.kind = ElementKind::i16; break;
      case SAMPLEFORMAT_INT * 100 + 32: shape.element.kind = ElementKind::i32; break;
      case SAMPLEFORMAT_IEEEFP * 100 + 32: shape.element.kind = ElementKind::f32; break;
      case SAMPLEFORMAT_IEEEFP * 100 + 64: shape.element.kind = ElementKind::f64; break;
      default: refuse(tr("numbers of {1} bits in the sample format {2}", bits, format));
    }
    return shape;
  }

  void read_rows(float* out, size_t first, size_t num_rows) override {
    const PictureShape page = shape();
    if (first + num_rows > page.rows) refuse(tr("a page with fewer rows than the others"));
    if (bare_) read_bare(out, page, first, num_rows);
    else if (TIFFIsTiled(tiff_.get()) != 0) read_tiles(out, page, first, num_rows);
    else read_strips(out, page, first, num_rows);
  }

  void next_page() override {
    if (bare_) ++page_;
    else if (TIFFReadDirectory(tiff_.get()) != 1) fail();
  }

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  [[noreturn]] void refuse(const std::string& problem) const {
    throw Failure(ExitCode::input, name_ + ": " + problem, tr("save it as greyscale of 8, 16 or 32 bits"));
  }
  [[noreturn]] void fail() const {
    throw Failure(ExitCode::input, tr("{1}: a damaged TIFF file: {2}", name_, cli::quote_name(message_)),
                  tr("copy it again"));
  }

  // ImageJ above 4 GB, and tifffile with `truncate`, write a directory for the first page alone, and the numbers of all
  // behind each other: the description says how many. One that was copied from a stack with one of its pages says so,
  // too, but the file ends behind that, or has something else there, of any length. A stack that was cut off is
  // refused: its length is that of whole pages, or it is a large one, or tifffile's, which says what it is.
  void find_bare_pages() {
    const char* text = nullptr;
    uint16_t compression = 1;
    uint64_t* offsets = nullptr;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_COMPRESSION, &compression);
    if (TIFFGetField(tiff_.get(), TIFFTAG_IMAGEDESCRIPTION, &text) != 1 || compression != COMPRESSION_NONE ||
        TIFFIsTiled(tiff_.get()) != 0 || TIFFGetField(tiff_.get(), TIFFTAG_STRIPOFFSETS, &offsets) != 1)
      return;
    const uint64_t num_said = numbers_said(text);
    if (num_said == 0) return;
    const PictureShape page = shape();
    const uint64_t len = page.rows * page.columns, num = num_said / len, page_len = len * page.element.size();
    for (uint32_t strip = 1; strip < TIFFNumberOfStrips(tiff_.get()); ++strip)
      if (offsets[strip] != offsets[0] + strip * static_cast<uint64_t>(TIFFStripSize(tiff_.get()))) return;
    const auto file_len = static_cast<uint64_t>(input_.status().st_size);
    const uint64_t num_there = file_len > offsets[0] ? (file_len - offsets[0]) / page_len : 0;
    if (num <= 1 || num_there <= 1) return;
    if (num > kMostAngles) refuse(tr("more than {1} pages", kMostAngles));
    if (num_there < num) {
      const std::string problem = tr("{1}: says that it has {2} pages, and has {3}", name_, num, num_there);
      if (num >= kLeastBare / page_len || (file_len - offsets[0]) % page_len == 0 ||
          std::string_view(text).find("\"truncated\"") != std::string_view::npos)
        throw Failure(ExitCode::input, problem, tr("copy it again"));
      note_ = tr("{1}; it is taken for one page that was copied out of them", problem);
      return;
    }
    num_pages_ = num;
    bare_ = offsets[0];
  }

  // Returns the number of all pages together; 0: the description says nothing of them.
  uint64_t numbers_said(const std::string_view text) {
    if (text.starts_with("ImageJ=")) {
      static constexpr std::string_view kName = "\nimages=";
      const size_t at = text.find(kName);
      uint64_t num = 0;
      if (at != text.npos) std::from_chars(text.data() + at + kName.size(), text.data() + text.size(), num);
      const PictureShape page = shape();
      return product({num, page.rows, page.columns}).value_or(0);
    }
    const auto about = cli::parse_json(text);
    if (!about.is_object() || !about.contains("shape") || !about["shape"].is_array()) return 0;
    uint64_t num = 1;
    for (const auto& size : about["shape"])
      num = size.is_number_unsigned() ? product({num, size.get<uint64_t>()}).value_or(0) : 0;
    return num;
  }

  void read_bare(float* out, const PictureShape& page, size_t first, size_t num_rows) {
    const Element element{page.element.kind, TIFFIsBigEndian(tiff_.get()) != 0};
    piece_.resize(page.columns * element.size());
    for (size_t row = 0; row < num_rows; ++row) {
      input_.read_at(piece_, *bare_ + (uint64_t{page_} * page.rows + first + row) * piece_.size());
      to_floats(out + row * page.columns, piece_.data(), page.columns, element);
    }
  }

  void read_strips(float* out, const PictureShape& page, size_t first, size_t num_rows) {
    uint32_t rows_per_strip = 0;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ROWSPERSTRIP, &rows_per_strip);
    const tmsize_t len = TIFFStripSize(tiff_.get());
    if (rows_per_strip == 0 || len <= 0 || len > kMostMemory) refuse(tr("strips of an impossible size"));
    piece_.resize(static_cast<size_t>(len));
    const size_t row_len = page.columns * page.element.size();
    for (size_t row = first; row < first + num_rows;) {
      const size_t strip = row / rows_per_strip, strip_first = strip * rows_per_strip;
      const size_t end = std::min({strip_first + rows_per_strip, first + num_rows, page.rows});
      const tmsize_t got = TIFFReadEncodedStrip(tiff_.get(), static_cast<uint32_t>(strip), piece_.data(), len);
      if (got < 0 || static_cast<size_t>(got) < (end - strip_first) * row_len) fail();
      to_floats(out + (row - first) * page.columns, piece_.data() + (row - strip_first) * row_len,
                (end - row) * page.columns, page.element);
      row = end;
    }
  }

  void read_tiles(float* out, const PictureShape& page, size_t first, size_t num_rows) {
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &height);
    const tmsize_t len = TIFFTileSize(tiff_.get());
    const auto wanted = product({width, height, page.element.size()});
    if (!wanted || *wanted == 0 || len <= 0 || len > kMostMemory || *wanted > static_cast<uint64_t>(len))
      refuse(tr("tiles of an impossible size"));
    piece_.resize(static_cast<size_t>(len));
    for (size_t top = first / height * height; top < first + num_rows; top += height) {
      for (size_t left = 0; left < page.columns; left += width) {
        const auto x = static_cast<uint32_t>(left), y = static_cast<uint32_t>(top);
        if (TIFFReadTile(tiff_.get(), piece_.data(), x, y, 0, 0) < static_cast<tmsize_t>(*wanted)) fail();
        const size_t num = std::min<size_t>(width, page.columns - left);
        for (size_t row = std::max(top, first); row < std::min(top + height, first + num_rows); ++row)
          to_floats(out + (row - first) * page.columns + left,
                    piece_.data() + (row - top) * width * page.element.size(), num, page.element);
      }
    }
  }

  cli::InputFile input_;
  std::string name_, message_, note_;
  std::unique_ptr<TIFF, Close> tiff_;
  size_t num_pages_ = 0, page_ = 0;
  std::optional<uint64_t> bare_;  // where the numbers of pages without directories begin
  std::vector<uint8_t> piece_;
};

}  // namespace

std::unique_ptr<Pictures> open_tiff(const FileName& file) { return std::make_unique<TiffPictures>(file); }

}  // namespace vsh::tomo
