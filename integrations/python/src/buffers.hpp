// Python's buffers and bytes as spans. An Input or Output holds its buffer, which cannot move during its lifetime; it
// must be created and destroyed with the GIL held, and may be read and written without it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <string.h>

#include <string>
#include <vershina/vershina.hpp>

namespace vershina::python {

namespace nb = nanobind;
using namespace nb::literals;

inline bool any_object(PyObject*) noexcept { return true; }

// Returns the name of an object's class, for messages.
std::string name_of_type(nb::handle object);

// Type of bytes-like arguments: the name appears in signatures; Input and Output check the object.
class Buffer : public nb::object {
  NB_OBJECT(Buffer, nb::object, "typing_extensions.Buffer", any_object)
};

class HeldBuffer {
 public:
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
  size_t size() const noexcept { return static_cast<size_t>(buffer_.len); }

 protected:
  // name: of the argument, for messages.
  HeldBuffer(const char* name, nb::handle object, int flags);
  ~HeldBuffer() { PyBuffer_Release(&buffer_); }
  uint8_t* data() const noexcept { return static_cast<uint8_t*>(buffer_.buf); }

 private:
  Py_buffer buffer_;
};

// Bytes to read: anything with a contiguous buffer. TypeError, ValueError otherwise.
class Input : public HeldBuffer {
 public:
  Input(const char* name, nb::handle object) : HeldBuffer(name, object, PyBUF_SIMPLE) {}
  View view() const noexcept { return {data(), size()}; }
  operator View() const noexcept { return view(); }
};

// Bytes to fill: a contiguous buffer that may be written to.
class Output : public HeldBuffer {
 public:
  Output(const char* name, nb::handle object) : HeldBuffer(name, object, PyBUF_WRITABLE) {}
  Room room() const noexcept { return {data(), size()}; }
};

// A bytes object that is filled before it is visible.
class NewBytes {
 public:
  explicit NewBytes(size_t len);
  Room room() const noexcept { return room_; }
  // Returns the first len bytes.
  nb::bytes take(size_t len) const;
  nb::bytes take() const { return bytes_; }

 private:
  nb::bytes bytes_;
  Room room_;
};

nb::bytes to_bytes(View bytes);
nb::str to_hex(View bytes);

// A stored secret, erased on destruction.
class Secret {
 public:
  explicit Secret(size_t len) : bytes_(len) {}
  explicit Secret(View bytes) : bytes_(bytes.begin(), bytes.end()) {}
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { explicit_bzero(bytes_.data(), bytes_.size()); }
  operator View() const noexcept { return bytes_; }
  Room room() noexcept { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace vershina::python
