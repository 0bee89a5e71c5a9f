#include "api/arguments/mode_arguments.hpp"

#include "api/arguments/names.hpp"
#include "modes/blocks.hpp"
#include "modes/key_meshing.hpp"

namespace vsh::api {
namespace {

bool is_ctr(unsigned mode) { return mode == VSH_CTR || mode == VSH_CTR_ACPKM; }
bool has_segments(unsigned mode) { return is_ctr(mode) || mode == VSH_OFB || mode == VSH_CFB; }
bool has_register(unsigned mode) { return mode == VSH_OFB || mode == VSH_CBC || mode == VSH_CFB; }

bool can_mesh(unsigned algorithm, unsigned mode) {
  return algorithm == VSH_GOST28147 && (mode == VSH_CNT || mode == VSH_CFB || mode == VSH_CBC);
}

vsh_status check_meshing(const Options& options, bool possible) {
  if (options.key_meshing > VSH_MESHING_CRYPTOPRO) return VSH_E_ARGUMENT;
  return options.key_meshing == VSH_MESHING_NONE || possible ? VSH_OK : VSH_E_SECTION;
}

// Section lengths of TLS 1.2, RFC 9189, and of the GOST engine.
size_t default_section(unsigned algorithm) { return algorithm == VSH_KUZNYECHIK ? 4096 : 1024; }
// Section lengths of CMS, R 1323565.1.025-2019, and of the GOST engine.
constexpr size_t kCmsSectionKuznyechik = 256 * 1024, kCmsSectionMagma = 8 * 1024;
// No protocol defines sections of OMAC-ACPKM: this is the GOST engine's, whose T* is the section of its CTR-ACPKM.
constexpr size_t kDefaultMacSection = 4096;

size_t section_or(size_t wanted, size_t usual) { return wanted ? wanted : usual; }

}  // namespace

vsh_status check_iv(unsigned algorithm, unsigned mode, const uint8_t* iv, size_t iv_len) noexcept {
  const size_t n = block_len(algorithm);
  bool right;
  if (mode == VSH_ECB) {
    right = iv_len == 0;
  } else if (is_ctr(mode)) {
    right = iv_len == n / 2;
  } else {
    const size_t longest = has_register(mode) && algorithm != VSH_GOST28147 ? modes::kMaxRegister * n : n;
    right = iv_len != 0 && iv_len % n == 0 && iv_len <= longest;
  }
  if (!right) return VSH_E_IV_LENGTH;
  return is_buffer(iv, iv_len) ? VSH_OK : VSH_E_ARGUMENT;
}

vsh_status read_segment(size_t& segment_len, unsigned algorithm, unsigned mode, const Options& options) noexcept {
  const size_t n = block_len(algorithm);
  segment_len = n;
  if (options.segment_len == 0) return VSH_OK;
  if (!has_segments(mode) || options.segment_len > n) return VSH_E_SEGMENT;
  segment_len = options.segment_len;
  return VSH_OK;
}

vsh_status read_key_changes(KeyChanges& changes, unsigned algorithm, unsigned mode, size_t segment_len,
                            const Options& options) noexcept {
  changes = {};
  if (options.master_section_len) return VSH_E_SECTION;
  if (const vsh_status s = check_meshing(options, can_mesh(algorithm, mode))) return s;
  if (options.key_meshing) {
    changes.section_len = modes::kMeshingSection;
    return options.section_len ? VSH_E_SECTION : segment_len == block_len(algorithm) ? VSH_OK : VSH_E_SEGMENT;
  }
  if (mode != VSH_CTR_ACPKM) return options.section_len ? VSH_E_SECTION : VSH_OK;
  changes.section_len = section_or(options.section_len, default_section(algorithm));
  return changes.section_len % block_len(algorithm) || changes.section_len % segment_len ? VSH_E_SECTION : VSH_OK;
}

vsh_status read_aead_key_changes(KeyChanges& changes, unsigned aead_algorithm, const Options& options) noexcept {
  changes = {};
  if (options.master_section_len) return VSH_E_SECTION;
  if (const vsh_status s = check_meshing(options, false)) return s;
  const bool is_kuznyechik = aead_algorithm == VSH_KUZNYECHIK_CTR_ACPKM_OMAC;
  if (!is_kuznyechik && aead_algorithm != VSH_MAGMA_CTR_ACPKM_OMAC) return options.section_len ? VSH_E_SECTION : VSH_OK;
  changes.section_len = section_or(options.section_len, is_kuznyechik ? kCmsSectionKuznyechik : kCmsSectionMagma);
  return changes.section_len % block_size(find_aead(aead_algorithm)->cipher) ? VSH_E_SECTION : VSH_OK;
}

vsh_status read_mac_key_changes(KeyChanges& changes, unsigned mac_algorithm, const Options& options) noexcept {
  changes = {};
  if (const vsh_status s = check_meshing(options, mac_algorithm == VSH_GOST28147_IMIT)) return s;
  if (mac_algorithm != VSH_KUZNYECHIK_OMAC_ACPKM && mac_algorithm != VSH_MAGMA_OMAC_ACPKM)
    return options.section_len || options.master_section_len ? VSH_E_SECTION : VSH_OK;
  const unsigned algorithm = mac_algorithm == VSH_KUZNYECHIK_OMAC_ACPKM ? VSH_KUZNYECHIK : VSH_MAGMA;
  changes.section_len = section_or(options.section_len, kDefaultMacSection);
  changes.master_section_len = section_or(options.master_section_len, default_section(algorithm));
  const size_t n = block_len(algorithm);
  return changes.section_len % n || changes.master_section_len % n ? VSH_E_SECTION : VSH_OK;
}

vsh_status refuse_padding(const Options& options) noexcept {
  return options.padding == VSH_PADDING_DEFAULT || options.padding == VSH_PADDING_NONE ? VSH_OK : VSH_E_PADDING;
}

vsh_status refuse_key_changes(const Options& options) noexcept {
  if (options.section_len || options.master_section_len) return VSH_E_SECTION;
  return check_meshing(options, false);
}

vsh_status refuse_mode_options(const Options& options) noexcept {
  if (options.segment_len) return VSH_E_SEGMENT;
  if (const vsh_status s = refuse_key_changes(options)) return s;
  return refuse_padding(options);
}

}  // namespace vsh::api
