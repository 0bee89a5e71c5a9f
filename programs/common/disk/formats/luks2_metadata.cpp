#include "programs/common/disk/formats/luks2_metadata.hpp"

#include <algorithm>
#include <charconv>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/parse_json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;
using Json = nlohmann::json;

// A value of the metadata, with the path to it for messages.
class Node {
 public:
  Node(const Json& value, std::string path, const std::string& whose)
      : value_(&value), path_(std::move(path)), whose_(&whose) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw Failure(ExitCode::header, tr("{1}: the LUKS2 header is damaged: {2} {3}", *whose_, path_, what));
  }

  bool has(const char* name) const { return value_->is_object() && value_->contains(name); }
  Node at(const std::string& name) const {
    const Node below(*value_, path_ + "/" + quote_name(name), *whose_);
    if (!value_->is_object()) refuse(tr("is not an object"));
    const auto found = value_->find(name);
    if (found == value_->end()) below.refuse(tr("is missing"));
    return {*found, below.path_, *whose_};
  }
  std::string text() const {
    if (!value_->is_string()) refuse(tr("is not a string"));
    return value_->get_ref<const std::string&>();
  }
  // A number that JSON has as such.
  uint64_t number() const {
    if (!value_->is_number_unsigned()) refuse(tr("is not a number"));
    return value_->get<uint64_t>();
  }
  // A number of 64 bits, which LUKS2 has as a text of decimal digits.
  uint64_t long_number() const {
    const std::string digits = text();
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) refuse(tr("is not a number"));
    return number;
  }
  std::vector<std::string> texts() const {
    if (!value_->is_array()) refuse(tr("is not an array"));
    std::vector<std::string> all;
    for (const Json& item : *value_) {
      if (!item.is_string()) refuse(tr("is not an array of strings"));
      all.push_back(item.get_ref<const std::string&>());
    }
    return all;
  }
  template <class F>
  void each(F f) const {
    if (!value_->is_object()) refuse(tr("is not an object"));
    for (const auto& item : value_->items()) f(item.key(), at(item.key()));
  }

 private:
  const Json* value_;
  std::string path_;
  const std::string* whose_;
};

bool contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

Luks2Slot read_slot(const std::string& id, const Node& node) {
  Luks2Slot slot;
  slot.id = id;
  slot.type = node.at("type").text();
  if (slot.type != "luks2") return slot;  // re-encryption, or unknown: without the members below
  slot.key_len = node.at("key_size").number();
  const Node area = node.at("area"), kdf = node.at("kdf"), af = node.at("af");
  slot.area_type = area.at("type").text();
  slot.area_cipher = area.at("encryption").text();
  slot.area_key_len = area.at("key_size").number();
  slot.stripes = af.at("stripes").number();
  slot.af_hash = af.at("hash").text();
  slot.kdf = kdf.at("type").text();
  if (slot.kdf == "pbkdf2") {
    slot.iterations = kdf.at("iterations").number();
    slot.hash = kdf.at("hash").text();
  } else {
    slot.time = kdf.at("time").number();
    slot.memory = kdf.at("memory").number();
    slot.lanes = kdf.at("cpus").number();
  }
  return slot;
}

Luks2Segment read_segment(const std::string& id, const Node& node) {
  Luks2Segment segment;
  segment.id = id;
  segment.type = node.at("type").text();
  segment.offset = node.at("offset").long_number();
  if (node.at("size").text() != "dynamic") segment.size = node.at("size").long_number();
  if (node.has("flags")) segment.flags = node.at("flags").texts();
  if (segment.type != "crypt") return segment;
  segment.cipher = node.at("encryption").text();
  segment.sector_len = node.at("sector_size").number();
  segment.iv_offset = node.at("iv_tweak").long_number();
  segment.has_integrity = node.has("integrity");
  return segment;
}

// a * b, or the largest number.
uint64_t times(uint64_t a, uint64_t b) { return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b; }

[[noreturn]] void refuse(ExitCode code, const std::string& whose, const std::string& what,
                         const std::string& advice = {}) {
  throw Failure(code, whose + ": " + what, advice);
}

// The ciphers of slots' areas. Not everything that libcryptsetup would open: with cipher_null, say, a hostile header
// would make every passphrase right, and all data would then be encrypted under a key that its author knows.
bool is_area_cipher(const std::string& cipher) {
  return cipher == "aes-xts-plain64" || cipher == "serpent-xts-plain64" || cipher == "twofish-xts-plain64" ||
         cipher == "camellia-xts-plain64";
}

