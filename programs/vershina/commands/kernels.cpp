// `vershina kernels`: every kernel of this build, whether this processor can run it, and the choice.
#include <vershina/vershina.h>

#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "programs/common/options/engine_options.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/common/text/tuning_text.hpp"
#include "programs/vershina/commands/commands.hpp"

namespace vsh::cli {
namespace {

std::vector<vsh_kernel_info> all_kernels() {
  std::vector<vsh_kernel_info> kernels;
  vsh_kernel_info info{};
  while (vsh_kernel(kernels.size(), &info) == VSH_OK) kernels.push_back(info);
  return kernels;
}

// Returns whether it is a Streebog kernel for many messages.
bool takes_messages(const vsh_kernel_info& kernel) {
  return std::string_view(kernel.family) == "streebog" && kernel.lanes > 1;
}

// "1 to 18 blocks", "19 to 132 blocks", "133 blocks and more"; `kernels` in the order of the library.
std::string chosen_for(const vsh_kernel_info& kernel, const std::vector<vsh_kernel_info>& kernels) {
  if (kernel.chosen_min_blocks == 0) return "";
  if (kernel.chosen && kernel.chosen_one_block) return tr("yes");
  const std::string from = std::to_string(kernel.chosen_min_blocks);
  if (kernel.chosen)
    return takes_messages(kernel) ? tr("{1} messages and more", from) : tr("{1} blocks and more", from);
  unsigned next = 0;  // from where the next wider row is used
  for (const vsh_kernel_info& wider : kernels) {
    const bool is_rung = std::string_view(wider.family) == kernel.family && wider.chosen_min_blocks != 0;
    if (is_rung && wider.lanes > kernel.lanes && (next == 0 || wider.chosen_min_blocks < next))
      next = wider.chosen_min_blocks;
  }
  const std::string to = std::to_string(next - 1);
  return from == to ? tr_count(kernel.chosen_min_blocks, "{1} block", "{1} blocks") : tr("{1} to {2} blocks", from, to);
}

std::string table() {
  std::vector<std::vector<std::string>> rows = {
      {tr("FAMILY"), tr("KERNEL"), "ISA", tr("LANES"), tr("CONSTANT TIME"), tr("RUNS HERE"), tr("CHOSEN")}};
  const auto kernels = all_kernels();
  for (const vsh_kernel_info& kernel : kernels) {
    rows.push_back({kernel.family, kernel.variant, kernel.isa, std::to_string(kernel.lanes),
                    kernel.constant_time ? tr("yes") : tr("no"), kernel.runnable ? tr("yes") : tr("no"),
                    chosen_for(kernel, kernels)});
  }
  return align_columns(rows, {3}) + tr("processor: {1}", vsh_cpu_features()) + "\n" +
         describe_tuning(VSH_TUNING_KERNELS) + "\n";
}

std::string json() {
  const English json_is_english;
  const std::string tuning = describe_tuning(VSH_TUNING_KERNELS);
  JsonArray features;
  std::istringstream words(vsh_cpu_features());
  for (std::string word; words >> word;) features.add(word);
  JsonArray kernels(JsonLayout::lines);
  for (const vsh_kernel_info& kernel : all_kernels()) {
    JsonObject row;
    row.add("family", kernel.family).add("kernel", kernel.variant).add("isa", kernel.isa).add("lanes", kernel.lanes);
    row.add("constant_time", kernel.constant_time != 0).add("runnable", kernel.runnable != 0);
    row.add("chosen", kernel.chosen != 0).add("chosen_one_block", kernel.chosen_one_block != 0);
    row.add("chosen_min_blocks", kernel.chosen_min_blocks);
    kernels.add(row);
  }
  JsonObject all(JsonLayout::lines);
  all.add("version", vsh_version()).add("cpu_features", features);
  all.add("tuned", tuning.starts_with("tuned")).add("tuning", tuning).add("kernels", kernels);
  return all.text() + "\n";
}

constexpr const char* kKernelsExplanation = mark(
    R"(CHOSEN runs by default for requests of this many blocks in ECB, CTR, CNT and the decryption of
CBC and CFB; the rest of its passes goes to the kernels for fewer blocks. The one for 1 block also runs
where each block needs the one before; `yes`: there is no other. Streebog's kernels of several lanes
hash that many messages side by side, for programs that have them. The family gf2n multiplies for MGM; only
VERSHINA_KERNEL forces one of it. The last line says whether this machine has been
tuned. Force another kernel with --kernel NAME, or for every command with the environment:
VERSHINA_KERNEL=kuznyechik:avx2,streebog:portable. Kernels that are not constant-time need --allow-tables as
well.)");

}  // namespace

void add_kernels_command(Program& program) {
  Command& command =
      program.add_command("kernels", tr("List the kernels of this build and what this processor can run"));
  auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, tr("Print JSON"))
      ->manual(
          "Print an object with `version`, `cpu_features`, `tuned` (whether by measured costs), `tuning` "
          "(the last line of the table) and `kernels`: a list of objects with `family`, `kernel`, `isa`, "
          "`lanes`, `constant_time`, `runnable`, `chosen` (for many blocks), `chosen_one_block` and "
          "`chosen_min_blocks` (0 for a kernel that is not a default).");
  command.footer(tr(kKernelsExplanation));
  command.exit_status({ExitCode::ok, ExitCode::usage, {ExitCode::kernel, tr("VERSHINA_KERNEL cannot be used")}});
  command.action([=] {
    const std::string tables = check_kernels_of_environment();
    if (!tables.empty()) print_error(tables);
    print(*as_json ? json() : table());
  });
}

}  // namespace vsh::cli
