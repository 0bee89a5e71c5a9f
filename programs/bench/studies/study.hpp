// Published experiments repeated on this machine with this library: `vershina bench --study NAME`.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "measure/machine.hpp"
#include "programs/bench/report/format.hpp"
#include "programs/bench/setup/environment.hpp"
#include "programs/bench/setup/options.hpp"

namespace vsh::bench {

struct Study {
  const Options& options;
  const measure::Machine& machine;
  Place& place;  // one thread is pinned to place.processor
  std::ostream& out;
  std::string order;  // of security associations
  List rows;
  // Skipped measurements, with reasons; printed and counted.
  std::vector<std::string> skipped;

  void add_row(const Object& row) { rows.add(row); }
};

// The simple Internet mix: 7 packets of 40 bytes, 4 of 576 and 1 of 1500, in an order without runs.
inline constexpr size_t kImix[] = {40, 576, 40, 40, 576, 40, 1500, 40, 576, 40, 40, 576};

std::vector<std::string> study_names();

// Runs options.study: tables, and JSON if requested. Throws cli::Failure.
void run_study(const Options& options);

void study_streebog(Study& study);      // streebog.cpp
void study_threads(Study& study);       // threads.cpp
void study_hyperthreads(Study& study);  // hyperthreads.cpp
void study_streams(Study& study);       // streams.cpp
void study_pbkdf2(Study& study);        // pbkdf2.cpp
void study_sealed(Study& study);        // sealed.cpp
void study_packets(Study& study);       // packets.cpp
void study_records(Study& study);       // records.cpp
void study_batches(Study& study);       // batches.cpp
void study_esp(Study& study);           // esp.cpp

}  // namespace vsh::bench
