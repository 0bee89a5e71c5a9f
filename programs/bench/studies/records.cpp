// Records of TLS 1.3 (RFC 9367): each under the key that TLSTREE has for its number, next to plain MGM, whose key
// stays. By the library, and by OpenSSL over the provider, called in the order of OpenSSL's record layer.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

#include "measure/sampler.hpp"
#include "programs/bench/peers/library.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/setup/task.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/system/installation.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "vershina/vershina.h"

namespace vsh::bench {
namespace {

constexpr size_t kSizes[] = {16384, 1400, 64};
constexpr size_t kRecords = 256;  // of a sample; their numbers go on in the next
constexpr size_t kHeaderLen = 5, kMostBlock = VSH_AEAD_MAX_TAG_LEN;

struct Suite {
  const char *name, *cipher, *mode;
  vsh_aead_algorithm aead;
  vsh_tlstree_suite tree;
};
constexpr Suite kSuites[] = {
    {"kuznyechik-mgm-l", "kuznyechik-mgm", "light", VSH_KUZNYECHIK_MGM, VSH_TLSTREE_KUZNYECHIK_MGM_L},
    {"kuznyechik-mgm-s", "kuznyechik-mgm", "strong", VSH_KUZNYECHIK_MGM, VSH_TLSTREE_KUZNYECHIK_MGM_S},
    {"magma-mgm-l", "magma-mgm", "light", VSH_MAGMA_MGM, VSH_TLSTREE_MAGMA_MGM_L},
    {"magma-mgm-s", "magma-mgm", "strong", VSH_MAGMA_MGM, VSH_TLSTREE_MAGMA_MGM_S}};

void check(bool right, const char* what) {
  if (!right) throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: a record failed", std::string(what)));
}

// The part common to all contenders: number, nonce, header.
class Records {
 public:
  Records(const Suite& suite, size_t bytes)
      : suite(suite), n(vsh_aead_nonce_len(suite.aead)), header{23, 3, 3, 0, 0}, bytes(bytes) {
    const size_t wire = bytes + n;
    header[3] = static_cast<uint8_t>(wire >> 8);
    header[4] = static_cast<uint8_t>(wire);
  }
  virtual ~Records() = default;

  void run(uint8_t* out, const uint8_t* in) {
    for (size_t i = 0; i < kRecords; ++i, ++number) {
      for (size_t j = 0; j < 8; ++j) seq[j] = static_cast<uint8_t>(number >> (56 - 8 * j));
      std::memcpy(nonce, kIv, n);
      for (size_t j = 0; j < 8; ++j) nonce[n - 8 + j] ^= seq[j];
      nonce[0] &= 0x7f;
      check(seal(out, in), suite.name);
    }
  }

 protected:
  virtual bool seal(uint8_t* out, const uint8_t* in) = 0;

  const Suite& suite;
  const size_t n;  // of a block, a nonce and a tag
  uint8_t header[kHeaderLen], seq[8] = {}, nonce[kMostBlock] = {};
  const size_t bytes;
  uint64_t number = 0;
};

class OfLibrary final : public Records {
 public:
  OfLibrary(const Suite& suite, size_t bytes, bool with_tree) : Records(suite, bytes) {
    if (with_tree) check(!vsh_tlstree_new(&tree_, suite.tree, kKey, sizeof kKey, nullptr), suite.name);
    else set_key(kKey);
  }
  ~OfLibrary() override {
    vsh_aead_free(aead_);
    vsh_tlstree_free(tree_);
  }

 private:
  void set_key(const uint8_t* key) {
    vsh_aead_free(aead_);
    aead_ = nullptr;
    check(!vsh_aead_new(&aead_, suite.aead, key, sizeof kKey, 0, nullptr), suite.name);
  }
  bool seal(uint8_t* out, const uint8_t* in) override {
    if (tree_ && number % vsh_tlstree_records(suite.tree) == 0) {
      uint8_t key[VSH_KDF_LEN];
      check(!vsh_tlstree_key(tree_, key, sizeof key, number), suite.name);
      set_key(key);
    }
    return !vsh_aead_seal_apart(aead_, out, out + bytes, n, nonce, n, header, sizeof header, in, bytes);
  }

