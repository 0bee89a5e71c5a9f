#include "errors.hpp"

#include <exception>

#include <nanobind/stl/string.h>

namespace vershina::python {
namespace {

PyObject *authentication_error, *device_error;  // owned by the module, which is never unloaded

PyObject* exception_for(vsh_status status) {
  switch (status) {
    case VSH_E_TAG:
    case VSH_E_WRONG_KEY:
    case VSH_E_CHUNK:
    case VSH_E_TRUNCATED: return authentication_error;
    case VSH_E_DEVICE: return device_error;
    case VSH_E_MEMORY: return PyExc_MemoryError;
    case VSH_E_RANDOM:
    case VSH_E_LIBRARY: return PyExc_OSError;
    case VSH_E_SELFTEST: return PyExc_RuntimeError;
    default: return PyExc_ValueError;
  }
}

PyObject* new_exception(nanobind::module_& module, const char* name, const char* doc, PyObject* base) {
  const std::string full = nanobind::cast<std::string>(module.attr("__name__")) + "." + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (made == nullptr) throw nanobind::python_error();
  module.attr(name) = nanobind::handle(made);
  return made;
}

// For devices, appends the library's message to the status's text.
const char* message_of(const Error& error) {
  const char* known = error.status() == VSH_E_DEVICE ? vsh_device_message() : "";
  return *known ? known : error.what();
}

}  // namespace

void bind_errors(nanobind::module_& module) {
  authentication_error =
      new_exception(module, "AuthenticationError",
                    "Verification failed: a tag is wrong, a secret opens nothing, a sealed file is damaged or "
                    "cut short.\n\n"
                    "Nothing of the message may be used. Not a ValueError, so that code that expects bad arguments "
                    "does not swallow it.",
                    nullptr);
  device_error =
      new_exception(module, "DeviceError",
                    "A device that was named is not there, fails, or has no such work; the message says which.\n\n"
                    "The output so far of a message in pieces means nothing: begin again on the processor.",
                    PyExc_RuntimeError);
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(exception_for(error.status()), message_of(error));
    }
  });
}

}  // namespace vershina::python
