// Volumes over a store in memory that shows the order of requests, and files whose device fails.
#include "programs/common/disk/volume/volume.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "programs/common/disk/store/file_store.hpp"
#include "programs/common/disk/store/find_data.hpp"
#include "programs/common/text/failure.hpp"

using namespace vsh::disk;
using vsh::cli::Failure;

namespace {

std::atomic<int> sync_error = 0, num_syncs = 0, transfer_error = 0, num_interruptions = 0;
std::function<void()> in_sync;
std::atomic<size_t> most_per_transfer = SIZE_MAX;

ssize_t transfer(long call, int fd, void* bytes, size_t len, off_t offset) {
  if (num_interruptions > 0) {
    --num_interruptions;
    errno = EINTR;
    return -1;
  }
  if (transfer_error == 0) return ::syscall(call, fd, bytes, std::min(len, most_per_transfer.load()), offset);
  errno = transfer_error;
  return -1;
}

}  // namespace

// Replace the C library's in this program, the names by which the linker knows them: a file whose device fails, or
// moves less than it was asked to.
extern "C" {
ssize_t our_pread(int fd, void* out, size_t len, off_t offset) __asm__("pread");
ssize_t our_pread(int fd, void* out, size_t len, off_t offset) { return transfer(SYS_pread64, fd, out, len, offset); }
ssize_t our_pwrite(int fd, const void* in, size_t len, off_t offset) __asm__("pwrite");
ssize_t our_pwrite(int fd, const void* in, size_t len, off_t offset) {
  return transfer(SYS_pwrite64, fd, const_cast<void*>(in), len, offset);
}
}

// A device whose flush fails.
extern "C" int fdatasync(int fd) {
  const int error = sync_error;
  ++num_syncs;
  if (in_sync) in_sync();
  if (error == 0) return ::fsync(fd);
  errno = error;
  return -1;
}

namespace {

class Memory : public Store {
 public:
  explicit Memory(size_t size) : bytes(size) {}
  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes.size(); }
  bool may_write() const override { return true; }
  void read(uint8_t* out, size_t len, uint64_t offset) override {
    if (before_read) before_read();
    std::memcpy(out, bytes.data() + offset, len);
  }
  void write(const uint8_t* in, size_t len, uint64_t offset) override {
    if (before_write) before_write();
    std::memcpy(bytes.data() + offset, in, len);
  }
  void flush() override {}
  void discard(uint64_t offset, uint64_t len) override {
    if (before_write) before_write();
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(offset), len, uint8_t{0xee});
  }

  std::vector<uint8_t> bytes;
  std::function<void()> before_read, before_write;

 private:
  std::string name_ = "memory";
};

void set_key(VolumeKey& key) {
  for (size_t i = 0; i < sizeof key.bytes; ++i) key.bytes[i] = static_cast<uint8_t>(i);
}

struct OverMemory {
  explicit OverMemory(Layout layout) {
    VolumeKey key;
    set_key(key);
    auto store = std::make_unique<Memory>(layout.offset + layout.size);
    memory = store.get();
    volume = std::make_unique<Volume>(std::move(store), layout, key);
  }
  std::string text(uint64_t offset, size_t len) const {
    std::string out(len, '\0');
    volume->read(reinterpret_cast<uint8_t*>(out.data()), len, offset);
    return out;
  }
  void put(const std::string& text, uint64_t offset) const {
    volume->write(reinterpret_cast<const uint8_t*>(text.data()), text.size(), offset);
  }
  Memory* memory;
  std::unique_ptr<Volume> volume;
};

