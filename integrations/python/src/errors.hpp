// Maps a vsh_status to a Python exception, with details.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>
#include <vershina/vershina.hpp>

namespace vershina::python {

// A status with a detail after the library's sentence: "wrong IV length for this cipher and mode (kuznyechik-ctr, IV of
// 7 bytes, must be 8 bytes)".
class Failure : public Error {
 public:
  Failure(vsh_status status, const std::string& detail)
      : Error(status), text_(std::string(vsh_status_message(status)) + " (" + detail + ")") {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// "1 byte", "7 bytes".
inline std::string bytes_text(size_t len) { return std::to_string(len) + (len == 1 ? " byte" : " bytes"); }
// "IV of 7 bytes, must be 8 bytes": the actual length, and the expected one if it differs.
inline std::string length_text(const char* what, size_t len, size_t wanted) {
  const std::string text = std::string(what) + " of " + bytes_text(len);
  return len == wanted ? text : text + ", must be " + (wanted ? bytes_text(wanted) : "empty");
}

// Adds the detail to exceptions of `call`.
template <class Call>
decltype(auto) explained(const std::string& detail, Call&& call) {
  try {
    return call();
  } catch (const Error& error) {
    throw Failure(error.status(), detail);
  }
}

// AuthenticationError, DeviceError and the translation of Error.
void bind_errors(nanobind::module_& module);

}  // namespace vershina::python
