// Options shared by mac, encrypt and decrypt, in the library's form: S-boxes, kernel, threads.
#pragma once

#include <vershina/vershina.h>

#include <array>
#include <optional>
#include <string>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/command.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/sbox_text.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

class CipherOptions {
 public:
  void add_to(Command& command);

  // Fills flags, S-boxes, threads and kernel; `options` points into this object afterwards. Throws Failure.
  void apply(vsh_options& options);

  unsigned threads() const { return threads_; }  // 0: all
  const std::optional<ReadFile>& sbox_source() const { return sbox_source_; }

 private:
  std::string sbox_, sbox_file_, kernel_, device_ = "cpu";
  unsigned threads_ = 0;
  bool allow_tables_ = false;
  std::array<uint8_t, kSboxLen> custom_sbox_{};
  std::optional<ReadFile> sbox_source_;
  Option* sbox_option_ = nullptr;
  Option* sbox_file_option_ = nullptr;
  Option* kernel_option_ = nullptr;
};

constexpr unsigned kMaxThreads = 4096;

Option* add_threads_option(Command& command, unsigned& threads,
                           const std::string& description = tr("Use at most N threads (default: all processors)"));
Option* add_kernel_option(Command& command, std::string& kernel);
Option* add_device_option(Command& command, std::string& device);
// "cpu", "auto", "all" and the devices of this machine, for completion.
Texts device_names();
// For commands that measure devices: one device, or all.
ReadValue<std::string> read_measured_device(const std::string& option, const std::string& word);

// -q, --quiet of commands that show no progress.
void add_quiet_option(Command& command);

// Prints vsh_device_message about abandoned devices as one warning.
void warn_of_devices();

// Returns "cuda:0: there is no such device; CUDA: there is no libcuda.so.1" and the like, for the library's message.
std::string device_problem(const std::string& id, const std::string& message);

// Returns the Failure for a context that could not be created, for causes that do not depend on the mode: kernel,
// S-box, memory. algorithm: as named by the user.
Failure engine_failure(vsh_status status, const std::string& algorithm, const vsh_options& options);

// Tries VERSHINA_KERNEL with a context of each algorithm. Throws a Failure for an invalid value, or a kernel that is
// unknown or does not run here. Returns the problem if it names a table kernel, which only --allow-tables permits, else
// an empty string.
std::string check_kernels_of_environment();

// Returns "a, b, c", the names from name_of(0), name_of(1), ..., for help texts and messages.
std::string list_names(const char* (*name_of)(size_t));

}  // namespace vsh::cli
