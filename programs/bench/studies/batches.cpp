// Batches of every shape: what they cost next to (a) the same messages one by one, with a prepared context for each
// key, (b) plain many-block speed, (c) the best division of the work among single messages and the rows, as measured
// here with their moves and their keys, without reading jobs and planning, and (d) that by the rows' kernels alone,
// over data that lies ready.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "core/registry.hpp"
#include "core/secret_buffer.hpp"
#include "keys/cipher_key.hpp"
#include "measure/sampler.hpp"
#include "programs/bench/report/chart.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "streams/key_set.hpp"
#include "streams/plan.hpp"

namespace vsh::bench {
namespace {

const Work kWorks[] = {
    {"kuznyechik", "ecb", "encrypt"}, {"kuznyechik", "ctr", "encrypt"}, {"kuznyechik", "cbc", "encrypt"},
    {"kuznyechik", "cfb", "encrypt"}, {"kuznyechik", "ofb", "encrypt"}, {"kuznyechik", "mac", "mac"},
    {"kuznyechik", "mgm", "encrypt"}, {"magma", "ecb", "encrypt"},      {"magma", "ctr", "encrypt"},
    {"magma", "cbc", "encrypt"},      {"magma", "cfb", "encrypt"},      {"magma", "ofb", "encrypt"},
    {"magma", "mac", "mac"},          {"magma", "mgm", "encrypt"},      {"gost28147", "ecb", "encrypt"},
    {"gost28147", "cnt", "encrypt"},  {"gost28147", "cfb", "encrypt"},  {"gost28147", "imit", "mac"},
    {"streebog256", "hash", "hash"},  {"streebog512", "hash", "hash"},
};
constexpr size_t kCounts[] = {1, 2, 4, 8, 16, 64, 256, 1024, 4096, 16384};
constexpr size_t kQuickCounts[] = {1, 16, 256};
constexpr size_t kSizes[] = {16, 64, 512, 1500, 4096, 65536};
constexpr size_t kQuickSizes[] = {512};
constexpr size_t kMostBytes = 64 << 20;    // of a batch
constexpr size_t kPlainBytes = 64 * 1024;  // less is not many-block work
constexpr size_t kDataLen = 8;             // ESP's SPI and sequence number
constexpr size_t kMostContexts = 1024;     // for messages one by one; more keys take turns
constexpr int kEnoughSamples = 15;
constexpr int kTries = 3;  // of a figure that was disturbed

struct Shape {
  std::string lengths;  // "equal" or "imix"
  std::vector<size_t> bytes;
  bool one_key;

  size_t total() const { return std::accumulate(bytes.begin(), bytes.end(), size_t{0}); }
  size_t num_keys() const { return one_key ? 1 : bytes.size(); }
  size_t num_contexts() const { return std::min(num_keys(), kMostContexts); }
};

// The public calls: a batch, and its messages one by one. Messages are contiguous in the buffers, each output with room
// for a tag.
class Calls {
 public:
  virtual ~Calls() = default;
  virtual bool run() = 0;
  virtual void one_by_one(size_t first, size_t last) = 0;
};

vsh_cipher_algorithm cipher_of(const Work& work) {
  return work.algorithm == "kuznyechik" ? VSH_KUZNYECHIK : work.algorithm == "magma" ? VSH_MAGMA : VSH_GOST28147;
}

class Ciphers final : public Calls {
 public:
  Ciphers(const Work& work, const Shape& shape, unsigned threads, const Buffers& buffers)
      : work_(work), keys_(32 * shape.num_keys()), tags_(kMaxDigest * shape.bytes.size()) {
    for (size_t i = 0; i < shape.num_contexts(); ++i) alone_.push_back(own_task(work, "", VSH_SBOX_DEFAULT, 1));
    vsh_options options = VSH_OPTIONS_INIT;
    options.threads = threads;
    for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = static_cast<uint8_t>(i * 37 + i / 32 * 11 + 5);
    vsh_streams_new(&streams_, cipher_of(work), keys_.data(), keys_.size() / 32, &options);
    const bool is_mac = !work.transforms();
    vsh_cipher_algorithm named;
    vsh_mode mode = VSH_ECB;
    if (!is_mac) vsh_cipher_by_name(&named, &mode, (work.algorithm + "-" + work.mode).c_str());
    const size_t iv_len = is_mac ? 0 : vsh_iv_len(cipher_of(work), mode);
    size_t at = 0;
    for (size_t i = 0; i < shape.bytes.size(); ++i) {
      const size_t len = shape.bytes[i];
      jobs_.push_back({is_mac ? VSH_STREAM_MAC : VSH_STREAM_ENCRYPT, mode, nullptr, shape.one_key ? 0 : i, kIv, iv_len,
                       buffers.in(0) + at, len, is_mac ? &tags_[kMaxDigest * i] : buffers.out(0) + at, is_mac ? 4 : len,
                       VSH_OK});
      at += len;
    }
  }
  Ciphers(const Ciphers&) = delete;
  ~Ciphers() override { vsh_streams_free(streams_); }

