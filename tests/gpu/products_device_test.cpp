// Sums of products on devices against those of the slow reference and of the processor's portable kernel: on the
// emulated device, and on every device here.
#include <algorithm>
#include <array>

#include "gpu/ciphers/products.hpp"

#include "core/registry.hpp"
#include "gf2n/reduce.hpp"
#include "gf2n/reference.hpp"
#include "gpu/programs/products_programs.hpp"
#include "gpu/support/device_test.hpp"
#include "support/random.hpp"

namespace vsh::gpu {
namespace {

using Bytes = std::vector<uint8_t>;
using Sum = std::array<uint64_t, 4>;

Sum of_device(Device& device, size_t size, const Bytes& a, const Bytes& b, Sum sum) {
  const Products products(device, size);
  const auto queue = device.make_queue();
  Products::Scratch scratch;
  const auto on_device = [&](const Bytes& bytes) {
    auto buffer = device.allocate(std::max<size_t>(bytes.size(), 1));
    queue->upload(*buffer, 0, bytes.data(), bytes.size());
    return buffer;
  };
  const auto x = on_device(a), y = on_device(b);
  Bytes folded(products.folded_size());
  for (int times = 0; times < 3; ++times) {  // thrice is once; the scratch is used again
    products.launch(*queue, scratch, *x, *y, a.size() / size);
    queue->download(folded.data(), *scratch.folded, 0, folded.size());
    queue->finish();
    products.add(sum.data(), folded.data());
  }
  return sum;
}

Sum host_policy(size_t size, const Bytes& a, const Bytes& b, Sum sum) {
  for (const ProductKernel* row : product_kernels())
    if (std::string(row->info.variant) == "portable")
      (size == 8 ? row->add_64 : row->add_128)(sum.data(), a.data(), b.data(), a.size() / size);
  return sum;
}

void check(Device& device) {
  SCOPED_TRACE(test::seed_note());
  test::Random random;
  for (const size_t size : {size_t{8}, size_t{16}}) {
    SCOPED_TRACE(size);
    const Sum start = size == 8 ? Sum{random(), random(), 0, 0} : Sum{random(), random(), random(), random()};
    for (const size_t num : {0, 1, 127, 129, 9000}) {
      const Bytes a = random.bytes(size * num), b = random.bytes(size * num);
      EXPECT_EQ(of_device(device, size, a, b, start), host_policy(size, a, b, start)) << num;
    }
    // All ones: the largest sums of numbers with holes.
    const Bytes ones(size * 500, 0xff);
    EXPECT_EQ(of_device(device, size, ones, ones, start), host_policy(size, ones, ones, start));
    const Bytes a = random.bytes(size), b = random.bytes(size);
    Bytes product(size);
    gf2n::reduce(product.data(), size, of_device(device, size, a, b, {}).data());
    EXPECT_EQ(product, gf2n::reference::multiply(a, b));
  }
}

TEST(ProductsEmulated, AreThoseOfTheProcessor) {
  test::EmulatedDevice emulated(test::products_programs());
  check(emulated);
}

class ProductsOnDevices : public test::DeviceTest {};

TEST_F(ProductsOnDevices, AreThoseOfTheProcessor) {
  for_each_device([](Device& device) { check(device); });
}

}  // namespace
}  // namespace vsh::gpu
