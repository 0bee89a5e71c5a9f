// Searches for a smaller circuit. The driver is tools/circuits/generate; its README describes the methods. The work
// depends only on the arguments, never on time: the same arguments yield the same circuit.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../src/circuits/sbox_tables.hpp"
#include "linear.hpp"
#include "network.hpp"
#include "nibble_exhaustive.hpp"
#include "nibble_walk.hpp"
#include "resubstitution.hpp"
#include "seeds.hpp"

namespace {

using namespace vsh::search;

struct Arguments {
  std::string name, basis, from, to;
  std::uint64_t seed = 1;
  long effort = 1;
  int starts = 0;  // 0: as many as the effort says
  int slack = 0;   // 0: the default of the search at hand
  int uphill = 0;  // the same
  bool verbose = false;
};

// Keeps the smallest circuit seen and writes it at once, so that a long search may be stopped.
class Record {
 public:
  Record(const Arguments& arguments, std::vector<TruthTable> wanted)
      : arguments_(arguments), wanted_(std::move(wanted)) {}

  bool offer(const Network& network) {
    const Network low = lowered(network);
    if (low.size() >= size_) return false;
    if (low.output_tables() != wanted_) throw std::logic_error("the search broke the function");
    keep(low);
    return true;
  }
  // For networks that are already in instructions and proved by the caller.
  void keep(const Network& network) {
    size_ = network.size();
    if (arguments_.verbose) {
      std::fprintf(stderr, "%s.%s: %d gates\n", arguments_.name.c_str(), arguments_.basis.c_str(), size_);
    }
    if (arguments_.to.empty()) return;
    const std::string temporary = arguments_.to + ".new";
    {
      std::ofstream file(temporary);
      write_net(file, network);
      if (!file) throw std::runtime_error("cannot write " + temporary);
    }
    if (std::rename(temporary.c_str(), arguments_.to.c_str()) != 0) {
      throw std::runtime_error("cannot write " + arguments_.to);
    }
  }
  int size() const { return size_; }

 private:
  const Arguments& arguments_;
  std::vector<TruthTable> wanted_;
  int size_ = 1 << 20;
};

// "tc26-z.3": box 3 of that set.
const std::uint8_t (&box_of(const std::string& name))[16] {
  const auto dot = name.rfind('.');
  for (const auto& set : vsh::tables::kMagmaSboxes) {
    if (dot != std::string::npos && name.substr(0, dot) == set.name) {
      return set.rows[std::stoi(name.substr(dot + 1)) & 7];
    }
  }
  throw std::runtime_error("unknown circuit '" + name + "'");
}

bool read_start(const Arguments& a, Network& start) {
  if (a.from.empty()) return false;
  std::ifstream file(a.from);
  if (!file) throw std::runtime_error("cannot read " + a.from);
  start = read_net(file);
  return true;
}

void search_linear(const Arguments& a, int arity, Random& random) {
  Record record(a, {});
  Network start;
  if (read_start(a, start)) record.keep(start);
  for (long k = 0; k < a.effort; ++k) {
    const Network net = lfsr_network(arity, 10000000, random);
    if (!computes_lfsr(net)) throw std::logic_error("the annealing broke the function");
    if (net.size() < record.size()) record.keep(net);
  }
}

void search_nibble(const Arguments& a, int arity, Random& random) {
  const auto& box = box_of(a.name);
  const std::vector<std::uint8_t> table(box, box + 16);
  Record record(a, nibble_tables(box));
  Network start;
  if (read_start(a, start)) record.offer(start);
  const long starts = a.starts != 0 ? a.starts : a.effort;
  for (long k = 0; k < starts; ++k) {
    const Network seed = nibble_function(table, 4, arity, 1000, random);
    record.offer(seed);
    if (arity == 2) {
      NibbleWalkOptions options;
      options.moves = 500000;
      if (a.slack != 0) options.slack = a.slack;
      if (a.uphill != 0) options.uphill_one_in = a.uphill;
      nibble_walk(seed, options, random, [&](const Network& net) { record.offer(net); });
    } else {
      ShrinkOptions options;
      options.moves = 15000;
      options.slack = a.slack != 0 ? a.slack : 2;
      options.uphill_one_in = a.uphill != 0 ? a.uphill : 50;
      record.offer(shrunk(seed, options, random));
    }
  }
  if (arity == 3 && a.effort >= 10) {
    Network net;
    if (nibble_exhaustive(table, record.size() - 1, net)) record.offer(net);
  }
}

void search_byte(const Arguments& a, int arity, Random& random) {
  const bool inverse = a.name == "kuznyechik-pi-inverse";
  Record record(a, inverse ? byte_tables(vsh::tables::kKuznyechikPiInverse) : byte_tables(vsh::tables::kKuznyechikPi));
  ShrinkOptions options;
  options.slack = a.slack != 0 ? a.slack : 1;
  if (a.uphill != 0) options.uphill_one_in = a.uphill;
  options.moves = 2000;

  Network best;
  if (read_start(a, best)) {
    best = cleaned(best);
    record.offer(best);
  } else {
    // A good basis of GF(16) is visible early: short walks from many seeds, a long one from the best.
    const long starts = a.starts != 0 ? a.starts : 4 + a.effort;
    for (long k = 0; k < starts; ++k) {
      const Network net = shrunk(kuznyechik_seed(inverse, arity, 2000, random), options, random);
      if (record.offer(net) || best.gates.empty()) best = net;
    }
  }
  options.moves = 500;
  for (long round = 0; round < 500 * a.effort; ++round) {
    best = shrunk(best, options, random);
    record.offer(best);
  }
}

int run(const Arguments& a) {
  const int arity = a.basis == "gates2" ? 2 : 3;
  Random random(a.seed);
  if (a.name == "kuznyechik-lfsr") search_linear(a, arity, random);
  else if (a.name == "kuznyechik-pi" || a.name == "kuznyechik-pi-inverse") search_byte(a, arity, random);
  else search_nibble(a, arity, random);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* usage =
      "usage: search NAME gates2|lut3 [--from FILE] [--to FILE] [--seed N] [--effort N] "
      "[--starts N]\n"
      "              [--slack N] [--uphill N] [--verbose]\n";
  Arguments a;
  if (argc < 3) {
    std::fputs(usage, stderr);
    return 2;
  }
  a.name = argv[1];
  a.basis = argv[2];
  const std::map<std::string, void (*)(Arguments&, const char*)> options = {
      {"--from", [](Arguments& x, const char* v) { x.from = v; }},
      {"--to", [](Arguments& x, const char* v) { x.to = v; }},
      {"--seed", [](Arguments& x, const char* v) { x.seed = std::strtoull(v, nullptr, 0); }},
      {"--effort", [](Arguments& x, const char* v) { x.effort = std::atol(v); }},
      {"--starts", [](Arguments& x, const char* v) { x.starts = std::atoi(v); }},
      {"--slack", [](Arguments& x, const char* v) { x.slack = std::atoi(v); }},
      {"--uphill", [](Arguments& x, const char* v) { x.uphill = std::atoi(v); }},
  };
  for (int i = 3; i < argc; ++i) {
    if (std::string(argv[i]) == "--verbose") {
      a.verbose = true;
      continue;
    }
    const auto option = options.find(argv[i]);
    if (option == options.end() || i + 1 >= argc) {
      std::fputs(usage, stderr);
      return 2;
    }
    option->second(a, argv[++i]);
  }
  try {
    return run(a);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
