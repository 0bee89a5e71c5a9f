#include "programs/tomo/formats/array_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr size_t kMostHeader = 1 << 16, kPiece = 1 << 20;

// The dictionary of a .npy header, written by Python's repr(): its three entries in any order.
class NpyHeader {
 public:
  NpyHeader(std::string_view text, const std::string& name) : name_(name), text_(text) {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") descr = quoted();
      else if (key == "fortran_order") fortran_order = word() == "True";
      else if (key == "shape") read_shape();
      else refuse();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
  }

  std::string descr;
  bool fortran_order = false;
  std::vector<uint64_t> shape;

 private:
  [[noreturn]] void refuse() const {
    throw Failure(ExitCode::input, tr("{1}: a damaged NumPy header", name_), tr("save the array again"));
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse();
  }
  std::string quoted() {
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) refuse();
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) refuse();
    const std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }
  std::string word() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= 'A' && text_[at_] <= 'z') ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  void read_shape() {
    expect('(');
    while (!accept(')')) {
      skip();
      uint64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc() || shape.size() == 8) refuse();
      at_ = static_cast<size_t>(end - text_.data());
      shape.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  const std::string& name_;
  std::string_view text_;
  size_t at_ = 0;
};

// "<f4" and the like.
std::optional<Element> element_of_descr(const std::string& descr) {
  static constexpr std::string_view codes[] = {"u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"};
  if (descr.size() != 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) return std::nullopt;
  for (size_t i = 0; i < std::size(codes); ++i)
    if (descr.substr(1) == codes[i]) return Element{static_cast<ElementKind>(i), descr[0] == '>'};
  return std::nullopt;
}

}  // namespace

ArrayFile ArrayFile::npy(const FileName& name) {
  ArrayFile file(name);
  const auto refuse = [&](const std::string& problem, const std::string& advice) {
    throw Failure(ExitCode::input, file.name() + ": " + problem, advice);
  };
  std::array<uint8_t, 12> start{};
  const size_t got = file.input_.read_all(std::span(start).first(10));
  if (got < 10 || std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    refuse(tr("is not a NumPy file"), tr("check the name"));
  size_t len = start[8] | static_cast<size_t>(start[9]) << 8;
  size_t begin = 10;
  if (start[6] > 1) {
    if (file.input_.read_all(std::span(start).subspan(10)) < 2) refuse(tr("is truncated"), tr("copy it again"));
    len |= static_cast<size_t>(start[10]) << 16 | static_cast<size_t>(start[11]) << 24;
    begin = 12;
  }
  if (len > kMostHeader) refuse(tr("a damaged NumPy header"), tr("save the array again"));
  std::string text(len, '\0');
  if (file.input_.read_all({reinterpret_cast<uint8_t*>(text.data()), len}) < len)
    refuse(tr("is truncated"), tr("copy it again"));
  const NpyHeader header(text, file.name());
  const auto element = element_of_descr(header.descr);
  if (!element)
    refuse(tr("numbers of the type {1}", cli::quote_name(header.descr)),
           tr("save them as float32: a.astype('float32')"));
  if (header.fortran_order && header.shape.size() > 1)
    refuse(tr("the array is in Fortran's order"), tr("save numpy.ascontiguousarray(a)"));
  file.element_ = *element;
  file.offset_ = begin + len;
  file.shape_ = header.shape;
  uint64_t num = element->size();
  for (const uint64_t size : file.shape_)
    if (__builtin_mul_overflow(num, size, &num) || num > INT64_MAX)
      refuse(tr("a damaged NumPy header"), tr("save the array again"));
  const auto file_len = static_cast<uint64_t>(file.input_.status().st_size);
  if (file_len < file.offset_ || file_len - file.offset_ < num) refuse(tr("is truncated"), tr("copy it again"));
  return file;
}

ArrayFile ArrayFile::raw(const FileName& name, Element element, uint64_t offset, std::array<uint64_t, 3> shape) {
  ArrayFile file(name);
  file.element_ = element;
  file.offset_ = offset;
  const uint64_t len = file.input_.remaining_at_open().value_or(0);
  const auto frame = product({shape[1], shape[2], element.size()});
  const auto wrong = [&] {
    throw Failure(ExitCode::input,
                  tr("{1}: has {2}, and the sidecar says {3} x {4} x {5} numbers of type {6} after {7} bytes",
                     file.name(), cli::bytes_of(len), shape[0], shape[1], shape[2], element.name(), offset),
                  tr("correct \"shape\", \"type\" or \"offset\""));
  };
  if (!frame || *frame == 0 || len < offset) wrong();
  if (shape[0] == 0) {
    shape[0] = (len - offset) / *frame;
    if (shape[0] == 0) wrong();
  }
  const auto wanted = product({shape[0], *frame});
  if (!wanted || *wanted != len - offset) wrong();
  file.shape_.assign(shape.begin(), shape.end());
  return file;
}

ArrayFile ArrayFile::plain(const FileName& name, Element element, uint64_t offset, std::array<uint64_t, 3> shape) {
  ArrayFile file(name);
  file.element_ = element;
  file.offset_ = offset;
  file.shape_.assign(shape.begin(), shape.end());
  const uint64_t len = file.input_.remaining_at_open().value_or(0);
  const auto wanted = product({shape[0], shape[1], shape[2], element.size()});
  if (!wanted || len < offset || len - offset < *wanted)
    throw Failure(ExitCode::input, file.name() + ": " + tr("is truncated"), tr("copy it again"));
  return file;
}

std::array<uint64_t, 3> ArrayFile::shape3(Two two) const {
  if (shape_.size() == 3) return {shape_[0], shape_[1], shape_[2]};
  if (shape_.size() == 2 && two == Two::sinogram) return {shape_[0], 1, shape_[1]};
  if (shape_.size() == 2) return {1, shape_[0], shape_[1]};
  throw Failure(ExitCode::input, tr("{1}: an array of {2} dimensions", name(), shape_.size()),
                tr("three are needed: angles, rows, bins"));
}

void ArrayFile::read(float* out, uint64_t first, size_t num) {
  const size_t size = element_.size(), most = kPiece / size;
  piece_.resize(std::min(num, most) * size);
  for (size_t done = 0; done < num;) {
    const size_t now = std::min(num - done, most);
    const auto bytes = std::span(piece_).first(now * size);
    input_.read_at(bytes, offset_ + (first + done) * size);
    to_floats(out + done, bytes.data(), now, element_);
    done += now;
  }
}

void ArrayFile::read_rows(float* out, const std::array<uint64_t, 3>& shape, size_t first, size_t num_rows) {
  const size_t len = num_rows * shape[2];
  for (uint64_t frame = 0; frame < shape[0]; ++frame)
    read(out + frame * len, (frame * shape[1] + first) * shape[2], len);
}

}  // namespace vsh::tomo
