// Results of `vershina tune --device`: from which size on a device beats the processor, and the size of pieces that
// it likes best. One file (core/cost_file.hpp) for all devices of a machine, next to that of the kernels' costs:
//
//     cuda:0 5be3c01f9d0a7e42 magma ctr 8388608 4194304
//     cuda:0 5be3c01f9d0a7e42 magma cbc-decrypt never 4194304
//     cuda:0 5be3c01f9d0a7e42 magma batch-cfb-encrypt 8192 512
//     cuda:0 5be3c01f9d0a7e42 magma batch-cfb-encrypt 2048 4096
//
// id, fingerprint of the device and its driver, algorithm, operation; then of a request under one key its least bytes,
// and the bytes of a piece; for a batch the least number of messages and the least bytes of each. Batches have a row
// for each length that was measured, since neither count nor bytes would do: a device takes as long for one chain (CFB,
// MAC, a hash) as for a thousand at once, so there the number of messages decides, but the sum of their bytes if blocks
// are independent.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost_file.hpp"
#include "core/operation.hpp"
#include "core/registry.hpp"
#include "gpu/device/device.hpp"

namespace vsh::gpu {

// A separately measured subject: an operation under one key, or on a batch of messages, each under its own.
struct CrossoverSubject {
  constexpr CrossoverSubject(Operation o, bool of_batches = false) : operation(o), is_batch(of_batches) {}  // NOLINT

  Operation operation;
  bool is_batch;

  bool exists() const noexcept;
  std::string name() const;  // "cbc-decrypt", "batch-cbc-decrypt"
  auto operator<=>(const CrossoverSubject&) const = default;
};
constexpr CrossoverSubject batch_of(Operation operation) { return {operation, true}; }

struct Crossover {
  std::string id, fingerprint;
  Algorithm algorithm;  // streebog only with batch_of(Operation::hash)
  CrossoverSubject subject;
  uint64_t least;  // bytes, or messages, with which a device is faster than the processor; kNever
  uint64_t size;   // bytes of a piece, kMinPiece to kMaxPiece; of a batch's messages, 1 to kMaxLength
};

inline constexpr uint64_t kNever = UINT64_MAX;
inline constexpr uint64_t kMinPiece = 64 << 10, kMaxPiece = 256 << 20, kMaxLength = 1 << 20;
inline constexpr size_t kMaxCrossoversSize = 256 << 10;  // bytes of the file; a device has about 7 KiB

// Tells a device, with its driver, from any other that may get its id.
std::string fingerprint(const DeviceInfo& info);

std::string format_crossovers(const std::vector<Crossover>& rows);
// Returns nothing unless the text was made here; sorted by device and subject, batches by length. On failure `problem`
// gives the reason, in a few words that quote nothing of the text.
std::optional<std::vector<Crossover>> parse_crossovers(std::string_view text, std::string& problem);

// Returns everything in the file, sorted as parse_crossovers does. It is read once. Any thread; so below.
const std::vector<Crossover>& measured_crossovers() noexcept;
// Returns its rows for this device and subject: one, of a batch one for each length, shorter ones first. Empty if
// nothing was measured.
std::span<const Crossover> crossovers_of(const DeviceInfo& info, Algorithm algorithm,
                                         CrossoverSubject subject) noexcept;

// Returns whether a device with these rows of a batch is faster: by the row of the longest messages that are not longer
// than these are on average. Messages shorter than all that were measured have no row.
bool worth_a_device(std::span<const Crossover> of_lengths, uint64_t num_messages, uint64_t num_bytes) noexcept;

// Returns the file that is used.
const tuner::Source& crossovers_source() noexcept;

}  // namespace vsh::gpu
