#include "buffers.hpp"

namespace vershina::python {

std::string name_of_type(nb::handle object) { return nb::cast<std::string>(object.type().attr("__name__")); }

HeldBuffer::HeldBuffer(const char* name, nb::handle object, int flags) {
  if (!PyObject_CheckBuffer(object.ptr())) {
    const std::string text = std::string(name) + ": a bytes-like object is needed, not " + name_of_type(object);
    throw nb::type_error(text.c_str());
  }
  if (PyObject_GetBuffer(object.ptr(), &buffer_, flags) == 0) return;
  PyErr_Clear();  // exporters word the two reasons differently
  std::string text = name;
  if (flags & PyBUF_WRITABLE && PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) == 0) {
    PyBuffer_Release(&buffer_);
    text += ": the buffer is read-only";
  } else {
    PyErr_Clear();
    text += ": the buffer is not contiguous; pass a contiguous copy of it";
  }
  throw nb::value_error(text.c_str());
}

NewBytes::NewBytes(size_t len) {
  if (len > static_cast<size_t>(PY_SSIZE_T_MAX)) throw std::bad_alloc();
  PyObject* made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(len));
  if (made == nullptr) throw nb::python_error();
  bytes_ = nb::steal<nb::bytes>(made);
  room_ = {reinterpret_cast<uint8_t*>(PyBytes_AsString(made)), len};
}

nb::bytes NewBytes::take(size_t len) const { return len == room_.size() ? bytes_ : to_bytes(room_.first(len)); }

nb::bytes to_bytes(View bytes) { return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }

nb::str to_hex(View bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return nb::str(text.data(), text.size());
}

}  // namespace vershina::python
