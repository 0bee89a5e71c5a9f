#include "programs/bench/studies/plain_streebog.hpp"

#include <cstring>
#include <fstream>
#include <map>

#include "circuits/sbox_tables.hpp"
#include "core/bytes.hpp"
#include "streebog/constants.hpp"

namespace vsh::bench {
namespace {

// The file's text, a string literal from programs/bench/embedded.cmake.
constexpr const char kSource[] =
#include "streebog_plain_c.inc"
    ;

constexpr uint32_t kTrainingSizes[] = {64, 1000, 65536};

std::vector<std::string> shape_flags(const PlainBuild& b) {
  std::vector<std::string> flags;
  if (b.shape == "forced") flags = {"-DPLAIN_FORCED"};
  if (b.shape == "fragment") flags = {"-DPLAIN_FRAGMENT", "-DPLAIN_FORCED"};
  if (b.shape == "sse2") flags = {"-DPLAIN_SSE2", "-DPLAIN_FORCED", "-msse2"};
  if (b.bits == 64) return flags;
  // Without a 32-bit C library, which few machines have. The two macros keep <emmintrin.h> from including <stdlib.h>.
  for (const char* flag : {"-m32", "-DPLAIN_BARE", "-ffreestanding", "-nostdlib", "-static", "-fno-stack-protector",
                           "-D_MM_MALLOC_H_INCLUDED", "-D__MM_MALLOC_H"})
    flags.emplace_back(flag);
  return flags;
}

class Builder {
 public:
  explicit Builder(const TemporaryFolder& folder) : source_(folder / "streebog_plain.c") {
    std::ofstream(source_) << kSource;
    training_ = folder / "training";
    std::vector<uint8_t> message(kTrainingSizes[std::size(kTrainingSizes) - 1], 0x5a);
    std::ofstream file(training_, std::ios::binary);
    const auto put = [&](std::span<const std::byte> data) {
      file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    };
    put(plain_input(message));
    for (const uint32_t size : kTrainingSizes) put(plain_request(size, 4));
  }

  // Returns the reason if it cannot be built; empty otherwise.
  std::string build(const PlainBuild& b, const std::string& program) {
    if (!b.profile) return compile(b, program, {});
    if (b.bits == 32) return "the compilers' profiling needs a 32-bit C library";
    return b.compiler == "gcc" ? build_with_gcov(b, program) : build_with_llvm(b, program);
  }

 private:
  static std::string failure(const Finished& f) {
    if (f.status == 0) return {};
    return f.error.empty() ? "status " + std::to_string(f.status) : f.error;
  }
  // GCC finds a profile by the name of the object file: both compilations use the same one.
  std::string build_with_gcov(const PlainBuild& b, const std::string& program) const {
    const std::string object = program + ".o", trained = program + "-training";
    std::string why = compile(b, object, {"-c", "-fprofile-generate"});
    if (why.empty()) why = failure(run_program({b.compiler, "--coverage", object, "-o", trained}));
    if (why.empty()) why = failure(run_program({trained}, training_));
    if (why.empty()) why = compile(b, object, {"-c", "-fprofile-use", "-Werror=missing-profile"});
    return why.empty() ? failure(run_program({b.compiler, object, "-o", program})) : why;
  }
  std::string build_with_llvm(const PlainBuild& b, const std::string& program) const {
    const std::string raw = program + ".profraw", profile = program + ".profdata", trained = program + "-training";
    std::string merge = run_program({b.compiler, "--print-prog-name=llvm-profdata"}).output;
    if (!merge.empty()) merge.pop_back();  // the end of the line
    std::string why = compile(b, trained, {"-fprofile-instr-generate=" + raw});
    if (why.empty()) why = failure(run_program({trained}, training_));
    if (why.empty()) why = failure(run_program({merge, "merge", raw, "-o", profile}));
    return why.empty() ? compile(b, program, {"-fprofile-instr-use=" + profile}) : why;
  }
  std::string compile(const PlainBuild& b, const std::string& output, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {b.compiler, b.level};
    if (b.level == "-O3") words.emplace_back("-march=native");
    for (const auto& flags : {shape_flags(b), more}) words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {source_, "-o", output});
    return failure(run_program(words));
  }

  std::string source_, training_;
};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

PlainPrograms build_plain_streebog(const TemporaryFolder& folder) {
  PlainPrograms programs;
  Builder builder(folder);
  for (const std::string compiler : {"gcc", "clang"}) {
    if (const Finished version = run_program({compiler, "--version"}); version.status != 0) {
      programs.not_built.push_back(compiler + ": " + (version.status == 127 ? "not found" : version.error));
      continue;
    }
    std::map<std::string, int> reasons;
    for (const int bits : {64, 32})
      for (const char* level : {"-O2", "-O3"})
        for (const bool profile : {false, true})
          for (const char* shape : {"functions", "forced", "fragment", "sse2"}) {
            const PlainBuild b{compiler, bits, level, shape, profile};
            const std::string program = folder / ("plain" + std::to_string(programs.built.size()));
            const std::string why = builder.build(b, program);
            if (why.empty()) programs.built.push_back({b, program});
            else
              ++reasons[compiler + ", " + std::to_string(bits) + "-bit" + (profile ? ", guided by a profile" : "") +
                        ": " + why];
          }
    for (const auto& [reason, count] : reasons)
      programs.not_built.push_back(reason + " (" + std::to_string(count) + " builds)");
  }
  return programs;
}

std::vector<std::byte> plain_input(std::span<const uint8_t> message) {
  struct {
    uint64_t table[8][256];
    uint64_t constants[streebog::kRounds][8];
  } given;
  for (int j = 0; j < 8; ++j)
    for (int x = 0; x < 256; ++x) given.table[j][x] = streebog::l_of_byte(j, tables::kKuznyechikPi[x]);
  for (int i = 0; i < streebog::kRounds; ++i)
    for (int w = 0; w < 8; ++w) given.constants[i][w] = streebog::iteration_constant_word(i, w);
  const auto length = static_cast<uint32_t>(message.size());
  std::vector<std::byte> input;
  for (const auto part : {bytes_of(given), bytes_of(length), std::as_bytes(message)})
    input.insert(input.end(), part.begin(), part.end());
  return input;
}

std::array<std::byte, 8> plain_request(uint32_t size, uint32_t repeats) {
  std::array<std::byte, 8> request;
  std::memcpy(request.data(), &size, 4);
  std::memcpy(request.data() + 4, &repeats, 4);
  return request;
}

PlainStreebog::PlainStreebog(const std::string& file, std::span<const std::byte> input) : partner_(file) {
  partner_.send(input);
}

double PlainStreebog::seconds(uint32_t size, uint32_t repeats) {
  partner_.send(plain_request(size, repeats));
  struct {
    uint64_t nanoseconds;
    StreebogDigest digest;
  } answer;
  partner_.receive(std::as_writable_bytes(std::span(&answer, 1)));
  digest_ = answer.digest;
  return 1e-9 * static_cast<double>(answer.nanoseconds);
}

}  // namespace vsh::bench
