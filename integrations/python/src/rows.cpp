#include "rows.hpp"

namespace vershina::python {

HeldMatrix::HeldMatrix(const char* name, nb::handle object, bool writable) {
  const std::string argument = name;
  if (PyObject_GetBuffer(object.ptr(), &buffer_, writable ? PyBUF_STRIDES | PyBUF_WRITABLE : PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    throw nb::value_error(
        (argument + (writable ? ": the array is read-only" : ": the array cannot be read as rows")).c_str());
  }
  const char* wrong = nullptr;
  if (buffer_.ndim != 2) wrong = ": the array must have two dimensions, a row for each message";
  else if (buffer_.itemsize != 1) wrong = ": the items must be bytes (dtype uint8)";
  else if (buffer_.strides[1] != 1 && buffer_.shape[1] > 1) wrong = ": the bytes of a row must follow each other";
  else if (writable && buffer_.shape[0] > 1 && std::abs(buffer_.strides[0]) < buffer_.shape[1])
    wrong = ": rows overlap";
  if (wrong == nullptr) return;
  PyBuffer_Release(&buffer_);
  throw nb::value_error((argument + wrong).c_str());
}

bool is_matrix(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr())) return false;
  Py_buffer buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    return false;
  }
  const bool two = buffer.ndim == 2;
  PyBuffer_Release(&buffer);
  return two;
}

}  // namespace vershina::python
