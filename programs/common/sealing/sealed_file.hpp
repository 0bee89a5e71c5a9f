// Opening of a sealed file: its header, its recipients, and its failures.
#pragma once

#include <vershina/vershina.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "programs/common/files/input_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/secret_options.hpp"

namespace vsh::cli {

// Suffix of a sealed file's name: seal appends it, open removes it.
constexpr const char* kSealedSuffix = ".sealed";

struct FreeSealed {
  void operator()(vsh_sealer* sealer) const { vsh_sealer_free(sealer); }
  void operator()(vsh_opener* opener) const { vsh_opener_free(opener); }
};
using SealerContext = std::unique_ptr<vsh_sealer, FreeSealed>;
using OpenerContext = std::unique_ptr<vsh_opener, FreeSealed>;

// Threads and kernel, for commands that process content.
struct SealedEngine {
  unsigned threads = 0;
  std::string kernel, device = "cpu";

  void add_to(Command& command);
  void add_device_to(Command& command);  // for commands that process chunks
  vsh_options options() const;           // refers to this
};

// --iterations.
inline constexpr NumberRule kSealedIterations = {.min = VSH_SEALED_MIN_ITERATIONS, .max = VSH_SEALED_MAX_ITERATIONS};

// Reads the first bytes of a sealed file, more than its header; all of a shorter one. Throws Failure.
class SealedHeader {
 public:
  explicit SealedHeader(InputFile& input);
  std::span<const uint8_t> bytes() const { return std::span(bytes_).first(len_); }
  // Returns the part of the payload, which begins at header_len, to `input`.
  void give_back(InputFile& input, size_t header_len) const { input.unread(bytes().subspan(header_len)); }

 private:
  std::array<uint8_t, VSH_SEALED_MAX_HEADER_LEN> bytes_;
  size_t len_ = 0;
};

struct WorkLimits;

// Creates an opener from the header. Throws Failure.
OpenerContext new_opener(const std::string& name, const SealedHeader& header, const WorkLimits& limits,
                         const vsh_options& options);
vsh_sealed_info inspect_header(const std::string& name, const SealedHeader& header);

// Tries all secrets; notes on standard error if the two slots of the header differ. Throws Failure if none fits. The
// work of argon2id was checked before (WorkLimits).
// Returns the authenticated header.
vsh_sealed_info unlock(vsh_opener* opener, const std::string& name, const std::vector<Secret>& secrets);

// Returns the least length of slots for a payload of that length: short for a small file, so that the header is small;
// long enough in a large file to change its recipients without copying it.
size_t least_slot_len(std::optional<uint64_t> payload_len);

// Returns whether a header has a recipient with a passphrase.
bool has_passphrase(const vsh_sealed_info& info);
// Throws Failure unless it has one; for commands that ask for it.
void check_has_passphrase(const vsh_sealed_info& info, const std::string& name);

// Returns the number of passphrases and keys, for messages: "1 passphrase", "2 passphrases and 1 key".
std::string recipients_text(size_t num_passphrases, size_t num_keys);
std::string recipients_text(const vsh_sealed_info& info);

// Returns the Failure for a status of vershina/sealed.h about the file `name` after its header was inspected. Not for
// VSH_E_CHUNK.
Failure sealed_failure(vsh_status status, const std::string& name, const vsh_options& options);
// Returns the Failure for a damaged chunk, with its bytes of the content.
Failure chunk_failure(uint64_t chunk, size_t chunk_len, const std::string& name);

// Returns the number of iterations for each passphrase in `added`: `wanted`, or if that is 0 calibrate_iterations().
// Throws Failure if the total exceeds the bound of a header, before any is derived.
uint32_t iterations_for(const std::vector<Secret>& added, uint32_t wanted, const vsh_options& options);

// Returns as many as this machine computes in half a second of processor time, between a floor and a ceiling.
constexpr uint32_t kCalibrationFloor = 100'000, kCalibrationCeiling = 4'000'000;
constexpr double kCalibrationSeconds = 0.5;
uint32_t calibrate_iterations(vsh_options options);

}  // namespace vsh::cli
