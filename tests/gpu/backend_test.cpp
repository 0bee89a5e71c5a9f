// The contract of gpu/device/device.hpp on every device here, with a program without ciphers.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "gpu/support/device_test.hpp"

namespace vsh::gpu {
namespace {

using Backend = test::DeviceTest;

std::vector<uint32_t> numbers(size_t count, uint32_t seed) {
  std::vector<uint32_t> all(count);
  for (size_t i = 0; i < count; ++i) all[i] = static_cast<uint32_t>(i * 2654435761u + seed);
  return all;
}

std::vector<uint32_t> expected(const std::vector<uint32_t>& in, uint64_t first, uint32_t factor) {
  std::vector<uint32_t> out(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const uint64_t number = i + first;
    out[i] = in[i] * factor + static_cast<uint32_t>(number >> 32 | number << 32);
  }
  return out;
}

constexpr uint64_t kFirst = 0x123456789abcdefu;
constexpr uint32_t kFactor = 0xfedcba97u;

class Job {
 public:
  Job(Device& device, size_t count)
      : count_(count),
        kernel_(device.program("probe", "")->kernel("vsh_probe")),
        in_(device.allocate(4 * count)),
        out_(device.allocate(4 * count)),
        queue_(device.make_queue()) {}

  void start(const void* in, void* out) {
    queue_->upload(*in_, 0, in, 4 * count_);
    const Argument arguments[] = {*out_, *in_, kFirst, kFactor, uint64_t{count_}};
    queue_->launch(kernel_, count_, arguments);
    queue_->download(out, *out_, 0, 4 * count_);
  }
  void finish() { queue_->finish(); }
  Buffer& in() { return *in_; }
  Buffer& out() { return *out_; }
  Queue& queue() { return *queue_; }

 private:
  size_t count_;
  Kernel& kernel_;
  std::unique_ptr<Buffer> in_, out_;
  std::unique_ptr<Queue> queue_;
};

TEST_F(Backend, KernelsSeeEveryArgumentAndEveryItem) {
  for_each_device([](Device& device) {
    for (const size_t count : {size_t{1}, size_t{127}, size_t{128}, size_t{129}, size_t{100'000}}) {
      const auto in = numbers(count, 1);
      std::vector<uint32_t> out(count);
      Job job(device, count);
      job.start(in.data(), out.data());
      job.finish();
      EXPECT_EQ(out, expected(in, kFirst, kFactor)) << count;
    }
  });
}

TEST_F(Backend, PageLockedMemoryIsCopiedFromAndTo) {
  for_each_device([](Device& device) {
    constexpr size_t kCount = 5000;
    const auto host = device.allocate_host(8 * kCount);
    ASSERT_EQ(host->bytes().size(), 8 * kCount);
    uint8_t* const p = host->bytes().data();
    EXPECT_TRUE(device.is_page_locked(p, 8 * kCount));
    EXPECT_TRUE(device.is_page_locked(p + 100, 1));
    const uint8_t on_the_stack[64] = {};
    EXPECT_FALSE(device.is_page_locked(on_the_stack, sizeof on_the_stack));
    const auto in = numbers(kCount, 2);
    std::memcpy(p, in.data(), 4 * kCount);
    Job job(device, kCount);
    job.start(p, p + 4 * kCount);
    job.finish();
    EXPECT_EQ(std::memcmp(p + 4 * kCount, expected(in, kFirst, kFactor).data(), 4 * kCount), 0);
  });
}

// Pageable memory of any length may be reused as soon as the call returns.
TEST_F(Backend, UploadsFromPageableMemoryAreDoneWithItAtOnce) {
  for_each_device([](Device& device) {
    for (const size_t count : {size_t{4}, size_t{16 * 1024}, size_t{50'000}}) {
      auto scratch = numbers(count, 3);
      const auto in = scratch;
      const auto buffer = device.allocate(4 * count);
      const auto queue = device.make_queue();
      queue->upload(*buffer, 0, scratch.data(), 4 * count);
      std::fill(scratch.begin(), scratch.end(), 0);
      std::vector<uint32_t> out(count);
      queue->download(out.data(), *buffer, 0, 4 * count);
      queue->finish();
      EXPECT_EQ(out, in) << count;
    }
  });
}

TEST_F(Backend, PiecesAreCopiedAndErased) {
  for_each_device([](Device& device) {
    const auto in = numbers(64, 4);
    const auto a = device.allocate(256), b = device.allocate(256);
    const auto queue = device.make_queue();
    std::vector<uint32_t> out(64), want = in;
    queue->upload(*a, 0, in.data(), 256);
    queue->upload(*b, 0, in.data(), 256);
    queue->copy(*b, 16, *a, 32, 64);
    queue->erase(*b, 128, 32);
    queue->download(out.data(), *b, 0, 256);
    queue->finish();
    std::copy_n(in.begin() + 8, 16, want.begin() + 4);
    std::fill_n(want.begin() + 32, 8, 0);
    EXPECT_EQ(out, want);
    uint8_t byte = 0;
    queue->download(&byte, *a, 255, 1);
    queue->upload(*a, 0, nullptr, 0);  // an empty copy
    queue->finish();
    EXPECT_EQ(byte, in[63] >> 24);
  });
}

// Two queues of one device, in two threads, through one kernel.
TEST_F(Backend, QueuesRunBesideEachOther) {
  for_each_device([](Device& device) {
    constexpr size_t kCount = 20'000;
    std::vector<uint32_t> out[2];
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < 2; ++t) {
      threads.emplace_back([&device, &out, t] {
        const auto in = numbers(kCount, t);
        out[t].resize(kCount);
        Job job(device, kCount);
        for (int i = 0; i < 8; ++i) job.start(in.data(), out[t].data());
        job.finish();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (uint32_t t = 0; t < 2; ++t) EXPECT_EQ(out[t], expected(numbers(kCount, t), kFirst, kFactor)) << t;
  });
}

template <class F>
Error::Kind kind_of(F&& f, std::string* message = nullptr) {
  try {
    f();
  } catch (const Error& error) {
    if (message) *message = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return Error::Kind::lost;
}

TEST_F(Backend, ErrorsSayWhatIsWrong) {
  for_each_device([](Device& device) {
    std::string message;
    EXPECT_EQ(kind_of([&] { device.program("probe", "-Dvsh_probe=)"); }, &message), Error::Kind::compile);
    EXPECT_NE(message.find('\n'), message.npos) << "no log: " << message;
    EXPECT_EQ(kind_of([&] { device.program("no such program", ""); }), Error::Kind::compile);
    EXPECT_EQ(kind_of([&] { device.program("probe", "")->kernel("no_such_kernel"); }), Error::Kind::compile);
    EXPECT_EQ(kind_of([&] { device.allocate(size_t{1} << 50); }), Error::Kind::memory);
    // None of this loses the device.
    const auto in = numbers(10, 5);
    std::vector<uint32_t> out(10);
    Job job(device, 10);
    job.start(in.data(), out.data());
    job.finish();
    EXPECT_EQ(out, expected(in, kFirst, kFactor));
  });
}

TEST_F(Backend, ProgramsAreMadeOnce) {
  for_each_device([](Device& device) {
    EXPECT_EQ(device.program("probe", ""), device.program("probe", ""));
    EXPECT_NE(device.program("probe", ""), device.program("probe", "-DVSH_OTHER=1"));
  });
}

}  // namespace
}  // namespace vsh::gpu
