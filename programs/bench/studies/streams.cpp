// Many messages in parallel: the cost of a batch for each number of streams, with prepared keys and with new keys, next
// to the many-block kernel over one message of as many bytes ("plain"), and to the messages one after the other.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/registry.hpp"
#include "measure/sampler.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

const Work kWorks[] = {
    {"kuznyechik", "ecb", "encrypt"}, {"kuznyechik", "ctr", "encrypt"}, {"kuznyechik", "cbc", "encrypt"},
    {"kuznyechik", "mac", "mac"},     {"magma", "ecb", "encrypt"},      {"magma", "ctr", "encrypt"},
    {"magma", "cbc", "encrypt"},      {"magma", "mac", "mac"},          {"gost28147", "cnt", "encrypt"},
    {"gost28147", "cfb", "encrypt"},  {"gost28147", "imit", "mac"},     {"streebog256", "hash", "hash"},
};
constexpr size_t kCounts[] = {1, 4, 16, 64, 256, 1024, 4096, 16384};
constexpr size_t kQuickCounts[] = {1, 64, 1024};
constexpr size_t kSizes[] = {512, 1500, 4096};
// Less than this is not many-block work.
constexpr size_t kPlainBytes = 64 * 1024;

// Results for one number of streams of one size: cycles of the whole batch, 0 if not applicable.
struct Figures {
  size_t streams, bytes;
  measure::Cost plain, prepared, fresh, alone;
  size_t plain_bytes;

  size_t total() const { return streams * bytes; }
  double cpb(const measure::Cost& cost) const { return cost.core_cycles / static_cast<double>(total()); }
  double share() const {
    return prepared.core_cycles == 0 ? 0 : plain.core_cycles / static_cast<double>(plain_bytes) / cpb(prepared);
  }
};

// A batch of `streams` messages of `bytes` each, contiguous in the buffers.
class Ciphers {
 public:
  Ciphers(const Work& work, unsigned threads, const Buffers& buffers, size_t streams, size_t bytes)
      : keys_(32 * streams), tags_(kMaxDigest * streams) {
    vsh_options options = VSH_OPTIONS_INIT;
    options.threads = threads;
    for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = static_cast<uint8_t>(i * 37 + i / 32 * 11 + 5);
    const vsh_cipher_algorithm algorithm = work.algorithm == "kuznyechik" ? VSH_KUZNYECHIK
                                           : work.algorithm == "magma"    ? VSH_MAGMA
                                                                          : VSH_GOST28147;
    vsh_streams_new(&prepared_, algorithm, keys_.data(), streams, &options);
    vsh_streams_new(&fresh_, algorithm, nullptr, 0, &options);
    const bool is_mac = work.operation == "mac";
    vsh_cipher_algorithm named;
    vsh_mode mode = VSH_ECB;
    if (!is_mac) vsh_cipher_by_name(&named, &mode, (work.algorithm + "-" + work.mode).c_str());
    for (size_t i = 0; i < streams; ++i) {
      jobs_.push_back({is_mac ? VSH_STREAM_MAC : VSH_STREAM_ENCRYPT, mode, nullptr, i, kIv,
                       is_mac ? 0 : vsh_iv_len(algorithm, mode), buffers.in(0) + i * bytes, bytes,
                       is_mac ? &tags_[kMaxDigest * i] : buffers.out(0) + i * bytes, is_mac ? 4 : bytes, VSH_OK});
      fresh_jobs_.push_back(jobs_.back());
      fresh_jobs_.back().key = &keys_[32 * i];
    }
  }
  Ciphers(const Ciphers&) = delete;
  ~Ciphers() {
    vsh_streams_free(prepared_);
    vsh_streams_free(fresh_);
  }

  bool run() { return vsh_streams_run(prepared_, jobs_.data(), jobs_.size()) == VSH_OK; }
  void run_fresh() { vsh_streams_run(fresh_, fresh_jobs_.data(), fresh_jobs_.size()); }
  std::string kernel() const { return vsh_streams_kernel(prepared_); }

 private:
  std::vector<uint8_t> keys_, tags_;
  vsh_streams *prepared_ = nullptr, *fresh_ = nullptr;
  std::vector<vsh_stream_job> jobs_, fresh_jobs_;
};