  bool run() override { return vsh_streams_run(streams_, jobs_.data(), jobs_.size()) == VSH_OK; }
  void one_by_one(size_t first, size_t last) override {
    uint8_t tag[kMaxDigest];
    for (size_t i = first; i < last; ++i) {
      const vsh_stream_job& job = jobs_[i];
      alone_[i % alone_.size()]->run(work_.transforms() ? static_cast<uint8_t*>(job.out) : tag,
                                     static_cast<const uint8_t*>(job.in), job.in_len);
    }
  }

 private:
  const Work work_;
  std::vector<uint8_t> keys_, tags_;
  std::vector<std::unique_ptr<Task>> alone_;
  vsh_streams* streams_ = nullptr;
  std::vector<vsh_stream_job> jobs_;
};

class Packets final : public Calls {
 public:
  Packets(const Work& work, const Shape& shape, unsigned threads, const Buffers& buffers)
      : n_(vsh_block_len(cipher_of(work))),
        keys_(32 * shape.num_keys()),
        alone_(shape.num_contexts()),
        nonces_(n_ * shape.bytes.size()) {
    for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = static_cast<uint8_t>(i * 37 + i / 32 * 11 + 5);
    vsh_options options = VSH_OPTIONS_INIT;
    options.threads = threads;
    vsh_streams_new(&streams_, cipher_of(work), keys_.data(), keys_.size() / 32, &options);
    for (size_t i = 0; i < alone_.size(); ++i)
      vsh_aead_new(&alone_[i], n_ == 16 ? VSH_KUZNYECHIK_MGM : VSH_MAGMA_MGM, &keys_[32 * i], 32, 0, nullptr);
    size_t at = 0;
    for (size_t i = 0; i < shape.bytes.size(); ++i) {
      const size_t len = shape.bytes[i];
      uint8_t* const nonce = &nonces_[n_ * i];
      nonce[1] = static_cast<uint8_t>(i >> 8), nonce[2] = static_cast<uint8_t>(i);
      jobs_.push_back({VSH_STREAM_ENCRYPT, nullptr, shape.one_key ? 0 : i, nonce, n_, nonce, kDataLen,
                       buffers.in(0) + at, len, buffers.out(0) + at, len + n_, n_, VSH_OK});
      at += len + n_;
    }
  }
  Packets(const Packets&) = delete;
  ~Packets() override {
    vsh_streams_free(streams_);
    for (vsh_aead* context : alone_) vsh_aead_free(context);
  }

  bool run() override { return vsh_streams_mgm(streams_, jobs_.data(), jobs_.size()) == VSH_OK; }
  void one_by_one(size_t first, size_t last) override {
    for (size_t i = first; i < last; ++i) {
      const vsh_mgm_job& j = jobs_[i];
      size_t len = 0;
      vsh_aead_seal(alone_[i % alone_.size()], j.out, j.out_len, &len, j.nonce, j.nonce_len, j.data, j.data_len, j.in,
                    j.in_len);
    }
  }

