#include "programs/bench/rows/vershina_adapter.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/registry.hpp"
#include "core/user_cache.hpp"
#include "gost94/step.hpp"

namespace vsh::bench {
namespace {

std::string family(const std::string& algorithm) {
  if (algorithm == "gost28147" || algorithm.starts_with("gost94")) return "magma";
  return algorithm.substr(0, algorithm.find_first_of("0123456789"));
}

// Splits "kuznyechik-cbc", "hmac-streebog256" into algorithm and mode.
std::pair<std::string, std::string> split(const std::string& name) {
  if (name.starts_with("hmac-")) return {name.substr(5), "hmac"};
  const size_t dash = name.find('-');
  return {name.substr(0, dash), name.substr(dash + 1)};
}

// CTR-ACPKM with the sections of CMS (R 1323565.1.025-2019, Kuznyechik's) in addition to those of TLS, which are the
// default.
constexpr std::string_view kLongSections = "-256k";
constexpr size_t kLongSection = 256 * 1024;

// Returns the widest row used in a request of num_blocks blocks. forced: empty for the library's own choice.
std::string widest_row(const std::string& algorithm, const std::string& forced, size_t num_blocks) {
  const AlgorithmInfo* const info = info_by_name(algorithm);
  if (!info || !info->block_size) return "";
  const BlockChoice choice = choose_block_kernel(info->algorithm, forced, !forced.empty());
  return choice.status == Choice::ok ? choice.ladder.widest_for(num_blocks).info.variant : "";
}

class OwnCipher final : public Task {
 public:
  OwnCipher(const Work& work, vsh_options options) : forced_(options.kernel ? options.kernel : "") {
    vsh_cipher_algorithm algorithm;
    vsh_mode mode;
    std::string name = work.algorithm + "-" + work.mode;
    if (name.ends_with(kLongSections)) {
      name.resize(name.size() - kLongSections.size());
      options.section_len = kLongSection;
    }
    if (vsh_cipher_by_name(&algorithm, &mode, name.c_str()) != VSH_OK) return;
    if (mode == VSH_ECB || mode == VSH_CBC) options.padding = VSH_PADDING_NONE;
    iv_len_ = vsh_iv_len(algorithm, mode);
    const vsh_direction direction = work.encrypts() ? VSH_ENCRYPT : VSH_DECRYPT;
    status_ = vsh_cipher_new(&context_, algorithm, mode, direction, kKey, sizeof kKey, kIv, iv_len_, &options);
  }
  ~OwnCipher() override { vsh_cipher_free(context_); }
  bool ready() const { return context_ != nullptr; }
  vsh_status status() const { return status_; }
  std::string kernel(const Work& work, size_t bytes) const {
    return work.sequential() ? vsh_cipher_kernel_one_block(context_)
                             : widest_row(work.algorithm, forced_, bytes / block_len(work));
  }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    size_t written = 0, rest = 0;
    uint8_t last[VSH_FINAL_CAPACITY];
    return vsh_cipher_reset(context_, kIv, iv_len_) == VSH_OK &&
           vsh_cipher_update(context_, out, in_len, &written, in, in_len) == VSH_OK && written == in_len &&
           vsh_cipher_final(context_, last, sizeof last, &rest) == VSH_OK;
  }

 private:
  vsh_status status_ = VSH_E_ARGUMENT;  // no such algorithm
  std::string forced_;
  vsh_cipher* context_ = nullptr;
  size_t iv_len_ = 0;
};

// "xts512": sectors of that length from number 0 on; the rest is a short sector.
class OwnXts final : public Task {
 public:
  OwnXts(const Work& work, const vsh_options& options)
      : forced_(options.kernel ? options.kernel : ""),
        encrypts_(work.encrypts()),
        sector_len_(std::strtoul(work.mode.c_str() + 3, nullptr, 10)) {
    uint8_t keys[VSH_XTS_KEY_LEN] = {};
    std::copy(std::begin(kKey), std::end(kKey), keys);
    status_ = vsh_xts_new(&context_, keys, sizeof keys, &options);
  }
  ~OwnXts() override { vsh_xts_free(context_); }
  bool ready() const { return context_ != nullptr; }
  vsh_status status() const { return status_; }
  std::string kernel(const Work& work, size_t bytes) const {
    return widest_row(work.algorithm, forced_, std::max<size_t>(1, bytes / block_len(work)));
  }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    const size_t num = in_len / sector_len_, whole = num * sector_len_;
    const uint64_t rest_number = num * (sector_len_ / VSH_SECTOR_UNIT);
    uint8_t number[16] = {};
    for (size_t i = 0; i < 8; ++i) number[i] = static_cast<uint8_t>(rest_number >> 8 * i);
    return (encrypts_ ? vsh_xts_encrypt_sectors : vsh_xts_decrypt_sectors)(context_, out, in, num, sector_len_, 0) ==
               VSH_OK &&
           (whole == in_len || (encrypts_ ? vsh_xts_encrypt_unit : vsh_xts_decrypt_unit)(
                                   context_, out + whole, in + whole, in_len - whole, number) == VSH_OK);
  }

