// Headers of volumes: LUKS2's metadata as libcryptsetup would give it, and VeraCrypt's headers as they are decrypted.
// Whatever they say, a layout that is accepted lies within the store.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "fuzz.hpp"
#include "programs/common/disk/volume/volume.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"

#if VSH_WITH_CRYPTSETUP
#include <nlohmann/json.hpp>

#include "programs/common/disk/formats/luks2_report.hpp"
#endif
#if VSH_WITH_VERACRYPT
#include "programs/common/disk/formats/veracrypt.hpp"
#endif

namespace {

using namespace vsh::fuzz;
using vsh::cli::Failure;
using vsh::disk::Layout;

[[maybe_unused]] void check_accepted(const Layout& layout, uint64_t store_size, const char* where) {
  check(layout.size > 0 && layout.offset <= store_size && layout.size <= store_size - layout.offset,
        "a volume outside of the store", where);
  check(layout.size % layout.sector_len == 0, "not whole sectors", where);
}

#if VSH_WITH_CRYPTSETUP
// The output of `vershina disk info`: lines of visible text, and JSON.
void check_report(const vsh::disk::Luks2Report& report) {
  const std::string text = vsh::disk::luks2_text("fuzz", report), json = vsh::disk::luks2_json(report);
  for (const std::string& printed : {text, json}) {
    for (size_t begin = 0, end = 0; begin < printed.size(); begin = end + 1) {
      end = printed.find('\n', begin);
      check(end != std::string::npos, "an unfinished line", "luks2_report");
      check(vsh::cli::is_visible_text(printed.substr(begin, end - begin)), "control characters", "luks2_report");
      check(printed == json || begin == 0 || printed.compare(begin, 2, "  ") == 0, "a broken line", "luks2_report");
    }
  }
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  check(parsed.is_object() && parsed["segments"].size() == report.metadata.segments.size(), "not JSON", "luks2_report");
}

// A label may follow the JSON, behind a zero.
void fuzz_luks2(Input& input) {
  const bool is_detached = input.below(2);
  const uint64_t store_size = uint64_t{input.byte()} << (input.below(8) * 6);
  const Bytes rest = input.rest();
  const std::string_view all(reinterpret_cast<const char*>(rest.data()), rest.size());
  const std::string_view json = all.substr(0, all.find('\0'));
  vsh::disk::Luks2Report report;
  report.label = all.substr(std::min(all.size(), json.size() + 1));
  report.uuid = report.label;
  try {
    const auto& metadata = report.metadata = vsh::disk::read_luks2_metadata(json, "fuzz");
    try {
      report.layout = vsh::disk::check_luks2(metadata, store_size, is_detached, "fuzz");
    } catch (const Failure& failure) {
      report.problem = failure.what();
    }
    check_report(report);
    if (!report.problem.empty()) return;
    const Layout& layout = report.layout;
    check_accepted(layout, store_size, "luks2");
    check(is_detached || layout.offset >= metadata.header_len, "a volume over its header", "luks2");
    check(metadata.segments.at(0).cipher == vsh::disk::kLuks2Cipher, "another cipher", "luks2");
    for (const auto& slot : metadata.slots)
      check(slot.memory <= vsh::disk::kMaxArgon2Memory && slot.iterations <= vsh::disk::kMaxPbkdf2Iterations, "costs",
            "luks2");
  } catch (const Failure&) {
  }
}
#endif

#if VSH_WITH_VERACRYPT
uint32_t crc32(const uint8_t* in, size_t len) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < len; ++i) {
    crc ^= in[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

void put_big_endian(uint8_t* out, uint32_t number) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<uint8_t>(number >> (24 - 8 * i));
}

// The input is the decrypted header; most get the magic and checksums that they need to be looked at.
void fuzz_veracrypt(Input& input) {
  const bool is_valid = input.below(8) != 0;
  const uint64_t store_size = uint64_t{input.byte()} << (input.below(8) * 6);
  Bytes plain = input.bytes(512);
  if (is_valid) {
    std::memcpy(&plain[64], "VERA", 4);
    plain[68] = 0;
    plain[69] = static_cast<uint8_t>(5 + plain[69] % 2);
    if (plain[127] < 200) std::memset(&plain[124], 0, 4);
    put_big_endian(&plain[72], crc32(&plain[256], 256));
    put_big_endian(&plain[252], crc32(&plain[64], 188));
  }
  vsh::disk::VolumeKey header_key, key;
  for (size_t i = 0; i < sizeof header_key.bytes; ++i) header_key.bytes[i] = static_cast<uint8_t>(i);
  vsh_xts* xts = nullptr;
  check(vsh_xts_new(&xts, header_key.bytes, 64, nullptr) == VSH_OK, "vsh_xts_new", "veracrypt");
  const uint8_t number[16] = {};
  Bytes header = plain;
  check(vsh_xts_encrypt_unit(xts, &header[64], &plain[64], 448, number) == VSH_OK, "encryption", "veracrypt");
  vsh_xts_free(xts);
  try {
    const std::optional<Layout> layout = vsh::disk::read_veracrypt_header(
        key, header_key, std::span<const uint8_t, 512>(header.data(), 512), store_size, "fuzz");
    check(layout.has_value() || !is_valid, "a valid header was not found", "veracrypt");
    if (!layout) return;
    check_accepted(*layout, store_size, "veracrypt");
    check(layout->offset >= vsh::disk::kVeraCryptHeadersLen, "a volume over its header", "veracrypt");
    check(std::memcmp(key.bytes, &plain[256], 64) == 0, "another key", "veracrypt");
  } catch (const Failure&) {
  }
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const bool is_veracrypt = input.below(2);
  (void)is_veracrypt;
#if VSH_WITH_VERACRYPT
  if (is_veracrypt) fuzz_veracrypt(input);
#endif
#if VSH_WITH_CRYPTSETUP
  if (!is_veracrypt) fuzz_luks2(input);
#endif
  return 0;
}
