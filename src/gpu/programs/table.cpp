#include "gpu/programs/table.hpp"

#include "core/decimal.hpp"
#include "gpu/programs/cache.hpp"
#include "gpu/programs/program.hpp"

namespace vsh::gpu {
namespace {

std::string_view text_of(std::string_view name) {
  for (const ProgramText& program : program_texts())
    if (program.name == name) return program.text;
  throw Error(Error::Kind::compile, "this build has no device program " + std::string(name));
}

}  // namespace

std::shared_ptr<Program> ProgramTable::get(ProgramMaker& maker, const std::string& name,
                                           const std::string& definitions) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Program>& program = programs_[{name, definitions}];
  if (program) return program;
  const ProgramRequest request = {maker.identity(), name,
                                  "-DVSH_GROUP=" + decimal(kGroup) + (definitions.empty() ? "" : " " + definitions),
                                  text_of(name)};
  const std::string compiler = maker.compiler();
  std::vector<uint8_t> binary = read_program(request, compiler);
  if (!binary.empty()) program = maker.load(binary);
  if (program) return program;
  binary.clear();
  program = maker.compile(request.text, request.definitions, binary);
  write_program(request, compiler, binary);
  return program;
}

}  // namespace vsh::gpu
