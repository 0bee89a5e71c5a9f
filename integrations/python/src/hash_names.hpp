// Names of hash functions as callers write them.
#pragma once

#include <string>

namespace vershina::python {

// Returns the library's name of a function: given in any case, with _ for -, or as `vershina hash --tag` prints it
// (Streebog-256). Throws value_error for unknown ones, and where only Streebog is offered; user: the caller's name.
std::string streebog_name(const char* user, const std::string& given);

}  // namespace vershina::python