 private:
  size_t n_;
  std::vector<uint8_t> keys_;
  std::vector<vsh_aead*> alone_;
  std::vector<uint8_t> nonces_;
  vsh_streams* streams_ = nullptr;
  std::vector<vsh_mgm_job> jobs_;
};

class Hashes final : public Calls {
 public:
  Hashes(const Work& work, const Shape& shape, unsigned threads, const Buffers& buffers)
      : digests_(kMaxDigest * shape.bytes.size()), one_(own_task(work, "", VSH_SBOX_DEFAULT, 1)) {
    options_.threads = threads;
    vsh_hash_by_name(&algorithm_, work.algorithm.c_str());
    size_t at = 0;
    for (size_t i = 0; i < shape.bytes.size(); ++i) {
      jobs_.push_back(
          {buffers.in(0) + at, shape.bytes[i], &digests_[kMaxDigest * i], vsh_hash_len(algorithm_), VSH_OK});
      at += shape.bytes[i];
    }
  }
  bool run() override { return vsh_streams_hash(algorithm_, jobs_.data(), jobs_.size(), &options_) == VSH_OK; }
  void one_by_one(size_t first, size_t last) override {
    for (size_t i = first; i < last; ++i)
      one_->run(static_cast<uint8_t*>(jobs_[i].digest), static_cast<const uint8_t*>(jobs_[i].in), jobs_[i].in_len);
  }

 private:
  std::vector<uint8_t> digests_;
  std::unique_ptr<Task> one_;
  vsh_hash_algorithm algorithm_ = VSH_STREEBOG256;
  vsh_options options_ = VSH_OPTIONS_INIT;
  std::vector<vsh_hash_job> jobs_;
};

std::unique_ptr<Calls> make_calls(const Work& work, const Shape& shape, unsigned threads, const Buffers& buffers) {
  if (work.operation == "hash") return std::make_unique<Hashes>(work, shape, threads, buffers);
  if (work.mode == "mgm") return std::make_unique<Packets>(work, shape, threads, buffers);
  return std::make_unique<Ciphers>(work, shape, threads, buffers);
}

// The rows that take a message per lane, and what they cost here.
class LaneRows {
 public:
  LaneRows(const measure::Sampler& sampler, const Work& work) {
    if (work.operation == "hash") {
      measure_hashes(sampler);
      return;
    }
    const AlgorithmInfo& info = *info_by_name(work.algorithm);
    measure_ciphers(sampler, info, work.sequential(), work.mode == "imit");
    const streams::Cipher cipher{keys::CipherParameters(info.algorithm),
                                 choose_block_kernel(info.algorithm, "", false, false), block_len(work), 1};
    keys_.emplace(cipher, nullptr, 0);
    work_ = work.mode == "mac"    ? streams::LaneWork::tags
            : work.mode == "imit" ? streams::LaneWork::imit
            : work.sequential()   ? streams::LaneWork::chained
                                  : streams::LaneWork::apart;
  }
  // A pass over data that lies ready. In a chain each pass waits for the one before.
  const std::vector<streams::LaneCost>& kernels() const { return costs_; }
  // With moves and keys; those of hashes have none.
  std::span<const streams::LaneCost> lanes() const { return keys_ ? keys_->costs().lanes(work_) : costs_; }
  streams::OneKeyCost one_key() const {
    return keys_ ? streams::OneKeyCost{keys_->costs().one_key(work_)} : streams::OneKeyCost{};
  }
  // Returns cycles of a request of `blocks` under one key. Not for hashes.
  double request(size_t blocks) const { return static_cast<double>(keys_->costs().parallel(blocks)); }

 private:
  void measure_ciphers(const measure::Sampler& sampler, const AlgorithmInfo& info, bool chained, bool imit) {
    constexpr size_t kRows = 8;
    const size_t rows_of_call = chained ? 1 : kRows;
    const keys::CipherKey parameters{keys::CipherParameters(info.algorithm)};
    std::vector<SecretBuffer> schedules, data;
    std::vector<std::function<void()>> runs;
    std::vector<uint32_t> lanes;
    for (const BlockKernel* row : block_kernels(info.algorithm)) {
      if (!row->lanes_schedule_size || !runnable(row->info) || !row->info.constant_time) continue;
      const std::vector<const uint8_t*> keys(row->info.lanes, kKey);
      schedules.emplace_back(row->lanes_schedule_size);
      data.emplace_back(kRows * row->info.lanes * row->block_size);
      row->prepare_lanes(schedules.back().data(), keys.data(), RoundKeysView(parameters).for_row(*row));
      const auto cipher = imit ? row->imit_lanes : row->encrypt_lanes;
      runs.push_back([=, s = schedules.back().data(), d = data.back().data()] {
        for (size_t i = 0; i < kRows; i += rows_of_call) cipher(s, d, d, rows_of_call);
      });
      lanes.push_back(row->info.lanes);
    }
    add(sampler, runs, lanes, kRows);
  }