 private:
  vsh_status status_;
  std::string forced_;
  bool encrypts_;
  size_t sector_len_;
  vsh_xts* context_ = nullptr;
};

// Authenticated encryption; decryption ignores the result, since there is no valid tag.
class OwnAead final : public Task {
 public:
  OwnAead(const Work& work, const vsh_options& options)
      : encrypts_(work.encrypts()), forced_(options.kernel ? options.kernel : ""), options_(options) {
    options_.kernel = forced_.empty() ? nullptr : forced_.c_str();
    if (vsh_aead_by_name(&algorithm_, (work.algorithm + "-" + work.mode).c_str()) != VSH_OK) return;
    renew();
  }
  ~OwnAead() override { vsh_aead_free(context_); }
  bool ready() const { return context_ != nullptr; }
  vsh_status status() const { return status_; }
  std::string kernel(const Work& work, size_t bytes) const {
    return widest_row(work.algorithm, forced_, bytes / block_len(work));
  }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    const size_t nonce_len = vsh_aead_nonce_len(algorithm_), tag_len = vsh_aead_tag_len(context_);
    uint8_t tag[VSH_AEAD_MAX_TAG_LEN] = {};
    if (encrypts_) {
      const auto seal = [&] {
        return vsh_aead_seal_apart(context_, out, tag, tag_len, kIv, nonce_len, nullptr, 0, in, in_len);
      };
      vsh_status status = seal();
      if (status == VSH_E_LIMIT) {  // of one key
        renew();
        status = seal();
      }
      return status == VSH_OK;
    }
    return vsh_aead_begin(context_, kIv, nonce_len) == VSH_OK &&
           vsh_aead_decrypt_unverified(context_, out, in, in_len) == VSH_OK &&
           vsh_aead_verify(context_, tag, tag_len) == VSH_E_TAG;
  }

 private:
  void renew() {
    vsh_aead_free(std::exchange(context_, nullptr));
    status_ = vsh_aead_new(&context_, algorithm_, kKey, sizeof kKey, 0, &options_);
  }

  const bool encrypts_;
  const std::string forced_;
  vsh_options options_;
  vsh_aead_algorithm algorithm_{};
  vsh_status status_ = VSH_E_ARGUMENT;  // no such algorithm
  vsh_aead* context_ = nullptr;
};

