#include "api/sealed/sealed.hpp"

#include <algorithm>
#include <optional>

#include "core/random.hpp"
#include "gpu/devices.hpp"
#include "gpu/schedule/make_accelerator.hpp"
#include "gpu/schedule/stream_batch.hpp"

namespace vsh::api {
namespace {

static_assert(VSH_SEALED_NUM_SLOTS == sealed::kNumSlots && VSH_SEALED_MAX_HEADER_LEN == sealed::kMaxHeaderLen);
static_assert(VSH_SEALED_MIN_SLOT_LEN == sealed::kMinSlotLen && VSH_SEALED_MAX_SLOT_LEN == sealed::kMaxSlotLen);
static_assert(VSH_SEALED_TAG_LEN == sealed::kTagLen && VSH_SEALED_END_LEN == sealed::kEndLen);
static_assert(VSH_SEALED_FILE_ID_LEN == sealed::kFileIdLen && VSH_SEALED_MAX_LABEL_LEN == sealed::kMaxLabelLen);
static_assert(VSH_SEALED_MAX_RECIPIENTS == sealed::kMaxRecipients);
static_assert(VSH_SEALED_MAX_PASSPHRASE_LEN == sealed::kMaxPassphraseLen);
static_assert(VSH_SEALED_MIN_CHUNK_LEN == 1 << sealed::kMinChunkLog2);
static_assert(VSH_SEALED_MAX_CHUNK_LEN == 1 << sealed::kMaxChunkLog2);
static_assert(VSH_SEALED_MIN_ITERATIONS == sealed::kMinIterations);
static_assert(VSH_SEALED_MAX_ITERATIONS == sealed::kMaxIterations);
static_assert(VSH_SEALED_MAX_ARGON2ID_MEMORY == sealed::kMaxArgon2idMemory);
static_assert(VSH_SEALED_MAX_ARGON2ID_WORK == sealed::kMaxArgon2idWork);
static_assert(VSH_SEALED_MAX_ARGON2ID_LANES == sealed::kMaxArgon2idLanes);
static_assert(VSH_SEALED_BYTES == sealed::kContentBytes && VSH_SEALED_DIRECTORY == sealed::kContentDirectory);
static_assert(VSH_RECIPIENT_PASSPHRASE == sealed::kPassphrase && VSH_RECIPIENT_KEY == sealed::kKey);

vsh_status status_of(sealed::SlotStatus status) noexcept {
  switch (status) {
    case sealed::SlotStatus::whole: return VSH_OK;
    case sealed::SlotStatus::damaged: return VSH_E_FORMAT;
    case sealed::SlotStatus::version: return VSH_E_VERSION;
    case sealed::SlotStatus::parameters: return VSH_E_PARAMETERS;
  }
  return VSH_E_FORMAT;
}

class Devices final : public sealed::Devices {
 public:
  explicit Devices(const gpu::DeviceChoice& choice) : choice_(choice) {}
  size_t max_packet() const noexcept override { return gpu::StreamBatch::kMaxPacket; }
  void run(std::span<streams::Packet> packets, const Processor& processor) override {
    if (!batch_) batch_ = gpu::make_batch<gpu::StreamBatch>(choice_, Algorithm::kuznyechik);
    *batch_ ? (*batch_)->run(packets, processor) : processor(packets);
  }
  std::shared_ptr<Accelerator> accelerator(const keys::CipherKey& key) const override {
    static constexpr Operation kOperations[] = {Operation::mgm_encrypt, Operation::mgm_decrypt};
    return gpu::make_accelerator(choice_, {key, nullptr, kOperations});
  }

