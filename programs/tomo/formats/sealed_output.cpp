#include "programs/tomo/formats/sealed_output.hpp"

#include <algorithm>

#include "programs/common/options/engine_options.hpp"

namespace vsh::tomo {

SealedOutput::SealedOutput(std::unique_ptr<cli::Output> output, vsh_sealed_content content,
                           const std::vector<cli::Secret>& secrets, const cli::Derivation& derivation,
                           const vsh_options& options, uint64_t payload_len)
    : output_(std::move(output)), options_(options) {
  vsh_sealer* made = nullptr;
  check(vsh_sealer_new(&made, 0, &options_));
  sealer_.reset(made);
  check(vsh_sealer_set_content(made, content));
  check(vsh_sealer_set_argon2id(made, derivation.cost()));
  for (const cli::Secret& secret : secrets) {
    const vsh_recipient recipient = secret.recipient(secret.passphrase ? derivation.iterations : 0);
    check(vsh_sealer_add_recipient(made, &recipient));
  }
  check(vsh_sealer_set_slot_len(made, cli::least_slot_len(payload_len)));
  piece_.resize(vsh_sealer_header_len(made));
  check(vsh_sealer_header(made, piece_.data(), piece_.size()));
  output_->write(piece_);
}

void SealedOutput::check(vsh_status status) const {
  if (status != VSH_OK) throw cli::engine_failure(status, "kuznyechik", options_);
}

void SealedOutput::write(std::span<const uint8_t> data) {
  static constexpr size_t most = 4 << 20;
  while (!data.empty()) {
    const auto now = data.first(std::min(data.size(), most));
    size_t len = 0;
    piece_.resize(vsh_sealer_update_capacity(sealer_.get(), now.size()));
    check(vsh_sealer_update(sealer_.get(), piece_.data(), piece_.size(), &len, now.data(), now.size()));
    output_->write(std::span(piece_).first(len));
    data = data.subspan(now.size());
  }
}

void SealedOutput::commit() {
  size_t len = 0;
  piece_.resize(vsh_sealer_final_capacity(sealer_.get()));
  check(vsh_sealer_final(sealer_.get(), piece_.data(), piece_.size(), &len));
  output_->write(std::span(piece_).first(len));
  output_->commit();
}

}  // namespace vsh::tomo
