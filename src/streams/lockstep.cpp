#include "streams/lockstep.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "magma/cnt_counters.hpp"
#include "modes/imit.hpp"
#include "modes/mac.hpp"

namespace vsh::streams {
namespace {

constexpr size_t kStageLines = 8, kStageStride = (kStageLines + 1) * kTileBytes;

// Writes rows first .. first + num - 1 of CTR's counters: IV || 0 plus the number of the row, which stays within the
// half that was zero (GOST R 34.13-2015 clause 5.2). rows[0] is the row of IVs.
template <size_t kBlock>
void make_counters(uint8_t* rows, size_t row_bytes, uint64_t first, size_t num) noexcept {
  for (size_t t = 0; t < num; ++t) {
    uint8_t number[8];
    store_be64(number, first + t);
    uint8_t* const row = rows + (t + 1) * row_bytes;
    for (size_t i = 0; i < row_bytes; i += kBlock) {
      std::memcpy(row + i, rows + i, kBlock / 2);
      std::memcpy(row + i + kBlock / 2, number + 8 - kBlock / 2, kBlock / 2);
    }
  }
}

// The counters N3, N4 of two lanes, one step after the other. Words are kept less 2^31, which makes magma::add_mod's
// comparison the signed one that vectors have; no number is below INT32_MIN, so N3 never carries.
class TwoCounters {
  using Words [[gnu::vector_size(16)]] = uint32_t;
  using Signed [[gnu::vector_size(16)]] = int32_t;

 public:
  explicit TwoCounters(const uint8_t* at) noexcept {
    std::memcpy(&less_, at, sizeof less_);
    less_ ^= kSign;
  }
  void step(uint8_t* to) noexcept {
    less_ += Words{magma::kC2, magma::kC1, magma::kC2, magma::kC1};
    less_ -= (Words)((Signed)less_ < kLeast);  // -1 if it carries
    const Words counters = less_ ^ kSign;
    std::memcpy(to, &counters, sizeof counters);
  }

 private:
  static constexpr Words kSign{1u << 31, 1u << 31, 1u << 31, 1u << 31};
  static constexpr int32_t kLeastN4 = INT32_MIN + static_cast<int32_t>(magma::kC1);  // C1 less 2^31
  static constexpr Signed kLeast{INT32_MIN, kLeastN4, INT32_MIN, kLeastN4};

