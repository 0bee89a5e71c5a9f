// The ciphers without authentication, in one table: the parameters reported to EVP, and those of the library's
// contexts.
#pragma once

#include <openssl/evp.h>
#include <vershina/vershina.h>

namespace vsh::openssl {

// Contents of the AlgorithmIdentifier of CMS.
enum class CmsParameters {
  none,
  gost28147,  // RFC 4490 4.1: SEQUENCE { IV, S-box set }
  gostr3412   // R 1323565.1.025-2019, also in RFC 9189: SEQUENCE { ukm }
};

struct CipherInfo {
  const char* names;  // those of the GOST engine's provider, else OpenSSL's objects; then the OID
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  unsigned evp_mode;  // EVP_CIPH_…
  unsigned block;     // bytes, for EVP: 1 if any number of bytes is allowed
  unsigned iv_len;    // bytes
  vsh_sbox sbox = VSH_SBOX_DEFAULT;
  vsh_key_meshing meshing = VSH_MESHING_NONE;
  CmsParameters cms = CmsParameters::none;
  bool by_crypt_params = false;  // CRYPT_PARAMS selects the set instead of sbox
  unsigned cms_section = 0;      // bytes under a key in CMS; EVP's default is that of TLS 1.2
  vsh_tlstree_suite tls = {};    // of RFC 9189
  static constexpr unsigned key_len = VSH_KEY_LEN;
  static constexpr bool is_aead = false;
};

inline constexpr CipherInfo kCiphers[] = {
    {"kuznyechik-ecb", VSH_KUZNYECHIK, VSH_ECB, EVP_CIPH_ECB_MODE, 16, 0},
    {"kuznyechik-cbc", VSH_KUZNYECHIK, VSH_CBC, EVP_CIPH_CBC_MODE, 16, 16},
    {"kuznyechik-cfb", VSH_KUZNYECHIK, VSH_CFB, EVP_CIPH_CFB_MODE, 1, 16},
    {"kuznyechik-ofb", VSH_KUZNYECHIK, VSH_OFB, EVP_CIPH_OFB_MODE, 1, 16},
    {"kuznyechik-ctr", VSH_KUZNYECHIK, VSH_CTR, EVP_CIPH_CTR_MODE, 1, 8},
    {"kuznyechik-ctr-acpkm:1.2.643.7.1.1.5.2.1", VSH_KUZNYECHIK, VSH_CTR_ACPKM, EVP_CIPH_CTR_MODE, 1, 8,
     VSH_SBOX_DEFAULT, VSH_MESHING_NONE, CmsParameters::gostr3412, false, 256 * 1024, VSH_TLSTREE_KUZNYECHIK_CTR_OMAC},
    {"magma-ecb", VSH_MAGMA, VSH_ECB, EVP_CIPH_ECB_MODE, 8, 0},
    {"magma-cbc", VSH_MAGMA, VSH_CBC, EVP_CIPH_CBC_MODE, 8, 8},
    {"magma-cfb", VSH_MAGMA, VSH_CFB, EVP_CIPH_CFB_MODE, 1, 8},
    {"magma-ofb", VSH_MAGMA, VSH_OFB, EVP_CIPH_OFB_MODE, 1, 8},
    {"magma-ctr", VSH_MAGMA, VSH_CTR, EVP_CIPH_CTR_MODE, 1, 4},
    {"magma-ctr-acpkm:1.2.643.7.1.1.5.1.1", VSH_MAGMA, VSH_CTR_ACPKM, EVP_CIPH_CTR_MODE, 1, 4, VSH_SBOX_DEFAULT,
     VSH_MESHING_NONE, CmsParameters::gostr3412, false, 8 * 1024, VSH_TLSTREE_MAGMA_CTR_OMAC},
    {"gost89:GOST 28147-89:1.2.643.2.2.21", VSH_GOST28147, VSH_CFB, EVP_CIPH_CFB_MODE, 1, 8, VSH_SBOX_TC26_Z,
     VSH_MESHING_CRYPTOPRO, CmsParameters::gost28147, true},
    {"gost89-cnt", VSH_GOST28147, VSH_CNT, EVP_CIPH_OFB_MODE, 1, 8, VSH_SBOX_CRYPTOPRO_A, VSH_MESHING_CRYPTOPRO},
    {"gost89-cnt-12", VSH_GOST28147, VSH_CNT, EVP_CIPH_OFB_MODE, 1, 8, VSH_SBOX_TC26_Z, VSH_MESHING_CRYPTOPRO},
    {"gost89-cbc", VSH_GOST28147, VSH_CBC, EVP_CIPH_CBC_MODE, 8, 8, VSH_SBOX_TC26_Z, VSH_MESHING_NONE,
     CmsParameters::none, true},
    {"gost89-ecb", VSH_GOST28147, VSH_ECB, EVP_CIPH_ECB_MODE, 8, 0, VSH_SBOX_TC26_Z},
};

}  // namespace vsh::openssl
