#include "sealed/keys.hpp"

#include <cstring>

#include "core/bytes.hpp"
#include "keys/kdf.hpp"
#include "keys/pbkdf2.hpp"
#include "sealed/mgm_key.hpp"

namespace vsh::sealed {
namespace {

constexpr size_t kPasswordKeyLen = 64;  // one block of PBKDF2: a shorter key would take as long
constexpr size_t kMaxSecretKeyLen = 64;
constexpr size_t kBoundLen = kPreambleLen + recipient_at::wrapped;
constexpr uint8_t kWrapNonce[16] = {};  // a key that encrypts one message needs no other

// What the key of a recipient's wrap is derived from: of each recipient his own for passphrases, the key itself for
// keys.
struct WrapSecrets {
  std::array<std::array<uint8_t, kMaxSecretKeyLen>, kMaxRecipients> bytes;
  std::array<size_t, kMaxRecipients> len;
  Bytes operator[](size_t i) const { return Bytes(bytes[i]).first(len[i]); }
};

void find_wrap_secrets(const Suite& suite, WrapSecrets& out, std::span<const Recipient> recipients,
                       const Secret& secret) {
  std::vector<keys::Pbkdf2Job> jobs;
  for (size_t i = 0; i < recipients.size(); ++i) {
    if (recipients[i].kind != secret.kind) continue;
    if (secret.kind == kPassphrase) {
      jobs.push_back(
          {secret.bytes, recipients[i].salt, recipients[i].iterations, out.bytes[i].data(), kPasswordKeyLen});
      out.len[i] = kPasswordKeyLen;
    } else {
      std::memcpy(out.bytes[i].data(), secret.bytes.data(), secret.bytes.size());
      out.len[i] = secret.bytes.size();
    }
  }
  if (jobs.empty()) return;
  keys::pbkdf2(*suite.hash, {}, jobs, suite.threads);
  for (const keys::Pbkdf2Job& job : jobs)
    if (!job.done) throw std::bad_alloc();
}

MgmKey wrap_key(const Suite& suite, const Recipient& recipient, Bytes secret) {
  Wiped<std::array<uint8_t, 32>> key;
  derive(suite.hash, key->data(), secret, recipient.kind == kPassphrase ? kLabelPassphrase : kLabelKey, recipient.salt);
  return MgmKey(suite, key->data());
}

// The associated data of the wrap.
std::array<uint8_t, kBoundLen> bound_bytes(const Slot& slot, const Recipient& recipient) noexcept {
  std::array<uint8_t, kBoundLen> bound;
  std::memcpy(bound.data(), slot.preamble.data(), kPreambleLen);
  write_recipient_head(bound.data() + kPreambleLen, recipient);
  return bound;
}

}  // namespace

void derive(const HashKernel* hash, uint8_t* out, Bytes key, std::string_view label, Bytes seed) noexcept {
  keys::Hmac hmac(hash, 256, key);
  keys::kdf(hmac, out, Bytes(reinterpret_cast<const uint8_t*>(label.data()), label.size()), seed);
}

void wrap_file_key(const Suite& suite, Recipient& recipient, const Slot& slot, const Secret& secret,
                   const FileKey& key) {
  Wiped<WrapSecrets> secrets;
  find_wrap_secrets(suite, *secrets, std::span(&recipient, 1), secret);
  wrap_key(suite, recipient, (*secrets)[0])
      .seal(recipient.wrapped.data(), key.value.data(), kFileKeyLen, kWrapNonce, bound_bytes(slot, recipient));
}

size_t unwrap_file_key(const Suite& suite, FileKey& key, const Slot& slot, const Secret& secret) {
  Wiped<WrapSecrets> secrets;
  find_wrap_secrets(suite, *secrets, std::span(slot.recipients).first(slot.num_recipients), secret);
  for (size_t i = 0; i < slot.num_recipients; ++i) {
    const Recipient& r = slot.recipients[i];
    if (r.kind != secret.kind) continue;
    if (wrap_key(suite, r, (*secrets)[i])
            .open(key->data(), r.wrapped.data(), kFileKeyLen, kWrapNonce, bound_bytes(slot, r)))
      return i;
  }
  return kMaxRecipients;
}

void slot_mac(const HashKernel* hash, uint8_t* out, const uint8_t* slot, const FileKey& key) noexcept {
  Wiped<std::array<uint8_t, 32>> mac_key;
  derive(hash, mac_key->data(), key.value, kLabelHeader, Bytes(slot + at::file_id, kFileIdLen));
  keys::Hmac hmac(hash, 256, mac_key.value);
  hmac.update(slot, at::mac);
  hmac.final(out);
}

}  // namespace vsh::sealed
