// OME-Zarr: 0.5 over Zarr 3 (ngff.openmicroscopy.org/0.5), or 0.4 over Zarr 2 for older readers. Chunks are not packed.
//
// A run that is cut off leaves NAME.partial, from which the next one goes on; complete, it gets its final name.
#pragma once

#include <memory>
#include <string>

#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {

class ZarrWriter : public VolumeWriter {
 public:
  // format: zarr2 or zarr3. settings: what the values depend on; a run goes on only with the same. Throws a Failure if
  // there is a volume of that name, or an unfinished one and `resume` is not given, or another process writes it.
  static std::unique_ptr<ZarrWriter> open(const std::string& path, VolumeFormat format, const VolumeInfo& info,
                                          const std::string& settings, bool resume);
  // The first slice that is not there yet.
  virtual size_t next_slice() const = 0;
};

// Throws that Failure without making anything.
void check_zarr_name(const std::string& path, bool resume);
// Bytes of all levels.
uint64_t zarr_len(const VolumeInfo& info);
// Bytes of memory that writing takes.
uint64_t zarr_memory(const VolumeInfo& info);

}  // namespace vsh::tomo