  vsh_tlstree* tree_ = nullptr;
  vsh_aead* aead_ = nullptr;
};

// libcrypto with the provider: the module of this build, else the one that OpenSSL finds. Throws Absent.
class Openssl {
 public:
  struct Parameter {  // OSSL_PARAM
    const char* key;
    unsigned type;
    void* data;
    size_t size, written;
  };
  static constexpr unsigned kOctets = 5;                  // OSSL_PARAM_OCTET_STRING
  static constexpr int kSetIvLen = 0x09, kGetTag = 0x10;  // EVP_CTRL_AEAD_SET_IVLEN, EVP_CTRL_AEAD_GET_TAG
  static constexpr uint64_t kNoConfiguration = 0x80;      // OPENSSL_INIT_NO_LOAD_CONFIG

  explicit Openssl(const std::filesystem::path& library_dir)
      : library_(library_dir, {"libcrypto.so.3", "libcrypto.so.4"}, "libcrypto.so.3") {
    int (*init)(uint64_t, const void*);
    void* (*new_context)();
    int (*set_modules)(void*, const char*);
    void* (*load)(void*, const char*);
    library_.get(init, "OPENSSL_init_crypto");
    library_.get(new_context, "OSSL_LIB_CTX_new");
    library_.get(set_modules, "OSSL_PROVIDER_set_default_search_path");
    library_.get(load, "OSSL_PROVIDER_load");
    library_.get(unload_, "OSSL_PROVIDER_unload");
    library_.get(free_context_, "OSSL_LIB_CTX_free");
    library_.get(fetch, "EVP_CIPHER_fetch");
    library_.get(free_cipher, "EVP_CIPHER_free");
    library_.get(new_ctx, "EVP_CIPHER_CTX_new");
    library_.get(free_ctx, "EVP_CIPHER_CTX_free");
    library_.get(start, "EVP_CipherInit_ex");
    library_.get(control, "EVP_CIPHER_CTX_ctrl");
    library_.get(set, "EVP_CIPHER_CTX_set_params");
    library_.get(update, "EVP_CipherUpdate");
    library_.get(final, "EVP_CipherFinal_ex");
    init(kNoConfiguration, nullptr);
    context = new_context();
    std::string why;
    const cli::Installed beside = cli::find_from_program("ossl-modules", "vershina.so", &why);
    if (beside) set_modules(context, cli::path_of(beside.folder).c_str());
    provider_ = load(context, "vershina");
    if (provider_) return;
    free_context_(context);
    throw Absent{why.empty() ? cli::tr("the provider vershina is neither next to the program nor installed") : why};
  }
  Openssl(const Openssl&) = delete;
  ~Openssl() {
    unload_(provider_);
    free_context_(context);
  }

  void* context = nullptr;
  void* (*fetch)(void*, const char*, const char*) = nullptr;
  void (*free_cipher)(void*) = nullptr;
  void* (*new_ctx)() = nullptr;
  void (*free_ctx)(void*) = nullptr;
  int (*start)(void*, const void*, void*, const uint8_t*, const uint8_t*, int) = nullptr;
  int (*control)(void*, int, int, void*) = nullptr;
  int (*set)(void*, const Parameter*) = nullptr;
  int (*update)(void*, uint8_t*, int*, const uint8_t*, int) = nullptr;
  int (*final)(void*, uint8_t*, int*) = nullptr;

 private:
  int (*unload_)(void*) = nullptr;
  void (*free_context_)(void*) = nullptr;
  Library library_;
  void* provider_ = nullptr;
};

class OfOpenssl final : public Records {
 public:
  OfOpenssl(const Suite& suite, size_t bytes, bool with_tree, const Openssl& f)
      : Records(suite, bytes), f_(f), ctx_(f.new_ctx()), with_tree_(with_tree) {
    const std::unique_ptr<void, void (*)(void*)> cipher(f.fetch(f.context, suite.cipher, nullptr), f.free_cipher);
    check(cipher && ctx_ && f.start(ctx_, cipher.get(), nullptr, nullptr, nullptr, 1) > 0 &&
              f.control(ctx_, Openssl::kSetIvLen, static_cast<int>(n), nullptr) > 0 &&
              f.start(ctx_, nullptr, nullptr, kKey, nullptr, 1) > 0 &&
              (!with_tree || set("tlstree_mode", const_cast<char*>(suite.mode))),
          suite.name);
  }
  ~OfOpenssl() override { f_.free_ctx(ctx_); }

 private:
  bool set(const char* name, void* data) {
    const Openssl::Parameter parameters[] = {{name, Openssl::kOctets, data, 0, 0}, {nullptr, 0, nullptr, 0, 0}};
    return f_.set(ctx_, parameters) > 0;
  }
  bool seal(uint8_t* out, const uint8_t* in) override {
    int len = 0, last = 0;
    return (!with_tree_ || set("tlstree", seq)) && f_.start(ctx_, nullptr, nullptr, nullptr, nonce, 1) > 0 &&
           f_.update(ctx_, nullptr, &len, header, kHeaderLen) > 0 &&
           f_.update(ctx_, out, &len, in, static_cast<int>(bytes)) > 0 && f_.final(ctx_, out + len, &last) > 0 &&
           f_.control(ctx_, Openssl::kGetTag, static_cast<int>(n), out + bytes) > 0;
  }

