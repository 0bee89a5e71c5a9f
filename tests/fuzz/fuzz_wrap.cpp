// Key wraps: arbitrary bytes are refused or unwrap to a key that wraps to the same, wrapped keys unwrap, a changed bit
// is detected. Packets: a batch equals one call for each, for any mix of lengths and keys.
#include <algorithm>

#include "fuzz.hpp"

namespace {

using namespace vsh::fuzz;

void fuzz_unwrap(vsh_wrap_algorithm algorithm, const std::string& name, Input& input) {
  const Bytes kek = input.bytes(vsh_wrap_kek_len(algorithm));
  const size_t iv_len = input.below(18);
  const Bytes iv = input.bytes(iv_len), wrapped = input.rest();
  Bytes key(wrapped.size(), 0xa5);
  size_t len = 0;
  const vsh_status status = vsh_unwrap(key.data(), key.size(), &len, algorithm, kek.data(), kek.size(), iv.data(),
                                       iv_len, wrapped.data(), wrapped.size(), nullptr);
  if (status != VSH_OK) return check(key == Bytes(wrapped.size(), 0xa5), "something was written", name);
  const bool carries = !name.starts_with("kexp15");
  const size_t front = wrapped.size() - len - 4;  // of those that carry their IV in front
  Bytes again(wrapped.size());
  size_t again_len = 0;
  check(vsh_wrap(again.data(), again.size(), &again_len, algorithm, kek.data(), kek.size(),
                 carries ? wrapped.data() : iv.data(), carries ? front : iv_len, key.data(), len, nullptr) == VSH_OK &&
            again == wrapped,
        "an unwrapped key does not wrap to the same", name);
}

void fuzz_wrap(vsh_wrap_algorithm algorithm, const std::string& name, Input& input) {
  Bytes kek = input.bytes(vsh_wrap_kek_len(algorithm));
  kek.back() ^= kek[0] == kek[kek.size() / 2];  // halves that differ
  const size_t longer = algorithm == VSH_WRAP_RFC7836 ? input.below(9) : 0;
  const Bytes iv = input.bytes(vsh_wrap_iv_len(algorithm) + longer);
  const size_t flip = input.byte() + 256 * input.byte();
  Bytes key = input.rest();
  if (vsh_wrapped_len(algorithm, iv.size(), key.size()) == 0) key.resize(32);
  Bytes wrapped(vsh_wrapped_len(algorithm, iv.size(), key.size())), back(wrapped.size());
  size_t len = 0;
  check(vsh_wrap(wrapped.data(), wrapped.size(), &len, algorithm, kek.data(), kek.size(), iv.data(), iv.size(),
                 key.data(), key.size(), nullptr) == VSH_OK,
        "vsh_wrap", name);
  const auto unwrap = [&] {
    return vsh_unwrap(back.data(), back.size(), &len, algorithm, kek.data(), kek.size(), iv.data(), iv.size(),
                      wrapped.data(), wrapped.size(), nullptr);
  };
  check(unwrap() == VSH_OK && len == key.size() && std::equal(key.begin(), key.end(), back.begin()), "vsh_unwrap",
        name);
  wrapped[flip / 8 % wrapped.size()] ^= static_cast<uint8_t>(1u << flip % 8);
  check(unwrap() == VSH_E_TAG, "a changed wrapped key was accepted", name);
}

void fuzz_packets(Input& input) {
  const bool magma = input.below(2);
  const size_t n = magma ? 8 : 16, num = 1 + input.below(40), num_keys = 1 + input.below(5);
  Bytes keys = input.bytes(32 * num_keys);
  vsh_streams* streams = nullptr;
  check(vsh_streams_new(&streams, magma ? VSH_MAGMA : VSH_KUZNYECHIK, keys.data(), num_keys, nullptr) == VSH_OK,
        "vsh_streams_new", "packets");
  std::vector<Bytes> nonces(num), sealed(num), opened(num);
  Bytes text(600, 0x5a);
  std::vector<vsh_mgm_job> jobs(num);
  for (size_t i = 0; i < num; ++i) {
    nonces[i] = input.bytes(n);
    nonces[i][0] &= 0x7f;
    const size_t len = 1 + 2 * input.below(256), data_len = input.below(40);
    sealed[i].resize(len + n);
    jobs[i] = {VSH_STREAM_ENCRYPT, nullptr, input.below(num_keys), nonces[i].data(), n, text.data(), data_len,
               text.data(),        len,     sealed[i].data(),      len + n,          n, VSH_OK};
  }
  check(vsh_streams_mgm(streams, jobs.data(), num) == VSH_OK, "sealing", "packets");
  const size_t bad = input.below(num), flip = input.byte();
  for (size_t i = 0; i < num; ++i) {
    vsh_mgm_job& j = jobs[i];
    vsh_aead* aead = nullptr;
    Bytes one(j.out_len);
    size_t len = 0;
    check(vsh_aead_new(&aead, magma ? VSH_MAGMA_MGM : VSH_KUZNYECHIK_MGM, &keys[32 * j.key_index], 32, 0, nullptr) ==
                  VSH_OK &&
              vsh_aead_seal(aead, one.data(), one.size(), &len, j.nonce, n, j.data, j.data_len, j.in, j.in_len) ==
                  VSH_OK &&
              one == sealed[i],
          "a packet of a batch differs from one alone", "packets");
    vsh_aead_free(aead);
    opened[i].assign(j.in_len, 0xa5);
    j.work = VSH_STREAM_DECRYPT;
    j.in = sealed[i].data(), j.in_len = sealed[i].size();
    j.out = opened[i].data(), j.out_len = opened[i].size();
  }
  sealed[bad][flip % sealed[bad].size()] ^= static_cast<uint8_t>(1u << flip % 8);
  check(vsh_streams_mgm(streams, jobs.data(), num) == VSH_E_JOB, "a changed packet was accepted", "packets");
  for (size_t i = 0; i < num; ++i)
    check(jobs[i].status == (i == bad ? VSH_E_TAG : VSH_OK) &&
              opened[i] == (i == bad ? Bytes(opened[i].size(), 0xa5) : Bytes(opened[i].size(), 0x5a)),
          "opening", "packets");
  vsh_streams_free(streams);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const size_t num_wraps = count_names(vsh_wrap_name);
  Input input(data, size);
  const size_t i = input.below(num_wraps + 1);
  if (i == num_wraps) {
    fuzz_packets(input);
    return 0;
  }
  const std::string name = vsh_wrap_name(i);
  vsh_wrap_algorithm algorithm;
  check(vsh_wrap_by_name(&algorithm, name.c_str()) == VSH_OK, "name not found", name);
  input.below(2) ? fuzz_unwrap(algorithm, name, input) : fuzz_wrap(algorithm, name, input);
  return 0;
}
