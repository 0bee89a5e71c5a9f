// Iterations of PBKDF2-HMAC-Streebog-512 a second: one password, many side by side, and OpenSSL with the GOST engine.
#include <algorithm>
#include <cstdio>
#include <functional>

#include "core/registry.hpp"
#include "measure/sampler.hpp"
#include "programs/bench/peers/library.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

constexpr size_t kOut = 64;  // bytes a password: one chain of iterations
// A run takes some milliseconds: long enough to hide the start of a chain, short enough to be undisturbed.
constexpr uint32_t kIterations = 500, kIterationsMany = 100;
constexpr uint8_t kPassword[] = "password";
constexpr uint8_t kSalt[32] = {1};

// PKCS5_PBKDF2_HMAC with a digest of the GOST engine. Throws Absent.
class Openssl {
 public:
  explicit Openssl(const PeerPaths& paths)
      : library_(paths.library_dir, {"libcrypto.so.3", "libcrypto.so.4"}, "libcrypto.so.3") {
    int (*init)(uint64_t, const void*);
    void* (*engine_by_id)(const char*);
    int (*engine_init)(void*);
    int (*set_default)(void*, unsigned);
    const void* (*digest_by_name)(const char*);
    library_.get(init, "OPENSSL_init_crypto");
    library_.get(engine_by_id, "ENGINE_by_id");
    library_.get(engine_init, "ENGINE_init");
    library_.get(set_default, "ENGINE_set_default");
    library_.get(digest_by_name, "EVP_get_digestbyname");
    library_.get(derive_, "PKCS5_PBKDF2_HMAC");
    init(0x400, nullptr);  // OPENSSL_INIT_ENGINE_DYNAMIC
    void* engine = engine_by_id("gost");
    if (!engine || engine_init(engine) != 1 || set_default(engine, 0xffff) != 1) throw Absent{"no engine gost"};
    digest_ = digest_by_name("md_gost12_512");
    if (!digest_) throw Absent{"the engine has no md_gost12_512"};
  }
  bool run(uint8_t* out) const {
    const char* password = reinterpret_cast<const char*>(kPassword);
    return derive_(password, 8, kSalt, sizeof kSalt, kIterations, digest_, kOut, out) == 1;
  }

 private:
  Library library_;
  int (*derive_)(const char*, int, const uint8_t*, int, int, const void*, int, uint8_t*) = nullptr;
  const void* digest_ = nullptr;
};

struct Contender {
  std::string name;
  size_t iterations;  // of all passwords
  size_t passwords;
  std::function<bool()> run;
};

}  // namespace

void study_pbkdf2(Study& study) {
  const Options& o = study.options;
  const measure::Sampler sampler(study.machine.quiet, o.seconds > 0 ? o.seconds : o.quick ? 0.1 : 0.5);
  const HashLanesKernel* row = choose_hash_lanes_kernel({}).row;
  const size_t lanes = row ? row->info.lanes : 1;
  std::unique_ptr<Openssl> openssl;
  try {
    openssl = std::make_unique<Openssl>(PeerPaths{o.library_dir, {}});
  } catch (const Absent& absent) {
    study.skipped.push_back("OpenSSL: " + absent.why);
  }
  print(study.out, [&] {
    study.out << "\nPBKDF2-HMAC-Streebog-512, " << kOut << " bytes a password\n"
              << "                                    passwords  threads  iterations/s  of one password\n";
  });
  for (unsigned threads : o.threads.empty() ? std::vector<unsigned>{1, 0} : o.threads) {
    threads = threads ? threads : study.place.count;
    if (threads > 1) study.place.affinity.release();
    vsh_options options = VSH_OPTIONS_INIT;
    options.threads = threads;
    const size_t many = lanes * threads;
    std::vector<uint8_t> out(many * kOut), one(kOut), other(kOut);
    std::vector<vsh_pbkdf2_job> jobs;
    for (size_t i = 0; i < many; ++i)
      jobs.push_back({kPassword, 8, kSalt, sizeof kSalt, kIterationsMany, &out[i * kOut], kOut, VSH_OK});

    std::vector<Contender> contenders;
    contenders.push_back({"one password", kIterations, 1, [&] {
                            return vsh_pbkdf2(one.data(), kOut, kPassword, 8, kSalt, sizeof kSalt, kIterations,
                                              &options) == VSH_OK;
                          }});
    contenders.push_back({"side by side", kIterationsMany * many, many,
                          [&] { return vsh_pbkdf2_batch(jobs.data(), jobs.size(), &options) == VSH_OK; }});
    if (openssl)
      contenders.push_back({"OpenSSL, one password", kIterations, 1, [&] { return openssl->run(other.data()); }});
    std::vector<std::function<void()>> runs;
    for (const Contender& c : contenders) {
      if (!c.run()) throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: PBKDF2 failed", c.name));
      runs.push_back([&c] { (void)c.run(); });
    }
    if (openssl && other != one)
      throw cli::Failure(cli::ExitCode::data, cli::tr("OpenSSL and this library derive different keys"));

    const std::vector<measure::Cost> costs = sampler.measure(runs, threads);
    const auto speed = [&](size_t i) { return static_cast<double>(contenders[i].iterations) / costs[i].wall_seconds; };
    for (size_t i = 0; i < costs.size(); ++i) {
      char line[160];
      std::snprintf(line, sizeof line, "  %-32s %10zu %8u %13.0f %14.2fx%s\n", contenders[i].name.c_str(),
                    contenders[i].passwords, threads, speed(i), speed(i) / speed(0),
                    costs[i].rough ? "  rough: disturbed" : "");
      print(study.out, [&] { study.out << line; });
      study.add_row({{"contender", contenders[i].name},
                     {"passwords", contenders[i].passwords},
                     {"threads", threads},
                     {"iterations_per_second", speed(i)},
                     {"rough", costs[i].rough}});
    }
  }
}

}  // namespace vsh::bench
