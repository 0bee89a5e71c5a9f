// `vershina kernels`: every kernel of this build, what this processor can run, and what is chosen.
#include <vershina/vershina.h>

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "commands.hpp"
#include "console.hpp"
#include "engine_options.hpp"

namespace vsh::cli {
namespace {

std::vector<vsh_kernel_info> all_kernels() {
  std::vector<vsh_kernel_info> kernels;
  vsh_kernel_info info{};
  while (vsh_kernel(kernels.size(), &info) == VSH_OK) kernels.push_back(info);
  return kernels;
}

std::string chosen_for(const vsh_kernel_info& kernel) {
  if (kernel.chosen && kernel.chosen_one_block) return "yes";
  if (kernel.chosen) return "many blocks";
  return kernel.chosen_one_block ? "one block" : "";
}

std::string table() {
  using Row = std::array<std::string, 7>;
  std::vector<Row> rows = {{"FAMILY", "KERNEL", "ISA", "LANES", "CONSTANT TIME", "RUNS HERE", "CHOSEN"}};
  for (const vsh_kernel_info& kernel : all_kernels()) {
    rows.push_back({kernel.family, kernel.variant, kernel.isa, std::to_string(kernel.lanes),
                    kernel.constant_time ? "yes" : "no", kernel.runnable ? "yes" : "no", chosen_for(kernel)});
  }
  Row::size_type widths[7] = {};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i == 3 ? padding + row[i] : row[i] + padding);  // numbers to the right
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + "processor: " + vsh_cpu_features() + "\n";
}

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

const char* json_bool(int value) { return value ? "true" : "false"; }

std::string json() {
  std::string features;
  std::istringstream words(vsh_cpu_features());
  for (std::string word; words >> word;) features += (features.empty() ? "" : ", ") + json_string(word);

  std::string text = "{\n  \"version\": " + json_string(vsh_version()) + ",\n";
  text += "  \"cpu_features\": [" + features + "],\n  \"kernels\": [";
  const char* separator = "\n";
  for (const vsh_kernel_info& kernel : all_kernels()) {
    text += separator;
    text += "    {\"family\": " + json_string(kernel.family) + ", \"kernel\": " + json_string(kernel.variant);
    text += ", \"isa\": " + json_string(kernel.isa) + ", \"lanes\": " + std::to_string(kernel.lanes);
    text += std::string(", \"constant_time\": ") + json_bool(kernel.constant_time);
    text += std::string(", \"runnable\": ") + json_bool(kernel.runnable);
    text += std::string(", \"chosen\": ") + json_bool(kernel.chosen);
    text += std::string(", \"chosen_one_block\": ") + json_bool(kernel.chosen_one_block) + "}";
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

constexpr const char* kExplanation =
    R"(CHOSEN is what runs by default: `many blocks` for ECB, CTR, CNT and decryption of CBC and CFB, `one
block` where each block needs the one before, `yes` for both. Force another with --kernel NAME, or for every
command with the environment: VERSHINA_KERNEL=kuznyechik:avx2,streebog:portable. Kernels that are not
constant-time need --allow-tables as well.)";

}  // namespace

void add_kernels_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("kernels", "List the kernels of this build and what this processor can run");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print JSON");
  command->footer(kExplanation);
  command->callback([=] {
    const std::string tables = check_kernels_of_environment();
    if (!tables.empty()) print_error(tables);
    print(*as_json ? json() : table());
  });
}

}  // namespace vsh::cli
