// The C ABI: every mode, direction and padding by default and with each row, MACs with the comparison of tags, hashes.
#include <algorithm>
#include <cstring>

#include "cases.hpp"
#include "circuits/sbox_tables.hpp"
#include "vershina/vershina.h"

namespace vsh::test {
namespace {

// Encrypts (or decrypts) a secret message of odd pieces with a secret key.
bool run_cipher(const char* cipher_name, vsh_direction direction, const vsh_options& options, size_t len) {
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  must(cipher_name, vsh_cipher_by_name(&algorithm, &mode, cipher_name));
  const Bytes key = secret(VSH_KEY_LEN), iv = pattern(vsh_iv_len(algorithm, mode));
  const Bytes in = secret(len);
  Bytes out(len + VSH_FINAL_CAPACITY);
  vsh_cipher* context = nullptr;
  must(cipher_name,
       vsh_cipher_new(&context, algorithm, mode, direction, key.data(), key.size(), iv.data(), iv.size(), &options));
  const size_t pieces[] = {1, 30, 77, len};
  size_t done = 0, written = 0;
  for (size_t piece : pieces) {
    const size_t n = std::min(piece, len - done);
    size_t out_len = 0;
    must(cipher_name,
         vsh_cipher_update(context, out.data() + written, out.size() - written, &out_len, in.data() + done, n));
    done += n;
    written += out_len;
  }
  size_t out_len = 0;
  vsh_status status = vsh_cipher_final(context, out.data() + written, out.size() - written, &out_len);
  const bool depends = is_secret(out.data(), written) || is_secret(&status, sizeof status);
  vsh_cipher_free(context);
  return depends;
}

void add_cipher(Cases& cases, const std::string& name, Expect expect, bool runnable, const char* cipher,
                const vsh_options& options, size_t len) {
  for (const vsh_direction direction : {VSH_ENCRYPT, VSH_DECRYPT})
    cases.push_back({name + (direction == VSH_ENCRYPT ? "/encrypt" : "/decrypt"), expect, runnable,
                     [=] { return run_cipher(cipher, direction, options, len); }});
}

}  // namespace

void add_abi(Cases& cases) {
  struct Padding {
    const char* name;
    vsh_padding padding;
  };
  constexpr Padding kPaddings[] = {
      {"2", VSH_PADDING_2}, {"1", VSH_PADDING_1}, {"pkcs7", VSH_PADDING_PKCS7}, {"none", VSH_PADDING_NONE}};
  static uint8_t custom[8][16];

  std::vector<vsh_kernel_info> rows;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) rows.push_back(info);

  const auto family_of = [](const std::string& algorithm) { return algorithm == "gost28147" ? "magma" : algorithm; };

  for (size_t i = 0; const char* cipher = vsh_cipher_name(i); ++i) {
    const std::string cipher_name = cipher;
    const std::string algorithm = cipher_name.substr(0, cipher_name.find('-'));
    const bool padded = cipher_name.ends_with("-ecb") || cipher_name.ends_with("-cbc");
    const size_t len = 4096;  // a multiple of the block, for modes without padding

    vsh_options options = VSH_OPTIONS_INIT;
    const size_t section_len = cipher_name.ends_with("-acpkm") ? 512 : 0;  // several of them
    options.section_len = section_len;
    if (!padded) add_cipher(cases, "abi/" + cipher_name, Expect::clean, true, cipher, options, len - 3);
    for (const auto& p : kPaddings) {
      if (!padded) break;
      options.padding = p.padding;
      add_cipher(cases, "abi/" + cipher_name + "/padding-" + p.name, Expect::clean, true, cipher, options, len);
    }
    if (algorithm == "gost28147") {
      options.padding = VSH_PADDING_DEFAULT;
      if (!cipher_name.ends_with("-ecb")) {
        options.key_meshing = VSH_MESHING_CRYPTOPRO;
        add_cipher(cases, "abi/" + cipher_name + "/meshing", Expect::clean, true, cipher, options, len);
        options.key_meshing = VSH_MESHING_NONE;
      }
      for (int set = VSH_SBOX_CRYPTOPRO_A; set <= VSH_SBOX_3411_94_CRYPTOPRO; ++set) {
        options.sbox = static_cast<vsh_sbox>(set);
        const std::string name = "abi/" + cipher_name + "/sbox-" + std::to_string(set);
        add_cipher(cases, name, Expect::clean, true, cipher, options, len);
      }
      std::memcpy(custom, tables::kMagmaSboxes[3].rows, sizeof custom);
      options.sbox = VSH_SBOX_CUSTOM;
      options.custom_sbox = custom[0];
      for (const vsh_direction direction : {VSH_ENCRYPT, VSH_DECRYPT})
        cases.push_back({"abi/" + cipher_name + "/sbox-custom" + (direction == VSH_ENCRYPT ? "/encrypt" : "/decrypt"),
                         Expect::clean, true, [=] {
                           make_secret(custom);
                           return run_cipher(cipher, direction, options, len);
                         }});
    }
    for (const auto& row : rows) {
      if (family_of(algorithm) != row.family) continue;
      vsh_options forced = VSH_OPTIONS_INIT;
      forced.kernel = row.variant;
      forced.section_len = section_len;
      forced.flags = row.constant_time ? 0 : VSH_ALLOW_TABLES;
      add_cipher(cases, "abi/" + cipher_name + "/" + row.variant, row.constant_time ? Expect::clean : Expect::leaks,
                 row.runnable != 0, cipher, forced, 2 * row.lanes * 16 + 48);
    }
  }