  void measure_hashes(const measure::Sampler& sampler) {
    std::vector<std::vector<uint8_t>> states;
    std::vector<std::vector<uint8_t*>> pointers;
    std::vector<std::function<void()>> runs;
    std::vector<uint32_t> lanes;
    for (const HashLanesKernel* row : hash_lanes_kernels()) {
      if (!runnable(row->info)) continue;
      states.emplace_back(64 * row->info.lanes);
      pointers.emplace_back();
      for (size_t i = 0; i < row->info.lanes; ++i) pointers.back().push_back(&states.back()[64 * i]);
      lanes.push_back(row->info.lanes);
      runs.push_back([row, p = pointers.back()] { row->compress(p.data(), p.data(), p.data()); });
    }
    add(sampler, runs, lanes, 1);
  }

  void add(const measure::Sampler& sampler, const std::vector<std::function<void()>>& runs,
           const std::vector<uint32_t>& lanes, size_t num_rows) {
    if (runs.empty()) return;
    const auto costs = sampler.measure(runs, 1);
    for (size_t i = 0; i < runs.size(); ++i)
      costs_.push_back({lanes[i], static_cast<uint64_t>(costs[i].core_cycles / static_cast<double>(num_rows)) + 1, 0});
    std::stable_sort(costs_.begin(), costs_.end(), [](const auto& a, const auto& b) { return a.lanes > b.lanes; });
  }

  std::vector<streams::LaneCost> costs_;
  std::optional<streams::KeySet> keys_;  // without keys
  streams::LaneWork work_ = streams::LaneWork::parallel;
};

// Cycles by byte.
struct Figures {
  double batch = 0, one_by_one = 0, plain = 0, best = 0, kernels = 0, spread = 0;
  int samples = 0;
  bool rough = false;
};

class BatchStudy {
 public:
  BatchStudy(Study& study, const Buffers& buffers)
      : study_(study),
        buffers_(buffers),
        sampler_(study.machine.quiet,
                 study.options.seconds > 0 ? study.options.seconds
                 : study.options.quick     ? 0.02
                                           : 0.03,
                 kEnoughSamples * 3 / 2) {}  // some may be disturbed

  void measure(const Work& work, const std::vector<Shape>& shapes, unsigned threads) {
    const LaneRows rows(sampler_, work);
    const Shape& first = shapes.front();
    print(study_.out, [&] {
      study_.out << "\n"
                 << work.algorithm << (work.operation == "hash" ? "" : " " + work.mode) << ", "
                 << (first.lengths == "imix" ? "packets of 40, 576 and 1500 bytes"
                                             : "messages of " + std::to_string(first.bytes[0]) + " bytes")
                 << (work.operation == "hash" ? ""
                     : first.one_key          ? ", one key"
                                              : ", each under its own key")
                 << ", " << threads << (threads == 1 ? " thread" : " threads") << "; elapsed core cycles by byte\n"
                 << "  messages     batch  one by one     plain      best   kernels  of one by one   of best  spread\n";
    });
    double before = 0;
    for (const Shape& shape : shapes) {
      Figures f = figures(work, shape, threads, rows);
      for (int i = 1; i < kTries && f.rough; ++i) f = figures(work, shape, threads, rows);
      report(work, shape, threads, f, before);
      before = f.rough ? before : f.batch;
    }
  }

  void summary() {
    char line[300];
    std::snprintf(
        line, sizeof line,
        "\n%zu batches (%zu rough, not counted): %zu cost more than 1.05 times one by one (the most %.2f: %s), "
        "%zu more than 1.15 times the best division (the most %.2f: %s), %zu more than 1.1 times the next "
        "smaller number of messages\n",
        counted_ + rough_, rough_, dearer_, worst_alone_, worst_alone_case_.c_str(), beyond_best_, worst_best_,
        worst_best_case_.c_str(), steps_up_);
    print(study_.out, [&] { study_.out << line; });
  }

  const std::vector<Chart>& charts(const std::string& algorithm) { return charts_[algorithm]; }
  const std::map<std::string, std::vector<Chart>>& charts() const { return charts_; }

