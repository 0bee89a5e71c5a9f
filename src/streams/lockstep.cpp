#include "streams/lockstep.hpp"

#include "magma/cnt_counters.hpp"
#include "modes/imit.hpp"
#include "modes/mac.hpp"

namespace vsh::streams {
namespace {

using modes::xor_bytes;

// The rows first .. first + num - 1 of CTR's counters: IV || 0 plus the number of the row, which stays within the half
// that was zero (GOST R 34.13-2015 clause 5.2). rows[0] is the row of IVs.
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

// Rows 1 .. num, each one step of every lane's counter after the row before (RFC 5830 clause 6.1).
void step_cnt(uint8_t* rows, size_t row_bytes, size_t num) noexcept {
  for (size_t i = 0; i < row_bytes; i += 8) {
    auto [n3, n4] = magma::CntCounters::load(rows + i);
    for (size_t t = 1; t <= num; ++t) {
      store_le32(rows + t * row_bytes + i, n3 += magma::kC2);
      store_le32(rows + t * row_bytes + i + 4, n4 = magma::add_mod(n4, magma::kC1));
    }
  }
}

// The last bytes of a message as MAC takes them (GOST R 34.13-2015 clause 5.6), zero-filled in a tile: padded, and the
// subkey added to the last block. Returns the number of blocks.
template <size_t kBlock>
size_t end_mac(uint8_t* tile, size_t len, const uint8_t* zero_encrypted) noexcept {
  const size_t num = std::max<size_t>(1, (len + kBlock - 1) / kBlock);
  Wiped<uint8_t[kBlock]> subkey;
  modes::double_block(subkey.value, zero_encrypted, kBlock);
  if (len < num * kBlock) {
    tile[len] = 0x80;
    modes::double_block(subkey.value, subkey.value, kBlock);
  }
  uint8_t* const last = tile + (num - 1) * kBlock;
  xor_bytes(last, last, subkey.value, kBlock);
  return num;
}

// The same for IMIT, which adds nothing; what it wants is two blocks in all (modes/imit.hpp).
size_t end_imit(size_t len, bool is_whole_message) noexcept {
  constexpr size_t n = modes::Imit::kBlock;
  return std::max<size_t>(is_whole_message ? modes::Imit::kMinBlocks : 1, (len + n - 1) / n);
}

}  // namespace

Lockstep::Lockstep(size_t max_lanes, size_t block_size)
    : buffer_((1 + 2 * kTileBytes / block_size) * max_lanes * block_size), all_lanes_(max_lanes) {}

void Lockstep::run(const BlockKernel& kernel, const void* schedule, Work work, std::span<const Job> jobs,
                   std::span<const Placed> placed, uint64_t rows, const uint8_t* zero_encrypted) {
  const size_t n = kernel.block_size;
  row_bytes_ = kernel.info.lanes * n;
  other_ = row(1 + kTileBytes / n);
  lanes_ = std::span(all_lanes_).first(kernel.info.lanes);
  const Step step{kernel, schedule, work, zero_encrypted};
  const auto run = [&]<size_t kBlock>() {
    begin<kBlock>(jobs, placed);
    run_tiles<kBlock>(step, rows);
  };
  n == 16 ? run.operator()<16>() : run.operator()<8>();
}

template <size_t kBlock>
void Lockstep::begin(std::span<const Job> jobs, std::span<const Placed> placed) {
  std::fill(lanes_.begin(), lanes_.end(), Lane{});
  std::memset(row(0), 0, row_bytes_);
  for (const Placed& p : placed) {
    const Job& job = jobs[p.job];
    lanes_[p.lane] = {job.in, job.out, job.len, job.out_len, 0};
    uint8_t* const iv = row(0) + p.lane * kBlock;
    if (job.iv_len == kBlock) std::memcpy(iv, job.iv, kBlock);
    if (job.iv_len == kBlock / 2) std::memcpy(iv, job.iv, kBlock / 2);  // of CTR
  }
}

template <size_t kBlock>
void Lockstep::run_tiles(const Step& step, uint64_t rows) {
  if (step.work == Work::cnt) step.kernel.encrypt_lanes(step.schedule, row(0), row(0), 1);  // RFC 5830 clause 6.1
  constexpr size_t kRows = Tile<kBlock>::kRows;
  for (uint64_t first = 0; first < rows; first += kRows)
    run_tile<kBlock>(step, first, static_cast<size_t>(std::min<uint64_t>(kRows, rows - first)));
}

template <size_t kBlock>
void Lockstep::run_tile(const Step& step, uint64_t first, size_t num) {
  using T = Tile<kBlock>;
  const size_t len = num * row_bytes_;
  const auto encrypt = [&](uint8_t* out, const uint8_t* in, size_t n) { step.kernel.encrypt_lanes(step.schedule, out, in, n); };
  const auto decrypt = [&](uint8_t* out, const uint8_t* in) { step.kernel.decrypt_lanes(step.schedule, out, in, num); };
  const auto feed_back = [&] { std::memcpy(row(0), row(num), row_bytes_); };

  const auto chain = [&](const auto& cipher) {
    for (size_t t = 1; t <= num; ++t) {
      xor_bytes(row(t), row(t), row(t - 1), row_bytes_);
      cipher(row(t), row(t), 1);
    }
    feed_back();
  };

  switch (step.work) {
    case Work::ecb_encrypt:
      T::gather(row(1), lanes_);
      encrypt(row(1), row(1), num);
      return T::template scatter<false>(lanes_, row(1));
    case Work::ecb_decrypt:
      T::gather(row(1), lanes_);
      decrypt(row(1), row(1));
      return T::template scatter<false>(lanes_, row(1));
    case Work::cbc_encrypt:
      T::gather(row(1), lanes_);
      chain(encrypt);
      return T::template scatter<false>(lanes_, row(1));
    case Work::cbc_decrypt:
      T::gather(row(1), lanes_);
      decrypt(other(0), row(1));
      xor_bytes(other(0), other(0), row(0), len);
      feed_back();
      return T::template scatter<false>(lanes_, other(0));
    case Work::cfb_encrypt:
      T::gather(row(1), lanes_);
      for (size_t t = 1; t <= num; ++t) {
        encrypt(other(0), row(t - 1), 1);
        xor_bytes(row(t), row(t), other(0), row_bytes_);
      }
      feed_back();
      return T::template scatter<false>(lanes_, row(1));
    case Work::cfb_decrypt:
      T::gather(row(1), lanes_);
      encrypt(other(0), row(0), num);
      feed_back();
      return T::template scatter<true>(lanes_, other(0));
    case Work::ofb:
      for (size_t t = 1; t <= num; ++t) encrypt(row(t), row(t - 1), 1);
      feed_back();
      return T::template scatter<true>(lanes_, row(1));
    case Work::ctr:
      make_counters<kBlock>(row(0), row_bytes_, first, num);
      encrypt(row(1), row(1), num);
      return T::template scatter<true>(lanes_, row(1));
    case Work::cnt:
      step_cnt(row(0), row_bytes_, num);
      feed_back();
      encrypt(row(1), row(1), num);
      return T::template scatter<true>(lanes_, row(1));
    case Work::mac:
      gather_mac<kBlock>(step, first);
      chain(encrypt);
      return release_tags<kBlock>();
    case Work::imit:
      gather_mac<kBlock>(step, first);
      chain([&](uint8_t* out, const uint8_t* in, size_t n) { step.kernel.imit_lanes(step.schedule, out, in, n); });
      return release_tags<kBlock>();
  }
}

template <size_t kBlock>
void Lockstep::gather_mac(const Step& step, uint64_t first) {
  using T = Tile<kBlock>;
  const auto at = [&](const Lane& lane) { return row(1) + T::index(lanes_, lane); };
  const auto move_on = [](Lane& lane) {
    T::prefetch(lane);
    lane.in += kTileBytes, lane.left -= kTileBytes;
  };
  Wiped<uint8_t[kTileBytes]> filled;
  const auto both = [&](Lane& a, Lane& b) {
    T::template put<2>(at(a), row_bytes_, {a.in, b.in});
    move_on(a), move_on(b);
  };
  const auto one = [&](Lane& lane) {
    if (!lane.out) return;
    if (lane.left > kTileBytes) {
      T::template put<1>(at(lane), row_bytes_, {lane.in});
      return move_on(lane);
    }
    std::memset(filled.value, 0, kTileBytes);
    if (lane.left) std::memcpy(filled.value, lane.in, lane.left);
    lane.last = step.work == Work::imit
                    ? end_imit(lane.left, first == 0)
                    : end_mac<kBlock>(filled.value, lane.left, step.zero_encrypted + T::index(lanes_, lane));
    T::template put<1>(at(lane), row_bytes_, {filled.value});
  };
  T::for_lanes(lanes_, kTileBytes + 1, both, one);
}

template <size_t kBlock>
void Lockstep::release_tags() {
  for (size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (!lane.last) continue;
    std::memcpy(lane.out, row(lane.last) + i * kBlock, lane.out_len);
    lane = {};
  }
}

}  // namespace vsh::streams