class OwnMac final : public Task {
 public:
  OwnMac(const Work& work, const vsh_options& options) {
    vsh_mac_algorithm algorithm;
    const bool hmac = work.mode == "hmac";
    const std::string name = hmac ? "hmac-" + work.algorithm : work.algorithm + "-" + work.mode;
    if (vsh_mac_by_name(&algorithm, name.c_str()) != VSH_OK) return;
    // IMIT usually has 4 bytes, the maximum of some libraries.
    tag_len_ = algorithm == VSH_GOST28147_IMIT ? 4 : vsh_mac_max_len(algorithm);
    status_ = vsh_mac_new(&context_, algorithm, kKey, sizeof kKey, &options);
  }
  ~OwnMac() override { vsh_mac_free(context_); }
  bool ready() const { return context_ != nullptr; }
  vsh_status status() const { return status_; }
  std::string kernel(const Work&, size_t) const { return vsh_mac_kernel(context_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    return vsh_mac_reset(context_) == VSH_OK && vsh_mac_update(context_, in, in_len) == VSH_OK &&
           vsh_mac_final(context_, out, tag_len_) == VSH_OK;
  }

 private:
  vsh_status status_ = VSH_E_ARGUMENT;  // no such algorithm
  vsh_mac* context_ = nullptr;
  size_t tag_len_ = 0;
};

class OwnHash final : public Task {
 public:
  OwnHash(const Work& work, const vsh_options& options) {
    vsh_hash_algorithm algorithm;
    if (vsh_hash_by_name(&algorithm, work.algorithm.c_str()) != VSH_OK) return;
    digest_len_ = vsh_hash_len(algorithm);
    status_ = vsh_hash_new(&context_, algorithm, &options);
  }
  ~OwnHash() override { vsh_hash_free(context_); }
  bool ready() const { return context_ != nullptr; }
  vsh_status status() const { return status_; }
  std::string kernel(const Work&, size_t) const { return vsh_hash_kernel(context_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    return vsh_hash_reset(context_) == VSH_OK && vsh_hash_update(context_, in, in_len) == VSH_OK &&
           vsh_hash_final(context_, out, digest_len_) == VSH_OK;
  }

 private:
  vsh_status status_ = VSH_E_ARGUMENT;  // no such algorithm
  vsh_hash* context_ = nullptr;
  size_t digest_len_ = 0;
};

// Calls f with a ready task of the work's kind.
template <class F>
auto with_task(const Work& work, const vsh_options& options, F f) {
  if (work.mode.starts_with("xts")) return f(std::make_unique<OwnXts>(work, options));
  if (work.mode == "mgm") return f(std::make_unique<OwnAead>(work, options));
  if (work.transforms()) return f(std::make_unique<OwnCipher>(work, options));
  if (work.operation == "hash") return f(std::make_unique<OwnHash>(work, options));
  return f(std::make_unique<OwnMac>(work, options));
}

}  // namespace

std::vector<Work> own_works() {
  std::vector<Work> works;
  const auto belongs_with = [&](const Work& work) {  // after the last of the same algorithm
    const auto last =
        std::find_if(works.rbegin(), works.rend(), [&](const Work& w) { return w.algorithm == work.algorithm; });
    works.insert(last == works.rend() ? works.end() : last.base(), work);
  };
  for (size_t i = 0; const char* name = vsh_cipher_name(i); ++i) {
    const auto [algorithm, mode] = split(name);
    works.push_back({algorithm, mode, "encrypt"});
    if (mode == "ctr-acpkm") works.push_back({algorithm, mode + std::string(kLongSections), "encrypt"});
    if (mode == "ecb" || mode == "cbc" || mode == "cfb") works.push_back({algorithm, mode, "decrypt"});
  }
  for (const char* mode : {"xts512", "xts4096"})
    for (const char* operation : {"encrypt", "decrypt"}) belongs_with({"kuznyechik", mode, operation});
  for (size_t i = 0; const char* name = vsh_aead_name(i); ++i) {
    const auto [algorithm, mode] = split(name);
    if (mode != "mgm") continue;
    belongs_with({algorithm, mode, "encrypt"});
    belongs_with({algorithm, mode, "decrypt"});
  }
  for (size_t i = 0; const char* name = vsh_hash_name(i); ++i) works.push_back({name, "hash", "hash"});
  for (size_t i = 0; const char* name = vsh_mac_name(i); ++i) {
    const auto [algorithm, mode] = split(name);
    belongs_with({algorithm, mode, "mac"});
  }
  return works;
}

std::vector<Kernel> own_kernels(const std::string& algorithm) {
  std::vector<Kernel> kernels;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) {
    if (info.family != family(algorithm)) continue;
    if (algorithm.starts_with("streebog") && info.lanes > 1) continue;  // for many messages: not a Work of this harness
    if (algorithm.starts_with("gost94") && gost94::Step::choose_kernel(info.variant).status == Choice::unknown)
      continue;
    kernels.push_back({info.variant, info.lanes, info.constant_time != 0, info.runnable != 0});
  }
  return kernels;
}

vsh_status default_status(const Work& work) {
  const vsh_options options = VSH_OPTIONS_INIT;
  return with_task(work, options, [](auto task) { return task->status(); });
}

std::string default_kernel(const Work& work, size_t bytes) {
  const vsh_options options = VSH_OPTIONS_INIT;
  return with_task(work, options, [&](auto task) { return task->ready() ? task->kernel(work, bytes) : std::string(); });
}

std::string kernels_of_environment() {
  const std::string_view variable = environment("VERSHINA_KERNEL");
  // An unknown name is refused by every algorithm.
  const bool known = choose_hash_kernel("", true).status != Choice::unknown;
  return known ? std::string(variable) : "";
}

measure::Machine machine_of_run(unsigned processors, int pinned_to) {
  return measure::describe_machine(processors, pinned_to, vsh_version(), kernels_of_environment());
}

std::string sbox_name(vsh_sbox sbox) {
  for (size_t i = 0; const char* name = vsh_sbox_name(i); ++i) {
    vsh_sbox named;
    if (vsh_sbox_by_name(&named, name) == VSH_OK && named == sbox) return name;
  }
  return "";
}

std::unique_ptr<Task> own_task(const Work& work, const std::string& variant, vsh_sbox sbox, unsigned threads,
                               const char* device) {
  vsh_options options = VSH_OPTIONS_INIT;
  options.threads = threads;
  options.device = device;
  if (work.algorithm == "gost28147") options.sbox = sbox;
  if (!variant.empty()) {
    options.kernel = variant.c_str();
    options.flags = VSH_ALLOW_TABLES | (work.operation == "hash" ? VSH_INPUT_IS_PUBLIC : 0);
  }
  return with_task(work, options, [&](auto task) -> std::unique_ptr<Task> {
    if (!task->ready()) return nullptr;
    task->sbox = sbox;
    return task;
  });
}

}  // namespace vsh::bench
