// Volumes whose size is the difficulty, written without being made as a whole.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/tomo/volumes/folder_writers.hpp"
#include "programs/tomo/volumes/volume_reader.hpp"
#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {
namespace {

// A file of whose writes only the beginning is kept while it is sparse: the rest is a hole.
class SparseFile : public cli::Output {
 public:
  SparseFile()
      : name_(testing::TempDir() + "vershina-writers-" + std::to_string(::getpid()) + ".tif"),
        file_(::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
  ~SparseFile() override { (void)::unlink(name_.c_str()); }

  void write(std::span<const uint8_t> data) override {
    const size_t len = is_sparse ? std::min<size_t>(data.size(), 1024) : data.size();
    ASSERT_EQ(::pwrite(file_.get(), data.data(), len, static_cast<off_t>(len_)), static_cast<ssize_t>(len));
    len_ += data.size();
  }
  void commit() override { ASSERT_EQ(::ftruncate(file_.get(), static_cast<off_t>(len_)), 0); }
  bool is_direct() const override { return true; }
  const std::string& name() const override { return name_; }

  uint64_t len() const { return len_; }
  template <class T>
  T at(uint64_t offset) const {
    T value{};
    EXPECT_EQ(::pread(file_.get(), &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
    return value;
  }

  bool is_sparse = false;

 private:
  const std::string name_;
  const cli::Descriptor file_;
  uint64_t len_ = 0;
};

VolumeInfo volume_of(size_t num_slices, size_t size) {
  VolumeInfo info;
  info.num_slices = num_slices;
  info.size = size;
  return info;
}

constexpr uint16_t kBigTiff = 43, kStripOffsets = 273;

// Offsets in the directory of a page: the strip's, or 0, and the next page's.
std::pair<uint64_t, uint64_t> page_at(const SparseFile& file, uint64_t offset) {
  const auto num = file.at<uint64_t>(offset);
  EXPECT_LT(num, 100u);
  uint64_t strip = 0;
  for (uint64_t i = 0; i < num && i < 100; ++i)
    if (file.at<uint16_t>(offset + 8 + 20 * i) == kStripOffsets) strip = file.at<uint64_t>(offset + 8 + 20 * i + 12);
  return {strip, file.at<uint64_t>(offset + 8 + 20 * num)};
}

// Slices too many for anything but BigTIFF, of which the first and the last one are written.
TEST(BigTiff, FirstAndLastSlice) {
  for (const VolumeFormat format : {VolumeFormat::tiff, VolumeFormat::tiff16}) {
    const VolumeInfo info = volume_of(20'000'000, 1);
    SparseFile file;
    const auto writer = new_file_writer(format, file, info, {0, 65535});
    const float first = 7, last = 9;
    writer->write(&first, 0, 1);
    writer->write(&last, info.num_slices - 1, 1);
    writer->commit();
    EXPECT_EQ(file.at<uint16_t>(2), kBigTiff);
    EXPECT_GT(file_len(format, info), uint64_t{1} << 32);

    const auto [strip, next] = page_at(file, file.at<uint64_t>(8));
    const auto [last_strip, end] = page_at(file, next);
    EXPECT_EQ(end, 0u);
    const auto value = [&](uint64_t at) {
      return format == VolumeFormat::tiff ? file.at<float>(at) : static_cast<float>(file.at<uint16_t>(at));
    };
    EXPECT_EQ(value(strip), first);
    EXPECT_EQ(value(last_strip), last);
  }
}

#if VSH_WITH_TIFF
// Directories and pixels beyond 4 GiB, read by libtiff.
TEST(BigTiff, BeyondFourGigabytes) {
  const VolumeInfo info = volume_of(1030, 1024);
  SparseFile file;
  const auto writer = new_file_writer(VolumeFormat::tiff, file, info, {});
  std::vector<float> slice(info.size * info.size);
  for (size_t z = 0; z < info.num_slices; ++z) {
    slice.front() = static_cast<float>(z), slice.back() = -static_cast<float>(z);
    file.is_sparse = z > 0 && z + 1 < info.num_slices;
    writer->write(slice.data(), z, 1);
  }
  writer->commit();
  ASSERT_GT(file.len(), uint64_t{1} << 32);
  EXPECT_EQ(file.len(), file_len(VolumeFormat::tiff, info));

  const auto reader = open_volume(file.name());
  EXPECT_EQ(reader->shape()[0], info.num_slices);
  for (const size_t z : {size_t{0}, size_t{1}, size_t{1029}}) {
    reader->read(slice.data(), z);
    EXPECT_EQ(slice.front(), static_cast<float>(z));
    EXPECT_EQ(slice.back(), z == 1 ? 0 : -static_cast<float>(z)) << z;
  }
}
#endif

TEST(Dicom, MostPixels) {
  class Nowhere : public Folder {
   public:
    void add(const std::string&, std::span<const uint8_t>) override {}
    void commit() override {}
    const std::string& name() const override { return name_; }

   private:
    std::string name_ = "nowhere";
  };
  const auto open = [](size_t size) {
    return new_folder_writer(VolumeFormat::dicom, std::make_unique<Nowhere>(), volume_of(1, size), {0, 1}, {});
  };
  EXPECT_NO_THROW(open(46340));
  EXPECT_LT(uint64_t{46340} * 46340 * 2, UINT32_MAX);  // bytes of an element; that value stands for an unknown length
  EXPECT_THROW(open(46341), cli::Failure);
}

}  // namespace
}  // namespace vsh::tomo