// How many values of the hash PBKDF2 concatenates, each of which costs all iterations.
uint64_t num_hashes(const Luks2Slot& slot) {
  const bool is_long = slot.hash == "sha512" || slot.hash == "blake2b-512" || slot.hash == "whirlpool";
  const uint64_t len = is_long                 ? 64
                       : slot.hash == "sha384" ? 48
                       : slot.hash == "sha256" ? 32
                       : slot.hash == "sha1"   ? 20
                                               : 16;  // not less in any hash that libcryptsetup takes
  return (slot.area_key_len + len - 1) / len;
}

constexpr uint64_t kMaxSlotKey = 512;  // bytes, of a slot that does not open the volume: cryptsetup's own bound

void check_slot(const Luks2Slot& slot, const std::string& whose, uint64_t& argon2_work, uint64_t& iterations) {
  const std::string id = quote_name(slot.id);
  if (slot.type == "reencrypt")
    refuse(ExitCode::parameters, whose, tr("re-encryption is under way"), tr("finish it with cryptsetup first"));
  if (slot.type != "luks2")
    refuse(ExitCode::version, whose, tr("key slot {1} has the unknown type {2}", id, quote_name(slot.type)));
  if (slot.area_type != "raw")
    refuse(ExitCode::version, whose,
           tr("key slot {1} has an area of the unknown type {2}", id, quote_name(slot.area_type)));
  if (!is_area_cipher(slot.area_cipher)) {
    refuse(ExitCode::parameters, whose,
           tr("key slot {1} is protected by the cipher {2}", id, quote_name(slot.area_cipher)),
           tr("only XTS with aes, serpent, twofish or camellia is accepted"));
  }
  if (slot.area_key_len != 32 && slot.area_key_len != 64) {
    refuse(ExitCode::parameters, whose,
           tr("key slot {1} is protected under a key of {2}, not of 32 or 64", id, cli::bytes_of(slot.area_key_len)));
  }
  if (slot.stripes != 4000) refuse(ExitCode::parameters, whose, tr("key slot {1} has not 4000 stripes", id));
  if (slot.opens_segment && slot.key_len != VSH_XTS_KEY_LEN)
    refuse(ExitCode::parameters, whose,
           tr("key slot {1} has a key of {2}, not of 64", id, cli::bytes_of(slot.key_len)));
  if (slot.key_len > kMaxSlotKey)
    refuse(ExitCode::parameters, whose, tr("key slot {1} has a key of {2}", id, cli::bytes_of(slot.key_len)));
  if (slot.kdf == "pbkdf2") {
    const uint64_t num = num_hashes(slot), work = times(slot.iterations, num);
    if (work > kMaxPbkdf2Iterations) {
      refuse(ExitCode::parameters, whose,
             tr("key slot {1} demands {2} iterations of PBKDF2, times {3} for the length of its key; at most 100000000 "
                "in all are accepted",
                id, slot.iterations, num));
    }
    iterations += work;
  } else if (slot.kdf == "argon2id" || slot.kdf == "argon2i") {
    const uint64_t work = times(slot.time, slot.memory);
    if (slot.memory > kMaxArgon2Memory || work > kMaxArgon2Work || slot.lanes > kMaxArgon2Lanes) {
      refuse(
          ExitCode::parameters, whose,
          tr("key slot {1} demands Argon2 with {2} KiB of memory, {3} passes and {4} lanes; at most 4 GiB, 64 GiB in "
             "all passes, and 4 lanes are accepted",
             id, slot.memory, slot.time, slot.lanes));
    }
    argon2_work += work;
  } else {
    refuse(ExitCode::version, whose, tr("key slot {1} has the unknown key derivation {2}", id, quote_name(slot.kdf)));
  }
}

}  // namespace

Luks2Metadata read_luks2_metadata(std::string_view json, const std::string& whose) {
  const Json parsed = cli::parse_json(json);
  if (parsed.is_discarded())
    throw Failure(ExitCode::header, tr("{1}: the LUKS2 header is damaged: its metadata is not JSON", whose));
  const Node top(parsed, "", whose);
  Luks2Metadata metadata;

  top.at("segments").each([&](const std::string& id, const Node& node) {
    metadata.segments.push_back(read_segment(id, node));
  });
  std::vector<std::string> opening;  // slots of the digest of the first segment
  const std::string segment_id = metadata.segments.empty() ? "" : metadata.segments.front().id;
  top.at("digests").each([&](const std::string&, const Node& node) {
    if (!contains(node.at("segments").texts(), segment_id)) return;
    ++metadata.num_digests_of_segment;
    metadata.digest_type = node.at("type").text();
    if (metadata.digest_type == "pbkdf2") metadata.digest_iterations = node.at("iterations").number();
    opening = node.at("keyslots").texts();
  });
  top.at("keyslots").each([&](const std::string& id, const Node& node) {
    metadata.slots.push_back(read_slot(id, node));
    metadata.slots.back().opens_segment = contains(opening, id);
  });
  if (top.has("tokens")) top.at("tokens").each([&](const std::string&, const Node&) { ++metadata.num_tokens; });

  const Node config = top.at("config");
  const uint64_t json_len = config.at("json_size").long_number();
  const uint64_t slots_len = config.at("keyslots_size").long_number();
  constexpr uint64_t kBinaryHeader = 4096, kMost = uint64_t{1} << 40;
  if (json_len > kMost || slots_len > kMost) config.refuse(tr("has an impossible size"));
  metadata.header_len = 2 * (kBinaryHeader + json_len) + slots_len;
  if (config.has("flags")) metadata.flags = config.at("flags").texts();
  // An object with arrays of names; "mandatory" is the only one of today, and others would not be there for nothing.
  if (config.has("requirements")) {
    config.at("requirements").each([&](const std::string&, const Node& node) {
      for (std::string& name : node.texts()) metadata.requirements.push_back(std::move(name));
    });
  }
  return metadata;
}

