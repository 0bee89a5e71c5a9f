#include "programs/tomo/formats/hdf5_driver.hpp"

#include <unistd.h>

#include <exception>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "programs/common/system/descriptor_path.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/hdf5_file.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

class Driver {
 public:
  static Driver& get() {
    static Driver driver;
    return driver;
  }

  hid_t access() const { return access_.get(); }
  void allow(const std::string& folder) {
    const std::scoped_lock lock(mutex_);
    folders_.insert(folder);
  }
  void set_memory(int file) {
    const std::scoped_lock lock(mutex_);
    memory_ = file;
  }

 private:
  Driver() {
    if (::access("/proc/self/fd", X_OK) != 0)
      throw Failure(ExitCode::input, tr("HDF5 files need /proc, which is not mounted"),
                    tr("mount it, or use another format"));
    const Hdf5Id plain(H5Pcreate(H5P_FILE_ACCESS));
    (void)H5Pset_fapl_sec2(plain.get());
    H5FD_t* const file = H5FDopen("/dev/null", H5F_ACC_RDONLY, plain.get(), HADDR_UNDEF);  // only so is it to be had
    if (file == nullptr) throw Failure(ExitCode::internal, tr("HDF5 has no driver for files"));
    H5FD_class_t driver = *file->cls;
    (void)H5FDclose(file);
    plain_open_ = std::exchange(driver.open, open);
    driver.name = "vershina";
    driver.terminate = nullptr;
    access_ = Hdf5Id(H5Pcreate(H5P_FILE_ACCESS));
    if (H5Pset_driver(access_.get(), H5FDregister(&driver), nullptr) < 0)
      throw Failure(ExitCode::internal, tr("HDF5 has no driver for files"));
  }

  static H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t most) {
    try {
      const auto open_descriptor = [&](int file) {
        return get().plain_open_(cli::path_of(file).c_str(), flags, access, most);
      };
      if (const int memory = get().memory_of(name); memory >= 0) return open_descriptor(memory);
      return open_descriptor(open_regular({name, get().folder_around(name)}).descriptor());
    } catch (const std::exception&) {
      return nullptr;
    }
  }

  int memory_of(std::string_view name) const {
    const std::scoped_lock lock(mutex_);
    return name == kHdf5Memory ? memory_ : -1;
  }
  std::string folder_around(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    for (const std::string& folder : folders_)
      if (name.starts_with(folder)) return folder;
    throw Failure(ExitCode::input, name);
  }

  mutable std::mutex mutex_;
  std::set<std::string> folders_;
  int memory_ = -1;
  decltype(H5FD_class_t::open) plain_open_ = nullptr;
  Hdf5Id access_;
};

}  // namespace

hid_t hdf5_access() { return Driver::get().access(); }
void allow_hdf5_folder(const std::string& folder) { Driver::get().allow(folder); }

Hdf5Memory::Hdf5Memory(int file) { Driver::get().set_memory(file); }
Hdf5Memory::~Hdf5Memory() { Driver::get().set_memory(-1); }

}  // namespace vsh::tomo