class Hashes {
 public:
  Hashes(const Work& work, unsigned threads, const Buffers& buffers, size_t streams, size_t bytes)
      : digests_(kMaxDigest * streams) {
    options_.threads = threads;
    vsh_hash_by_name(&algorithm_, work.algorithm.c_str());
    for (size_t i = 0; i < streams; ++i)
      jobs_.push_back({buffers.in(0) + i * bytes, bytes, &digests_[kMaxDigest * i], vsh_hash_len(algorithm_), VSH_OK});
  }
  bool run() { return vsh_streams_hash(algorithm_, jobs_.data(), jobs_.size(), &options_) == VSH_OK; }

 private:
  std::vector<uint8_t> digests_;
  vsh_hash_algorithm algorithm_ = VSH_STREEBOG256;
  vsh_options options_ = VSH_OPTIONS_INIT;
  std::vector<vsh_hash_job> jobs_;
};

// The compression function over messages in place: a bound for a batch of hashes.
struct Compression {
  const HashLanesKernel* kernel = choose_hash_lanes_kernel({}).row;
  std::vector<uint8_t> h = std::vector<uint8_t>(64 * lanes()), m = h;
  uint8_t n[64] = {};
  std::vector<uint8_t*> h_at;
  std::vector<const uint8_t*> n_at, m_at;

  Compression() {
    for (size_t i = 0; i < lanes(); ++i) h_at.push_back(&h[64 * i]), n_at.push_back(n), m_at.push_back(&m[64 * i]);
  }
  size_t lanes() const { return kernel ? kernel->info.lanes : 0; }
  void run() { kernel->compress(h_at.data(), n_at.data(), m_at.data()); }
};

class Streams {
 public:
  Streams(Study& study, const Buffers& buffers, unsigned threads)
      : study_(study),
        buffers_(buffers),
        threads_(threads),
        sampler_(study.machine.quiet, study.options.seconds > 0 ? study.options.seconds
                                      : study.options.quick     ? 0.02
                                                                : 0.05) {}

  void measure(const Work& work, size_t bytes, const std::vector<size_t>& counts) {
    const size_t n = block_len(work);
    if (work.mode == "ecb" || work.mode == "cbc") bytes -= bytes % n;
    std::vector<Figures> all;
    heading(work, bytes);
    for (const size_t streams : counts) {
      all.push_back(work.operation == "hash" ? hashes(work, streams, bytes) : ciphers(work, streams, bytes));
      print(study_.out, [&] { row(work, all.back()); });
    }
    const auto pays = [](const Figures& f) { return f.prepared.core_cycles < 0.95 * f.alone.core_cycles; };
    const auto first = std::find_if(all.begin(), all.end(), pays);
    if (first != all.end())
      print(study_.out, [&] { study_.out << "  side by side pays from " << first->streams << " streams\n"; });
  }

 private:
  Figures ciphers(const Work& work, size_t streams, size_t bytes) {
    Ciphers batch(work, threads_, buffers_, streams, bytes);
    check(batch.run(), work);
    const auto one = own_task(work, "", VSH_SBOX_DEFAULT, 1);
    // The first 16 rounds are half of the cipher's: the plain speed of IMIT is twice that of ECB.
    const auto plain = own_task({work.algorithm, "ecb", "encrypt"}, "", VSH_SBOX_DEFAULT, threads_);
    Figures f{streams, bytes, {}, {}, {}, {}, std::max(kPlainBytes, streams * bytes)};
    const auto costs =
        sampler_.measure({[&] { plain->run(buffers_.out(0), buffers_.in(0), f.plain_bytes); }, [&] { batch.run(); },
                          [&] { batch.run_fresh(); }, [&] { one_by_one(*one, work, streams, bytes); }},
                         threads_);
    f.plain = costs[0], f.prepared = costs[1], f.fresh = costs[2], f.alone = costs[3];
    if (work.mode == "imit") f.plain.core_cycles /= 2;
    return f;
  }

