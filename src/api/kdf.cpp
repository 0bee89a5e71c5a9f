// Key derivation functions, pseudorandom functions, PBKDF2, and batches of HMACs.
#include "keys/kdf.hpp"

#include "api/arguments/names.hpp"
#include "api/hash_kernels.hpp"
#include "keys/prf.hpp"
#include "streams/hmac_batch.hpp"
#include "streams/pbkdf2.hpp"

using namespace vsh;
using namespace vsh::api;
using keys::Bytes;

namespace {

enum class Prf { tls, ipsec_keymat, ipsec_prfplus };

struct PrfName {
  const char* name;
  vsh_prf_algorithm algorithm;
  Prf prf;
  unsigned hash_bits;
};
constexpr PrfName kPrfs[] = {{"prf-tls-256", VSH_PRF_TLS_256, Prf::tls, 256},
                             {"prf-tls-512", VSH_PRF_TLS_512, Prf::tls, 512},
                             {"prf-ipsec-keymat-256", VSH_PRF_IPSEC_KEYMAT_256, Prf::ipsec_keymat, 256},
                             {"prf-ipsec-keymat-512", VSH_PRF_IPSEC_KEYMAT_512, Prf::ipsec_keymat, 512},
                             {"prf-ipsec-prfplus-256", VSH_PRF_IPSEC_PRFPLUS_256, Prf::ipsec_prfplus, 256},
                             {"prf-ipsec-prfplus-512", VSH_PRF_IPSEC_PRFPLUS_512, Prf::ipsec_prfplus, 512}};

// An input that the output must not overlap.
struct Input {
  const uint8_t* data;
  size_t len;
  bool is_good_for(const uint8_t* out, size_t out_len) const {
    return is_buffer(data, len) && !overlap(out, out_len, data, len);
  }
  Bytes bytes() const { return {data, len}; }
};

// Checks shared by all functions of one key. The caller checks out_len.
vsh_status check_derivation(const uint8_t* out, size_t out_len, const uint8_t* key, size_t key_len, const Input& label,
                            const Input& seed) {
  if (out_len > 0 && !is_buffer(out, out_len)) return VSH_E_ARGUMENT;
  if (!label.is_good_for(out, out_len) || !seed.is_good_for(out, out_len)) return VSH_E_ARGUMENT;
  if (key_len == 0) return VSH_E_KEY_LENGTH;
  return is_buffer(key, key_len) ? VSH_OK : VSH_E_ARGUMENT;
}

vsh_status check_pbkdf2(const uint8_t* out, size_t out_len, const Input& password, const Input& salt,
                        uint32_t iterations) {
  if (iterations == 0 || out_len == 0 || uint64_t{out_len} > keys::kPbkdf2MaxLen) return VSH_E_PARAMETERS;
  if (!is_buffer(out, out_len)) return VSH_E_ARGUMENT;
  return password.is_good_for(out, out_len) && salt.is_good_for(out, out_len) ? VSH_OK : VSH_E_ARGUMENT;
}

}  // namespace

vsh_status vsh_kdf_tree(uint8_t* out, size_t out_len, const uint8_t* key, size_t key_len, unsigned counter_len,
                        const uint8_t* label, size_t label_len, const uint8_t* seed, size_t seed_len,
                        const vsh_options* options) {
  const Input l{label, label_len}, s{seed, seed_len};
  if (const vsh_status status = check_derivation(out, out_len, key, key_len, l, s)) return status;
  if (counter_len < 1 || counter_len > 4) return VSH_E_PARAMETERS;
  if (out_len == 0 || out_len > keys::kdf_tree_max_len(counter_len)) return VSH_E_PARAMETERS;
  Options o;
  SecretHashKernels kernels;
  if (const vsh_status status = kernels.choose(o, options)) return status;
  const SecretWork scope;
  keys::Hmac hmac(kernels.one, 256, {key, key_len});
  keys::kdf_tree(hmac, out, out_len, counter_len, l.bytes(), s.bytes());
  return VSH_OK;
}

vsh_status vsh_kdf(uint8_t* out, size_t out_len, const uint8_t* key, size_t key_len, const uint8_t* label,
                   size_t label_len, const uint8_t* seed, size_t seed_len, const vsh_options* options) {
  if (out_len != keys::kKdfLen) return VSH_E_ARGUMENT;
  return vsh_kdf_tree(out, out_len, key, key_len, 1, label, label_len, seed, seed_len, options);
}

vsh_status vsh_prf_by_name(vsh_prf_algorithm* algorithm, const char* name) {
  return algorithm_by_name(kPrfs, algorithm, name);
}

