// From host memory to host memory through the slots of real devices: every mode has the processor's results.
#include "gpu/schedule/device_slot.hpp"

#include <algorithm>
#include <atomic>

#include "gpu/support/accelerated_modes.hpp"
#include "gpu/support/device_test.hpp"

namespace vsh::gpu {
namespace {

using namespace test;

class Pipeline : public vsh::test::DeviceTest {};

constexpr size_t kLeast = Accelerator::kLeast;
constexpr PieceSizes kSmallPieces = {16 << 10, 32 << 10, 16 << 10};

// A device with little page-locked memory, which counts the long requests for it.
class Frugal final : public Device {
 public:
  static constexpr size_t kLong = 4 << 10;  // starts and sums are shorter

  Frugal(Device& device, size_t most) : device_(device), most_(most) {}
  size_t num_long() const { return num_long_; }

  const DeviceInfo& info() const noexcept override { return device_.info(); }
  std::unique_ptr<Buffer> allocate(size_t len) override { return device_.allocate(len); }
  std::unique_ptr<HostBuffer> allocate_host(size_t len) override {
    num_long_ += len > kLong;
    if (len > most_) throw Error(Error::Kind::memory, "no more page-locked memory");
    return device_.allocate_host(len);
  }
  bool is_page_locked(const void* p, size_t len) const noexcept override { return device_.is_page_locked(p, len); }
  std::unique_ptr<Queue> make_queue() override { return device_.make_queue(); }
  std::shared_ptr<Program> program(const std::string& name, const std::string& definitions) override {
    return device_.program(name, definitions);
  }

 private:
  Device& device_;
  const size_t most_;
  std::atomic<size_t> num_long_ = 0;
};

// The engine's accelerator is this device alone.
std::shared_ptr<const KeyedDevice> use(Device& device, Subject& subject, HostPolicy policy) {
  const bool has_xts = subject.plain.algorithm == Algorithm::kuznyechik;
  const auto keyed =
      std::make_shared<KeyedDevice>(device, subject.plain.round_keys, has_xts ? &subject.tweak.round_keys : nullptr,
                                    subject.plain.algorithm != Algorithm::gost28147);
  std::vector<DeviceSlots> members;
  members.push_back({device.info().id, make_slots(keyed, 3, kSmallPieces.max)});
  size_t least[kNumOperations];
  for (size_t i = 0; i < kNumOperations; ++i) least[i] = keyed->can(static_cast<Operation>(i)) ? kLeast : SIZE_MAX;
  subject.fast.set_accelerator(
      std::make_shared<DeviceAccelerator>(subject.n(), std::move(members), policy, least, kSmallPieces));
  return keyed;
}

TEST_F(Pipeline, EveryModeAsOnTheProcessor) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(11);
  for_each_device([&](Device& device) {
    for (const Algorithm a : {Algorithm::magma, Algorithm::gost28147, Algorithm::kuznyechik}) {
      Subject subject(a, random);
      const auto keyed = use(device, subject, HostPolicy::none);
      for (const Mode& mode : kModes)
        if (has(a, mode)) check(subject, mode, kLeast, random);
    }
  });
}

TEST_F(Pipeline, DeviceAndProcessorTogether) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(12);
  for_each_device([&](Device& device) {
    Subject subject(Algorithm::magma, random);
    use(device, subject, HostPolicy::share);
    for (const Mode& mode : kModes)
      if (has(Algorithm::magma, mode)) check(subject, mode, kLeast, random);
  });
}

// Memory that the device copies by DMA; and a buffer that is only partly such memory.
TEST_F(Pipeline, PageLockedMemory) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(13);
  for_each_device([&](Device& real) {
    Frugal device(real, SIZE_MAX);
    Subject subject(Algorithm::magma, random);
    use(device, subject, HostPolicy::none);
    constexpr size_t kLen = 200 << 10;
    const auto in = real.allocate_host(kLen), out = real.allocate_host(kLen);
    EXPECT_TRUE(device.is_page_locked(in->bytes().data(), kLen));
    random.fill(in->bytes().data(), kLen);
    Bytes expected(kLen);
    const size_t num = kLen / subject.n();
    subject.plain.engine->encrypt(expected.data(), in->bytes().data(), num);
    subject.fast.encrypt(out->bytes().data(), in->bytes().data(), num);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out->bytes().begin()));
    EXPECT_EQ(device.num_long(), 0u) << "copied once more";
    subject.fast.encrypt(in->bytes().data(), in->bytes().data(), num);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), in->bytes().begin()));
    EXPECT_GT(device.num_long(), 0u) << "a piece that fails halfway would have lost its input";
  });
}

TEST_F(Pipeline, WithoutPageLockedMemory) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(14);
  for_each_device([&](Device& real) {
    Frugal device(real, 0);
    Subject subject(Algorithm::magma, random);
    use(device, subject, HostPolicy::none);
    for (const Mode& mode : kModes)
      if (has(Algorithm::magma, mode)) check(subject, mode, kLeast, random);
    EXPECT_GT(device.num_long(), 0u);
  });
}

}  // namespace
}  // namespace vsh::gpu
