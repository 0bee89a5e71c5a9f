// Batches of messages through the C ABI: each work and mode by default and a feedback mode with each row; many hashes.
#include <cstring>

#include "cases.hpp"
#include "circuits/sbox_tables.hpp"

namespace vsh::test {
namespace {

// Parameters of a batch, except the number of messages.
struct Batch {
  std::string name;
  vsh_cipher_algorithm algorithm;
  vsh_stream_work work;
  vsh_mode mode;
};

// More secret messages than lanes, of unequal lengths, under secret keys: prepared ones, one of these, the jobs' own.
bool run_ciphers(const Batch& batch, const vsh_options& options) {
  vsh_streams* streams = nullptr;
  must(batch.name, vsh_streams_new(&streams, batch.algorithm, nullptr, 0, &options));
  const size_t num = vsh_streams_lanes(streams) + 3, len = 112;
  vsh_streams_free(streams);

  const Bytes keys = secret(num * VSH_KEY_LEN), in = secret(num * len);
  const bool is_mac = batch.work == VSH_STREAM_MAC;
  const bool whole_blocks = !is_mac && (batch.mode == VSH_ECB || batch.mode == VSH_CBC);
  const Bytes iv = pattern(is_mac ? 0 : vsh_iv_len(batch.algorithm, batch.mode));
  must(batch.name, vsh_streams_new(&streams, batch.algorithm, keys.data(), num, &options));
  bool depends = true;
  enum class Keys { prepared, one, own };
  for (const Keys of_jobs : {Keys::prepared, Keys::one, Keys::own}) {
    Bytes out(num * len);
    std::vector<vsh_stream_job> jobs;
    for (size_t i = 0; i < num; ++i) {
      const size_t job_len = len - (whole_blocks ? i % 2 * 16 : i % 20);
      jobs.push_back({batch.work, batch.mode, of_jobs == Keys::own ? &keys[i * VSH_KEY_LEN] : nullptr,
                      of_jobs == Keys::one ? 0 : i, iv.data(), iv.size(), &in[i * len], job_len, &out[i * len],
                      is_mac ? 4 : job_len, VSH_OK});
    }
    must(batch.name, vsh_streams_run(streams, jobs.data(), jobs.size()));
    for (const auto& job : jobs) depends = depends && is_secret(job.out, job.out_len);
  }
  vsh_streams_free(streams);
  return depends;
}

bool run_hashes(const std::string& name, vsh_hash_algorithm algorithm, const vsh_options& options, size_t num) {
  const size_t len = 140, digest_len = vsh_hash_len(algorithm);
  const Bytes in = secret(num * len);
  Bytes out(num * digest_len);
  std::vector<vsh_hash_job> jobs;
  for (size_t i = 0; i < num; ++i)
    jobs.push_back({&in[i * len], len - i % 70, &out[i * digest_len], digest_len, VSH_OK});
  must(name, vsh_streams_hash(algorithm, jobs.data(), num, &options));
  bool depends = true;
  for (const auto& job : jobs) depends = depends && is_secret(job.digest, digest_len);
  return depends;
}

}  // namespace

void add_streams(Cases& cases) {
  const vsh_options by_default = VSH_OPTIONS_INIT;
  const auto add = [&](Batch batch, const vsh_options& options, Expect expect = Expect::clean, bool runnable = true) {
    cases.push_back({batch.name, expect, runnable, [=] { return run_ciphers(batch, options); }});
  };
  std::vector<vsh_kernel_info> rows;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) rows.push_back(info);
  const auto expectation = [](const vsh_kernel_info& row) { return row.constant_time ? Expect::clean : Expect::leaks; };
  const auto forced = [](const vsh_kernel_info& row) {
    vsh_options options = VSH_OPTIONS_INIT;
    options.kernel = row.variant;
    options.flags = row.constant_time ? 0 : VSH_ALLOW_TABLES | VSH_INPUT_IS_PUBLIC;
    return options;
  };

  for (size_t i = 0; const char* cipher = vsh_cipher_name(i); ++i) {
    const std::string name = std::string("streams/") + cipher, of_algorithm = name.substr(0, name.rfind('-'));
    vsh_cipher_algorithm algorithm;
    vsh_mode mode;
    must(name, vsh_cipher_by_name(&algorithm, &mode, cipher));
    if (mode == VSH_CTR_ACPKM) continue;  // no work of streams
    add({name + "/encrypt", algorithm, VSH_STREAM_ENCRYPT, mode}, by_default);
    add({name + "/decrypt", algorithm, VSH_STREAM_DECRYPT, mode}, by_default);
    if (mode == VSH_ECB) add({of_algorithm + "-mac", algorithm, VSH_STREAM_MAC, mode}, by_default);
    if (mode != VSH_CFB) continue;
    const std::string family = algorithm == VSH_KUZNYECHIK ? "kuznyechik" : "magma";
    for (const vsh_kernel_info& row : rows) {
      if (family != row.family) continue;
      const std::string variant = row.variant;
      const Batch encrypt{name + "/encrypt/" + variant, algorithm, VSH_STREAM_ENCRYPT, mode};
      const Batch mac{of_algorithm + "-mac/" + variant, algorithm, VSH_STREAM_MAC, mode};
      add(encrypt, forced(row), expectation(row), row.runnable);
      const bool imit = algorithm == VSH_GOST28147;  // has no table kernel
      add(mac, forced(row), imit ? Expect::clean : expectation(row), row.runnable);
    }
  }
  cases.push_back({"streams/gost28147-cfb/sbox-custom", Expect::clean, true, [=] {
                     uint8_t custom[8][16];
                     std::memcpy(custom, tables::kMagmaSboxes[3].rows, sizeof custom);
                     make_secret(custom);
                     vsh_options options = by_default;
                     options.sbox = VSH_SBOX_CUSTOM;
                     options.custom_sbox = custom[0];
                     return run_ciphers({"sbox-custom", VSH_GOST28147, VSH_STREAM_ENCRYPT, VSH_CFB}, options);
                   }});
  for (size_t i = 0; const char* hash = vsh_hash_name(i); ++i) {
    const std::string name = std::string("streams/") + hash;
    vsh_hash_algorithm algorithm;
    must(name, vsh_hash_by_name(&algorithm, hash));
    if (algorithm != VSH_STREEBOG256 && algorithm != VSH_STREEBOG512) continue;
    cases.push_back({name, Expect::clean, true, [=] { return run_hashes(name, algorithm, by_default, 40); }});
    for (const vsh_kernel_info& row : rows) {
      if (std::strcmp(row.family, "streebog") != 0) continue;
      const std::string forced_name = name + "/" + row.variant;
      cases.push_back({forced_name, expectation(row), row.runnable != 0,
                       [=] { return run_hashes(forced_name, algorithm, forced(row), row.lanes + 3); }});
    }
  }
}

}  // namespace vsh::test
