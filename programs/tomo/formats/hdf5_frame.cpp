#include "programs/tomo/formats/hdf5_frame.hpp"

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#if VSH_WITH_HDF5
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "programs/common/system/descriptor.hpp"
#include "programs/tomo/formats/hdf5_driver.hpp"
#include "programs/tomo/formats/hdf5_file.hpp"
#endif

namespace vsh::tomo {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

#if VSH_WITH_HDF5
namespace {

// Writes into a file in memory with a hole instead of the numbers: on a disk, paths and labels of a volume that is
// sealed would be left in the clear.
class FrameWriter {
 public:
  explicit FrameWriter(const Hdf5Layout& layout) : layout_(layout) {
    quiet_hdf5();
    file_ = cli::Descriptor(::memfd_create("vershina", MFD_CLOEXEC));
    if (!file_.is_open()) fail(std::strerror(errno));
  }

  Hdf5Frame write() {
    Hdf5Frame frame;
    const uint64_t offset = write_file(frame.len);
    const off_t end = ::lseek(file_.get(), 0, SEEK_END);
    if (end < 0 || static_cast<uint64_t>(end) < offset + frame.len) fail("the file is too short");
    frame.head = read(0, offset);
    frame.tail = read(offset + frame.len, static_cast<uint64_t>(end) - offset - frame.len);
    return frame;
  }

 private:
  [[noreturn]] static void fail(const std::string& reason) {
    throw Failure(ExitCode::internal, tr("an HDF5 file cannot be made: {1}", reason));
  }
  static hid_t check(hid_t id) {
    if (id < 0) fail(hdf5_message());
    return id;
  }

  Bytes read(uint64_t offset, uint64_t len) {
    Bytes bytes(len);
    for (size_t done = 0; done < len;) {
      const ssize_t got = ::pread(file_.get(), bytes.data() + done, len - done, static_cast<off_t>(offset + done));
      if (got <= 0) fail(std::strerror(got < 0 ? errno : EIO));
      done += static_cast<size_t>(got);
    }
    return bytes;
  }

  Hdf5Id create(hid_t file, const std::string& path, hid_t type, const std::vector<uint64_t>& sizes, bool is_large) {
    const Hdf5Id links(check(H5Pcreate(H5P_LINK_CREATE))), list(check(H5Pcreate(H5P_DATASET_CREATE)));
    check(H5Pset_create_intermediate_group(links.get(), 1));
    check(H5Pset_obj_track_times(list.get(), 0));  // the same scan makes the same bytes
    if (is_large) {
      check(H5Pset_layout(list.get(), H5D_CONTIGUOUS));
      check(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY));
      check(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER));
    }
    const std::vector<hsize_t> dims(sizes.begin(), sizes.end());
    const Hdf5Id space(check(dims.empty() ? H5Screate(H5S_SCALAR)
                                          : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr)));
    return Hdf5Id(check(H5Dcreate2(file, path.c_str(), type, space.get(), links.get(), list.get(), H5P_DEFAULT)));
  }

  static Hdf5Id text_type(const std::string& text) {
    Hdf5Id type(check(H5Tcopy(H5T_C_S1)));
    check(H5Tset_size(type.get(), text.size() + 1));
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8));
    return type;
  }

  uint64_t write_file(uint64_t& len) {
    const Hdf5Memory memory(file_.get());
    const Hdf5Id file(check(H5Fcreate(kHdf5Memory, H5F_ACC_TRUNC, H5P_DEFAULT, hdf5_access())));
    for (const Hdf5Layout::Text& text : layout_.texts) {
      const Hdf5Id type = text_type(text.text), set = create(file.get(), text.path, type.get(), {}, false);
      check(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.text.c_str()));
    }
    for (const Hdf5Layout::Array& array : layout_.arrays) {
      const Hdf5Id set =
          create(file.get(), array.path, array.is_float ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, array.sizes, false);
      check(H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.numbers.data()));
    }
    const Hdf5Id large = create(file.get(), layout_.path, H5T_IEEE_F32LE, layout_.sizes, true);
    for (const Hdf5Layout::Attribute& attribute : layout_.attributes) {
      const Hdf5Id object(check(H5Oopen(file.get(), attribute.path.c_str(), H5P_DEFAULT)));
      const Hdf5Id type = text_type(attribute.text), space(check(H5Screate(H5S_SCALAR)));
      const Hdf5Id made(
          check(H5Acreate2(object.get(), attribute.name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)));
      check(H5Awrite(made.get(), type.get(), attribute.text.c_str()));
    }
    const haddr_t offset = H5Dget_offset(large.get());
    if (offset == HADDR_UNDEF) fail("no place for the numbers");
    len = H5Dget_storage_size(large.get());
    check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL));
    return offset;
  }

  const Hdf5Layout& layout_;
  cli::Descriptor file_;
};

}  // namespace

Hdf5Frame hdf5_frame(const Hdf5Layout& layout) { return FrameWriter(layout).write(); }

#else

Hdf5Frame hdf5_frame(const Hdf5Layout&) {
  throw Failure(ExitCode::usage, tr("this program was built without HDF5"), tr("choose another format with --format"));
}

#endif

}  // namespace vsh::tomo