 private:
  Figures figures(const Work& work, const Shape& shape, unsigned threads, const LaneRows& rows) {
    const auto calls = make_calls(work, shape, threads, buffers_);
    if (!calls->run())
      throw cli::Failure(cli::ExitCode::data, cli::tr("{1}: a batch failed", work.algorithm + "-" + work.mode));
    const size_t total = shape.total(), plain_bytes = std::max(kPlainBytes, total / 16 * 16);
    const Work many = work.operation == "hash" ? work
                      : work.mode == "mgm"     ? work
                                               : Work{work.algorithm, "ecb", "encrypt"};
    const auto plain = own_task(many, "", VSH_SBOX_DEFAULT, threads);
    std::vector<std::function<void()>> runs = {[&] { calls->run(); }, [&] { calls->one_by_one(0, shape.bytes.size()); },
                                               [&] { plain->run(buffers_.out(0), buffers_.in(0), plain_bytes); }};
    // One message of each length.
    std::vector<size_t> distinct;
    for (size_t i = 0; i < shape.bytes.size(); ++i) {
      const auto same = [&](size_t j) { return shape.bytes[j] == shape.bytes[i]; };
      if (std::find_if(distinct.begin(), distinct.end(), same) != distinct.end()) continue;
      distinct.push_back(i);
      runs.push_back([&, i] { calls->one_by_one(i, i + 1); });
    }
    const auto costs = sampler_.measure(runs, threads);
    std::map<size_t, double> alone;
    const auto elapsed = [&](const measure::Cost& cost) { return cost.core_cycles / threads; };
    for (size_t i = 0; i < distinct.size(); ++i) alone[shape.bytes[distinct[i]]] = elapsed(costs[3 + i]);

    const double bytes = static_cast<double>(total);
    Figures f;
    f.batch = elapsed(costs[0]) / bytes;
    f.one_by_one = elapsed(costs[1]) / bytes;
    f.plain = elapsed(costs[2]) / static_cast<double>(plain_bytes) / (work.mode == "imit" ? 2 : 1);
    f.best = best(work, shape, threads, rows, alone, f.plain) / bytes;
    f.kernels = kernels_alone(work, shape, threads, rows, alone, f.plain) / bytes;
    for (const measure::Cost& cost : costs) {
      f.spread = std::max(f.spread, cost.spread);
      f.samples = f.samples ? std::min(f.samples, cost.samples) : cost.samples;
      f.rough |= cost.rough || cost.samples < kEnoughSamples;
    }
    return f;
  }

  // The messages as a plan sees them, with what each costs alone; each under a key of its own, or all under one.
  static std::vector<streams::Item> items_of(const Work& work, const Shape& shape,
                                             const std::map<size_t, double>& alone) {
    const size_t n = work.operation == "hash" ? 64 : block_len(work);
    std::vector<streams::Item> items;
    for (uint32_t i = 0; i < shape.bytes.size(); ++i) {
      const size_t blocks = blocks_of(shape.bytes[i], n);
      const uint64_t calls = work.operation == "hash" ? shape.bytes[i] / 64 + 3
                             : work.mode == "mgm"     ? 2 * blocks + blocks_of(kDataLen, n) + 4
                                                      : blocks;
      const uint32_t slot = work.operation == "hash" ? streams::kNoSlot : shape.one_key ? 0 : i;
      items.push_back({calls, static_cast<uint64_t>(alone.at(shape.bytes[i])), i, slot});
    }
    return items;
  }
  static size_t blocks_of(size_t bytes, size_t n) { return std::max<size_t>((bytes + n - 1) / n, 1); }

  // MGM's products count as they do in a long message, whose cost is that of two blocks and a product for each block.
  static double products(const Work& work, const Shape& shape, const LaneRows& rows, double plain) {
    if (work.mode != "mgm") return 0;
    const size_t n = block_len(work);
    double block = plain * static_cast<double>(n);
    for (const streams::LaneCost& row : rows.kernels())
      block = std::min(block, static_cast<double>(row.pass) / row.lanes);
    double num = 0;
    for (const size_t bytes : shape.bytes) num += static_cast<double>(blocks_of(bytes, n) + 2);
    return num * std::max(0.0, plain * static_cast<double>(n) - 2 * block);
  }

  // Elapsed cycles of a plan, whose single messages include their products.
  static double elapsed(const streams::Plan& plan, unsigned threads, double products) {
    const double cost = static_cast<double>(plan.cost) + (plan.chunks.empty() ? 0 : products);
    return std::max(static_cast<double>(plan.longest), cost / threads);
  }

