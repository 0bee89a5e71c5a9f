// Forked children, and the end of the process, over the fake CUDA driver.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "gpu/cuda/api.hpp"
#include "gpu/device/host_memory.hpp"
#include "in_process.hpp"

namespace vsh::gpu {
namespace {

// Runs f() in a child, which must terminate.
template <class F>
void in_child(F&& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    f();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

void expect_forked(const Error& error) {
  EXPECT_EQ(error.kind(), Error::Kind::lost);
  EXPECT_NE(std::strstr(error.what(), "forked"), nullptr) << error.what();
}

// Even page-locked memory is not the child's.
TEST(FakeCuda, NothingWorksInAForkedChildAndNothingWaits) {
  in_process({{"FAKE_CUDA_DEVICES", "2"}}, [] {
    Device& device = open_device("cuda:0");
    auto queue = device.make_queue();
    auto buffer = device.allocate(4);
    auto host = device.allocate_host(4);
    const uint32_t word = 7;
    queue->upload(*buffer, 0, &word, sizeof word);  // through the queue's own page-locked memory
    in_child([&] {
      expect_forked(failure([&] { device.allocate(4); }));
      expect_forked(failure([&] { grow(device, host, 4); }));
      expect_forked(failure([&] { queue->upload(*buffer, 0, &word, sizeof word); }));
      expect_forked(failure([] { open_device("cuda:1"); }));  // the driver was started before
      queue.reset();
      buffer.reset();
      host.reset();
    });
    run_probe(device);
  });
}

// Objects that outlive the driver: nothing throws or ends the process.
TEST(FakeCuda, QueuesAndMemoryMayOutliveTheDriver) {
  in_process({{"FAKE_CUDA_STRICT", "0"}}, [] {
    static std::unique_ptr<Queue> queue;
    static std::unique_ptr<Buffer> buffer;
    static std::unique_ptr<HostBuffer> host;
    static const struct Last {
      ~Last() {
        expect_gone();
        queue.reset();
        buffer.reset();
        host.reset();
      }
      static void expect_gone() {
        if (cuda::functions().cuCtxSynchronize() != 4) ::_exit(1);  // CUDA_ERROR_DEINITIALIZED
      }
    } last;
    Device& device = open_device("cuda:0");
    queue = device.make_queue();
    buffer = device.allocate(100);
    host = device.allocate_host(100);
  });
}

}  // namespace
}  // namespace vsh::gpu
