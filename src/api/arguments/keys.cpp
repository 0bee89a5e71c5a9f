#include "api/arguments/keys.hpp"

namespace vsh::api {
namespace {

constexpr int kRows = 8, kValues = 16;

// Returns whether every row has every value 0 .. 15 once.
bool are_permutations(const uint8_t* rows) noexcept {
  uint32_t wrong = 0;
  for (int row = 0; row < kRows; ++row) {
    uint32_t seen = 0;
    for (int i = 0; i < kValues; ++i) {
      const uint32_t value = rows[row * kValues + i];
      wrong |= value >> 4;
      // Not 1 << value: shifts by secret amounts may become instructions that address bits.
      for (uint32_t v = 0; v < uint32_t{kValues}; ++v) seen |= (((value ^ v) - 1) >> 31) << v;
    }
    wrong |= seen ^ 0xffff;
  }
  return wrong == 0;
}

}  // namespace

vsh_status check_key(const uint8_t* key, size_t key_len) noexcept {
  if (key_len != VSH_KEY_LEN) return VSH_E_KEY_LENGTH;
  return key ? VSH_OK : VSH_E_ARGUMENT;
}

vsh_status check_sbox(Algorithm algorithm, const Options& options) noexcept {
  // Rows without VSH_SBOX_CUSTOM would be ignored silently: probably the set was forgotten.
  if (options.sbox != VSH_SBOX_CUSTOM && options.custom_sbox) return VSH_E_SBOX;
  if (algorithm != Algorithm::gost28147) return options.sbox == VSH_SBOX_DEFAULT ? VSH_OK : VSH_E_SBOX;
  if (options.sbox > VSH_SBOX_CUSTOM) return VSH_E_SBOX;
  if (options.sbox != VSH_SBOX_CUSTOM) return VSH_OK;
  if (!options.custom_sbox) return VSH_E_ARGUMENT;
  return are_permutations(options.custom_sbox) ? VSH_OK : VSH_E_SBOX;
}

// The named sets have the same order on both sides of the ABI.
static_assert(VSH_SBOX_DEFAULT == 0 && VSH_SBOX_TC26_Z == 1 + static_cast<int>(tables::MagmaSbox::tc26_z));
static_assert(VSH_SBOX_CRYPTOPRO_A == 1 + static_cast<int>(tables::MagmaSbox::cryptopro_a));
static_assert(VSH_SBOX_CRYPTOPRO_D == 1 + static_cast<int>(tables::MagmaSbox::cryptopro_d));
static_assert(VSH_SBOX_28147_TEST == 1 + static_cast<int>(tables::MagmaSbox::test_28147));
static_assert(VSH_SBOX_3411_94_TEST == 1 + static_cast<int>(tables::MagmaSbox::test_3411_94));
static_assert(VSH_SBOX_3411_94_CRYPTOPRO == 1 + static_cast<int>(tables::MagmaSbox::cryptopro_3411_94));
static_assert(VSH_SBOX_CUSTOM == 1 + tables::kNumMagmaSboxes);

keys::CipherParameters cipher_parameters(Algorithm algorithm, const Options& options) noexcept {
  if (options.sbox == VSH_SBOX_CUSTOM) return keys::CipherParameters(options.custom_sbox);
  const unsigned set = options.sbox == VSH_SBOX_DEFAULT ? 0 : options.sbox - VSH_SBOX_TC26_Z;
  return {algorithm, static_cast<tables::MagmaSbox>(set)};
}

}  // namespace vsh::api
