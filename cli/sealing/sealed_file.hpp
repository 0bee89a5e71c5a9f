// A sealed file that is opened: its header, who can open it, and what its errors are called.
#pragma once

#include <vershina/vershina.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/files/input_file.hpp"
#include "cli/options/option_values.hpp"
#include "cli/options/secret_options.hpp"

namespace vsh::cli {

// What names a sealed file: seal appends it, open takes it off.
constexpr const char* kSealedSuffix = ".sealed";

struct FreeSealed {
  void operator()(vsh_sealer* sealer) const { vsh_sealer_free(sealer); }
  void operator()(vsh_opener* opener) const { vsh_opener_free(opener); }
};
using SealerContext = std::unique_ptr<vsh_sealer, FreeSealed>;
using OpenerContext = std::unique_ptr<vsh_opener, FreeSealed>;

// Threads and kernel, for the commands that cipher.
struct SealedEngine {
  unsigned threads = 0;
  std::string kernel, device = "cpu";

  void add_to(Command& command);
  void add_device_to(Command& command);  // of commands that do chunks
  vsh_options options() const;  // refers to this
};

// --max-iterations. 0 (not given) means the library's bound.
inline constexpr NumberRule kSealedIterations = {.min = VSH_SEALED_MIN_ITERATIONS, .max = VSH_SEALED_MAX_ITERATIONS};

void add_max_iterations_option(Command& command, uint64_t& max_iterations);

// The first bytes of a sealed file, more than its header; all of it, where it is shorter. Throws Failure.
class SealedHeader {
 public:
  explicit SealedHeader(InputFile& input);
  std::span<const uint8_t> bytes() const { return std::span(bytes_).first(len_); }
  // What was read of the payload, which begins at header_len.
  void give_back(InputFile& input, size_t header_len) const { input.unread(bytes().subspan(header_len)); }

 private:
  std::array<uint8_t, VSH_SEALED_MAX_HEADER_LEN> bytes_;
  size_t len_ = 0;
};

// The header read by the library. Throws Failure.
OpenerContext new_opener(const std::string& name, const SealedHeader& header, uint64_t max_iterations,
                         const vsh_options& options);
vsh_sealed_info inspect_header(const std::string& name, const SealedHeader& header);

// Tries all secrets; says on standard error where the two slots of the header are not the same. Throws Failure where
// none fits. Returns what is now known to be authentic.
vsh_sealed_info unlock(vsh_opener* opener, const std::string& name, const std::vector<Secret>& secrets);

// How long slots shall be at least beside a payload of that length: so short that a header is no burden, or so long
// that the recipients of a large file can be changed without copying it.
size_t least_slot_len(std::optional<uint64_t> payload_len);

// Whether a header has somebody who opens it with a passphrase.
bool has_passphrase(const vsh_sealed_info& info);

// The Failure for what a function of vershina/sealed.h returned about the file `name` once its header was inspected.
// Not for VSH_E_CHUNK.
Failure sealed_failure(vsh_status status, const std::string& name, const vsh_options& options);
// The one for a damaged chunk, and the bytes of the content that it should hold.
Failure chunk_failure(uint64_t chunk, size_t chunk_len, const std::string& name);

// How many iterations each passphrase in `added` gets: `wanted`, or where that is 0 calibrate_iterations(). Throws
// Failure where that is more for all of them than a header may ask for, before any of them is derived.
uint32_t iterations_for(const std::vector<Secret>& added, uint32_t wanted, const vsh_options& options);

// As many as this machine does in half a second, between a floor and a ceiling.
constexpr uint32_t kCalibrationFloor = 100'000, kCalibrationCeiling = 4'000'000;
constexpr double kCalibrationSeconds = 0.5;
uint32_t calibrate_iterations(const vsh_options& options);

}  // namespace vsh::cli
