#include "openssl/support/evp.hpp"

namespace vsh::test::evp {
namespace {

// OpenSSL cleans up at exit, so static objects would be destroyed too late.
struct Libraries : testing::Environment {
  void SetUp() override {
    ours = std::make_unique<Library>(std::vector<std::string>{"vershina", "default"});
    // Its MACs look for ciphers in the default context.
    theirs = std::make_unique<Library>(std::vector<std::string>{"gostprov", "default"}, nullptr);
    ASSERT_EQ(ours->missing(), "");
  }
  void TearDown() override {
    ours.reset();
    theirs.reset();
  }
  std::unique_ptr<Library> ours, theirs;
};
auto* const libraries = static_cast<Libraries*>(testing::AddGlobalTestEnvironment(new Libraries));

}  // namespace

const Library& vershina() { return *libraries->ours; }
const Library& gostprov() { return *libraries->theirs; }

}  // namespace vsh::test::evp
