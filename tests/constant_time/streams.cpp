// Batches of messages through the C ABI: each work and mode by default and with each row; many hashes.
#include <cstring>

#include "cases.hpp"
#include "circuits/sbox_tables.hpp"

namespace vsh::test {
namespace {

struct Message {
  Bytes key, iv, in, out;
};

// Secret messages of unequal lengths, each with a secret key: the even ones with a prepared key, the odd ones with their own.
bool run_batch(const std::string& name, vsh_cipher_algorithm algorithm, vsh_stream_work work, vsh_mode mode,
               const vsh_options& options, size_t num_jobs) {
  const Bytes prepared = secret(2 * VSH_KEY_LEN);
  vsh_streams* streams = nullptr;
  must(name, vsh_streams_new(&streams, algorithm, prepared.data(), 2, &options));
  std::vector<Message> messages(num_jobs);
  std::vector<vsh_stream_job> jobs(num_jobs);
  const bool is_mac = work == VSH_STREAM_MAC;
  for (size_t i = 0; i < num_jobs; ++i) {
    Message& m = messages[i];
    m.key = secret(VSH_KEY_LEN);
    m.iv = pattern(is_mac ? 0 : vsh_iv_len(algorithm, mode));
    m.in = secret(32 + 16 * (i % 3));
    m.out.resize(is_mac ? 4 : m.in.size());
    jobs[i] = {work, mode, i % 2 ? m.key.data() : nullptr, i / 2 % 2, m.iv.data(), m.iv.size(), m.in.data(), m.in.size(),
               m.out.data(), m.out.size(), VSH_OK};
  }
  must(name, vsh_streams_run(streams, jobs.data(), jobs.size()));
  vsh_streams_free(streams);
  for (const Message& m : messages)
    if (!is_secret(m.out.data(), m.out.size())) return false;
  return true;
}

bool hash_batch(const std::string& name, vsh_hash_algorithm algorithm, const vsh_options& options, size_t num_jobs) {
  const size_t len = vsh_hash_len(algorithm);
  std::vector<Message> messages(num_jobs);
  std::vector<vsh_hash_job> jobs(num_jobs);
  for (size_t i = 0; i < num_jobs; ++i) {
    Message& m = messages[i];
    m.in = secret(50 + 30 * (i % 3));
    m.out.resize(len);
    jobs[i] = {m.in.data(), m.in.size(), m.out.data(), len, VSH_OK};
  }
  must(name, vsh_streams_hash(algorithm, jobs.data(), jobs.size(), &options));
  for (const Message& m : messages)
    if (!is_secret(m.out.data(), m.out.size())) return false;
  return true;
}

constexpr size_t kSomeJobs = 40;

}  // namespace

void add_streams(Cases& cases) {
  std::vector<vsh_kernel_info> rows;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) rows.push_back(info);
  const auto forced = [](const vsh_kernel_info& row) {
    vsh_options options = VSH_OPTIONS_INIT;
    options.kernel = row.variant;
    options.flags = row.constant_time ? 0 : VSH_ALLOW_TABLES | VSH_INPUT_IS_PUBLIC;
    return options;
  };
  const auto expectation = [](const vsh_kernel_info& row) { return row.constant_time ? Expect::clean : Expect::leaks; };

  struct Cipher {
    vsh_cipher_algorithm algorithm;
    std::string name, family;
    vsh_mode feedback;
  };
  const Cipher kCiphers[] = {{VSH_KUZNYECHIK, "kuznyechik", "kuznyechik", VSH_CBC},
                             {VSH_MAGMA, "magma", "magma", VSH_CBC},
                             {VSH_GOST28147, "gost28147", "magma", VSH_CFB}};
  for (const Cipher& cipher : kCiphers) {
    const auto add = [&](const std::string& what, Expect expect, bool runnable, vsh_stream_work work, vsh_mode mode,
                         const vsh_options& options, size_t num_jobs) {
      const std::string name = "streams/" + cipher.name + "-" + what;
      cases.push_back({name, expect, runnable, [=, algorithm = cipher.algorithm] {
                         return run_batch(name, algorithm, work, mode, options, num_jobs);
                       }});
    };
    const vsh_options by_default = VSH_OPTIONS_INIT;
    for (size_t i = 0; const char* full_name = vsh_cipher_name(i); ++i) {
      vsh_cipher_algorithm algorithm;
      vsh_mode mode;
      must(full_name, vsh_cipher_by_name(&algorithm, &mode, full_name));
      if (algorithm != cipher.algorithm) continue;
      const std::string mode_name = std::string(full_name).substr(cipher.name.size() + 1);
      add(mode_name + "/encrypt", Expect::clean, true, VSH_STREAM_ENCRYPT, mode, by_default, kSomeJobs);
      add(mode_name + "/decrypt", Expect::clean, true, VSH_STREAM_DECRYPT, mode, by_default, kSomeJobs);
    }
    add("mac", Expect::clean, true, VSH_STREAM_MAC, VSH_ECB, by_default, kSomeJobs);
    for (const vsh_kernel_info& row : rows) {
      if (cipher.family != row.family) continue;
      add("feedback/" + std::string(row.variant), expectation(row), row.runnable, VSH_STREAM_ENCRYPT, cipher.feedback,
          forced(row), row.lanes + 3);
      add("mac/" + std::string(row.variant), expectation(row), row.runnable, VSH_STREAM_MAC, VSH_ECB, forced(row),
          row.lanes + 3);
    }
  }
  cases.push_back({"streams/gost28147-cfb/sbox-custom", Expect::clean, true, [] {
                     uint8_t custom[8][16];
                     std::memcpy(custom, tables::kMagmaSboxes[3].rows, sizeof custom);
                     make_secret(custom, sizeof custom);
                     vsh_options options = VSH_OPTIONS_INIT;
                     options.sbox = VSH_SBOX_CUSTOM;
                     options.custom_sbox = custom[0];
                     return run_batch("sbox-custom", VSH_GOST28147, VSH_STREAM_ENCRYPT, VSH_CFB, options, kSomeJobs);
                   }});
  for (const vsh_kernel_info& row : rows) {
    if (std::strcmp(row.family, "streebog") != 0) continue;
    const std::string name = std::string("streams/streebog256/") + row.variant;
    cases.push_back({name, expectation(row), row.runnable != 0,
                     [=] { return hash_batch(name, VSH_STREEBOG256, forced(row), row.lanes + 3); }});
  }
}

}  // namespace vsh::test