  // Elapsed cycles of the cheapest division among rows and single messages.
  static double best(const Work& work, const Shape& shape, unsigned threads, const LaneRows& rows,
                     const std::map<size_t, double>& alone, double plain) {
    std::vector<streams::Item> items = items_of(work, shape, alone);
    const double of_products = products(work, shape, rows, plain * threads);
    double one_by_one = 0, blocks = 0;
    for (const streams::Item& item : items) {
      one_by_one += static_cast<double>(item.alone);
      blocks += static_cast<double>(item.rows);
    }
    const size_t num = items.size();
    const streams::Plan plan = cheapest(items, rows.lanes(), shape.one_key ? 1 : num, threads,
                                        work.mode == "mgm" ? streams::OneKeyCost{} : rows.one_key());
    double least = std::min(one_by_one, elapsed(plan, threads, of_products));
    // Packets of one key are three requests.
    if (work.mode == "mgm" && shape.one_key) {
      const size_t ends = 3 * num, others = static_cast<size_t>(blocks) - ends;
      const double requests = rows.request(others) + rows.request(2 * num) + rows.request(num);
      least = std::min(least, (requests + of_products) / threads);
    }
    return least;
  }

  static double kernels_alone(const Work& work, const Shape& shape, unsigned threads, const LaneRows& rows,
                              const std::map<size_t, double>& alone, double plain) {
    std::vector<streams::Item> items = items_of(work, shape, alone);
    return elapsed(streams::by_length(items, rows.kernels()), threads, products(work, shape, rows, plain * threads));
  }

  void report(const Work& work, const Shape& shape, unsigned threads, const Figures& f, double before) {
    const double of_alone = f.batch / f.one_by_one, of_best = f.batch / f.best;
    const size_t messages = shape.bytes.size();
    const std::string what = work.algorithm + "-" + work.mode + ", " + std::to_string(messages) + " of " +
                             (shape.lengths == "imix" ? shape.lengths : std::to_string(shape.bytes[0])) + " bytes";
    if (f.rough) {
      ++rough_;
    } else {
      ++counted_;
      dearer_ += of_alone > 1.05;
      beyond_best_ += of_best > 1.15;
      steps_up_ += before > 0 && f.batch > 1.1 * before;
      if (of_alone > worst_alone_) worst_alone_ = of_alone, worst_alone_case_ = what;
      if (of_best > worst_best_) worst_best_ = of_best, worst_best_case_ = what;
    }
    char line[200];
    std::snprintf(line, sizeof line, "  %8zu %9.2f %11.2f %9.2f %9.2f %9.2f %14.2f %9.2f %6.1f%%%s\n", messages,
                  f.batch, f.one_by_one, f.plain, f.best, f.kernels, of_alone, of_best, 100 * f.spread,
                  f.rough ? "  rough: disturbed" : "");
    print(study_.out, [&] { study_.out << line; });
    study_.add_row({{"algorithm", work.algorithm},
                    {"mode", work.mode},
                    {"messages", messages},
                    {"bytes", static_cast<double>(shape.total()) / static_cast<double>(messages)},
                    {"lengths", shape.lengths},
                    {"keys", shape.one_key ? "one" : "own"},
                    {"threads", threads},
                    {"batch", f.batch},
                    {"one_by_one", f.one_by_one},
                    {"plain", f.plain},
                    {"best", f.best},
                    {"kernels", f.kernels},
                    {"spread", f.spread},
                    {"samples", f.samples},
                    {"rough", f.rough}});
    draw(work, shape, threads, f);
  }

  // A chart for batches of own keys on one thread.
  void draw(const Work& work, const Shape& shape, unsigned threads, const Figures& f) {
    if (threads != 1 || (shape.one_key && work.operation != "hash")) return;
    const std::string title = work.algorithm + (work.operation == "hash" ? "" : " " + work.mode) + ", " +
                              (shape.lengths == "imix" ? "packets of the Internet mix"
                                                       : "messages of " + std::to_string(shape.bytes[0]) + " bytes");
    std::vector<Chart>& charts = charts_[work.algorithm];
    if (charts.empty() || charts.back().title != title) {
      charts.push_back({title,
                        {{"batch", Series::Style::thick, {}},
                         {"one by one", Series::Style::dashed, {}},
                         {"best division", Series::Style::plain, {}},
                         {"plain", Series::Style::dotted, {}}},
                        "core cycles per byte",
                        "messages"});
    }
    const double values[] = {f.batch, f.one_by_one, f.best, f.plain};
    for (size_t i = 0; i < 4; ++i) charts.back().series[i].points.emplace_back(shape.bytes.size(), values[i]);
  }