const char* vsh_prf_name(size_t i) { return name_at(kPrfs, i); }

vsh_status vsh_prf(uint8_t* out, size_t out_len, vsh_prf_algorithm algorithm, const uint8_t* key, size_t key_len,
                   const uint8_t* label, size_t label_len, const uint8_t* seed, size_t seed_len,
                   const vsh_options* options) {
  const Input l{label, label_len}, s{seed, seed_len};
  const PrfName* const row = find_algorithm(kPrfs, number(algorithm));
  if (!row) return VSH_E_ARGUMENT;
  if (const vsh_status status = check_derivation(out, out_len, key, key_len, l, s)) return status;
  const size_t max_len = row->prf == Prf::ipsec_prfplus ? keys::prfplus_max_len(row->hash_bits / 8) : SIZE_MAX;
  if (out_len == 0 || out_len > max_len) return VSH_E_PARAMETERS;
  if (row->prf != Prf::tls && label_len > 0) return VSH_E_PARAMETERS;
  Options o;
  SecretHashKernels kernels;
  if (const vsh_status status = kernels.choose(o, options)) return status;
  const SecretWork scope;
  keys::Hmac hmac(kernels.one, row->hash_bits, {key, key_len});
  switch (row->prf) {
    case Prf::tls: keys::prf_tls(hmac, out, out_len, l.bytes(), s.bytes()); break;
    case Prf::ipsec_keymat: keys::prf_ipsec_keymat(hmac, out, out_len, s.bytes()); break;
    case Prf::ipsec_prfplus: keys::prf_ipsec_prfplus(hmac, out, out_len, s.bytes()); break;
  }
  return VSH_OK;
}

vsh_status vsh_pbkdf2(uint8_t* out, size_t out_len, const uint8_t* password, size_t password_len, const uint8_t* salt,
                      size_t salt_len, uint32_t iterations, const vsh_options* options) {
  vsh_pbkdf2_job job{password, password_len, salt, salt_len, iterations, out, out_len, VSH_OK};
  const vsh_status status = vsh_pbkdf2_jobs(&job, 1, sizeof job, options);
  return status == VSH_E_JOB ? job.status : status;
}

vsh_status vsh_pbkdf2_jobs(vsh_pbkdf2_job* jobs, size_t num_jobs, size_t job_size, const vsh_options* options) {
  Options o;
  SecretHashKernels kernels;
  if (const vsh_status s = kernels.choose(o, options)) return s;
  const auto read = [](const vsh_pbkdf2_job& from, keys::Pbkdf2Job& job) {
    const Input password{from.password, from.password_len}, salt{from.salt, from.salt_len};
    job = {password.bytes(), salt.bytes(), from.iterations, from.out, from.out_len};
    return check_pbkdf2(from.out, from.out_len, password, salt, from.iterations);
  };
  return run_jobs<keys::Pbkdf2Job>(jobs, num_jobs, job_size, read, [&](std::span<keys::Pbkdf2Job> items, auto) {
    keys::pbkdf2(*kernels.one, kernels.lanes(), items, o.threads);
  });
}

vsh_status vsh_streams_hmac_jobs(vsh_mac_algorithm algorithm, vsh_hmac_job* jobs, size_t num_jobs, size_t job_size,
                                 const vsh_options* options) {
  if (number(algorithm) != VSH_HMAC_STREEBOG256 && number(algorithm) != VSH_HMAC_STREEBOG512) return VSH_E_ARGUMENT;
  const size_t max_len = vsh_mac_max_len(algorithm);
  Options o;
  SecretHashKernels kernels;
  if (const vsh_status s = kernels.choose(o, options)) return s;
  const auto read = [=](const vsh_hmac_job& from, keys::HmacJob& job) {
    const Input key{from.key, from.key_len}, in{from.in, from.in_len};
    if (!from.tag || from.tag_len == 0 || from.tag_len > max_len || !is_buffer(from.tag, from.tag_len))
      return VSH_E_ARGUMENT;
    if (!key.is_good_for(from.tag, from.tag_len) || !in.is_good_for(from.tag, from.tag_len)) return VSH_E_ARGUMENT;
    if (from.key_len == 0) return VSH_E_KEY_LENGTH;
    job = {key.bytes(), in.bytes(), from.tag, from.tag_len};
    return VSH_OK;
  };
  return run_jobs<keys::HmacJob>(jobs, num_jobs, job_size, read, [&](std::span<keys::HmacJob> items, auto) {
    keys::hmac_batch(*kernels.one, kernels.lanes(), 8 * static_cast<unsigned>(max_len), items, o.threads);
  });
}