  for (size_t i = 0; const char* mac = vsh_mac_name(i); ++i) {
    const std::string name = std::string("abi/") + mac;
    vsh_mac_algorithm algorithm;
    must(name, vsh_mac_by_name(&algorithm, mac));
    const auto begin = [=](size_t len) {
      const Bytes key = secret(VSH_KEY_LEN), message = secret(len);
      vsh_mac* context = nullptr;
      vsh_options options = VSH_OPTIONS_INIT;
      if (name.ends_with("-acpkm")) options.section_len = options.master_section_len = 32;
      if (algorithm == VSH_GOST28147_IMIT && len > 1024) options.key_meshing = VSH_MESHING_CRYPTOPRO;
      must(name, vsh_mac_new(&context, algorithm, key.data(), key.size(), &options));
      must(name, vsh_mac_update(context, message.data(), len / 3));
      must(name, vsh_mac_update(context, message.data() + len / 3, len - len / 3));
      return context;
    };
    const size_t tag_len = vsh_mac_max_len(algorithm);
    for (const size_t len : {size_t{64}, size_t{77}, size_t{1040}})
      cases.push_back({name + "/final-" + std::to_string(len), Expect::clean, true, [=] {
                         vsh_mac* context = begin(len);
                         uint8_t tag[64];
                         must(name, vsh_mac_final(context, tag, tag_len));
                         vsh_mac_free(context);
                         return is_secret(tag, tag_len);
                       }});
    // The tag is compared as a secret: an attacker who observes where the comparison stops can forge.
    cases.push_back({name + "/verify", Expect::clean, true, [=] {
                       vsh_mac* context = begin(77);
                       const Bytes tag = secret(tag_len);
                       vsh_status status = vsh_mac_verify(context, tag.data(), tag_len);
                       declassify(&status, sizeof status);
                       vsh_mac_free(context);
                       return status == VSH_E_TAG;
                     }});
  }

  cases.push_back({"abi/equal", Expect::clean, true, [] {
                     const Bytes a = secret(32);
                     Bytes b = secret(32);
                     b[31] = static_cast<uint8_t>(~a[31]);
                     return vsh_equal(a.data(), b.data(), a.size()) == 0;
                   }});

  for (size_t i = 0; const char* wrap = vsh_wrap_name(i); ++i) {
    const std::string name = std::string("abi/wrap/") + wrap;
    vsh_wrap_algorithm algorithm;
    must(name, vsh_wrap_by_name(&algorithm, wrap));
    const size_t iv_len = vsh_wrap_iv_len(algorithm), len = vsh_wrapped_len(algorithm, iv_len, 32);
    cases.push_back({name, Expect::clean, true, [=] {
                       const Bytes kek = secret(vsh_wrap_kek_len(algorithm)), iv = pattern(iv_len), key = secret(32);
                       Bytes out(len);
                       size_t out_len = 0;
                       must(name, vsh_wrap(out.data(), len, &out_len, algorithm, kek.data(), kek.size(), iv.data(),
                                           iv_len, key.data(), 32, nullptr));
                       return is_secret(&out[len - 4], 4);
                     }});
    // A wrong check value, compared as a secret.
    cases.push_back({name + "/unwrap", Expect::clean, true, [=] {
                       const bool iv_in_front = algorithm != VSH_KEXP15_KUZNYECHIK && algorithm != VSH_KEXP15_MAGMA;
                       const Bytes kek = secret(vsh_wrap_kek_len(algorithm)), iv = pattern(iv_in_front ? 0 : iv_len);
                       Bytes in = secret(len), key(32);
                       if (iv_in_front) declassify(in.data(), iv_len);
                       size_t key_len = 0;
                       vsh_status status = vsh_unwrap(key.data(), 32, &key_len, algorithm, kek.data(), kek.size(),
                                                      iv.data(), iv.size(), in.data(), len, nullptr);
                       declassify(&status, sizeof status);
                       return status == VSH_E_TAG;
                     }});
  }

