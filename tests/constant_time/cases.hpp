// The cases of ct_check and ct_trace, and their tools: secrets, and checks for dependence on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vershina/vershina.h"

namespace vsh::test {

using Bytes = std::vector<uint8_t>;

void make_secret(void* p, size_t n);
// User-defined S-boxes: permutations under any secret.
void make_secret(uint8_t (&sboxes)[8][16]);
// Only for output and verdicts, which are public.
void declassify(void* p, size_t n);
// Returns whether a bit of p[0..n) depends on a secret.
bool is_secret(const void* p, size_t n);

Bytes pattern(size_t n);
// The same as a secret.
inline Bytes secret(size_t n) {
  Bytes b = pattern(n);
  make_secret(b.data(), n);
  return b;
}

// Ends the program if not VSH_OK. `what` is the place.
void must(const std::string& what, vsh_status status);

enum class Expect { clean, leaks };

struct Case {
  std::string name;
  Expect expect;
  bool runnable;
  // Returns whether the result depended on a secret.
  std::function<bool()> run;
  // Uses instructions that valgrind does not support.
  bool beyond_valgrind = false;
  // The features that this CPU lacks, where it is not runnable: support/skipped_rows.hpp.
  std::string why_skipped = {};
};
using Cases = std::vector<Case>;

void add_deliberate_leaks(Cases& cases);
void add_machine_leaks(Cases& cases);
void add_kernel_rows(Cases& cases);
void add_abi(Cases& cases);
void add_keys(Cases& cases);
void add_streams(Cases& cases);
void add_disk(Cases& cases);
void add_esp(Cases& cases);
void add_sealed(Cases& cases);

}  // namespace vsh::test
