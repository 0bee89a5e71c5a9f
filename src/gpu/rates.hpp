// What `vershina tune --device` measured: from which size of a request on a device beats the processor, and the size of
// pieces that it likes best. One file for all devices of a machine, beside that of the kernels' costs:
//
//     vershina-devices 1
//     cpu AMD EPYC-Milan Processor              that the devices were measured against
//     build 0f3a6b7c8d9e1122                    (core/tune_cache.hpp)
//     cuda:0 5be3c01f9d0a7e42 magma ctr 8388608 4194304
//     cuda:0 5be3c01f9d0a7e42 magma cbc-decrypt never 4194304
//
// id, fingerprint of the device and its driver, algorithm, work, least bytes of a request, bytes of a piece. The file
// is read as hostile input: the worst that it can do is to make the library slow.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerator.hpp"
#include "core/registry.hpp"
#include "gpu/device.hpp"

namespace vsh::gpu {

struct Rate {
  std::string id, fingerprint;
  Algorithm algorithm;
  Accelerator::Work work;
  uint64_t least;  // bytes of a request that is faster on the device than on the processor; UINT64_MAX: none is
  uint64_t piece;  // bytes, kMinPiece to kMaxPiece
};

inline constexpr uint64_t kMinPiece = 64 << 10, kMaxPiece = 256 << 20;

// Tells a device, with its driver, from any other that may get its id.
std::string fingerprint(const DeviceInfo& info);
// "cbc-decrypt".
std::string_view work_name(Accelerator::Work work) noexcept;

std::string format_rates(const std::vector<Rate>& rates);
// Nothing unless it was made here. On failure `problem` says why, in a few words without anything of the text.
std::optional<std::vector<Rate>> parse_rates(std::string_view text, std::string& problem);

// Where the file is; empty where there is no place for one.
std::string rates_path();
// All that the file says.
const std::vector<Rate>& measured_rates() noexcept;
// What the file says of this device and work; null where nothing was measured. Read once. Any thread.
const Rate* measured_rate(const DeviceInfo& info, Algorithm algorithm, Accelerator::Work work) noexcept;
// For people, as tuner::describe: "measured: FILE", "not measured: there is no FILE".
std::string describe_rates(std::string (*quote)(std::string_view path));

}  // namespace vsh::gpu
