// The part of vsh_selftest that seals and opens a file.
#pragma once

namespace vsh::api::selftest {

// File 2 of tests/vectors/sealed.vec, in both directions. May throw std::bad_alloc.
bool sealed_file_passes();

}  // namespace vsh::api::selftest
