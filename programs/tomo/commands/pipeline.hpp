// A volume in blocks of slices: the next block is read and the last one written while one is computed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "programs/tomo/commands/prepared_scan.hpp"
#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {

// Slices first, ..., end - 1 of the scan's rows, in blocks of at most `block`.
struct Division {
  size_t first, end, block, size;
};
// Fills `volume` from line integrals. Called on one thread.
using Compute = std::function<void(float* volume, const PreparedScan::Block& block)>;

// Throws the first Failure of any of the three. done(n): called after n more slices are written. offset: of the
// scan's rows before slice 0 of the output.
void run_blocks(PreparedScan& scan, const Division& division, size_t offset, const Compute& compute,
                VolumeWriter& writer, const std::function<void(size_t)>& done);

}  // namespace vsh::tomo
