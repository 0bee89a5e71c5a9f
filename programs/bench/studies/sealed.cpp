// Sealed files in memory: sealing and opening for several lengths of chunks, next to MGM over the whole buffer under
// one key, without chunks, key derivation, copies and ordering.
#include <algorithm>
#include <cstdio>

#include "measure/sampler.hpp"
#include "programs/bench/setup/buffers.hpp"
#include "programs/bench/setup/task.hpp"
#include "programs/bench/studies/study.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

constexpr size_t kUsualBytes = size_t{16} << 20;
constexpr size_t kChunkLens[] = {4096, 16384, VSH_SEALED_DEFAULT_CHUNK_LEN, 262144, 1048576};
constexpr vsh_recipient kRecipient = {VSH_RECIPIENT_KEY, kKey, sizeof kKey, 0, nullptr};

void check(vsh_status status) {
  if (status != VSH_OK) throw cli::Failure(cli::ExitCode::data, cli::tr(vsh_status_message(status)));
}

vsh_options with(unsigned threads) {
  vsh_options options = VSH_OPTIONS_INIT;
  options.threads = threads;
  return options;
}

class Mgm {
 public:
  explicit Mgm(unsigned threads) {
    const vsh_options options = with(threads);
    check(vsh_aead_new(&context_, VSH_KUZNYECHIK_MGM, kKey, sizeof kKey, 16, &options));
  }
  Mgm(const Mgm&) = delete;
  ~Mgm() { vsh_aead_free(context_); }
  void run(uint8_t* out, const uint8_t* in, size_t bytes) {
    const uint8_t nonce[16] = {};
    uint8_t tag[16];
    check(vsh_aead_seal_apart(context_, out, tag, sizeof tag, nonce, sizeof nonce, nullptr, 0, in, bytes));
  }

 private:
  vsh_aead* context_ = nullptr;
};

// A sealed file of the buffer's bytes; sealing continues endlessly, opening restarts each time.
class SealedFile {
 public:
  SealedFile(size_t chunk_len, unsigned threads, const uint8_t* in, size_t bytes)
      : sealed_(bytes + bytes / chunk_len * VSH_SEALED_TAG_LEN + chunk_len + 64), header_(VSH_SEALED_MAX_HEADER_LEN) {
    const vsh_options options = with(threads);
    check(vsh_sealer_new(&sealer_, chunk_len, &options));
    check(vsh_sealer_add_recipient(sealer_, &kRecipient));
    check(vsh_sealer_header(sealer_, header_.data(), header_.size()));
    check(vsh_opener_new(&opener_, header_.data(), header_.size(), 0, &options));
    check(vsh_opener_unlock(opener_, &kRecipient));
    seal(in, bytes);  // from the first chunk on: the file to open
    opened_ = sealed_;
  }
  SealedFile(const SealedFile&) = delete;
  ~SealedFile() {
    vsh_sealer_free(sealer_);
    vsh_opener_free(opener_);
  }
  void seal(const uint8_t* in, size_t bytes) {
    check(vsh_sealer_update(sealer_, sealed_.data(), sealed_.size(), &sealed_len_, in, bytes));
    if (opened_.empty()) first_len_ = sealed_len_;
  }
  void open(uint8_t* out, size_t capacity) {
    size_t len;
    check(vsh_opener_rewind(opener_));
    check(vsh_opener_update(opener_, out, capacity, &len, opened_.data(), first_len_));
  }

 private:
  std::vector<uint8_t> sealed_, header_, opened_;
  size_t sealed_len_ = 0, first_len_ = 0;
  vsh_sealer* sealer_ = nullptr;
  vsh_opener* opener_ = nullptr;
};

void measure(Study& study, const Buffers& buffers, size_t bytes, unsigned threads) {
  const measure::Sampler sampler(study.machine.quiet, study.options.seconds > 0 ? study.options.seconds : 0.3);
  uint8_t* const out = buffers.out(0);
  const uint8_t* const in = buffers.in(0);
  Mgm mgm(threads);
  std::vector<std::unique_ptr<SealedFile>> files;
  std::vector<std::function<void()>> runs = {[&] { mgm.run(out, in, bytes); }};
  for (const size_t chunk_len : kChunkLens) {
    SealedFile& file = *files.emplace_back(std::make_unique<SealedFile>(chunk_len, threads, in, bytes));
    runs.push_back([&, bytes] { file.seal(in, bytes); });
    runs.push_back([&, bytes] { file.open(out, bytes); });
  }
  const std::vector<measure::Cost> costs = sampler.measure(runs, threads);
  const auto mbps = [&](size_t i) { return static_cast<double>(bytes) / costs[i].wall_seconds / 1e6; };
  print(study.out, [&] {
    char line[200];
    study.out << "\n"
              << format_size(bytes) << ", " << threads << (threads == 1 ? " thread" : " threads")
              << "; MGM over the whole in memory: ";
    std::snprintf(line, sizeof line, "%.0f MB/s%s\n", mbps(0), costs[0].rough ? "  rough: disturbed" : "");
    study.out << line << "    chunk  seal MB/s  of MGM  open MB/s  of MGM\n";
    for (size_t i = 0; i < std::size(kChunkLens); ++i) {
      const size_t seal = 1 + 2 * i, open = seal + 1;
      const bool rough = costs[seal].rough || costs[open].rough;
      std::snprintf(line, sizeof line, "  %7zu %10.0f %6.0f%% %10.0f %6.0f%%%s\n", kChunkLens[i], mbps(seal),
                    100 * mbps(seal) / mbps(0), mbps(open), 100 * mbps(open) / mbps(0),
                    rough ? "  rough: disturbed" : "");
      study.out << line;
      study.add_row({{"chunk_len", kChunkLens[i]},
                     {"bytes", bytes},
                     {"threads", threads},
                     {"mgm_mbps", mbps(0)},
                     {"seal_mbps", mbps(seal)},
                     {"open_mbps", mbps(open)},
                     {"rough", rough}});
    }
  });
}

}  // namespace

void study_sealed(Study& study) {
  const size_t bytes = study.options.sizes.empty() ? kUsualBytes : study.options.sizes[0];
  if (study.options.sizes.size() > 1 || bytes < 2 * kChunkLens[std::size(kChunkLens) - 1])
    throw cli::Failure(cli::ExitCode::usage, cli::tr("--study sealed takes one size, 2 MiB or more"));
  const Buffers buffers = make_buffers(bytes, 0);
  std::vector<unsigned> counts = study.options.threads;
  if (counts.empty()) counts = {1, 0};
  for (unsigned count : counts) {
    const unsigned threads = count == 0 ? study.place.count : count;
    if (threads > 1) study.place.affinity.release();
    if (count == 0 && threads == 1) study.skipped.push_back("several threads: this process may use one processor only");
    else measure(study, buffers, bytes, threads);
  }
}

}  // namespace vsh::bench