  const Openssl& f_;
  void* ctx_;
  const bool with_tree_;
};

void measure(Study& study, const measure::Sampler& sampler, const Suite& suite, size_t bytes, const Buffers& buffers,
             const Openssl* openssl) {
  OfLibrary plain(suite, bytes, false), tree(suite, bytes, true);
  std::vector<std::unique_ptr<Records>> others;
  if (openssl)
    for (const bool with_tree : {false, true})
      others.push_back(std::make_unique<OfOpenssl>(suite, bytes, with_tree, *openssl));
  const size_t wire = bytes + kMostBlock;
  std::vector<std::function<void()>> runs;
  std::vector<std::vector<uint8_t>> results;
  for (Records* records : {static_cast<Records*>(&plain), static_cast<Records*>(&tree),
                           openssl ? others[0].get() : nullptr, openssl ? others[1].get() : nullptr}) {
    if (!records) continue;
    runs.push_back([records, &buffers] { records->run(buffers.out(0), buffers.in(0)); });
    runs.back()();
    results.emplace_back(buffers.out(0), buffers.out(0) + wire);
  }
  if (openssl && (results[0] != results[2] || results[1] != results[3] || results[0] == results[1]))
    throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: the provider's records differ", std::string(suite.name)));

  const std::vector<measure::Cost> costs = sampler.measure(runs, 1);
  const auto mbps = [&](size_t i) { return static_cast<double>(kRecords * bytes) / costs[i].wall_seconds / 1e6; };
  const bool rough = std::any_of(costs.begin(), costs.end(), [](const auto& cost) { return cost.rough; });
  Object row{{"suite", suite.name},         {"bytes", bytes},
             {"records", kRecords},         {"records_per_key", vsh_tlstree_records(suite.tree)},
             {"library_mgm_mbps", mbps(0)}, {"library_records_mbps", mbps(1)}};
  char line[200];
  std::snprintf(line, sizeof line, "  %-17s %6zu %8.1f %9.1f %6.1f%%", suite.name, bytes, mbps(0), mbps(1),
                100 * mbps(1) / mbps(0));
  std::string text = line;
  if (openssl) {
    std::snprintf(line, sizeof line, " %9.1f %9.1f %6.1f%%", mbps(2), mbps(3), 100 * mbps(3) / mbps(2));
    text += line;
    row.add("provider_mgm_mbps", mbps(2)).add("provider_records_mbps", mbps(3));
  }
  print(study.out, [&] { study.out << text << (rough ? "  rough: disturbed\n" : "\n"); });
  study.rows.add(row.add("rough", rough));
}

}  // namespace

void study_records(Study& study) {
  const Options& o = study.options;
  std::vector<size_t> sizes = o.sizes;
  if (sizes.empty()) sizes.assign(std::begin(kSizes), std::end(kSizes));
  if (*std::max_element(sizes.begin(), sizes.end()) > 16384)
    throw cli::Failure(cli::ExitCode::usage, cli::tr("--study records takes sizes up to 16KiB, the longest record"));
  const measure::Sampler sampler(study.machine.quiet, o.seconds > 0 ? o.seconds : o.quick ? 0.05 : 0.3);
  std::unique_ptr<Openssl> openssl;
  try {
    openssl = std::make_unique<Openssl>(o.library_dir);
  } catch (const Absent& absent) {
    study.skipped.push_back(cli::tr("OpenSSL with the provider: {1}", absent.why));
  }
  const Buffers buffers(*std::max_element(sizes.begin(), sizes.end()) + kMostBlock, 0);
  print(study.out, [&] {
    study.out << "\nTLS 1.3 records, " << kRecords
              << " a sample; MB/s of text on one thread: MGM under one key, records "
              << "under the keys of the tree\n"
              << "                             library                 " << (openssl ? "   OpenSSL, provider\n" : "\n")
              << "  suite              bytes      MGM   records" << (openssl ? "              MGM   records\n" : "\n");
  });
  for (const Suite& suite : kSuites)
    for (const size_t bytes : sizes) measure(study, sampler, suite, bytes, buffers, openssl.get());
}

}  // namespace vsh::bench
