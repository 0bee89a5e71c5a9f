#include "sealed/keys.hpp"

#include <cstring>

#include "core/bytes.hpp"
#include "keys/kdf.hpp"
#include "streams/pbkdf2.hpp"

namespace vsh::sealed {
namespace {

constexpr size_t kPasswordKeyLen = 64;  // one block of PBKDF2: a shorter key would take as long
constexpr size_t kMaxSecretKeyLen = 64;

// Returns the key from which the keys of a recipient's wrap are derived: PBKDF2 or argon2id per recipient for
// passphrases, the key itself for keys.
struct WrapSecrets {
  std::array<std::array<uint8_t, kMaxSecretKeyLen>, kMaxRecipients> bytes;
  std::array<size_t, kMaxRecipients> len;
  Bytes operator[](size_t i) const { return Bytes(bytes[i]).first(len[i]); }
};

// Finds those of all recipients but argon2id's.
void find_wrap_secrets(const Suite& suite, WrapSecrets& out, std::span<const Recipient> recipients,
                       const Secret& secret) {
  std::vector<keys::Pbkdf2Job> jobs;
  for (size_t i = 0; i < recipients.size(); ++i) {
    if (recipients[i].kind != secret.kind || recipients[i].argon2id.is_set()) continue;
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

// Finds that of a recipient of argon2id.
Argon2idStatus find_argon2id_secret(WrapSecrets& out, size_t i, const Recipient& recipient, const Secret& secret) {
  out.len[i] = kPasswordKeyLen;
  return argon2id(std::span(out.bytes[i]).first(kPasswordKeyLen), {secret.bytes, recipient.salt}, recipient.argon2id);
}

// Derives the keys that encrypt the file key and authenticate the result: a MAC that commits to the secret, unlike a
// tag of MGM. Both are bound to everything before them.
struct WrapKeys {
  WrapKeys(const Suite& suite, const Slot& slot, const Recipient& recipient, Bytes secret) noexcept {
    uint8_t bound[kPreambleLen + recipient_at::wrapped];
    std::memcpy(bound, slot.preamble.data(), kPreambleLen);
    write_recipient_head(bound + kPreambleLen, recipient);
    derive(suite.hash, mask->data(), secret, kLabelWrap, bound);
    derive(suite.hash, mac->data(), secret, kLabelWrapMac, bound);
  }
  void tag(const Suite& suite, uint8_t* out, const uint8_t* hidden) const noexcept {
    keys::Hmac hmac(suite.hash, 256, mac.value);
    hmac.update(hidden, kFileKeyLen);
    hmac.final(out);
  }
  // in, out: kFileKeyLen bytes.
  void turn(uint8_t* out, const uint8_t* in) const noexcept {
    for (size_t i = 0; i < kFileKeyLen; ++i) out[i] = static_cast<uint8_t>(in[i] ^ mask.value[i]);
  }

  Wiped<std::array<uint8_t, kFileKeyLen>> mask, mac;
};

}  // namespace

void derive(const HashKernel* hash, uint8_t* out, Bytes key, std::string_view label, Bytes seed) noexcept {
  keys::Hmac hmac(hash, 256, key);
  keys::kdf(hmac, out, Bytes(reinterpret_cast<const uint8_t*>(label.data()), label.size()), seed);
}

void make_file_id(const HashKernel* hash, uint8_t* out, const uint8_t* preamble, const FileKey& key) noexcept {
  derive(hash, out, key.value, kLabelFileId, Bytes(preamble, at::file_id));
}

bool wrap_file_key(const Suite& suite, Recipient& recipient, const Slot& slot, const Secret& secret,
                   const FileKey& key) {
  Wiped<WrapSecrets> secrets;
  const StackEraser eraser;  // the stack below them
  find_wrap_secrets(suite, *secrets, std::span(&recipient, 1), secret);
  if (recipient.argon2id.is_set()) {
    const Argon2idStatus status = find_argon2id_secret(*secrets, 0, recipient, secret);
    if (status == Argon2idStatus::memory) throw std::bad_alloc();
    if (status == Argon2idStatus::missing) return false;
  }
  const WrapKeys keys(suite, slot, recipient, (*secrets)[0]);
  keys.turn(recipient.wrapped.data(), key.value.data());
  keys.tag(suite, recipient.wrapped.data() + kFileKeyLen, recipient.wrapped.data());
  return true;
}

Unwrapped unwrap_file_key(const Suite& suite, FileKey& key, Bytes image, const Slot& slot, const Secret& secret) {
  Unwrapped unwrapped{kMaxRecipients, Argon2idStatus::ok};
  Wiped<WrapSecrets> secrets;
  const StackEraser eraser;  // the stack below them
  find_wrap_secrets(suite, *secrets, std::span(slot.recipients).first(slot.num_recipients), secret);
  for (size_t i = 0; i < slot.num_recipients; ++i) {
    const Recipient& r = slot.recipients[i];
    if (r.kind != secret.kind) continue;
    if (r.argon2id.is_set()) {
      const Argon2idStatus status = find_argon2id_secret(*secrets, i, r, secret);
      if (status != Argon2idStatus::ok) unwrapped.failure = status;
      if (status != Argon2idStatus::ok) continue;
    }
    const WrapKeys keys(suite, slot, r, (*secrets)[i]);
    uint8_t tag[kDigestLen];
    keys.tag(suite, tag, r.wrapped.data());
    keys.turn(key->data(), r.wrapped.data());
    // Both for every recipient: neither status nor time tells a forger of a slot which recipient a secret fits.
    const bool is_right = is_authentic(suite, image, key);
    if (!equal_constant_time(tag, r.wrapped.data() + kFileKeyLen, sizeof tag) || !is_right) continue;
    unwrapped.recipient = i;
    return unwrapped;
  }
  wipe(key->data(), key->size());
  return unwrapped;
}

bool is_authentic(const Suite& suite, Bytes slot, const FileKey& key) noexcept {
  uint8_t id[kFileIdLen], mac[kDigestLen];
  make_file_id(suite.hash, id, slot.data(), key);
  slot_mac(suite.hash, mac, slot, key);
  const bool is_of_key = equal_constant_time(id, slot.data() + at::file_id, sizeof id);
  return equal_constant_time(mac, slot.data() + slot.size() - kSealLen, sizeof mac) && is_of_key;
}

void slot_mac(const HashKernel* hash, uint8_t* out, Bytes slot, const FileKey& key) noexcept {
  Wiped<std::array<uint8_t, 32>> mac_key;
  derive(hash, mac_key->data(), key.value, kLabelHeader, slot.subspan(at::file_id, kFileIdLen));
  keys::Hmac hmac(hash, 256, mac_key.value);
  hmac.update(slot.data(), slot.size() - kSealLen);
  hmac.final(out);
}

}  // namespace vsh::sealed