  Study& study_;
  const Buffers& buffers_;
  measure::Sampler sampler_;
  std::map<std::string, std::vector<Chart>> charts_;
  size_t counted_ = 0, rough_ = 0, dearer_ = 0, beyond_best_ = 0, steps_up_ = 0;
  double worst_alone_ = 0, worst_best_ = 0;
  std::string worst_alone_case_, worst_best_case_;
};

bool wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

Shape equal(size_t messages, size_t bytes, bool one_key) {
  return {"equal", std::vector<size_t>(messages, bytes), one_key};
}

Shape imix(size_t messages, bool one_key) {
  Shape shape{"imix", {}, one_key};
  for (size_t i = 0; i < messages; ++i) shape.bytes.push_back(kImix[i % std::size(kImix)]);
  return shape;
}

// "cost.svg" of several pictures: "cost-magma.svg".
std::string picture_name(const std::string& name, const std::string& algorithm) {
  const size_t dot = name.rfind('.'), slash = name.rfind('/');
  const size_t end = dot == std::string::npos || (slash != std::string::npos && dot < slash) ? name.size() : dot;
  return name.substr(0, end) + "-" + algorithm + name.substr(end);
}

}  // namespace

void study_batches(Study& study) {
  const Options& o = study.options;
  std::vector<size_t> sizes = o.sizes, counts(std::begin(kCounts), std::end(kCounts));
  if (o.quick) counts.assign(std::begin(kQuickCounts), std::end(kQuickCounts));
  if (sizes.empty() && o.quick) sizes.assign(std::begin(kQuickSizes), std::end(kQuickSizes));
  const bool mixed = sizes.empty();
  if (sizes.empty()) sizes.assign(std::begin(kSizes), std::end(kSizes));
  const size_t most = std::max(kMostBytes, *std::max_element(sizes.begin(), sizes.end()));
  const Buffers buffers = make_buffers(2 * most, 0);  // tags of the shortest packets are as long as they are
  BatchStudy batches(study, buffers);
  std::vector<unsigned> numbers = o.threads.empty() ? std::vector<unsigned>{1, study.place.count} : o.threads;
  for (unsigned& threads : numbers) threads = threads ? threads : study.place.count;
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const unsigned threads : numbers) {
    if (threads > 1) study.place.affinity.release();
    for (const Work& work : kWorks) {
      if (!wanted(o.algorithms, work.algorithm) || !wanted(o.modes, work.mode)) continue;
      const bool keyless = work.operation == "hash";
      for (const bool one_key : keyless ? std::vector<bool>{true} : std::vector<bool>{false, true}) {
        for (size_t bytes : sizes) {
          if (work.mode == "ecb" || work.mode == "cbc") bytes = std::max(bytes - bytes % 16, size_t{16});
          std::vector<Shape> shapes;
          for (const size_t messages : counts)
            if (messages * bytes <= most) shapes.push_back(equal(messages, bytes, one_key));
          if (!shapes.empty()) batches.measure(work, shapes, threads);
        }
        if (!mixed || work.mode == "ecb" || work.mode == "cbc") continue;
        std::vector<Shape> shapes;
        for (const size_t messages : counts) shapes.push_back(imix(messages, one_key));
        batches.measure(work, shapes, threads);
      }
    }
  }
  batches.summary();
  if (o.plot.empty()) return;
  const std::vector<std::string> captions = {study.machine.cpu + ": " + study.machine.features,
                                             "Vershina " + study.machine.version + ", " + study.machine.compiler};
  for (const auto& [algorithm, charts] : batches.charts()) {
    const std::string heading = "Vershina: cost of batches against the number of messages, " + algorithm;
    ResultFile(batches.charts().size() == 1 ? o.plot : picture_name(o.plot, algorithm))
        .write(to_svg(charts, heading, captions));
  }
}

}  // namespace vsh::bench
