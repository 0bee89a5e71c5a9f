// The table of docs/elbrus.md: operations per byte of the bit-sliced kernels, counted by running the kernels over
// counting words, and the resulting cycles per byte if every unit of an Elbrus were busy in every cycle.
//   elbrus_model [docs/elbrus.md]     prints the table; with a file, fails unless the file has exactly these lines
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kuznyechik/bitsliced.hpp"
#include "magma/bitsliced.hpp"
#include "simd/portable64.hpp"
#include "simd/sse41.hpp"

namespace {

using namespace vsh;

uint64_t g_operations;

// A word that counts operations as issued by lcc: one each for logic and interleaving, six for an exchange of bits (two
// shifts, three XORs, an AND). Loads, stores and the broadcast of key masks use other units.
template <class Word>
struct Counted {
  Word word;

  static constexpr size_t kBytes = Word::kBytes;
  static constexpr bool has_ternary = false;

  static Counted counted(Word w, unsigned operations = 1) {
    g_operations += operations;
    return {w};
  }
  static Counted load(const uint8_t* p) { return {Word::load(p)}; }
  static void store(uint8_t* p, Counted a) { Word::store(p, a.word); }
  static Counted splat_mask(const uint32_t* m) { return {Word::splat_mask(m)}; }
  static Counted zero() { return {Word::zero()}; }
  friend Counted operator&(Counted a, Counted b) { return counted(a.word & b.word); }
  friend Counted operator|(Counted a, Counted b) { return counted(a.word | b.word); }
  friend Counted operator^(Counted a, Counted b) { return counted(a.word ^ b.word); }
  friend Counted operator~(Counted a) { return counted(~a.word); }
  static Counted andnot(Counted a, Counted b) { return counted(Word::andnot(a.word, b.word)); }
  template <int s>
  static void exchange(Counted& a, Counted& b) {
    Word::template exchange<s>(a.word, b.word);
    g_operations += 6;
  }
  static Counted zip_low(Counted a, Counted b) { return counted(Word::zip_low(a.word, b.word)); }
  static Counted zip_high(Counted a, Counted b) { return counted(Word::zip_high(a.word, b.word)); }
  static void transpose_bytes(Counted (&r)[8]) requires(kBytes == 8) {
    Word words[8];
    for (size_t i = 0; i < 8; ++i) words[i] = r[i].word;
    Word::transpose_bytes(words);
    for (size_t i = 0; i < 8; ++i) r[i].word = words[i];
    g_operations += 6 * 12;  // three levels of four exchanges
  }
};

// Operations per byte of one pass.
template <class Kernel>
double operations_per_byte() {
  static typename Kernel::Schedule schedule;  // all zero: the operations do not depend on the key
  static uint8_t data[Kernel::kLanes * Kernel::kBlockSize];
  g_operations = 0;
  Kernel::encrypt(schedule, data, data, Kernel::kLanes);
  return static_cast<double>(g_operations) / sizeof data;
}

struct Generation {
  const char* name;
  unsigned bits, units;  // of a vector word; that work on one in a cycle
  const char* published_kuznyechik;
  const char* published_magma;
};
// Units: the issue slots of E2K v3 and v4 take six 64-bit operations a cycle, those of v5 and v6 four of 128 bits.
// Published: programs/bench/published, source elbrus2021, parallel modes.
constexpr Generation kGenerations[] = {{"E2K v3, v4 (4C, 1C+, 8C)", 64, 6, "8.6 to 8.7", "5.2"},
                                       {"E2K v5 (8CB)", 128, 4, "5.1", "2.8"},
                                       {"E2K v6 (2C3, 16C)", 128, 4, "4.2", "2.8"}};

template <class Word>
using Kuznyechik = kuznyechik::BitSliced<Counted<Word>, 1>;
template <class Word>
using Magma = magma::BitSliced<Counted<Word>, 1, 1>;

template <template <class> class Kernel>
std::vector<std::string> rows(const char* cipher, const char* Generation::*published) {
  std::vector<std::string> lines;
  for (const Generation& g : kGenerations) {
    const double operations =
        g.bits == 64 ? operations_per_byte<Kernel<Portable64>>() : operations_per_byte<Kernel<Sse41>>();
    char line[160];
    std::snprintf(line, sizeof line, "| %s | %s | %u x %u | %.1f | %.1f | %s |", cipher, g.name, g.units, g.bits,
                  operations, operations / g.units, g.*published);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> lines = rows<Kuznyechik>("Kuznyechik", &Generation::published_kuznyechik);
  for (std::string& line : rows<Magma>("Magma", &Generation::published_magma)) lines.push_back(std::move(line));
  for (const std::string& line : lines) std::puts(line.c_str());
  if (count < 2) return 0;
  std::ostringstream text;
  text << std::ifstream(arguments[1]).rdbuf();
  int missing = 0;
  for (const std::string& line : lines)
    if (text.str().find(line) == std::string::npos) ++missing;
  if (missing) std::fprintf(stderr, "%s lacks %d of these lines\n", arguments[1], missing);
  return missing ? 1 : 0;
}