Layout check_luks2(const Luks2Metadata& metadata, uint64_t store_size, bool is_detached, const std::string& whose) {
  // First what explains most: re-encryption adds segments and a slot too.
  for (const std::string& name : metadata.requirements) {
    if (name.starts_with("online-reencrypt") || name.starts_with("offline-reencrypt"))
      refuse(ExitCode::parameters, whose, tr("re-encryption is under way"), tr("finish it with cryptsetup first"));
    refuse(ExitCode::version, whose, tr("the header demands something unknown: {1}", quote_name(name)));
  }
  uint64_t argon2_work = 0, iterations = 0;
  size_t num_opening = 0;
  for (const Luks2Slot& slot : metadata.slots) {
    check_slot(slot, whose, argon2_work, iterations);
    num_opening += slot.opens_segment;
  }
  if (argon2_work > kMaxSlotsWork * kMaxArgon2Work || iterations > kMaxSlotsWork * kMaxPbkdf2Iterations)
    refuse(ExitCode::parameters, whose, tr("all key slots together demand more than four times what one may"));

  if (metadata.segments.size() != 1) {
    refuse(ExitCode::parameters, whose,
           cli::tr_count(metadata.segments.size(), "the header has {1} segment, and one is served",
                         "the header has {1} segments, and one is served"));
  }
  const Luks2Segment& segment = metadata.segments.front();
  if (segment.type != "crypt")
    refuse(ExitCode::version, whose, tr("the segment has the unknown type {1}", quote_name(segment.type)));
  if (segment.has_integrity)
    refuse(ExitCode::parameters, whose, tr("the volume has an integrity layer, which is not served"));
  if (segment.cipher != kLuks2Cipher) {
    refuse(ExitCode::parameters, whose,
           tr("the volume's cipher is {1}, not {2}", quote_name(segment.cipher), kLuks2Cipher),
           segment.cipher.starts_with("aes-") ? tr("cryptsetup opens it") : "");
  }
  if (!segment.flags.empty())
    refuse(ExitCode::version, whose, tr("the segment has the unknown flag {1}", quote_name(segment.flags.front())));
  if (metadata.num_digests_of_segment != 1)
    refuse(ExitCode::header, whose, tr("the LUKS2 header is damaged: the segment has not one digest"));
  if (metadata.digest_type != "pbkdf2")
    refuse(ExitCode::version, whose, tr("the digest has the unknown type {1}", quote_name(metadata.digest_type)));
  if (metadata.digest_iterations > kMaxDigestIterations)
    refuse(ExitCode::parameters, whose, tr("the digest demands more than 10000000 iterations of PBKDF2"));
  if (num_opening == 0) refuse(ExitCode::wrong_key, whose, tr("no key slot opens the volume"));

  Layout layout;
  layout.offset = segment.offset;
  if (segment.sector_len > VSH_MAX_SECTOR_LEN)
    refuse(ExitCode::parameters, whose, tr("the volume has sectors of {1}", cli::bytes_of(segment.sector_len)));
  layout.sector_len = static_cast<uint32_t>(segment.sector_len);
  layout.first_number = segment.iv_offset;
  if (!is_detached && layout.offset < metadata.header_len)
    refuse(ExitCode::parameters, whose, tr("the volume would begin inside of the header"));
  if (layout.offset >= store_size) {
    refuse(ExitCode::parameters, whose,
           tr("the volume would begin at byte {1}, behind the end of the store, which has {2}", layout.offset,
              cli::bytes_of(store_size)));
  }
  // dm-crypt, too, leaves out a part of a sector at the end of a device.
  layout.size = segment.size.value_or(store_size - layout.offset);
  if (!segment.size && layout.sector_len > 0) layout.size -= layout.size % layout.sector_len;
  check_layout(layout, store_size, whose);
  return layout;
}

}  // namespace vsh::disk