  Words less_;
};

// Writes rows 1 .. num, each one step of every lane's counter after the row before (RFC 5830 clause 6.1).
void step_cnt(uint8_t* rows, size_t row_bytes, size_t num) noexcept {
  size_t i = 0;
  if constexpr (std::endian::native == std::endian::little)
    for (; i + 16 <= row_bytes; i += 16) {
      TwoCounters counters(rows + i);
      for (size_t t = 1; t <= num; ++t) counters.step(rows + t * row_bytes + i);
    }
  for (; i < row_bytes; i += 8) {
    auto [n3, n4] = magma::CntCounters::load(rows + i);
    for (size_t t = 1; t <= num; ++t) {
      store_le32(rows + t * row_bytes + i, n3 += magma::kC2);
      store_le32(rows + t * row_bytes + i + 4, n4 = magma::add_mod(n4, magma::kC1));
    }
  }
}

// Adds the subkey K* of MAC to a last block: K_1 if it was whole, K_2 if it has been padded (GOST R 34.13-2015 clause
// 5.6). subkey: memory for it.
template <size_t kBlock>
void add_subkey(uint8_t* block, uint8_t* subkey, const uint8_t* zero_encrypted, bool padded) noexcept {
  modes::double_block(subkey, zero_encrypted, kBlock);
  if (padded) modes::double_block(subkey, subkey, kBlock);
  for (size_t i = 0; i < kBlock; i += 8) store_le64(block + i, load_le64(block + i) ^ load_le64(subkey + i));
}

// out = a ^ b over rows, a cache line at a time: every byte of a feedback mode passes here.
void add_rows(uint8_t* out, const uint8_t* a, const uint8_t* b, size_t len) noexcept {
  for (; len >= kTileBytes; out += kTileBytes, a += kTileBytes, b += kTileBytes, len -= kTileBytes)
    for (size_t i = 0; i < kTileBytes; i += sizeof(Pair)) store_pair(out + i, load_pair(a + i) ^ load_pair(b + i));
  modes::xor_bytes(out, a, b, len);
}

}  // namespace

Lockstep::Lockstep(size_t max_lanes, size_t block_size)
    : buffer_((1 + 2 * kTileBytes / block_size) * max_lanes * block_size + max_lanes * kTileBytes,
              SecretBuffer::Uninitialised{}),
      jobs_(max_lanes),
      in_(max_lanes),
      out_(max_lanes),
      step_(max_lanes) {
  endings_.reserve(max_lanes);
}

void Lockstep::run(const LaneCipher& cipher, Operation operation, const Selection<Job>& jobs,
                   std::span<const Placed> placed, uint64_t rows) {
  const size_t n = cipher.kernel.block_size;
  lanes_ = cipher.kernel.info.lanes;
  row_bytes_ = lanes_ * n;
  other_ = row(1 + kTileBytes / n);
  spare_ = other(kTileBytes / n);
  const auto run = [&]<size_t kBlock>() {
    begin<kBlock>(jobs, placed);
    run_tiles<kBlock>(cipher, operation, rows);
  };
  n == 16 ? run.operator()<16>() : run.operator()<8>();
}

template <size_t kBlock>
void Lockstep::begin(const Selection<Job>& jobs, std::span<const Placed> placed) {
  std::memset(row(0), 0, row_bytes_);
  std::memset(spare_, 0, lanes_ * kTileBytes);
  for (size_t i = 0; i < lanes_; ++i) jobs_[i] = nullptr, in_[i] = out_[i] = spare_ + i * kTileBytes, step_[i] = 0;
  for (const Placed& p : placed) {
    const Job& job = jobs[p.job];
    jobs_[p.lane] = &job;
    in_[p.lane] = job.in, step_[p.lane] = kTileBytes;
    if (!is_mac(job.operation)) out_[p.lane] = job.out;
    uint8_t* const iv = row(0) + p.lane * kBlock;
    if (job.iv_len == kBlock) std::memcpy(iv, job.iv, kBlock);
    if (job.iv_len == kBlock / 2) std::memcpy(iv, job.iv, kBlock / 2);  // of CTR
  }
  place_ = sure_ = staged_ = 0;
  const auto is_long = [&](size_t i) { return jobs[placed[i].job].len >= 2 * kStageLines * kTileBytes; };
  competes_ =
      lines_compete([&](size_t i) { return jobs[placed[i].job].in; }, placed.size()) && is_long(0) && is_long(1);
  if (competes_ && stage_.size() < lanes_ * kStageStride)
    stage_ = SecretBuffer(lanes_ * kStageStride, SecretBuffer::Uninitialised{});
}

// The lines that this tile will write and the next one read, or the stage: kernels run in between.
void Lockstep::prefetch(bool has_output) const noexcept {
  const auto fetch = [&](auto next_in, auto out) {
    for (size_t i = 0; i < lanes_; ++i) __builtin_prefetch(next_in(i));
    if (has_output)
      for (size_t i = 0; i < lanes_; ++i) __builtin_prefetch(out(i), 1);
  };
  if (!staged_) return fetch([&](size_t i) { return in_[i] + kTileBytes; }, [&](size_t i) { return out_[i]; });
  const auto line = [&](size_t i, auto message, size_t at) { return jobs_[i] ? jobs_[i]->*message + at : spare_; };
  fetch([&](size_t i) { return line(i, &Job::in, place_ + staged_ * kTileBytes); },
        [&](size_t i) { return line(i, &Job::out, place_); });
}

void Lockstep::fill_stage(bool has_output) noexcept {
  staged_ = std::min(sure_, kStageLines);
  stage_end_ = place_ + staged_ * kTileBytes;
  for (size_t i = 0; i < lanes_; ++i) {
    if (!jobs_[i]) continue;
    uint8_t* const lines = stage_.data() + i * kStageStride;
    std::memcpy(lines, in_[i], staged_ * kTileBytes);
    in_[i] = lines;
    if (has_output) out_[i] = lines;
  }
}

void Lockstep::empty_stage(bool has_output) noexcept {
  for (size_t i = 0; i < lanes_; ++i) {
    if (!jobs_[i]) continue;
    in_[i] = jobs_[i]->in + place_;
    if (!has_output) continue;
    out_[i] = jobs_[i]->out + place_;
    std::memcpy(out_[i] - staged_ * kTileBytes, stage_.data() + i * kStageStride, staged_ * kTileBytes);
  }
  staged_ = 0;
}

template <size_t kBlock>
void Lockstep::find_endings(Operation operation) {
  sure_ = SIZE_MAX;
  for (size_t i = 0; i < lanes_; ++i) {
    if (!jobs_[i]) continue;
    const size_t left = jobs_[i]->len - place_;
    // The last block of a MAC is not like the others.
    if (const size_t whole = (left - (is_mac(operation) && left)) / kTileBytes) {
      sure_ = std::min(sure_, whole);
      continue;
    }
    uint8_t* const spare = spare_ + i * kTileBytes;  // zeros until now
    if (left) std::memcpy(spare, in_[i], left);
    if (operation == Operation::mac && (left % kBlock || !left)) spare[left] = 0x80;
    // An empty message is padded to a block by MAC; IMIT needs at least two blocks (modes/imit.hpp).
    const size_t least = operation == Operation::imit && place_ == 0 ? modes::ImitSum::kMinBlocks : 1;
    endings_.push_back({i, left, std::max(least, (left + kBlock - 1) / kBlock)});
    in_[i] = out_[i] = spare, step_[i] = 0;
  }
  if (!endings_.empty()) sure_ = 1;
}

void Lockstep::move_on(bool has_output) noexcept {
  for (size_t i = 0; i < lanes_; ++i) in_[i] += step_[i];
  if (has_output)
    for (size_t i = 0; i < lanes_; ++i) out_[i] += step_[i];
  place_ += kTileBytes;
  --sure_;
}

template <size_t kBlock>
void Lockstep::run_tiles(const LaneCipher& cipher, Operation operation, uint64_t rows) {
  // RFC 5830 clause 6.1
  if (operation == Operation::cnt) cipher.encrypt(row(0), row(0), 1);
  constexpr size_t kRows = Tile<kBlock>::kRows;
  const bool has_output = !is_mac(operation);
  for (uint64_t first = 0; first < rows; first += kRows) {
    if (sure_ == 0) find_endings<kBlock>(operation);
    if (competes_ && staged_ == 0 && sure_ > 1) fill_stage(has_output);
    prefetch(has_output);
    run_tile<kBlock>(cipher, operation, first, static_cast<size_t>(std::min<uint64_t>(kRows, rows - first)));
    if (!endings_.empty()) release<kBlock>(operation);
    move_on(has_output);
    if (staged_ && place_ == stage_end_) empty_stage(has_output);
  }
}

template <size_t kBlock>
void Lockstep::run_tile(const LaneCipher& cipher, Operation operation, uint64_t first, size_t num) {
  using T = Tile<kBlock>;
  const BlockKernel& kernel = cipher.kernel;
  const size_t len = num * row_bytes_;
  const auto encrypt = [&](uint8_t* out, const uint8_t* in, size_t n) { cipher.encrypt(out, in, n); };
  const auto decrypt = [&](uint8_t* out, const uint8_t* in) { cipher.decrypt(out, in, num); };
  const auto gather = [&] { T::gather(kernel, row(1), in_.data()); };
  const auto scatter = [&](const uint8_t* rows) { T::scatter(kernel, out_.data(), rows); };
  const auto scatter_sum = [&](const uint8_t* rows) { T::scatter_sum(kernel, out_.data(), in_.data(), rows); };
  const auto feed_back = [&] { std::memcpy(row(0), row(num), row_bytes_); };

  const auto chain = [&](const auto& step) {
    for (size_t t = 1; t <= num; ++t) {
      add_rows(row(t), row(t), row(t - 1), row_bytes_);
      step(row(t), row(t), 1);
    }
    feed_back();
  };

  switch (operation) {
    case Operation::ecb_encrypt:
      gather();
      encrypt(row(1), row(1), num);
      return scatter(row(1));
    case Operation::ecb_decrypt:
      gather();
      decrypt(row(1), row(1));
      return scatter(row(1));
    case Operation::cbc_encrypt:
      gather();
      chain(encrypt);
      return scatter(row(1));
    case Operation::cbc_decrypt:
      gather();
      decrypt(other(0), row(1));
      add_rows(other(0), other(0), row(0), len);
      feed_back();
      return scatter(other(0));
    case Operation::cfb_encrypt:
      gather();
      for (size_t t = 1; t <= num; ++t) {
        encrypt(other(0), row(t - 1), 1);
        add_rows(row(t), row(t), other(0), row_bytes_);
      }
      feed_back();
      return scatter(row(1));
    case Operation::cfb_decrypt:
      gather();
      encrypt(other(0), row(0), num);
      feed_back();
      return scatter_sum(other(0));
    case Operation::ofb:
      for (size_t t = 1; t <= num; ++t) encrypt(row(t), row(t - 1), 1);
      feed_back();
      return scatter_sum(row(1));
    case Operation::ctr:
      make_counters<kBlock>(row(0), row_bytes_, first, num);
      encrypt(row(1), row(1), num);
      return scatter_sum(row(1));
    case Operation::cnt:
      step_cnt(row(0), row_bytes_, num);
      feed_back();
      encrypt(row(1), row(1), num);
      return scatter_sum(row(1));
    case Operation::mac:
      gather();
      add_subkeys<kBlock>(cipher);
      return chain(encrypt);
    case Operation::imit:
      gather();
      return chain([&](uint8_t* out, const uint8_t* in, size_t n) { kernel.imit_lanes(cipher.schedule, out, in, n); });
    default: return;  // not of batches of jobs
  }
}

template <size_t kBlock>
void Lockstep::add_subkeys(const LaneCipher& cipher) {
  Wiped<uint8_t[kBlock]> subkey;
  for (const Ending& e : endings_)
    add_subkey<kBlock>(row(e.rows) + e.lane * kBlock, subkey.value, cipher.zero_encrypted_of(e.lane),
                       e.len != e.rows * kBlock);
}

template <size_t kBlock>
void Lockstep::release(Operation operation) {
  for (const Ending& e : endings_) {
    const Job& job = *std::exchange(jobs_[e.lane], nullptr);
    if (is_mac(operation)) std::memcpy(job.out, row(e.rows) + e.lane * kBlock, job.out_len);
    else if (e.len) std::memcpy(job.out + place_, out_[e.lane], e.len);
  }
  endings_.clear();
}

}  // namespace vsh::streams
