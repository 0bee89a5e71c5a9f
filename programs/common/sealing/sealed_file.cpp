#include "programs/common/sealing/sealed_file.hpp"

#include <time.h>

#include <algorithm>

#include "programs/common/options/engine_options.hpp"
#include "programs/common/sealing/derivation.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

void SealedEngine::add_to(Command& command) {
  add_threads_option(command, threads);
  add_kernel_option(command, kernel);
}

void SealedEngine::add_device_to(Command& command) { add_device_option(command, device); }

vsh_options SealedEngine::options() const {
  vsh_options options = VSH_OPTIONS_INIT;
  options.threads = threads;
  options.device = device.c_str();
  if (!kernel.empty()) options.kernel = kernel.c_str();
  return options;
}

SealedHeader::SealedHeader(InputFile& input) {
  while (len_ < bytes_.size()) {
    const size_t got = input.read(std::span(bytes_).subspan(len_));
    if (got == 0) break;
    len_ += got;
  }
}

namespace {

constexpr const char* kAnotherCopy = mark("take another copy of the file");

Failure tampering_failure(const std::string& name) {
  return Failure(ExitCode::header, tr("{1}: was tampered with: the copies of its header contradict each other", name),
                 tr(kAnotherCopy));
}

Failure version_failure(const std::string& name, unsigned version) {
  constexpr unsigned known = 2;
  if (version == known) {
    return Failure(ExitCode::version, tr("{1}: sealed with algorithms that are unknown here", name),
                   tr("take a newer vershina"));
  }
  return Failure(
      ExitCode::version, tr("{1}: a sealed file of version {2}; this program reads version {3}", name, version, known),
      version > known ? tr("take a newer vershina") : tr("open it with the vershina that made it, and seal it anew"));
}

// Returns the Failure for an unreadable header; `info` has the details.
Failure header_failure(vsh_status status, const std::string& name, const vsh_sealed_info& info) {
  const bool both_intact = info.slots[0].status != VSH_E_FORMAT && info.slots[1].status != VSH_E_FORMAT;
  switch (status) {
    case VSH_E_FORMAT:
      if (both_intact) return tampering_failure(name);
      return Failure(ExitCode::header, tr("{1}: not a sealed file, or both copies of its header are damaged", name),
                     tr("check the name; if it is right, take another copy of the file"));
    case VSH_E_VERSION: return version_failure(name, info.version);
    case VSH_E_PARAMETERS:
      return Failure(ExitCode::parameters, tr("{1}: its header has numbers that no sealed file has", name),
                     tr(kAnotherCopy));
    default: return sealed_failure(status, name, VSH_OPTIONS_INIT);
  }
}

Failure iterations_failure(const std::string& name, const vsh_sealed_info& info, uint64_t max_iterations) {
  uint64_t sum = 0;
  for (size_t i = 0; i < info.num_recipients; ++i) sum += info.recipients[i].iterations;
  const uint64_t bound = max_iterations != 0 ? max_iterations : VSH_SEALED_MAX_ITERATIONS;
  return Failure(ExitCode::parameters,
                 tr("{1}: its passphrases take {2} iterations, and {3} are allowed", name, sum, bound),
                 tr("if you trust its maker, give --max-iterations {1}", sum));
}

}  // namespace

OpenerContext new_opener(const std::string& name, const SealedHeader& header, const WorkLimits& limits,
                         const vsh_options& options) {
  const vsh_sealed_info info = inspect_header(name, header);
  vsh_opener* opener = nullptr;
  const auto bytes = header.bytes();
  const vsh_status status = vsh_opener_new(&opener, bytes.data(), bytes.size(), limits.iterations, &options);
  if (status == VSH_E_PARAMETERS) throw iterations_failure(name, info, limits.iterations);
  if (status != VSH_OK) throw sealed_failure(status, name, options);
  limits.apply(opener);
  return OpenerContext(opener);
}

vsh_sealed_info inspect_header(const std::string& name, const SealedHeader& header) {
  vsh_sealed_info info{};
  const auto bytes = header.bytes();
  const vsh_status status = vsh_sealed_inspect(&info, bytes.data(), bytes.size());
  if (status != VSH_OK) throw header_failure(status, name, info);
  return info;
}

size_t least_slot_len(std::optional<uint64_t> payload_len) {
  constexpr uint64_t large = uint64_t{1} << 20;  // the longer header is below 1 % of it
  return payload_len && *payload_len < large ? VSH_SEALED_MIN_SLOT_LEN : VSH_SEALED_IN_PLACE_SLOT_LEN;
}

