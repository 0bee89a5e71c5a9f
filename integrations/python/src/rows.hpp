// Many messages in one argument, without copies: the rows of a matrix of bytes, or a sequence of buffers.
#pragma once

#include <memory>
#include <vector>

#include "buffers.hpp"
#include "errors.hpp"

namespace vershina::python {

// A buffer of two dimensions whose items are bytes. Rows may have gaps between them; the bytes of a row may not.
class HeldMatrix {
 public:
  HeldMatrix(const char* name, nb::handle object, bool writable);
  HeldMatrix(const HeldMatrix&) = delete;
  ~HeldMatrix() { PyBuffer_Release(&buffer_); }
  size_t num_rows() const noexcept { return static_cast<size_t>(buffer_.shape[0]); }
  Room row(size_t i) const noexcept {
    return {static_cast<uint8_t*>(buffer_.buf) + static_cast<Py_ssize_t>(i) * buffer_.strides[0],
            static_cast<size_t>(buffer_.shape[1])};
  }

 private:
  Py_buffer buffer_;
};

// Returns true for an object of two dimensions, such as a NumPy array.
bool is_matrix(nb::handle object);

// Held: Input or Output.
template <class Held>
class Rows {
 public:
  Rows(const char* name, nb::handle object) {
    constexpr bool writable = std::is_same_v<Held, Output>;
    if (is_matrix(object)) {
      const HeldMatrix& matrix = *(matrix_ = std::make_unique<HeldMatrix>(name, object, writable));
      for (size_t i = 0; i < matrix.num_rows(); ++i) rows_.push_back(matrix.row(i));
      return;
    }
    if (PyObject_CheckBuffer(object.ptr()) || !PySequence_Check(object.ptr())) {
      const std::string text = std::string(name) +
                               ": an array of two dimensions or a sequence of buffers is needed; a column of bytes "
                               "objects is given as column.tolist()";
      throw nb::type_error(text.c_str());
    }
    for (nb::handle item : object) {
      held_.push_back(std::make_unique<Held>(name, item));
      if constexpr (writable) {
        rows_.push_back(held_.back()->room());
      } else {
        const View view = held_.back()->view();
        rows_.push_back({const_cast<uint8_t*>(view.data()), view.size()});  // only read: see operator[]
      }
    }
  }

  size_t size() const noexcept { return rows_.size(); }
  auto operator[](size_t i) const noexcept {
    if constexpr (std::is_same_v<Held, Output>) {
      return rows_[i];
    } else {
      return View(rows_[i]);
    }
  }
  size_t num_bytes() const noexcept {
    size_t sum = 0;
    for (const Room row : rows_) sum += row.size();
    return sum;
  }
  // Throws unless there are n.
  void expect(size_t n, const char* name) const {
    if (size() == n) return;
    const std::string text =
        std::string(name) + ": " + std::to_string(size()) + " rows for " + std::to_string(n) + " messages";
    throw nb::value_error(text.c_str());
  }

 private:
  std::unique_ptr<HeldMatrix> matrix_;
  std::vector<std::unique_ptr<Held>> held_;
  std::vector<Room> rows_;
};

using InputRows = Rows<Input>;
using OutputRows = Rows<Output>;

}  // namespace vershina::python
