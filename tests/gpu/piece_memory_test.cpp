// The pieces of a file of the command line: page-locked for a device, or ordinary memory.
#include "programs/vershina/files/piece_memory.hpp"

#include <vershina/vershina.h>

#include <cstring>

#include "gpu/support/device_test.hpp"

namespace vsh::cli {
namespace {

constexpr size_t kLen = 100000;

class PieceMemoryOf : public test::DeviceTest {};

TEST_F(PieceMemoryOf, DevicesIsPageLocked) {
  for_each_device([&](gpu::Device& device) {
    const PieceMemory piece = make_piece(kLen, device.info().id.c_str());
    EXPECT_TRUE(device.is_page_locked(piece.get(), kLen));
    std::memset(piece.get(), 1, kLen);
  });
}

// Without a warning: the missing memory is not needed.
TEST_F(PieceMemoryOf, OthersIsOrdinary) {
  ::setenv("VERSHINA_TUNE", "off", 1);  // nothing was measured, for "auto"
  for (const char* word : {"cuda:4000", "auto", "cpu", static_cast<const char*>(nullptr)}) {
    const PieceMemory piece = make_piece(kLen, word);
    ASSERT_NE(piece, nullptr);
    std::memset(piece.get(), 1, kLen);
    for_each_device([&](gpu::Device& device) { EXPECT_FALSE(device.is_page_locked(piece.get(), kLen)); });
  }
  EXPECT_STREQ(vsh_device_message(), "");
}

}  // namespace
}  // namespace vsh::cli
