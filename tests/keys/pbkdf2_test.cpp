// PBKDF2 against its definition: chains of unequal length in lanes, long passwords, several blocks, threads; refusals.
#include "keys/support/keys.hpp"
#include "support/random.hpp"

namespace vsh::test {
namespace {

struct Batch {
  struct Item {
    Bytes password, salt, out;
    uint32_t iterations;
  };
  std::vector<Item> items;
  std::vector<vsh_pbkdf2_job> jobs;

  explicit Batch(size_t num) {
    Random random(num);
    for (size_t i = 0; i < num; ++i)
      items.push_back({random.bytes(random.below(i % 5 == 0 ? 150 : 30)), random.bytes(random.below(80)),
                       Bytes(1 + random.below(i % 3 == 0 ? 200 : 64)), static_cast<uint32_t>(1 + random.below(9))});
    for (Item& item : items)
      jobs.push_back({item.password.data(), item.password.size(), item.salt.data(), item.salt.size(), item.iterations,
                      item.out.data(), item.out.size(), VSH_E_STATE});
  }
};

TEST(Pbkdf2, BatchOnEveryRowAndNumberOfThreads) {
  std::vector<const char*> kernels = streebog_kernels(true);
  for (const char* kernel : streebog_kernels(false)) kernels.push_back(kernel);
  kernels.push_back(nullptr);
  std::vector<Bytes> expected;
  for (const Batch::Item& item : Batch(45).items)
    expected.push_back(text_pbkdf2(item.password, item.salt, item.iterations, item.out.size()));
  for (const char* kernel : kernels) {
    for (const unsigned threads : {1u, 0u}) {
      Batch batch(45);
      const vsh_options o = options_for(kernel, threads);
      ASSERT_EQ(vsh_pbkdf2_batch(batch.jobs.data(), batch.jobs.size(), &o), VSH_OK);
      for (size_t i = 0; i < batch.items.size(); ++i) {
        EXPECT_EQ(batch.jobs[i].status, VSH_OK);
        EXPECT_EQ(batch.items[i].out, expected[i]) << (kernel ? kernel : "by default") << ' ' << i;
      }
    }
  }
}

TEST(Pbkdf2, Refuses) {
  Bytes out(64, 0xaa), password(8, 'p'), salt(8, 's');
  const auto call = [&](size_t len, uint32_t iterations, const vsh_options* o = nullptr) {
    return vsh_pbkdf2(out.data(), len, password.data(), 8, salt.data(), 8, iterations, o);
  };
  EXPECT_EQ(call(64, 0), VSH_E_PARAMETERS);
  EXPECT_EQ(call(0, 1), VSH_E_PARAMETERS);
  EXPECT_EQ(vsh_pbkdf2(nullptr, 64, password.data(), 8, salt.data(), 8, 1, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_pbkdf2(out.data(), 64, nullptr, 8, salt.data(), 8, 1, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_pbkdf2(out.data(), 64, password.data(), 8, nullptr, 8, 1, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_pbkdf2(out.data(), 64, out.data() + 63, 1, salt.data(), 8, 1, nullptr), VSH_E_ARGUMENT) << "overlap";
  EXPECT_EQ(vsh_pbkdf2(out.data(), 64, password.data(), 8, out.data(), 8, 1, nullptr), VSH_E_ARGUMENT) << "overlap";
  vsh_options o = options_for("tables");
  o.flags = VSH_ALLOW_TABLES | VSH_INPUT_IS_PUBLIC;
  EXPECT_EQ(call(64, 1, &o), VSH_E_KERNEL_TABLES);
  o = options_for("nonsense");
  EXPECT_EQ(call(64, 1, &o), VSH_E_KERNEL_UNKNOWN);
  EXPECT_EQ(out, Bytes(64, 0xaa)) << "untouched";

  // Endless requests are refused before memory is allocated, or for lack of memory; never started.
  EXPECT_EQ(call(SIZE_MAX, 1), sizeof(size_t) > 4 ? VSH_E_PARAMETERS : VSH_E_ARGUMENT);

  Batch batch(3);
  batch.jobs[1].iterations = 0;
  EXPECT_EQ(vsh_pbkdf2_batch(batch.jobs.data(), 3, nullptr), VSH_E_JOB);
  EXPECT_EQ(batch.jobs[0].status, VSH_OK);
  EXPECT_EQ(batch.jobs[1].status, VSH_E_PARAMETERS);
  EXPECT_EQ(batch.jobs[2].status, VSH_OK);
  EXPECT_EQ(vsh_pbkdf2_jobs(batch.jobs.data(), 3, 1, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_pbkdf2_batch(nullptr, 0, nullptr), VSH_OK);
}

TEST(Pbkdf2, NothingIsSomething) {
  Bytes out(64);
  EXPECT_EQ(vsh_pbkdf2(out.data(), 64, nullptr, 0, nullptr, 0, 2, nullptr), VSH_OK);
  EXPECT_EQ(out, text_pbkdf2({}, {}, 2, 64));
}

}  // namespace
}  // namespace vsh::test
