// What `vershina tune --device` measured: from which size on a device beats the processor, and the size of pieces that
// it likes best. One file (core/cost_file.hpp) for all devices of a machine, beside that of the kernels' costs:
//
//     cuda:0 5be3c01f9d0a7e42 magma ctr 8388608 4194304
//     cuda:0 5be3c01f9d0a7e42 magma cbc-decrypt never 4194304
//     cuda:0 5be3c01f9d0a7e42 magma batch-cfb-encrypt 8192 512
//     cuda:0 5be3c01f9d0a7e42 magma batch-cfb-encrypt 2048 4096
//
// id, fingerprint of the device and its driver, algorithm, work; then of a request under one key its least bytes, and
// the bytes of a piece; of a batch its least messages, and the bytes that each of them has at least. Batches have a row
// for each length that was measured, since neither count nor bytes would do: a device takes as long for a chain (CFB,
// MAC, a hash) as for a thousand beside it, so there the number of messages decides, but the sum of their bytes where
// blocks are independent.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerator.hpp"
#include "core/cost_file.hpp"
#include "core/registry.hpp"
#include "gpu/device/device.hpp"
#include "streams/job.hpp"

namespace vsh::gpu {

// What is measured by itself: works under one key; works of batches of messages, MGM of packets, hashes.
class RatedWork {
 public:
  static constexpr size_t kCount = Accelerator::kNumWorks + streams::kNumWorks + 2;

  constexpr RatedWork(Accelerator::Work work) noexcept : number_(static_cast<size_t>(work)) {}  // NOLINT: converts
  constexpr RatedWork(streams::Work work) noexcept                                              // NOLINT
      : number_(Accelerator::kNumWorks + static_cast<size_t>(work)) {}
  static constexpr RatedWork batch_mgm() noexcept { return numbered(kCount - 2); }  // packets
  static constexpr RatedWork batch_hash() noexcept { return numbered(kCount - 1); }
  static constexpr RatedWork numbered(size_t number) noexcept { return RatedWork(number); }  // below kCount

  constexpr size_t number() const noexcept { return number_; }
  constexpr bool is_batch() const noexcept { return number_ >= Accelerator::kNumWorks; }
  std::string_view name() const noexcept;  // "cbc-decrypt", "batch-cbc-decrypt"
  auto operator<=>(const RatedWork&) const = default;

 private:
  explicit constexpr RatedWork(size_t number) noexcept : number_(number) {}
  size_t number_;
};

struct Rate {
  std::string id, fingerprint;
  Algorithm algorithm;  // streebog with batch_hash alone
  RatedWork work;
  uint64_t least;  // bytes, or messages, with which a device is faster than the processor; kNever
  uint64_t size;   // bytes of a piece, kMinPiece to kMaxPiece; of a batch's messages, 1 to kMaxLength
};

inline constexpr uint64_t kNever = UINT64_MAX;
inline constexpr uint64_t kMinPiece = 64 << 10, kMaxPiece = 256 << 20, kMaxLength = 1 << 20;
inline constexpr size_t kMaxRatesSize = 256 << 10;  // bytes of the file; a device has about 7 KiB

// Tells a device, with its driver, from any other that may get its id.
std::string fingerprint(const DeviceInfo& info);

std::string format_rates(const std::vector<Rate>& rates);
// Nothing unless it was made here; sorted by device and work, batches by length. On failure `problem` says why, in a
// few words without anything of the text.
std::optional<std::vector<Rate>> parse_rates(std::string_view text, std::string& problem);

// All that the file says, sorted as parse_rates does. It is read once. Any thread; so below.
const std::vector<Rate>& measured_rates() noexcept;
// What it says of this device and work: a row, of a batch one for each length, shorter ones first. Empty where nothing
// was measured.
std::span<const Rate> rates_of(const DeviceInfo& info, Algorithm algorithm, RatedWork work) noexcept;

// Whether a device with these rates of a batch's work is faster: by the row of the longest messages that are not longer
// than these are on average. Of messages shorter than all that were measured nothing is known.
bool pays(std::span<const Rate> of_lengths, uint64_t num_messages, uint64_t num_bytes) noexcept;

// The file that is meant.
const tuner::Source& rates_source() noexcept;

}  // namespace vsh::gpu