// Runs `second` while `first` is about to write to the store, and so has read already what it will write back. It waits
// for `second` for 100 ms: without a lock that is finished by then, and undone by what `first` writes.
void in_between(const OverMemory& over, const std::function<void()>& first, const std::function<void()>& second) {
  std::atomic<bool> is_writing = false, is_done = false, is_first = true;
  over.memory->before_write = [&] {
    if (!is_first.exchange(false)) return;
    is_writing = true;
    for (int i = 0; i < 50 && !is_done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  std::thread one(first);
  while (!is_writing) std::this_thread::yield();
  second();
  is_done = true;
  one.join();
  over.memory->before_write = nullptr;
}

const std::string kDots(3 * 4096, '.');

OverMemory with_dots() {
  OverMemory over({.size = kDots.size(), .sector_len = 4096});
  over.put(kDots, 0);
  return over;
}

TEST(NeighboursTest, PartBesidePart) {
  const OverMemory over = with_dots();
  in_between(
      over, [&] { over.put("first", 0); }, [&] { over.put("second", 100); });
  EXPECT_EQ(over.text(0, 106), "first" + std::string(95, '.') + "second");
}

TEST(NeighboursTest, WholeSectorsOverPart) {
  const OverMemory over = with_dots();
  const std::string whole(8192, 'w');
  in_between(
      over, [&] { over.put("first", 4096); }, [&] { over.put(whole, 0); });
  // Both orders are right, but nothing of the whole sector that the first one did not name may be undone.
  EXPECT_EQ(over.text(4096 + 5, 4091), std::string(4091, 'w'));
  EXPECT_EQ(over.text(0, 4096), std::string(4096, 'w'));
}

TEST(NeighboursTest, ZerosOverPart) {
  const OverMemory over = with_dots();
  in_between(
      over, [&] { over.put("first", 10); }, [&] { over.volume->write_zeros(4096, 0); });
  EXPECT_EQ(over.text(15, 4081), std::string(4081, '\0'));
}

TEST(NeighboursTest, DiscardOverPart) {
  const OverMemory over = with_dots();
  in_between(
      over, [&] { over.put("first", 10); }, [&] { over.volume->discard(4096, 0); });
  EXPECT_EQ(over.memory->bytes[100], 0xee);
}

TEST(NeighboursTest, OtherSectorsDoNotWait) {
  const OverMemory over = with_dots();
  std::atomic<bool> is_first_done = false, had_to_wait = true;
  const auto first = [&] {
    over.put("first", 0);
    is_first_done = true;
  };
  in_between(over, first, [&] {
    over.put("second", 5000);
    had_to_wait = is_first_done.load();
  });
  EXPECT_FALSE(had_to_wait);
  EXPECT_EQ(over.text(5000, 6), "second");
}

TEST(NeighboursTest, WholeSectorsDoNotWaitForEachOther) {
  const OverMemory over = with_dots();
  const std::string whole(4096, 'w');
  std::atomic<bool> is_first_done = false, had_to_wait = true;
  const auto first = [&] {
    over.put(whole, 0);
    is_first_done = true;
  };
  in_between(over, first, [&] {
    over.put(whole + whole, 0);
    had_to_wait = is_first_done.load();
  });
  EXPECT_FALSE(had_to_wait);
}

// More writers than buffers are kept, all between encryption and the store at the same time, and then again.
TEST(PiecesTest, EveryWriterHasItsOwn) {
  constexpr size_t kWriters = 20, kLen = 4096;
  const OverMemory over({.size = kWriters * kLen, .sector_len = kLen});
  for (int round = 0; round < 2; ++round) {
    std::atomic<size_t> num_writing = 0;
    over.memory->before_write = [&] {
      ++num_writing;
      for (int i = 0; i < 60'000 && num_writing < kWriters; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    std::vector<std::thread> writers;
    for (size_t i = 0; i < kWriters; ++i)
      writers.emplace_back(
          [&over, i, round] { over.put(std::string(kLen, static_cast<char>('a' + i + round)), i * kLen); });
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(num_writing, kWriters);
    for (size_t i = 0; i < kWriters; ++i)
      EXPECT_EQ(over.text(i * kLen, kLen), std::string(kLen, static_cast<char>('a' + i + round))) << i;
  }
}

TEST(DiscardTest, WholeSectorsOnly) {
  const OverMemory over = with_dots();
  over.volume->discard(4096, 100);
  over.volume->discard(8000, 100);
  EXPECT_EQ(over.text(0, kDots.size()), kDots);
  over.volume->discard(8092, 100);
  EXPECT_EQ(std::count(over.memory->bytes.begin() + 4096, over.memory->bytes.begin() + 8192, 0xee), 4096);
  EXPECT_EQ(over.text(0, 4096), kDots.substr(0, 4096));
}

TEST(RangeTest, BehindTheEnd) {
  const OverMemory over = with_dots();
  uint8_t byte[2] = {};
  EXPECT_THROW(over.volume->read(byte, 2, kDots.size() - 1), IoError);
  EXPECT_THROW(over.volume->write(byte, 2, kDots.size() - 1), IoError);
  EXPECT_THROW(over.volume->write(byte, 1, UINT64_MAX), IoError);
  EXPECT_THROW(over.volume->write_zeros(UINT64_MAX, 1), IoError);
  EXPECT_THROW(over.volume->discard(UINT64_MAX, 512), IoError);
  over.volume->write(byte, 0, kDots.size());
  EXPECT_EQ(over.text(0, kDots.size()), kDots);
}

TEST(LayoutTest, Bounds) {
  const Layout good = {.offset = 512, .size = 8192, .sector_len = 4096, .first_number = 8};
  const auto refuses = [](Layout layout, uint64_t store_size) {
    try {
      check_layout(layout, store_size, "it");
      return false;
    } catch (const Failure&) {
      return true;
    }
  };
  const auto changed = [&](auto change) {
    Layout layout = good;
    change(layout);
    return layout;
  };
  EXPECT_FALSE(refuses(good, 8704));
  EXPECT_TRUE(refuses(good, 8703));
  EXPECT_TRUE(refuses(good, 100));
  for (const uint32_t len : {0u, 1u, 256u, 513u, 1536u, 8192u})
    EXPECT_TRUE(refuses(changed([&](Layout& l) { l.sector_len = len; }), 1 << 20)) << len;
  for (const uint64_t size : {uint64_t{0}, uint64_t{512}, UINT64_MAX, UINT64_MAX - 4095, uint64_t{1} << 63})
    EXPECT_TRUE(refuses(changed([&](Layout& l) { l.size = size; }), UINT64_MAX)) << size;
  EXPECT_TRUE(refuses(changed([](Layout& l) { l.offset = 511; }), 1 << 20));
  EXPECT_TRUE(refuses(changed([](Layout& l) { l.offset = UINT64_MAX - 511; }), 1 << 20));
  EXPECT_TRUE(refuses(changed([](Layout& l) { l.first_number = 9; }), 1 << 20));
  EXPECT_TRUE(refuses(changed([](Layout& l) { l.first_number = UINT64_MAX - 7; }), 1 << 20));
  EXPECT_FALSE(refuses(changed([](Layout& l) { l.first_number = UINT64_MAX - 15; }), 1 << 20));
}

class FileStoreTest : public ::testing::Test {
 protected:
  FileStoreTest() {
    char name[] = "/tmp/vershina-store-XXXXXX";
    const int fd = ::mkstemp(name);
    path = name;
    EXPECT_EQ(::ftruncate(fd, 8192), 0);
    ::close(fd);
  }
  ~FileStoreTest() override {
    in_sync = nullptr;
    sync_error = transfer_error = num_interruptions = 0;
    most_per_transfer = SIZE_MAX;
    std::filesystem::remove(path);
  }
  // One thread flushes; another one while the system is at it, which waits for that one for 100 ms.
  static void flush_beside(const std::function<void()>& one, const std::function<void()>& other) {
    std::atomic<bool> is_flushing = false, is_done = false, has_ended = false;
    in_sync = [&] {
      sync_error = 0;
      if (is_flushing.exchange(true)) return;
      for (int i = 0; i < 50 && !is_done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
    std::thread first([&] {
      one();
      has_ended = true;
    });
    while (!is_flushing && !has_ended) std::this_thread::yield();
    EXPECT_TRUE(is_flushing) << "flush() has flushed nothing";
    other();
    is_done = true;
    first.join();
    in_sync = nullptr;  // it refers to what ends here
  }
  std::string path;
};

// The kernel reports a page that it could not write once, and calls it clean.
TEST_F(FileStoreTest, FailedFlushStaysFailed) {
  FileStore store(path, Access::read_write);
  store.flush();
  sync_error = EIO;
  EXPECT_THROW(store.flush(), IoError);
  sync_error = 0;
  try {
    store.flush();
    ADD_FAILURE() << "flushed after a failure";
  } catch (const IoError& error) {
    EXPECT_EQ(error.error(), EIO);
    EXPECT_NE(std::string(error.what()).find("an earlier flush failed"), std::string::npos);
  }
}

// The flush that was not told of the error does not report success.
TEST_F(FileStoreTest, FlushBesideOneThatFails) {
  FileStore store(path, Access::read_write);
  sync_error = EIO;
  flush_beside([&] { EXPECT_THROW(store.flush(), IoError); }, [&] { EXPECT_THROW(store.flush(), IoError); });
}

// Data written after a flush had begun need another one.
TEST_F(FileStoreTest, FlushBesideOneThatHasBegun) {
  FileStore store(path, Access::read_write);
  num_syncs = 0;
  flush_beside([&] { store.flush(); }, [&] { store.flush(); });
  EXPECT_EQ(num_syncs, 2);
  store.flush();
  EXPECT_EQ(num_syncs, 3);
}

TEST_F(FileStoreTest, ShortAndInterruptedTransfers) {
  FileStore store(path, Access::read_write);
  std::vector<uint8_t> in(1000), out(1000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 7 + 1);
  most_per_transfer = 77;
  num_interruptions = 2;
  store.write(in.data(), in.size(), 100);
  EXPECT_EQ(num_interruptions, 0);
  num_interruptions = 2;
  store.read(out.data(), out.size(), 100);
  EXPECT_EQ(num_interruptions, 0);
  EXPECT_EQ(in, out);
  most_per_transfer = SIZE_MAX;
  store.read(out.data(), out.size(), 100);
  EXPECT_EQ(in, out);
}

TEST_F(FileStoreTest, ErrorsOfTheDevice) {
  FileStore store(path, Access::read_write);
  uint8_t bytes[512] = {};
  for (const int error : {EIO, ENOSPC, EDQUOT}) {
    transfer_error = error;
    for (const bool writes : {false, true}) {
      try {
        writes ? store.write(bytes, 512, 0) : store.read(bytes, 512, 0);
        ADD_FAILURE() << "no error";
      } catch (const IoError& thrown) {
        EXPECT_EQ(thrown.error(), error);
      }
    }
  }
  transfer_error = 0;
  store.write(bytes, 512, 0);
  most_per_transfer = 0;  // neither an error nor a byte
  EXPECT_THROW(store.write(bytes, 512, 0), IoError);
  EXPECT_THROW(store.read(bytes, 512, 0), IoError);
}

TEST_F(FileStoreTest, ShorterFileIsNotMadeLonger) {
  FileStore store(path, Access::read_write);
  ASSERT_EQ(::truncate(path.c_str(), 4096), 0);
  uint8_t bytes[512] = {};
  EXPECT_THROW(store.write(bytes, 512, 0), IoError);
  EXPECT_THROW(store.write(bytes, 512, 7680), IoError);
  EXPECT_THROW(store.read(bytes, 512, 3840), IoError);
  EXPECT_THROW(store.flush(), IoError);
  EXPECT_THROW(store.discard(4096, 4096), IoError);
  EXPECT_EQ(std::filesystem::file_size(path), 4096U);
}

TEST_F(FileStoreTest, OneWriterOrSeveralReaders) {
  {
    const FileStore writer(path, Access::read_write);
    EXPECT_THROW(FileStore(path, Access::read_write), Failure);
    EXPECT_THROW(FileStore(path, Access::read_only), Failure);
  }
  const FileStore reader(path, Access::read_only), other(path, Access::read_only);
  EXPECT_THROW(FileStore(path, Access::read_write), Failure);
}

// In a store that is not a file: the first and last 16 MiB from where the volume begins, of any size.
TEST(FindData, LooksAtBothEnds) {
  constexpr uint64_t kEnd = 40 << 20, kBegin = 1 << 20;
  Memory store(kEnd);
  EXPECT_EQ(find_data(store, 0, kEnd, false), std::nullopt);
  for (const auto& [at, is_seen] : {std::pair<uint64_t, bool>{kBegin - 1, false},
                                    {kBegin, true},
                                    {kBegin + kLookedAtEnd - 1, true},
                                    {kBegin + kLookedAtEnd, false},
                                    {kEnd - kLookedAtEnd - 1, false},
                                    {kEnd - kLookedAtEnd, true},
                                    {kEnd - 1, true}}) {
    store.bytes[at] = 1;
    EXPECT_EQ(find_data(store, kBegin, kEnd, false), is_seen ? std::optional(at) : std::nullopt) << at;
    store.bytes[at] = 0;
  }
  store.bytes[20 << 20] = 1;
  EXPECT_EQ(find_data(store, 10 << 20, 30 << 20, false), 20 << 20) << "not longer than both ends together";
}

TEST_F(FileStoreTest, FindDataLooksThroughAFile) {
  constexpr off_t kEnd = 100 << 20;
  EXPECT_EQ(::truncate(path.c_str(), kEnd), 0);
  FileStore store(path, Access::read_write);
  EXPECT_EQ(find_data(store, 0, kEnd, false), std::nullopt);
  const std::vector<uint8_t> zeros(1 << 20), one = {1};
  store.write(zeros.data(), zeros.size(), 60 << 20);
  EXPECT_EQ(find_data(store, 0, kEnd, false), std::nullopt) << "written zeros are not data";
  store.write(one.data(), 1, 50 << 20);
  EXPECT_EQ(find_data(store, 0, kEnd, false), 50 << 20);
  EXPECT_EQ(find_data(store, (50 << 20) + 1, kEnd, false), std::nullopt);
  EXPECT_EQ(find_data(store, 0, 50 << 20, false), std::nullopt);
}

}  // namespace
