// Common to the fuzz targets: decisions from the input, and failures that both libFuzzer and the replay program detect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "vershina/vershina.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace vsh::fuzz {

using Bytes = std::vector<uint8_t>;

[[noreturn]] inline void fail(const char* what, const std::string& where) {
  std::fprintf(stderr, "fuzz: %s: %s\n", where.c_str(), what);
  std::abort();
}
inline void check(bool ok, const char* what, const std::string& where) {
  if (!ok) fail(what, where);
}

// Reads the input piece by piece; past its end everything is zero.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  size_t below(size_t bound) { return bound == 0 ? 0 : byte() % bound; }
  Bytes bytes(size_t n) {
    Bytes b(n);
    for (auto& x : b) x = byte();
    return b;
  }
  Bytes rest() {
    Bytes b(data_, data_ + size_);
    size_ = 0;
    return b;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

// Returns the variants of a family ("magma") that this CPU can run for one message, table kernels too, in the order of
// kernels.def.
inline std::vector<const char*> variants(const std::string& family) {
  std::vector<const char*> names;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i)
    if (info.family == family && info.runnable && (family != "streebog" || info.lanes == 1))
      names.push_back(info.variant);
  return names;
}

// "magma-ctr" -> "magma", the family whose rows serve it.
inline std::string family_of(const std::string& name) {
  const std::string algorithm = name.substr(0, name.find('-'));
  return algorithm == "gost28147" ? "magma" : algorithm == "hmac" ? "streebog" : algorithm;
}

template <class NameOf>
size_t count_names(NameOf name_of) {
  size_t n = 0;
  while (name_of(n)) ++n;
  return n;
}

}  // namespace vsh::fuzz