vsh_sealed_info unlock(vsh_opener* opener, const std::string& name, const std::vector<Secret>& secrets) {
  vsh_status status = VSH_E_WRONG_KEY;
  bool misses_argon2 = false, misses_memory = false;
  for (const Secret& secret : secrets) {
    const vsh_recipient recipient = secret.recipient();
    status = vsh_opener_unlock(opener, &recipient);
    misses_argon2 = misses_argon2 || status == VSH_E_LIBRARY;
    misses_memory = misses_memory || status == VSH_E_MEMORY;
    if (status != VSH_E_WRONG_KEY && status != VSH_E_LIBRARY && status != VSH_E_MEMORY) break;
  }
  if (status == VSH_E_FORMAT) throw tampering_failure(name);
  if (status != VSH_OK && misses_argon2) {
    throw missing_argon2_failure(
        tr("{1}: nothing given opens it, and its passphrases by argon2id cannot be tried", name));
  }
  if (status != VSH_OK && misses_memory) {
    throw Failure(ExitCode::internal, tr("{1}: out of memory while a passphrase or key was tried", name),
                  tr("`vershina inspect` shows how much argon2id takes"));
  }
  if (status != VSH_OK) throw sealed_failure(status, name, VSH_OPTIONS_INIT);
  vsh_sealed_info info{};
  status = vsh_opener_inspect(opener, &info);
  if (status != VSH_OK) throw sealed_failure(status, name, VSH_OPTIONS_INIT);
  if (info.slots_differ) {
    print_note(
        tr("{1}: one of the two copies of its header is damaged or old: `vershina rekey --keep` repairs it", name));
  }
  return info;
}

bool has_passphrase(const vsh_sealed_info& info) {
  return std::any_of(info.recipients, info.recipients + info.num_recipients,
                     [](const vsh_recipient_info& r) { return r.kind == VSH_RECIPIENT_PASSPHRASE; });
}

void check_has_passphrase(const vsh_sealed_info& info, const std::string& name) {
  if (has_passphrase(info)) return;
  throw Failure(ExitCode::usage, tr("{1}: no passphrase opens it, only a key file", name),
                tr("give that with -k FILE"));
}

std::string recipients_text(size_t num_passphrases, size_t num_keys) {
  const std::string passphrases = tr_count(num_passphrases, "{1} passphrase", "{1} passphrases");
  const std::string keys = tr_count(num_keys, "{1} key", "{1} keys");
  return num_keys == 0 ? passphrases : num_passphrases == 0 ? keys : tr("{1} and {2}", passphrases, keys);
}

std::string recipients_text(const vsh_sealed_info& info) {
  const auto num_keys =
      static_cast<size_t>(std::count_if(info.recipients, info.recipients + info.num_recipients,
                                        [](const vsh_recipient_info& r) { return r.kind == VSH_RECIPIENT_KEY; }));
  return recipients_text(info.num_recipients - num_keys, num_keys);
}

Failure sealed_failure(vsh_status status, const std::string& name, const vsh_options& options) {
  switch (status) {
    case VSH_E_WRONG_KEY:
      return Failure(ExitCode::wrong_key, tr("{1}: no passphrase or key given opens it", name),
                     tr("check the passphrase (keyboard layout, Caps Lock) or the key file; `vershina inspect` shows "
                        "which ones it needs"));
    case VSH_E_TRUNCATED:
      return Failure(ExitCode::truncated, tr("{1}: it is cut off, or something follows its end", name),
                     tr(kAnotherCopy));
    default: return engine_failure(status, "kuznyechik", options);
  }
}

Failure chunk_failure(uint64_t chunk, size_t chunk_len, const std::string& name) {
  const std::string first = std::to_string(chunk * chunk_len);
  return Failure(ExitCode::chunk,
                 tr("{1}: chunk {2} (from byte {3} of the content) is damaged or not in its place", name, chunk, first),
                 tr(kAnotherCopy));
}

uint32_t iterations_for(const std::vector<Secret>& added, uint32_t wanted, const vsh_options& options) {
  const auto num = static_cast<uint64_t>(
      std::count_if(added.begin(), added.end(), [](const Secret& s) { return s.passphrase != nullptr; }));
  if (num == 0) return 0;
  const uint32_t iterations = wanted != 0 ? wanted : calibrate_iterations(options);
  if (num * iterations <= VSH_SEALED_MAX_ITERATIONS) return iterations;
  throw Failure(ExitCode::usage, tr("too many iterations for all passphrases together"),
                tr("give fewer passphrases, or a smaller --iterations"));
}

namespace {

// Returns the processor time of this thread. Wall time also counts what other programs take, so that a passphrase of a
// busy machine would be the easier to guess.
double thread_seconds() {
  timespec now{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

uint32_t calibrate_iterations(vsh_options options) {
  constexpr uint32_t probe = 10'000;
  options.threads = 1;  // this one
  static constexpr uint8_t any[16] = {};
  vsh_sealer* made = nullptr;
  vsh_status status = vsh_sealer_new(&made, 0, &options);
  const SealerContext sealer(made);
  double best = kCalibrationSeconds;
  for (int i = 0; i < 3 && status == VSH_OK; ++i) {  // the best of three: other programs take caches and clock rate
    const double begin = thread_seconds();
    const vsh_recipient recipient = {VSH_RECIPIENT_PASSPHRASE, any, sizeof any, probe, nullptr};
    status = vsh_sealer_add_recipient(sealer.get(), &recipient);
    best = std::min(best, thread_seconds() - begin);
  }
  if (status != VSH_OK) throw engine_failure(status, "kuznyechik", options);
  const double wanted = probe * kCalibrationSeconds / std::max(best, 1e-6);
  const auto count = static_cast<uint32_t>(std::clamp<double>(wanted, kCalibrationFloor, kCalibrationCeiling));
  return count / 1000 * 1000;
}

}  // namespace vsh::cli