  Figures hashes(const Work& work, size_t streams, size_t bytes) {
    Hashes batch(work, threads_, buffers_, streams, bytes);
    check(batch.run(), work);
    const auto one = own_task(work, "", VSH_SBOX_DEFAULT, 1);
    Compression compression;
    Figures f{streams, bytes, {}, {}, {}, {}, 0};
    std::vector<std::function<void()>> runs = {[&] { batch.run(); }, [&] { one_by_one(*one, work, streams, bytes); }};
    if (compression.kernel) runs.push_back([&] { compression.run(); });
    const auto costs = sampler_.measure(runs, threads_);
    f.prepared = costs[0], f.alone = costs[1];
    if (compression.kernel) f.plain = costs[2];
    // In bytes of message: 64 a call, three of them for the end.
    f.plain_bytes = 64 * compression.lanes() * bytes / (bytes / 64 * 64 + 3 * 64);
    return f;
  }

  void one_by_one(Task& task, const Work& work, size_t streams, size_t bytes) {
    uint8_t tag[kMaxDigest];
    for (size_t i = 0; i < streams; ++i)
      task.run(work.transforms() ? buffers_.out(0) + i * bytes : tag, buffers_.in(0) + i * bytes, bytes);
  }

  void check(bool right, const Work& work) {
    if (!right)
      throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: a batch failed", work.algorithm + "-" + work.mode));
  }

  void heading(const Work& work, size_t bytes) {
    print(study_.out, [&] {
      study_.out << "\n"
                 << work.algorithm << " " << work.mode << ", messages of " << bytes
                 << " bytes, each under its own key, " << threads_ << (threads_ == 1 ? " thread\n" : " threads\n")
                 << "  streams  core c/B  of plain  with key set-up  one by one       MB/s  MB/s a stream\n";
    });
  }

  void row(const Work& work, const Figures& f) {
    char line[200], fresh[20] = "-";
    if (f.fresh.core_cycles > 0) std::snprintf(fresh, sizeof fresh, "%.2f", f.cpb(f.fresh));
    const double mbps = static_cast<double>(f.total()) / f.prepared.wall_seconds / 1e6;
    std::snprintf(line, sizeof line, "  %7zu %9.2f %8.0f%% %16s %11.2f %10.0f %14.3g%s\n", f.streams, f.cpb(f.prepared),
                  100 * f.share(), fresh, f.cpb(f.alone), mbps, mbps / static_cast<double>(f.streams),
                  f.prepared.rough ? "  rough: disturbed" : "");
    study_.out << line;
    study_.add_row({{"algorithm", work.algorithm},
                    {"mode", work.mode},
                    {"operation", work.operation},
                    {"streams", f.streams},
                    {"bytes", f.bytes},
                    {"threads", threads_},
                    {"cpb", f.cpb(f.prepared)},
                    {"share_of_plain", f.share()},
                    {"cpb_fresh_keys", f.cpb(f.fresh)},
                    {"cpb_one_by_one", f.cpb(f.alone)},
                    {"mbps", mbps},
                    {"rough", f.prepared.rough}});
  }

  Study& study_;
  const Buffers& buffers_;
  unsigned threads_;
  measure::Sampler sampler_;
};

bool wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void study_streams(Study& study) {
  const Options& o = study.options;
  std::vector<size_t> sizes = o.sizes, counts(std::begin(kCounts), std::end(kCounts));
  if (sizes.empty()) sizes.assign(std::begin(kSizes), o.quick ? kSizes + 1 : std::end(kSizes));
  if (o.quick) counts.assign(std::begin(kQuickCounts), std::end(kQuickCounts));
  const size_t longest = *std::max_element(sizes.begin(), sizes.end());
  const Buffers buffers = make_buffers(std::max(kPlainBytes, counts.back() * longest), 0);
  for (unsigned threads : o.threads.empty() ? std::vector<unsigned>{1} : o.threads) {
    threads = threads ? threads : study.place.count;
    if (threads > 1) study.place.affinity.release();
    Streams streams(study, buffers, threads);
    for (const Work& work : kWorks)
      for (const size_t bytes : sizes)
        if (wanted(o.algorithms, work.algorithm) && wanted(o.modes, work.mode)) streams.measure(work, bytes, counts);
  }
}

}  // namespace vsh::bench
