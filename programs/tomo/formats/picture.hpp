// Pictures of one channel: pages of TIFF files, PNG files.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "programs/tomo/formats/elements.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {

struct PictureShape {
  size_t rows = 0, columns = 0;
  Element element;
  bool operator==(const PictureShape& other) const {
    return rows == other.rows && columns == other.columns && element.kind == other.element.kind;
  }
};

// One or more pages, read one after the other.
class Pictures {
 public:
  virtual ~Pictures() = default;
  virtual size_t num_pages() const = 0;
  // Returns the shape of the current page: at first page 0. Throws Failure unless it is a picture of one channel.
  virtual PictureShape shape() = 0;
  // Fills `out` with rows first, ... of the current page.
  virtual void read_rows(float* out, size_t first, size_t num_rows) = 0;
  virtual void next_page() = 0;
  // Returns a note on the file for the user; may be empty.
  virtual std::string note() const { return {}; }
};

// Each throws Failure, also where this build cannot read the format.
std::unique_ptr<Pictures> open_tiff(const FileName& file);
std::unique_ptr<Pictures> open_png(const FileName& file);
// By the suffix.
std::unique_ptr<Pictures> open_picture(const FileName& file);
bool is_picture_name(const std::string& name);

}  // namespace vsh::tomo
