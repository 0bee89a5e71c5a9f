// PBES2 parameters: decoded input can be encoded, and the encoding decodes to the same.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using vsh::fuzz::check;
  vsh_pbes2 first{}, second{};
  first.struct_size = second.struct_size = sizeof first;
  uint8_t der[VSH_PBES2_MAX_DER], again[VSH_PBES2_MAX_DER];
  size_t der_len = 0, again_len = 0;
  static constexpr uint8_t kNothing = 0;
  const vsh_status status = vsh_pbes2_decode(&first, size ? data : &kNothing, size);
  if (status != VSH_OK) {
    check(status == VSH_E_FORMAT || status == VSH_E_VERSION || status == VSH_E_PARAMETERS, "another status", "pbes2");
    return 0;
  }
  check(first.iterations > 0, "no iterations", "pbes2");
  check(first.salt_len <= sizeof first.salt && first.iv_len <= sizeof first.iv, "bounds", "pbes2");
  check(vsh_pbes2_encode(der, sizeof der, &der_len, &first) == VSH_OK, "decoded parameters cannot be encoded", "pbes2");
  check(vsh_pbes2_decode(&second, der, der_len) == VSH_OK, "encoded parameters cannot be decoded", "pbes2");
  check(vsh_pbes2_encode(again, sizeof again, &again_len, &second) == VSH_OK && again_len == der_len &&
            std::memcmp(der, again, der_len) == 0,
        "another encoding", "pbes2");
  return 0;
}
