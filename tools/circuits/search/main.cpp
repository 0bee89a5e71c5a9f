// SPDX-License-Identifier: Apache-2.0
//
// Searches for small circuits. The driver is tools/circuits/generate; see the README there.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "../../../src/circuits/sbox_tables.hpp"
#include "linear.hpp"
#include "network.hpp"
#include "nibble_walk.hpp"
#include "resubstitution.hpp"
#include "seeds.hpp"

namespace {

using namespace vsh::search;

struct Arguments {
    std::string name, basis, from, to;
    double seconds = 10;
    std::uint64_t seed = 1;
    int slack = 1, uphill = 400, divisors = 60, extra = 64, starts = 1;
    long component_moves = 3000, steps = 1000000;
    bool verbose = false;
};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// "tc26-z.3": box 3 of that set.
std::vector<std::uint8_t> box_of(const std::string& name) {
    const auto dot = name.rfind('.');
    for (const auto& set : vsh::tables::kMagmaSboxes) {
        if (name.substr(0, dot) != set.name) continue;
        const auto& row = set.rows[std::stoi(name.substr(dot + 1))];
        return {row, row + 16};
    }
    throw std::runtime_error("unknown circuit '" + name + "'");
}

std::vector<TruthTable> wanted_of(const std::string& name) {
    if (name == "kuznyechik-pi") return byte_tables(vsh::tables::kKuznyechikPi);
    if (name == "kuznyechik-pi-inverse") return byte_tables(vsh::tables::kKuznyechikPiInverse);
    const auto box = box_of(name);
    std::uint8_t row[16];
    std::copy(box.begin(), box.end(), row);
    return nibble_tables(row);
}

Network seed_of(const Arguments& a, int arity, Random& random) {
    if (a.name == "kuznyechik-pi") return kuznyechik_seed(false, arity, a.component_moves, random);
    if (a.name == "kuznyechik-pi-inverse") return kuznyechik_seed(true, arity, a.component_moves, random);
    return nibble_function(box_of(a.name), 4, arity, 1000, random);
}

void write_to(const std::string& path, const Network& net) {
    if (path.empty()) return;
    const std::string temporary = path + ".new";
    std::ofstream file(temporary);
    write_net(file, net);
    file.close();
    std::rename(temporary.c_str(), path.c_str());
}

int run_linear(const Arguments& a, int arity) {
    const double deadline = now() + a.seconds;
    Random random(a.seed);
    int best_size = 1 << 20;
    if (!a.from.empty()) {
        std::ifstream file(a.from);
        if (file) best_size = read_net(file).size();
    }
    do {
        const Network net = lfsr_network(arity, a.steps, random);
        if (a.verbose) std::fprintf(stderr, "lfsr %s: %d\n", a.basis.c_str(), net.size());
        if (net.size() >= best_size) continue;
        if (!computes_lfsr(net)) throw std::logic_error("the annealing broke the function");
        best_size = net.size();
        write_to(a.to, net);
    } while (now() < deadline);
    return 0;
}

int run(const Arguments& a) {
    const int arity = a.basis == "gates2" ? 2 : 3;
    if (a.name == "kuznyechik-lfsr") return run_linear(a, arity);
    const double deadline = now() + a.seconds;
    Random random(a.seed);
    const std::vector<TruthTable> wanted = wanted_of(a.name);

    Network start;
    bool have_start = false;
    if (!a.from.empty()) {
        std::ifstream file(a.from);
        if (file) {
            start = cleaned(read_net(file));
            have_start = true;
            if (start.output_tables() != wanted) throw std::runtime_error(a.from + " is wrong");
        }
    }
    int best_size = 1 << 20;
    const auto record = [&](const Network& net) {
        const Network low = lowered(net);
        if (low.size() >= best_size) return;
        if (low.output_tables() != wanted) throw std::logic_error("the search broke the function");
        best_size = low.size();
        if (a.verbose) std::fprintf(stderr, "%s.%s %d gates (%d with free inversion)\n", a.name.c_str(), a.basis.c_str(), best_size, net.size());
        write_to(a.to, low);
    };
    if (have_start) {
        best_size = a.from == a.to ? lowered(start).size() : best_size;
        record(start);
    }

    // Many starts get a short walk each; the best goes on until time is up.
    if (!have_start) {
        const double first = now();
        for (int s = 0; s < a.starts || s == 0; ++s) {
            Network net = seed_of(a, arity, random);
            ShrinkOptions options;
            options.moves = 2000;
            options.slack = 1;
            net = shrunk(net, options, random);
            if (!have_start || net.size() < start.size()) start = net;
            have_start = true;
            record(net);
            if (now() - first > a.seconds / 2) break;
        }
    }
    if (arity == 2 && a.name.rfind("kuznyechik", 0) != 0) {
        // A fresh walk every few million moves; among networks of one size those with fewest NOTs count.
        while (now() < deadline) {
            NibbleWalkOptions options;
            options.moves = a.steps;
            options.slack = a.slack;
            options.uphill_one_in = a.uphill;
            options.extra_gates = a.extra;
            const Network fresh = a.from.empty() ? seed_of(a, arity, random) : start;
            nibble_walk(fresh, options, random, record);
            if (a.verbose) std::fprintf(stderr, ".");
        }
        if (a.verbose) std::fprintf(stderr, "%s.%s %d gates\n", a.name.c_str(), a.basis.c_str(), best_size);
        return 0;
    }
    Network net = start;
    long round = 0;
    while (now() < deadline) {
        ShrinkOptions options;
        options.moves = a.name.rfind("kuznyechik", 0) == 0 ? 300 : 3000;
        options.slack = a.slack;
        options.uphill_one_in = a.uphill;
        options.max_divisors = a.divisors;
        options.extra_gates = a.extra;
        net = shrunk(net, options, random);
        record(net);
        ++round;
    }
    if (a.verbose) std::fprintf(stderr, "%s.%s %d gates after %ld rounds\n", a.name.c_str(), a.basis.c_str(), best_size, round);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments a;
    if (argc < 3) {
        std::fprintf(stderr, "usage: search NAME gates2|lut3 [--from F] [--to F] [--seconds N] [--seed N] …\n");
        return 2;
    }
    a.name = argv[1];
    a.basis = argv[2];
    for (int i = 3; i < argc; ++i) {
        const std::string option = argv[i];
        const auto next = [&]() -> const char* {
            if (++i >= argc) std::exit(2);
            return argv[i];
        };
        if (option == "--from") a.from = next();
        else if (option == "--to") a.to = next();
        else if (option == "--seconds") a.seconds = std::atof(next());
        else if (option == "--seed") a.seed = std::strtoull(next(), nullptr, 0);
        else if (option == "--slack") a.slack = std::atoi(next());
        else if (option == "--uphill") a.uphill = std::atoi(next());
        else if (option == "--divisors") a.divisors = std::atoi(next());
        else if (option == "--extra") a.extra = std::atoi(next());
        else if (option == "--starts") a.starts = std::atoi(next());
        else if (option == "--component-moves") a.component_moves = std::atol(next());
        else if (option == "--steps") a.steps = std::atol(next());
        else if (option == "--verbose") a.verbose = true;
        else return 2;
    }
    try {
        return run(a);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 1;
    }
}
