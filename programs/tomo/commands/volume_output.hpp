// --output, --format and what belongs to them: where a volume goes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/common/options/secret_options.hpp"
#include "programs/common/sealing/derivation.hpp"
#include "programs/common/sealing/sealed_file.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/volumes/dicom.hpp"
#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {

class VolumeOutput {
 public:
  // The values to write: numbers, or classes, which no window scales.
  enum class Values { numbers, classes };
  void add_to(cli::Command& command, Values values = Values::numbers);
  // For an output that is written again and again: a file, not sealed.
  void add_renewed_to(cli::Command& command);

  // Chooses the format by the option, or the name. Throws a Failure for a combination that is impossible, a name that
  // is taken, a folder that cannot be written, or a disk that is too small. Before the work begins.
  void check(const VolumeInfo& info);
  // Bytes that its writer keeps of such a volume, after check().
  uint64_t memory(const VolumeInfo& info) const;
  // Asks for passphrases, if it seals.
  void ask();
  // Whether the values become 16 bits, so that a window is needed.
  bool needs_window() const;
  std::optional<Pair> window() const { return window_; }

  // settings: what the values depend on, for a run that goes on.
  std::unique_ptr<VolumeWriter> open(const VolumeInfo& info, const Window& window,
                                     const std::vector<cli::ReadFile>& sources, const std::string& settings);
  // The output that was written may be replaced.
  void renew() { force_ = true; }
  // The first slice that an earlier run has not written.
  size_t first_slice() const { return first_slice_; }
  const std::string& name() const { return path_; }
  bool is_standard_output() const;

 private:
  bool is_folder() const;
  bool is_zarr() const;
  DicomSeries dicom_series() const;
  uint64_t len(const VolumeInfo& info) const;

  std::string path_;
  std::optional<VolumeFormat> format_;
  std::optional<Pair> window_;
  std::string patient_name_, patient_id_, study_, series_;
  bool seal_ = false, force_ = false, resume_ = false;
  cli::SecretOptions secrets_;
  cli::DerivationOptions derivation_;
  cli::SealedEngine engine_;
  std::vector<cli::Secret> loaded_;
  cli::Derivation cost_{};
  std::unique_ptr<cli::Output> output_;
  size_t first_slice_ = 0;
};

}  // namespace vsh::tomo
