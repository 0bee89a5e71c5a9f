// Constant-time checks under valgrind's memcheck: secrets are declared undefined, so a branch or an address that
// depends on one is reported as a use of undefined data (the technique of Langley's ctgrind).
//
//   valgrind ct_check               every case
//   valgrind ct_check --run NAME    one case
//   ct_check --list                 names and expectations
//
// A case has an expectation: `clean`, no report, or `leaks`, at least one. The leaking ones are deliberate mistakes and
// the table kernels: they show that the check detects such a mistake.
// Each case also checks that its output is undefined at the end: if not, no secret reached it, and silence proves
// nothing.
//
// valgrind hides AVX-512 and GFNI from programs: their rows are skipped, except in the preset `emulated`, where the
// same sources call functions that emulate the instructions (src/simd/emulated.hpp).
#include <valgrind/memcheck.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cases.hpp"
#include "verdicts.hpp"

namespace {

using namespace vsh::test;

enum class Result { pass, fail, skip };

Result run(const Case& c) {
  if (!c.runnable) return Result::skip;
  VALGRIND_PRINTF("case %s\n", c.name.c_str());
  const auto reports = [] { return VALGRIND_COUNT_ERRORS - excused_reports(); };
  const auto before = reports();
  const bool depends = c.run();
  const bool leaked = reports() != before;
  const char* problem = nullptr;
  if (!depends) problem = "no secret reached the output: the case checks nothing";
  else if (leaked && c.expect == Expect::clean) problem = "a branch or an address depends on a secret";
  else if (!leaked && c.expect == Expect::leaks) problem = "a leak was not noticed";
  std::printf("%s  %s%s%s\n", problem ? "FAIL" : "ok  ", c.name.c_str(), problem ? ": " : "", problem ? problem : "");
  std::fflush(stdout);
  return problem ? Result::fail : Result::pass;
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("VERSHINA_TUNE", "off", 1);  // the same division of batches in every run
  bool list = false;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--list") list = true;
    else if (arg == "--run" && i + 1 < argc) only = argv[++i];
    else {
      std::fprintf(stderr, "usage: valgrind ct_check [--list | --run NAME]\n");
      return 2;
    }
  }
  Cases cases;
  add_deliberate_leaks(cases);
  add_kernel_rows(cases);
  add_abi(cases);
  add_keys(cases);
  add_streams(cases);
  add_disk(cases);
  add_esp(cases);
  add_sealed(cases);
  if (list) {
    for (const auto& c : cases)
      std::printf("%s %s%s\n", c.expect == Expect::clean ? "clean" : "leaks", c.name.c_str(),
                  c.runnable ? "" : " (skipped)");
    return 0;
  }
  if (!RUNNING_ON_VALGRIND) {
    std::fprintf(stderr, "ct_check: not under valgrind, nothing would be checked\n");
    return 2;
  }
  size_t passed = 0, failed = 0, skipped = 0;
  for (const auto& c : cases) {
    if (!only.empty() && c.name != only) continue;
    switch (run(c)) {
      case Result::pass: ++passed; break;
      case Result::fail: ++failed; break;
      case Result::skip: ++skipped; break;
    }
  }
  if (skipped) std::printf("skip  %zu cases of rows that this CPU, as valgrind shows it, cannot run\n", skipped);
  std::printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
  return failed || passed == 0 ? 1 : 0;
}
