// C ABI of PBES2 parameters: DER encoding and decoding.
#include "keys/pbes2.hpp"

#include "api/arguments/context.hpp"

using namespace vsh;
using namespace vsh::api;
using keys::Pbes2;
using keys::Pbes2Cipher;
using keys::Pbes2Sbox;

static_assert(VSH_PBES2_MAX_SALT == Pbes2::kMaxSalt && VSH_PBES2_MAX_IV == Pbes2::kMaxIv);
static_assert(VSH_PBES2_MAX_DER == Pbes2::kMaxDer);
static_assert(VSH_PBES2_GOST28147_CFB == static_cast<int>(Pbes2Cipher::gost28147_cfb) + 1);
static_assert(VSH_SBOX_TC26_Z == static_cast<int>(Pbes2Sbox::tc26_z) + 1);
static_assert(VSH_SBOX_28147_TEST == static_cast<int>(Pbes2Sbox::test) + 1);

vsh_status vsh_pbes2_encode(uint8_t* der, size_t der_capacity, size_t* der_len, const vsh_pbes2* p) {
  if (!p || p->struct_size != sizeof *p || !der_len || !is_buffer(der, der_capacity)) return VSH_E_ARGUMENT;
  const unsigned cipher = number(p->cipher), sbox = number(p->sbox);
  if (cipher < 1 || cipher > keys::kNumPbes2Ciphers) return VSH_E_ARGUMENT;
  const bool has_sbox = cipher == VSH_PBES2_GOST28147_CFB;
  if (has_sbox ? sbox > VSH_SBOX_28147_TEST : sbox != VSH_SBOX_DEFAULT) return VSH_E_SBOX;
  Pbes2 q{};
  q.cipher = static_cast<Pbes2Cipher>(cipher - 1);
  q.sbox = static_cast<Pbes2Sbox>(sbox == VSH_SBOX_DEFAULT ? 0 : sbox - VSH_SBOX_TC26_Z);
  q.iterations = p->iterations;
  q.salt_len = p->salt_len;
  q.iv_len = p->iv_len;
  if (!keys::pbes2_in_bounds(q)) return VSH_E_PARAMETERS;
  std::memcpy(q.salt, p->salt, q.salt_len);
  std::memcpy(q.iv, p->iv, q.iv_len);
  uint8_t encoded[Pbes2::kMaxDer];
  const size_t len = keys::pbes2_encode(encoded, q);
  *der_len = len;
  if (len > der_capacity) return VSH_E_CAPACITY;
  std::memcpy(der, encoded, len);
  return VSH_OK;
}

vsh_status vsh_pbes2_decode(vsh_pbes2* p, const uint8_t* der, size_t der_len) {
  if (!p || p->struct_size != sizeof *p || !der || !is_buffer(der, der_len)) return VSH_E_ARGUMENT;
  Pbes2 q;
  switch (keys::pbes2_decode(q, {der, der_len})) {
    case keys::Pbes2Status::format: return VSH_E_FORMAT;
    case keys::Pbes2Status::unknown: return VSH_E_VERSION;
    case keys::Pbes2Status::bounds: return VSH_E_PARAMETERS;
    case keys::Pbes2Status::ok: break;
  }
  *p = {};
  p->struct_size = sizeof *p;
  p->cipher = static_cast<vsh_pbes2_cipher>(static_cast<int>(q.cipher) + 1);
  if (q.cipher == Pbes2Cipher::gost28147_cfb)
    p->sbox = static_cast<vsh_sbox>(static_cast<int>(q.sbox) + VSH_SBOX_TC26_Z);
  p->iterations = q.iterations;
  p->salt_len = q.salt_len;
  p->iv_len = q.iv_len;
  std::memcpy(p->salt, q.salt, q.salt_len);
  std::memcpy(p->iv, q.iv, q.iv_len);
  return VSH_OK;
}
