#include "api/mode_arguments.hpp"

#include "api/names.hpp"
#include "modes/blocks.hpp"

namespace vsh::api {
namespace {

bool is_ctr(unsigned mode) { return mode == VSH_CTR || mode == VSH_CTR_ACPKM; }
bool has_segments(unsigned mode) { return is_ctr(mode) || mode == VSH_OFB || mode == VSH_CFB; }
bool has_register(unsigned mode) { return mode == VSH_OFB || mode == VSH_CBC || mode == VSH_CFB; }

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

vsh_status read_section(size_t& section_len, unsigned algorithm, unsigned mode, size_t segment_len,
                        const Options& options) noexcept {
  section_len = 0;
  if (mode != VSH_CTR_ACPKM) return options.section_len ? VSH_E_SECTION : VSH_OK;
  const size_t wanted = options.section_len ? options.section_len : algorithm == VSH_KUZNYECHIK ? 4096 : 1024;
  if (wanted % block_len(algorithm) || wanted % segment_len) return VSH_E_SECTION;
  section_len = wanted;
  return VSH_OK;
}

}  // namespace vsh::api
