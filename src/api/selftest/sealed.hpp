// Seals and opens a file, for vsh_selftest.
#pragma once

namespace vsh::api::selftest {

// File 2 of tests/vectors/sealed.vec, in both directions. May throw std::bad_alloc.
bool sealed_file_passes();

}  // namespace vsh::api::selftest
