// Readers of scans and volumes: NumPy headers, sidecars, lists of ellipsoids, TIFF, PNG, NIfTI, DICOM, Zarr's metadata;
// ONNX models. Whatever a file says, an accepted one has bounded sizes and can be read. HDF5 is left to its library's
// own fuzzers: tests/programs/tomo has files made to do harm.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "fuzz.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/tomo/formats/array_file.hpp"
#include "programs/tomo/formats/picture.hpp"
#include "programs/tomo/phantom/object_file.hpp"
#include "programs/tomo/scans/scan.hpp"
#include "programs/tomo/scans/sidecar.hpp"
#include "programs/tomo/segmentation/onnx_model.hpp"
#include "programs/tomo/volumes/dicom_reader.hpp"
#include "programs/tomo/volumes/nifti_reader.hpp"
#include "programs/tomo/volumes/zarr_reader.hpp"

namespace {

using namespace vsh::fuzz;
namespace tomo = vsh::tomo;

void read_array(const std::string& path) {
  tomo::ArrayFile file = tomo::ArrayFile::npy(path);
  uint64_t num = 1;
  for (const uint64_t size : file.shape()) num *= size;
  float numbers[64];
  file.read(numbers, 0, std::min<uint64_t>(num, 64));
  if (num > 64) file.read(numbers, num - 64, 64);
}

void read_sidecar(const std::string& path) {
  const auto sidecar = tomo::read_sidecar(path);
  check(sidecar.has_value(), "a file that is there was not found", "sidecar");
  tomo::ScanInfo info;
  info.num_angles = 7;
  sidecar->apply(info);
  check(sidecar->whites.find('/') == std::string::npos, "a file elsewhere", "sidecar");
}

void read_pictures(tomo::Pictures& pictures) {
  for (size_t page = 0; page < std::min<size_t>(pictures.num_pages(), 4); ++page) {
    if (page > 0) pictures.next_page();
    const tomo::PictureShape shape = pictures.shape();
    check(shape.rows > 0 && shape.rows <= tomo::kMostRows && shape.columns > 0 && shape.columns <= tomo::kMostBins,
          "a picture of an impossible size", "pictures");
    std::vector<float> row(shape.columns);
    pictures.read_rows(row.data(), 0, 1);
    pictures.read_rows(row.data(), shape.rows - 1, 1);
  }
}

// A slice has not more numbers than the file.
void read_volume(tomo::VolumeReader& volume) {
  const auto& shape = volume.shape();
  std::vector<float> slice(shape[1] * shape[2]);
  volume.read(slice.data(), 0);
  if (shape[0] > 1) volume.read(slice.data(), shape[0] - 1);
}

void read_zarr(const std::string& path) {
  const tomo::ZarrArray array = tomo::read_zarr_array(path);
  for (const uint64_t size : array.chunk) check(size > 0, "chunks of nothing", "zarr");
  check(array.separator == "/" || array.separator == ".", "a file elsewhere", "zarr");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const size_t kind = input.below(9);
  const Bytes content = input.rest();
  const vsh::cli::Descriptor file(::memfd_create("scan", MFD_CLOEXEC));
  if (!file.is_open() || vsh::cli::write_all(file.get(), content.data(), content.size()) != 0) return 0;
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  try {
    switch (kind) {
      case 0: read_array(path); break;
      case 1: read_sidecar(path); break;
      case 2: (void)tomo::read_object(path); break;
      case 3: read_pictures(*tomo::open_tiff(path)); break;
      case 4: read_pictures(*tomo::open_png(path)); break;
      case 5: (void)tomo::read_model(path); break;
      case 6: read_volume(*tomo::open_nifti(path)); break;
      case 7: read_volume(*tomo::open_dicom(path, {path})); break;
      default: read_zarr(path); break;
    }
  } catch (const vsh::cli::Failure&) {
  }
  return 0;
}