  for (size_t i = 0; const char* aead = vsh_aead_name(i); ++i) {
    const std::string name = std::string("abi/") + aead;
    vsh_aead_algorithm algorithm;
    must(name, vsh_aead_by_name(&algorithm, aead));
    const size_t nonce_len = vsh_aead_nonce_len(algorithm), tag_len = vsh_aead_max_tag_len(algorithm);
    const bool is_mgm = algorithm == VSH_KUZNYECHIK_MGM || algorithm == VSH_MAGMA_MGM;  // the other takes no data
    const size_t data_len = is_mgm ? 21 : 0;
    const auto with_context = [=](auto f) {
      const Bytes key = secret(VSH_KEY_LEN);
      vsh_aead* context = nullptr;
      vsh_options options = VSH_OPTIONS_INIT;
      options.section_len = is_mgm ? 0 : 512;  // several of them
      must(name, vsh_aead_new(&context, algorithm, key.data(), key.size(), 0, &options));
      const bool depends = f(context);
      vsh_aead_free(context);
      return depends;
    };
    // In one call of the cipher, and in batches.
    for (const size_t len : {size_t{77}, size_t{20'005}}) {
      const std::string suffix = "-" + std::to_string(len);
      cases.push_back({name + "/seal" + suffix, Expect::clean, true, [=] {
                         return with_context([&](vsh_aead* context) {
                           const Bytes nonce(nonce_len), data = secret(data_len), in = secret(len);
                           Bytes out(len + tag_len);
                           size_t out_len = 0;
                           must(name, vsh_aead_seal(context, out.data(), out.size(), &out_len, nonce.data(), nonce_len,
                                                    data.data(), data.size(), in.data(), len));
                           return is_secret(out.data(), len) && is_secret(out.data() + len, tag_len);
                         });
                       }});
      // A forgery: the position of the first wrong byte is a secret, the refusal is not.
      cases.push_back({name + "/open" + suffix, Expect::clean, true, [=] {
                         return with_context([&](vsh_aead* context) {
                           const Bytes nonce(nonce_len), data = secret(data_len), in = secret(len + tag_len);
                           Bytes out(len);
                           size_t out_len = 0;
                           vsh_status status = vsh_aead_open(context, out.data(), out.size(), &out_len, nonce.data(),
                                                             nonce_len, data.data(), data.size(), in.data(), in.size());
                           declassify(&status, sizeof status);
                           return status == VSH_E_TAG;
                         });
                       }});
    }
    cases.push_back({name + "/pieces", Expect::clean, true, [=] {
                       return with_context([&](vsh_aead* context) {
                         const Bytes nonce(nonce_len), data = secret(data_len), in = secret(100), tag = secret(tag_len);
                         Bytes out(in.size());
                         must(name, vsh_aead_begin(context, nonce.data(), nonce_len));
                         must(name, vsh_aead_add_data(context, data.data(), data.size()));
                         must(name, vsh_aead_decrypt_unverified(context, out.data(), in.data(), 41));
                         must(name, vsh_aead_decrypt_unverified(context, out.data() + 41, in.data() + 41, 59));
                         vsh_status status = vsh_aead_verify(context, tag.data(), tag.size());
                         declassify(&status, sizeof status);
                         return status == VSH_E_TAG && is_secret(out.data(), out.size());
                       });
                     }});
  }

  for (size_t i = 0; const char* hash = vsh_hash_name(i); ++i) {
    vsh_hash_algorithm algorithm;
    must(hash, vsh_hash_by_name(&algorithm, hash));
    const auto digest = [=](const vsh_options& options) {
      const Bytes message = secret(201);
      const size_t len = vsh_hash_len(algorithm);
      Bytes out(len);
      vsh_hash* context = nullptr;
      must(hash, vsh_hash_new(&context, algorithm, &options));
      must(hash, vsh_hash_update(context, message.data(), 100));
      must(hash, vsh_hash_update(context, message.data() + 100, 101));
      must(hash, vsh_hash_final(context, out.data(), len));
      vsh_hash_free(context);
      return is_secret(out.data(), len);
    };
    cases.push_back({std::string("abi/") + hash, Expect::clean, true, [=] { return digest(VSH_OPTIONS_INIT); }});
    if (!std::string(hash).starts_with("streebog")) continue;  // GOST R 34.11-94 has no table kernel
    cases.push_back({std::string("abi/") + hash + "/tables", Expect::leaks, true, [=] {
                       vsh_options options = VSH_OPTIONS_INIT;
                       options.flags = VSH_INPUT_IS_PUBLIC;
                       options.kernel = "tables";
                       return digest(options);
                     }});
  }
}

}  // namespace vsh::test
