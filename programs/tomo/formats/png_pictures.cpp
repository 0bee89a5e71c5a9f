// PNG through libpng. Its errors jump: the functions that call it own nothing that has a destructor.
#include <fcntl.h>
#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/limits.hpp"
#include "programs/tomo/formats/picture.hpp"
#include "programs/tomo/formats/png_encoder.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

void keep_message(png_structp png, png_const_charp text) {
  std::snprintf(static_cast<char*>(png_get_error_ptr(png)), 200, "%s", text);
  png_longjmp(png, 1);
}
void keep_quiet(png_structp, png_const_charp) {}

struct Header {
  png_uint_32 columns, rows;
  int bits, colour, interlace;
  bool is_mask;  // of this program, whose palette only colours the numbers of classes
};

class Reader {
 public:
  explicit Reader(const FileName& file) : input_(open_regular(file)), name_(input_.name()) {
    const int copy = ::fcntl(input_.descriptor(), F_DUPFD_CLOEXEC, 0);
    file_ = copy < 0 ? nullptr : ::fdopen(copy, "rb");
    if (file_ == nullptr) throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno));
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, message_, keep_message, keep_quiet);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      close();
      throw std::bad_alloc();
    }
  }
  ~Reader() { close(); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Header header() {
    Header header{};
    if (!read_header(header)) fail();
    const auto refuse = [&](const std::string& problem) {
      throw Failure(ExitCode::input, name_ + ": " + problem, tr("save it as greyscale of 8 or 16 bits"));
    };
    const bool is_number =
        header.colour == PNG_COLOR_TYPE_GRAY || (header.is_mask && header.colour == PNG_COLOR_TYPE_PALETTE);
    if (!is_number || (header.bits != 8 && header.bits != 16)) refuse(tr("is not a greyscale picture of 8 or 16 bits"));
    if (header.interlace != PNG_INTERLACE_NONE) refuse(tr("is interlaced"));
    if (header.columns > kMostBins || header.rows > kMostRows)
      refuse(tr("a picture of {1} x {2} pixels", header.rows, header.columns));
    return header;
  }
  void row(uint8_t* out) {
    if (!read_row(out)) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Failure(ExitCode::input, tr("{1}: a damaged PNG file: {2}", name_, cli::quote_name(message_)),
                  tr("copy it again"));
  }
  bool read_header(Header& header) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT
    png_init_io(png_, file_);
    png_set_user_limits(png_, kMostBins, kMostRows);
    png_read_info(png_, info_);
    png_get_IHDR(png_, info_, &header.columns, &header.rows, &header.bits, &header.colour, &header.interlace, nullptr,
                 nullptr);
    png_textp texts = nullptr;
    int num = 0;
    (void)png_get_text(png_, info_, &texts, &num);
    for (int i = 0; i < num; ++i) header.is_mask = header.is_mask || std::strcmp(texts[i].key, kPngLabels) == 0;
    return true;
  }
  bool read_row(uint8_t* out) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT
    png_read_row(png_, out, nullptr);
    return true;
  }
  void close() {
    if (png_ != nullptr) png_destroy_read_struct(&png_, &info_, nullptr);
    if (file_ != nullptr) (void)std::fclose(file_);
  }

  cli::InputFile input_;
  std::string name_;
  char message_[200] = "";
  std::FILE* file_ = nullptr;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

// A PNG file can only be read from its beginning.
class PngPictures : public Pictures {
 public:
  explicit PngPictures(FileName file) : file_(std::move(file)) {
    const Header header = Reader(file_).header();
    shape_ = {header.rows, header.columns, {header.bits == 8 ? ElementKind::u8 : ElementKind::u16, true}};
  }
  size_t num_pages() const override { return 1; }
  PictureShape shape() override { return shape_; }
  void read_rows(float* out, size_t first, size_t num_rows) override {
    Reader reader(file_);
    (void)reader.header();
    std::vector<uint8_t> row(shape_.columns * shape_.element.size());
    for (size_t i = 0; i < first + num_rows; ++i) {
      reader.row(row.data());
      if (i >= first) to_floats(out + (i - first) * shape_.columns, row.data(), shape_.columns, shape_.element);
    }
  }
  void next_page() override {}

 private:
  FileName file_;
  PictureShape shape_;
};

}  // namespace

std::unique_ptr<Pictures> open_png(const FileName& file) { return std::make_unique<PngPictures>(file); }

}  // namespace vsh::tomo