 private:
  const gpu::DeviceChoice choice_;
  std::optional<std::unique_ptr<gpu::StreamBatch>> batch_;  // from the first run on; null: there are none
};

}  // namespace

vsh_status read_suite(sealed::Suite& suite, const vsh_options* options) noexcept {
  Options o;
  if (const vsh_status s = read_options(o, options, DeviceUse::possible)) return s;
  const HashChoice hash = choose_hash_kernel({}, false);
  if (const vsh_status s = status_of(hash.status)) return s;
  const BlockChoice cipher = choose_block_kernel(Algorithm::kuznyechik, o.kernel, o.allow_tables);
  const ProductChoice products = choose_product_kernel();
  if (const vsh_status s = status_of(products.status)) return s;
  if (const vsh_status s = status_of(cipher.status)) return s;
  return guarded([&] {
    if (o.device.is_named()) gpu::open_device(o.device.id());  // a missing device is reported at once
    suite = {hash.row, cipher, products.row, o.threads};
    if (o.device.kind != gpu::DeviceChoice::Kind::processor) suite.devices = std::make_unique<Devices>(o.device);
    return VSH_OK;
  });
}

vsh_status check_secret(const vsh_recipient* recipient) noexcept {
  if (!recipient || !is_buffer(recipient->secret, recipient->secret_len)) return VSH_E_ARGUMENT;
  const size_t len = recipient->secret_len;
  bool fits;
  switch (number(recipient->kind)) {
    case VSH_RECIPIENT_PASSPHRASE: fits = len >= 1 && len <= VSH_SEALED_MAX_PASSPHRASE_LEN; break;
    case VSH_RECIPIENT_KEY: fits = len >= VSH_SEALED_MIN_KEY_LEN && len <= VSH_SEALED_MAX_KEY_LEN; break;
    default: return VSH_E_ARGUMENT;
  }
  return fits ? VSH_OK : VSH_E_KEY_LENGTH;
}

sealed::Secret secret_of(const vsh_recipient& recipient) noexcept {
  return {static_cast<uint8_t>(number(recipient.kind)), {recipient.secret, recipient.secret_len}};
}

vsh_status read_cost(sealed::Argon2idCost& cost, const vsh_argon2id* argon2id) noexcept {
  const sealed::Argon2idCost read =
      argon2id ? sealed::Argon2idCost{argon2id->passes, argon2id->memory, argon2id->lanes} : sealed::Argon2idCost{};
  if (argon2id && !read.is_valid()) return VSH_E_PARAMETERS;
  cost = read;
  return VSH_OK;
}

vsh_status add_recipient(const sealed::Suite& suite, sealed::Slot& slot, const sealed::FileKey& key,
                         const vsh_recipient* recipient, const WorkBounds& bounds,
                         const sealed::Argon2idCost& argon2id) {
  if (const vsh_status s = check_secret(recipient)) return s;
  const sealed::Secret secret = secret_of(*recipient);
  const uint32_t iterations = recipient->iterations;
  if (secret.kind == sealed::kKey && iterations != 0) return VSH_E_ARGUMENT;
  const bool by_argon2id = secret.kind == sealed::kPassphrase && iterations == 0 && argon2id.is_set();
  if (secret.kind == sealed::kPassphrase && !by_argon2id && iterations < sealed::kMinIterations)
    return VSH_E_PARAMETERS;
  if (slot.num_recipients == sealed::kMaxRecipients) return VSH_E_PARAMETERS;
  const std::string_view label = recipient->label ? recipient->label : "";
  if (!sealed::is_new_label(label)) return VSH_E_PARAMETERS;
  sealed::Recipient& added = slot.recipients[slot.num_recipients];
  added = {secret.kind, iterations, by_argon2id ? argon2id : sealed::Argon2idCost{}, {}, {}, {}};
  std::copy(label.begin(), label.end(), added.label.begin());
  ++slot.num_recipients;
  const bool is_allowed = bounds.allow(slot);
  --slot.num_recipients;
  if (!is_allowed) return VSH_E_PARAMETERS;
  if (!random_bytes(added.salt.data(), added.salt.size())) return VSH_E_RANDOM;
  if (!sealed::wrap_file_key(suite, added, slot, secret, key)) return VSH_E_LIBRARY;
  ++slot.num_recipients;
  return VSH_OK;
}

vsh_status check_output(uint8_t* out, size_t out_capacity, size_t* out_len, size_t need, const uint8_t* in,
                        size_t in_len) noexcept {
  if (const vsh_status s = check_capacity(out_capacity, out_len, need)) return s;
  return is_buffer(out, need) && !overlap(out, need, in, in_len) ? VSH_OK : VSH_E_ARGUMENT;
}

vsh_status status_of(sealed::HeaderStatus status) noexcept {
  switch (status) {
    case sealed::HeaderStatus::ok: return VSH_OK;
    case sealed::HeaderStatus::format: return VSH_E_FORMAT;
    case sealed::HeaderStatus::truncated: return VSH_E_TRUNCATED;
    case sealed::HeaderStatus::version: return VSH_E_VERSION;
    case sealed::HeaderStatus::parameters: return VSH_E_PARAMETERS;
    case sealed::HeaderStatus::tampered: return VSH_E_FORMAT;
  }
  return VSH_E_FORMAT;
}

void describe(vsh_sealed_info& info, const sealed::Header& header, size_t slot) noexcept {
  info = {};
  for (size_t i = 0; i < sealed::kNumSlots; ++i) {
    info.slots[i].status = status_of(header.status[i]);
    if (header.status[i] == sealed::SlotStatus::whole) info.slots[i].generation = header.slots[i].generation;
  }
  info.slots_differ = header.slots_differ();
  // From slot 0, or from slot 1 if only that one is intact.
  const bool is_second_only = header.status[0] == sealed::SlotStatus::damaged && header.slot_len > 0;
  const sealed::Bytes told = sealed::Bytes(header.bytes).subspan(is_second_only ? header.slot_len : 0);
  if (sealed::claimed_len(told)) info.version = told[sealed::at::version] << 8 | told[sealed::at::version + 1];
  if (slot == sealed::kNumSlots) return;
  const sealed::Slot& s = header.slots[slot];
  info.version = sealed::kVersion;
  info.cipher = "kuznyechik-mgm";
  info.key_derivation = "streebog";
  info.content = static_cast<vsh_sealed_content>(s.content());
  info.chunk_len = size_t{1} << s.chunk_log2;
  info.slot_len = s.len;
  std::copy(s.file_id().begin(), s.file_id().end(), info.file_id);
  info.slot = slot;
  info.generation = s.generation;
  info.num_recipients = s.num_recipients;
  for (size_t i = 0; i < s.num_recipients; ++i) {
    const sealed::Recipient& r = s.recipients[i];
    info.recipients[i] = {static_cast<vsh_recipient_kind>(r.kind), r.iterations, {}};
    info.argon2id[i] = {r.argon2id.passes, r.argon2id.memory, r.argon2id.lanes};
    std::copy(r.label.begin(), r.label.end(), info.recipients[i].label);
  }
}

vsh_status copy_info(vsh_sealed_info* out, size_t info_size, const vsh_sealed_info& info) noexcept {
  if (!out || info_size == 0 || info_size > sizeof info) return VSH_E_ARGUMENT;
  std::memcpy(out, &info, info_size);
  return VSH_OK;
}

}  // namespace vsh::api

using namespace vsh;
using namespace vsh::api;

vsh_status vsh_sealed_inspect_sized(vsh_sealed_info* info, size_t info_size, const uint8_t* header, size_t header_len) {
  if (!is_buffer(header, header_len)) return VSH_E_ARGUMENT;
  const HashChoice hash = choose_hash_kernel({}, false);
  if (const vsh_status s = api::status_of(hash.status)) return s;
  sealed::Header read;
  const sealed::HeaderStatus status = sealed::read_header(hash.row, read, {header, header_len});
  vsh_sealed_info described;
  describe(described, read, status == sealed::HeaderStatus::ok ? read.newest : sealed::kNumSlots);
  if (const vsh_status s = copy_info(info, info_size, described)) return s;
  return api::status_of(status);
}

size_t vsh_sealed_slot_len(size_t num_recipients) {
  return num_recipients > sealed::kMaxRecipients ? 0 : sealed::slot_len_for(num_recipients);
}
