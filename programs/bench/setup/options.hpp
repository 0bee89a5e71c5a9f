// Options of the command line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace vsh::bench {

enum class InPlace { no, yes, both };

struct Options {
  std::vector<std::string> algorithms;  // empty: all
  std::vector<std::string> modes;       // empty: all
  std::vector<std::string> kernels;     // variants; {"all"}; {"default"}: the library's own choice
  std::vector<size_t> sizes;            // bytes; empty: the usual run
  std::vector<unsigned> threads;        // empty: the usual run; 0 means all processors
  std::vector<size_t> alignments = {0};
  InPlace in_place = InPlace::no;
  double seconds = 0;                // for each row; 0: the usual
  int processor = -1;                // to pin to; -1: the last one that this process may use
  std::vector<std::string> devices;  // "cuda:0", "all"; empty: the processor's benchmark
  bool quick = false;
  bool all = false;  // the long tables below the summary
  bool peers = false;
  std::string plot;                   // a file for cost against size, "-" for standard output; empty: none
  std::string html;                   // a page of plots and tables, "-" for standard output; empty: none
  std::string study;                  // "streebog", "threads", …; empty: the usual benchmark
  std::string order;                  // of a study's associations: "rotation", "zipf"; empty: "random"
  std::string json;                   // a file, "-" for standard output; empty: none
  std::string bars;                   // a file of --submit to draw; empty: measure
  std::string submit;                 // a file of figures to send to others, "-" for standard output; empty: none
  std::filesystem::path library_dir;  // of peers; empty: the system's
  std::filesystem::path peers_dir;    // output of `make peers`; empty: searched relative to the program
};

// "16 KiB", "1000".
std::string format_size(size_t bytes);

}  // namespace vsh::bench
