// An output that seals its data for recipients that were chosen before.
#pragma once

#include <vershina/sealed.h>

#include "programs/common/files/output.hpp"
#include "programs/common/sealing/derivation.hpp"
#include "programs/common/sealing/sealed_file.hpp"

namespace vsh::tomo {

class SealedOutput : public cli::Output {
 public:
  // Writes the header. content: VSH_SEALED_DIRECTORY for a tar stream. Throws Failure. `options` is for the sealer.
  SealedOutput(std::unique_ptr<cli::Output> output, vsh_sealed_content content, const std::vector<cli::Secret>& secrets,
               const cli::Derivation& derivation, const vsh_options& options, uint64_t payload_len);

  void write(std::span<const uint8_t> data) override;
  void commit() override;
  bool is_direct() const override { return output_->is_direct(); }
  const std::string& name() const override { return output_->name(); }

 private:
  void check(vsh_status status) const;

  std::unique_ptr<cli::Output> output_;
  const vsh_options options_;
  cli::SealerContext sealer_;
  std::vector<uint8_t> piece_;
};

}  // namespace vsh::tomo
