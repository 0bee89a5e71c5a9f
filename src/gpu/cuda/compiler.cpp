#include "gpu/cuda/compiler.hpp"

#include <algorithm>

#include "core/decimal.hpp"
#include "core/user_cache.hpp"
#include "gpu/device/shared_library.hpp"

namespace vsh::gpu::cuda {

// The compilers of this machine, newest first. The loader finds them through LD_LIBRARY_PATH and ldconfig, or already
// loaded (by PyTorch, say); else the usual folders of toolkits are searched.
struct Compilers {
  std::vector<Compiler> all;

  Compilers() {
    add_from("");
    for (const std::string_view toolkit :
         {environment("CUDA_PATH"), environment("CUDA_HOME"), std::string_view("/usr/local/cuda")})
      for (const char* const folder : {"/lib64/", "/lib/"})  // NVIDIA's installers, conda
        if (all.empty() && toolkit.starts_with('/')) add_from(std::string(toolkit) + folder);
  }

  // The names without versions cover releases newer than this list.
  void add_from(const std::string& folder) {
    for (const char* const name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"})
      if (all.empty() || name != std::string_view("libnvrtc.so")) add(SharedLibrary{(folder + name).c_str()});
  }

  void add(const SharedLibrary& library) {
    Compiler compiler;
    bool complete = static_cast<bool>(library);
#define VSH_NVRTC_LOAD(name, result, parameters) complete &= library.load(&compiler.functions_.name, #name);
    VSH_NVRTC_FUNCTIONS(VSH_NVRTC_LOAD)
#undef VSH_NVRTC_LOAD
    const CompilerFunctions& f = compiler.functions_;
    int major = 0, minor = 0, count = 0;
    if (!complete || f.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return;
    if (f.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0) return;
    compiler.version_ = 1000 * major + 10 * minor;
    compiler.capabilities_.resize(static_cast<size_t>(count));
    if (f.nvrtcGetSupportedArchs(compiler.capabilities_.data()) == NVRTC_SUCCESS) all.push_back(compiler);
  }
};

namespace {

class Compilation {
 public:
  Compilation(const CompilerFunctions& functions, const std::string& text) : f_(functions) {
    require(f_.nvrtcCreateProgram(&program_, text.c_str(), "vershina.cu", 0, nullptr, nullptr));
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() { f_.nvrtcDestroyProgram(&program_); }

  void run(const std::vector<std::string>& options) {
    std::vector<const char*> words;
    std::string line;
    for (const std::string& option : options) {
      words.push_back(option.c_str());
      line += " " + option;
    }
    const nvrtcResult result = f_.nvrtcCompileProgram(program_, static_cast<int>(words.size()), words.data());
    if (result != NVRTC_SUCCESS)
      throw Error(Error::Kind::compile, "NVRTC: compiling with" + line + ": " + f_.nvrtcGetErrorString(result) + "\n" +
                                            text_of(f_.nvrtcGetProgramLogSize, f_.nvrtcGetProgramLog));
  }
  std::string cubin() { return text_of(f_.nvrtcGetCUBINSize, f_.nvrtcGetCUBIN); }
  std::string ptx() { return text_of(f_.nvrtcGetPTXSize, f_.nvrtcGetPTX); }

 private:
  void require(nvrtcResult result) const {
    if (result != NVRTC_SUCCESS)
      throw Error(Error::Kind::compile, std::string("NVRTC: ") + f_.nvrtcGetErrorString(result));
  }
  std::string text_of(nvrtcResult (*size)(nvrtcProgram, size_t*), nvrtcResult (*get)(nvrtcProgram, char*)) const {
    size_t len = 0;
    require(size(program_, &len));
    std::string text(len, '\0');
    if (len != 0) require(get(program_, text.data()));
    return text;
  }

  const CompilerFunctions& f_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace

const Compiler& Compiler::for_device(int capability, int driver_version) {
  static const Compilers& compilers = *new Compilers;
  const Compiler* newer = nullptr;  // newer than the driver, which may reject its code
  for (const Compiler& compiler : compilers.all) {
    if (compiler.target(capability) == 0) continue;
    if (compiler.version_ / 1000 <= driver_version / 1000) return compiler;
    newer = &compiler;  // finally the oldest of those
  }
  if (newer) return *newer;
  const std::string device =
      "; this device is sm_" + decimal(capability) + ", its driver for CUDA " + version_text(driver_version);
  throw Error(Error::Kind::compile,
              compilers.all.empty()
                  ? "CUDA: there is no NVRTC (libnvrtc.so.12 or .13): install the CUDA toolkit's, or the Python "
                    "package nvidia-cuda-nvrtc, and name its folder in LD_LIBRARY_PATH or the toolkit in CUDA_PATH" +
                        device
                  : "CUDA: no NVRTC of this machine knows this device" + device);
}

std::string Compiler::name() const { return "NVRTC " + version_text(version_); }

int Compiler::target(int capability) const noexcept {
  int best = 0;
  for (const int known : capabilities_)
    if (known <= capability) best = std::max(best, known);
  return best;
}

std::vector<uint8_t> Compiler::compile(std::string_view text, const std::string& definitions, int capability) const {
  const int known = target(capability);
  const bool native = known == capability;
  const std::string architecture = (native ? "--gpu-architecture=sm_" : "--gpu-architecture=compute_") + decimal(known);
  std::vector<std::string> options = {"--std=c++17", architecture};
  for (size_t at = 0; at < definitions.size();) {
    const size_t end = std::min(definitions.find(' ', at), definitions.size());
    if (end > at) options.push_back(definitions.substr(at, end - at));
    at = end + 1;
  }
  Compilation compilation(functions_, std::string(text));
  compilation.run(options);
  const std::string code = native ? compilation.cubin() : compilation.ptx();
  return {code.begin(), code.end()};
}

}  // namespace vsh::gpu::cuda
