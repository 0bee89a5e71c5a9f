// Constant-time checks by tracing (ptrace), for instructions that valgrind does not support: each case runs once for
// each of several choices of secrets, in copies of one process. All must execute the same instructions with the same
// addresses.
//
//   ct_trace               planted leaks, tables, the rows that valgrind cannot run, some calls of the C ABI; of the
//                          S-box sets Magma's own and a user's
//   ct_trace --all         each set
//   ct_trace --run NAME    one case, of any row
//   ct_trace --secrets N   choices of secrets, 2 to 64; default: 3
//   ct_trace --step        an extra trace, which stops at each instruction: must be equal (tracer.hpp)
//   ct_trace --verbose     counts; places of expected leaks
//   ct_trace --list        names and expectations
//
// Also compared, as time may depend on it: masks of partial accesses, turns of repeated
// instructions, operands of divisions. A case must be clean or leak (cases.hpp), and its output must depend on secrets.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "cases.hpp"
#include "kuznyechik/round_keys.hpp"
#include "tracer.hpp"

extern "C" const char __executable_start[];  // from the linker: the program's start

namespace vsh::test {
namespace {

// Shared memory of the traced processes: the outputs of the first.
struct Outputs {
  size_t len;
  bool depend;
  bool asked;
  uint8_t bytes[size_t{8} << 20];
};
Outputs* outputs = nullptr;

// In a traced process: its choice of secrets, and the position in it.
unsigned choice = 0;
uint64_t random_state = 0;
size_t outputs_seen = 0;

uint64_t next_random() {  // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Not traced. The first choice is the pattern itself, which some leaks compare with; the third is mostly zeros, which
// paddings and early exits test for (not only zeros: halves of a key may have to differ).
[[gnu::noinline]] void choose_bytes(uint8_t* p, size_t n) {
  if (!choice) return;
  for (size_t i = 0; i < n; ++i) {
    const size_t number = i % 16 ? 0 : i / 16 + 1;
    p[i] = static_cast<uint8_t>(choice == 2 ? number : next_random());
  }
}

[[gnu::noinline]] void fill_with_pattern(uint8_t* p, size_t n) {
  for (size_t i = 0; i < n; ++i) p[i] = static_cast<uint8_t>(i * 37 + 11);
}

[[gnu::noinline]] void choose_sboxes(uint8_t (&sboxes)[8][16]) {
  if (!choice) return;
  for (auto& row : sboxes)
    for (size_t i = 16; i > 1; --i) std::swap(row[i - 1], row[next_random() % i]);
}

[[gnu::noinline]] void note_output(const void* p, size_t n) {
  outputs->asked = true;
  if (outputs_seen + n > sizeof outputs->bytes) std::abort();
  uint8_t* first = &outputs->bytes[outputs_seen];
  outputs_seen += n;
  if (choice == 0) std::memcpy(first, p, n);
  else if (std::memcmp(first, p, n) != 0) outputs->depend = true;
}

// End of a trace.
[[gnu::noinline]] void finish(uint64_t result) {
  __asm__ volatile("" ::"r"(result) : "memory");
  _exit(0);
}

}  // namespace

void make_secret(void* p, size_t n) { choose_bytes(static_cast<uint8_t*>(p), n); }
void make_secret(uint8_t (&sboxes)[8][16]) { choose_sboxes(sboxes); }
void declassify(void*, size_t) {}
bool is_secret(const void* p, size_t n) {
  note_output(p, n);
  return true;  // the comparison decides
}

Bytes pattern(size_t n) {
  Bytes b(n);
  fill_with_pattern(b.data(), n);
  return b;
}
void must(const std::string& what, vsh_status status) {
  if (status == VSH_OK) return;
  std::fprintf(stderr, "ct_trace: %s: %s\n", what.c_str(), vsh_status_message(status));
  _exit(3);
}

namespace {

constexpr int kExitSkipped = 77;

struct Settings {
  bool all = false, step = false, verbose = false;
  unsigned num_choices = 3;
  std::string only;
};

struct Totals {
  size_t passed = 0, failed = 0, skipped = 0, factors = 0;
  uint64_t instructions = 0, stops = 0;
};

const char* say(Event::Kind kind) {
  switch (kind) {
    case Event::path: return "the path depends on a secret after";
    case Event::address: return "an address depends on a secret in";
    case Event::masked: return "a mask of an access depends on a secret in";
    case Event::gather: return "addresses are in a vector register in";
    case Event::operand: return "an operand depends on a secret in";
    case Event::factor: return "a factor depends on a secret in";
  }
  return "";
}

// "0x41234 <function at file:line>"
std::string place(uint64_t address) {
  char text[512], command[128];
  const uint64_t offset = address - reinterpret_cast<uint64_t>(__executable_start);
  std::snprintf(command, sizeof command, "addr2line -pfCs -e /proc/%d/exe 0x%llx 2> /dev/null", getpid(),
                static_cast<unsigned long long>(offset));
  std::string where;
  if (FILE* f = popen(command, "r")) {
    if (std::fgets(text, sizeof text, f)) where = text;
    pclose(f);
  }
  if (!where.empty() && where.back() == '\n') where.pop_back();
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offset));
  return text + (where.empty() ? "" : " <" + where + ">");
}

// Creates all processes before tracing: afterwards this heap, and with it theirs, would differ. The extra process has
// the first choice.
std::vector<pid_t> start(const Case& c, unsigned num_choices, bool one_more) {
  std::vector<pid_t> processes(num_choices + one_more);
  for (unsigned i = 0; i < processes.size(); ++i) {
    processes[i] = fork();
    if (processes[i] < 0) throw std::runtime_error("no new process");
    if (processes[i]) continue;
    choice = i < num_choices ? i : 0;
    random_state = i;
    if (!Tracer::offer()) _exit(kExitSkipped);
    finish(c.run());
    _exit(3);
  }
  return processes;
}

// The portable key expansion, at the start of almost every case, is a separate row.
Tracer make_tracer(bool every_instruction) {
  return {address_of(finish),
          {address_of(choose_bytes), address_of(choose_sboxes), address_of(fill_with_pattern), address_of(note_output),
           address_of(kuznyechik::expand_key)},
          every_instruction};
}

bool run(const Case& c, Tracer& tracer, const Settings& settings, Totals& totals) {
  outputs->len = 0;
  outputs->depend = outputs->asked = false;
  std::string problem;
  Difference difference;
  bool returned = false;
  Trace first, stepped;
  const uint64_t stops_before = totals.stops;
  std::vector<pid_t> processes = start(c, settings.num_choices, settings.step);
  if (settings.step) {
    Tracer stepping = make_tracer(true);
    try {
      uint64_t result = 0;
      stepped = stepping.trace(processes.back(), result);
    } catch (const std::exception& e) {
      problem = std::string("not stepped to its end: ") + e.what();
    }
    processes.pop_back();
  }
  for (size_t i = 0; i < processes.size(); ++i) {
    try {
      uint64_t result = 0;
      Trace t = tracer.trace(processes[i], result);
      totals.instructions += t.instructions;
      totals.stops += t.stops;
      returned = result & 1;
      if (i == 0) {
        first = std::move(t);
        if (settings.step && problem.empty() && !same_accesses(first, stepped))
          problem = "stops at each instruction show something else";
        continue;
      }
      const Difference d = compare(first, t);
      if (d.leak && !difference.leak) difference.leak = d.leak;
      if (d.factor && !difference.factor) difference.factor = d.factor;
    } catch (const std::exception& e) {
      problem = std::string("not traced to its end: ") + e.what();
    }
  }
  const bool depends = outputs->asked ? outputs->depend : returned;
  std::string leak;
  if (difference.leak)
    leak = std::string(say(difference.leak->kind)) + " " + place(difference.leak->at) + ": " +
           instruction_at(difference.leak->at);
  if (!problem.empty()) {
  } else if (!depends) problem = "no secret reached the output: the case checks nothing";
  else if (difference.leak && c.expect == Expect::clean) problem = leak;
  else if (!difference.leak && c.expect == Expect::leaks) problem = "a leak was not noticed";
  if (difference.factor && c.expect == Expect::clean) ++totals.factors;
  std::printf("%s  %s%s%s\n", problem.empty() ? "ok  " : "FAIL", c.name.c_str(), problem.empty() ? "" : ": ",
              problem.c_str());
  if (settings.verbose && difference.factor)
    std::printf("      %s %s\n", say(Event::factor), place(difference.factor->at).c_str());
  if (settings.verbose)
    std::printf("      %llu instructions, %llu stops%s%s\n", static_cast<unsigned long long>(first.instructions),
                static_cast<unsigned long long>(totals.stops - stops_before), leak.empty() ? "" : ", ", leak.c_str());
  std::fflush(stdout);
  return problem.empty();
}

// The layers above the kernels: valgrind sees all of them, but not over the rows that this CPU prefers.
constexpr const char* kCalls[] = {
    "abi/kuznyechik-ctr/encrypt",
    "abi/kuznyechik-cbc/padding-pkcs7/decrypt",
    "abi/kuznyechik-mgm/seal-77",
    "abi/kuznyechik-mgm/open-77",
    "abi/magma-mac/verify",
    "abi/gost28147-imit/final-64",
    "abi/streebog256",
    "abi/wrap/kexp15-kuznyechik",
    "keys/kdf-tree",
    "disk/xts/encrypt",
};

// By pointers: copies of this process would trace malloc's walk through the memory of erased cases.
std::vector<const Case*> choose(const Cases& cases, const Settings& settings) {
  std::vector<const Case*> chosen;
  size_t calls = 0;
  for (const Case& c : cases) {
    const bool call = std::find(std::begin(kCalls), std::end(kCalls), c.name) != std::end(kCalls);
    calls += call;
    const bool row = c.name.starts_with("row/");
    const bool sbox_set = c.name.starts_with("row/gost28147-") && !c.name.starts_with("row/gost28147-custom/");
    const bool unseen = row && (settings.all || !sbox_set) && (c.beyond_valgrind || c.expect == Expect::leaks);
    const bool wanted = call || c.name.starts_with("leak/") || unseen;
    if (settings.only.empty() ? wanted : c.name == settings.only) chosen.push_back(&c);
  }
  if (calls != std::size(kCalls)) chosen.clear();
  return chosen;
}

// Returns whether tracing is permitted here.
bool permitted() {
  const pid_t process = fork();
  if (process == 0) _exit(Tracer::offer() ? 0 : 1);
  int status = 0;
  waitpid(process, &status, 0);
  if (!WIFSTOPPED(status)) return false;
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  return true;
}

int run_cases(const std::vector<const Case*>& cases, const Settings& settings) {
  outputs =
      static_cast<Outputs*>(mmap(nullptr, sizeof(Outputs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (outputs == MAP_FAILED) return 3;
  Tracer tracer = make_tracer(false);
  Totals totals;
  std::set<std::string> said;
  for (const Case* c : cases) {
    if (!c->runnable) {
      if (said.insert(c->why_skipped).second) std::printf("SKIPPED: %s\n", c->why_skipped.c_str());
      ++totals.skipped;
    } else {
      ++(run(*c, tracer, settings, totals) ? totals.passed : totals.failed);
    }
  }
  std::printf("%zu passed, %zu failed, %zu skipped; %llu instructions, %zu cases multiply integers that are secret\n",
              totals.passed, totals.failed, totals.skipped, static_cast<unsigned long long>(totals.instructions),
              totals.factors);
  return totals.failed || totals.passed == 0 ? 1 : 0;
}

}  // namespace
}  // namespace vsh::test

int main(int argc, char** argv) {
  using namespace vsh::test;
  ::setenv("VERSHINA_TUNE", "off", 1);  // costs that are measured would be a branch that depends on time
  Settings settings;
  bool list = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--list") list = true;
    else if (arg == "--all") settings.all = true;
    else if (arg == "--step") settings.step = true;
    else if (arg == "--verbose") settings.verbose = true;
    else if (arg == "--run" && i + 1 < argc) settings.only = argv[++i];
    else if (arg == "--secrets" && i + 1 < argc)
      settings.num_choices = static_cast<unsigned>(std::clamp(std::atoi(argv[++i]), 2, 64));
    else {
      std::fprintf(stderr, "usage: ct_trace [--list] [--all | --run NAME] [--secrets N] [--step] [--verbose]\n");
      return 2;
    }
  }
  Cases cases;
  add_deliberate_leaks(cases);
  add_machine_leaks(cases);
  add_kernel_rows(cases);
  add_abi(cases);
  add_keys(cases);
  add_streams(cases);
  add_disk(cases);
  add_esp(cases);
  const std::vector<const Case*> chosen = choose(cases, settings);
  if (chosen.empty()) {
    std::fprintf(stderr, "ct_trace: no such case, or one of kCalls has another name now\n");
    return 2;
  }
  if (list) {
    for (const Case* c : chosen)
      std::printf("%s %s%s\n", c->expect == Expect::clean ? "clean" : "leaks", c->name.c_str(),
                  c->runnable ? "" : " (skipped)");
    return 0;
  }
  if (!permitted()) {
    std::printf("skip  %zu cases of ct_trace (no process may be traced here)\n", chosen.size());
    return kExitSkipped;
  }
  return run_cases(chosen, settings);
}
