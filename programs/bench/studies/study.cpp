#include "programs/bench/studies/study.hpp"

#include <algorithm>
#include <iterator>

#include "programs/bench/report/json.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

struct Entry {
  const char* name;
  void (*run)(Study&);
  bool selects = false;  // takes --algorithms and --modes
  bool draws = false;    // takes --plot
  bool orders = false;   // takes --order
};
constexpr Entry kStudies[] = {{"streebog", study_streebog},
                              {"threads", study_threads},
                              {"hyperthreads", study_hyperthreads},
                              {"streams", study_streams, true},
                              {"pbkdf2", study_pbkdf2},
                              {"sealed", study_sealed},
                              {"packets", study_packets, false, false, true},
                              {"records", study_records},
                              {"esp", study_esp, false, false, true},
                              {"batches", study_batches, true, true}};

const Entry& entry_of(const Options& options) {
  const Entry& entry =
      *std::find_if(std::begin(kStudies), std::end(kStudies), [&](const Entry& e) { return options.study == e.name; });
  const auto refuse = [&](bool given, bool allowed, const char* option) {
    if (given && !allowed)
      throw cli::Failure(cli::ExitCode::usage, cli::tr("the study {1} does not take {2}", options.study, option));
  };
  refuse(!options.algorithms.empty(), entry.selects, "--algorithms");
  refuse(!options.modes.empty(), entry.selects, "--modes");
  refuse(!options.plot.empty(), entry.draws, "--plot");
  refuse(!options.order.empty(), entry.orders, "--order");
  return entry;
}

}  // namespace

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kStudies) names.emplace_back(entry.name);
  return names;
}

void run_study(const Options& options) {
  const Entry& entry = entry_of(options);
  Place place(options);
  ResultFile json(options.json);
  if (place.processor >= 0) place.affinity.pin(place.processor);
  const measure::Machine machine = machine_of_run(place.count, place.processor);
  std::ostream& out = table_stream(options);
  Study study{options, machine, place, out, options.order.empty() ? "random" : options.order, {}, {}};
  print(out, [&] { out << measure::to_text(machine); });
  entry.run(study);
  place.affinity.release();
  print(out, [&] {
    if (!study.skipped.empty()) out << "\nnot measured: " << study.skipped.size() << "\n";
    for (const std::string& what : study.skipped) out << "  " << what << "\n";
  });

  const Object root = {{"machine", machine_json(machine, {})},
                       {"study", options.study},
                       {"rows", study.rows},
                       {"not_measured", List(study.skipped)}};
  json.write(root.text() + "\n");
}

}  // namespace vsh::bench
