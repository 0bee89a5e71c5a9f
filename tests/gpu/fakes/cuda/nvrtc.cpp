// The fake's libnvrtc.so.12: device programs compiled by the C++ compiler of the build.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
#include "gpu/cuda/api.hpp"

using namespace vsh::gpu::cuda;

namespace {

constexpr int kCapabilities[] = {75, 80, 86, 89, 90, 100};
constexpr int kInvalidInput = 3, kInvalidOption = 5;

struct Program {
  std::string text, log, image;
  bool ptx = false;
  int capability = 0;
};

Program& of(nvrtcProgram program) { return *reinterpret_cast<Program*>(program); }

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Entries by name, with the types of their arguments taken from the compiler.
std::string entries(const std::vector<std::string>& names) {
  std::string code = R"(
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
struct HostKernel {
  unsigned num_arguments;
  const uint8_t* sizes;
  const uint8_t* is_pointer;
  void (*run)(void* const*, uint64_t);
};
namespace {
template <auto kKernel, class F> struct Entry;
template <auto kKernel, class... A> struct Entry<kKernel, void(A...)> {
  static constexpr uint8_t kSizes[] = {sizeof(A)..., 0}, kPointers[] = {std::is_pointer_v<A>..., 0};
  template <size_t... i> static void call(void* const* a, std::index_sequence<i...>) {
    kKernel(*static_cast<std::remove_const_t<A>*>(a[i])...);
  }
  static void run(void* const* a, uint64_t num_items) {
    for (vsh_item_now = 0; vsh_item_now < num_items; ++vsh_item_now) call(a, std::index_sequence_for<A...>());
  }
  static constexpr HostKernel kHostKernel = {sizeof...(A), kSizes, kPointers, run};
};
}
)";
  for (const std::string& name : names) {
    code += "extern \"C\" const HostKernel host_kernel_" + name + " = Entry<" + name + ", decltype(" + name +
            ")>::kHostKernel;\n";
  }
  return code;
}

// A folder for the compiler, which is started by a shell: no part of a command comes from outside the build.
class Workshop {
 public:
  Workshop() : path_(::mkdtemp(name_) ? name_ : "") {}
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop() {
    for (const char* name : {"/in.cpp", "/out", "/log"}) std::remove((path_ + name).c_str());
    ::rmdir(name_);
  }
  bool compile(const std::string& text, const std::string& options) {
    std::ofstream(path_ + "/in.cpp") << text;
    const std::string command = std::string(FAKE_CUDA_CXX) + " -std=c++20 -w " + options + " " + path_ + "/in.cpp -o " +
                                path_ + "/out 2> " + path_ + "/log";
    return std::system(command.c_str()) == 0;
  }
  std::string out() const { return read_file(path_ + "/out"); }
  std::string log() const { return read_file(path_ + "/log"); }

 private:
  char name_[32] = "/tmp/fake-cuda-XXXXXX";
  std::string path_;
};

// Entries may come from macros: they are visible only after preprocessing.
std::vector<std::string> names_in(const std::string& preprocessed) {
  static const std::regex entry(R"(VSH_ENTRY\s+void\s+(\w+)\s*\()");
  std::vector<std::string> names;
  for (std::sregex_iterator i(preprocessed.begin(), preprocessed.end(), entry), end; i != end; ++i)
    names.push_back((*i)[1]);
  return names;
}

bool run_compiler(Program& program, const std::string& definitions) {
  static const std::string kStatic = "#define VSH_KERNEL static";  // of kernels/dialect.h
  std::string marked = program.text;
  const size_t at = marked.find(kStatic);
  if (at == marked.npos) return false;
  marked.replace(at, kStatic.size(), "#define VSH_KERNEL VSH_ENTRY");
  Workshop workshop;
  bool done = workshop.compile(marked, "-E -P" + definitions);
  if (done)
    done = workshop.compile(program.text + entries(names_in(workshop.out())), "-O1 -fPIC -shared" + definitions);
  program.log = workshop.log();
  program.image = done ? workshop.out() : "";
  return done;
}

nvrtcResult size_of(const std::string& text, size_t* len) {
  *len = text.size();
  return NVRTC_SUCCESS;
}
nvrtcResult copy_of(const std::string& text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return NVRTC_SUCCESS;
}

}  // namespace

FAKE_CUDA_API nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = fake_cuda::kCompilerVersion / 1000;
  *minor = fake_cuda::kCompilerVersion % 1000 / 10;
  return NVRTC_SUCCESS;
}

FAKE_CUDA_API const char* nvrtcGetErrorString(nvrtcResult result) {
  return result == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR of the fake driver";
}

FAKE_CUDA_API nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = std::size(kCapabilities);
  return NVRTC_SUCCESS;
}

FAKE_CUDA_API nvrtcResult nvrtcGetSupportedArchs(int* all) {
  std::copy(std::begin(kCapabilities), std::end(kCapabilities), all);
  return NVRTC_SUCCESS;
}

FAKE_CUDA_API nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char*, int num_headers,
                                             const char* const*, const char* const*) {
  if (!text || num_headers != 0) return kInvalidInput;
  auto* const made = new Program;
  made->text = text;
  *program = reinterpret_cast<nvrtcProgram>(made);
  return NVRTC_SUCCESS;
}

FAKE_CUDA_API nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete reinterpret_cast<Program*>(*program);
  *program = nullptr;
  return NVRTC_SUCCESS;
}

FAKE_CUDA_API nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int num_options, const char* const* options) {
  Program& p = of(program);
  std::string definitions;
  for (int i = 0; i < num_options; ++i) {
    const std::string option = options[i];
    const auto number_after = [&](const std::string& prefix) {
      return option.starts_with(prefix) ? std::atoi(option.c_str() + prefix.size()) : 0;
    };
    if (option.starts_with("-D")) definitions += " '" + option + "'";
    else if (const int native = number_after("--gpu-architecture=sm_")) p.capability = native;
    else if (const int ptx = number_after("--gpu-architecture=compute_")) p.capability = ptx, p.ptx = true;
    else if (option != "--std=c++17") return kInvalidOption;
  }
  if (std::find(std::begin(kCapabilities), std::end(kCapabilities), p.capability) == std::end(kCapabilities))
    return kInvalidOption;
  if (!run_compiler(p, definitions)) return NVRTC_ERROR_COMPILATION;
  fake_cuda::ImageHeader header{};
  std::memcpy(header.magic, p.ptx ? fake_cuda::kPtxMagic : fake_cuda::kMagic, sizeof header.magic);
  header.compiler_version = fake_cuda::kCompilerVersion;
  header.capability = static_cast<uint32_t>(p.capability);
  header.len = p.image.size();
  p.image.insert(0, reinterpret_cast<const char*>(&header), sizeof header);
  return NVRTC_SUCCESS;
}

FAKE_CUDA_API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* len) {
  return size_of(of(program).log, len);
}
FAKE_CUDA_API nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* out) { return copy_of(of(program).log, out); }
FAKE_CUDA_API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* len) {
  return of(program).ptx ? kInvalidInput : size_of(of(program).image, len);
}
FAKE_CUDA_API nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* out) { return copy_of(of(program).image, out); }
FAKE_CUDA_API nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* len) { return size_of(of(program).image, len); }
FAKE_CUDA_API nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* out) { return copy_of(of(program).image, out); }
