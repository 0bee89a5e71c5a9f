// Hashes and MACs: one call equals many calls, one kernel equals another, a copied context continues like the original,
// a changed tag is refused.
#include <algorithm>

#include "fuzz.hpp"

namespace {

using namespace vsh::fuzz;

// Calls update(pointer, length) over the message in pieces of the given lengths.
template <class Update>
void feed(const Bytes& message, const Bytes& pieces, Update update) {
  size_t done = 0;
  for (size_t i = 0; done < message.size(); ++i) {
    size_t n = i < pieces.size() ? pieces[i] : message.size();
    n = std::min(n, message.size() - done);
    update(message.data() + done, n);
    done += n;
  }
}

void fuzz_hash(const std::string& name, Input& input) {
  vsh_hash_algorithm algorithm;
  check(vsh_hash_by_name(&algorithm, name.c_str()) == VSH_OK, "name not found", name);
  vsh_options first = VSH_OPTIONS_INIT, second = VSH_OPTIONS_INIT;
  first.flags = second.flags = VSH_INPUT_IS_PUBLIC;
  if (name.starts_with("streebog")) {
    const auto kernels = variants("streebog");
    first.kernel = kernels[input.below(kernels.size())];
    second.kernel = kernels[input.below(kernels.size())];
  } else {
    second.kernel = "serial";
  }
  const Bytes pieces = input.bytes(input.below(6));
  const Bytes message = input.rest();

  Bytes whole(vsh_hash_len(algorithm)), parts(whole.size()), copied(whole.size());
  check(vsh_hash_digest(whole.data(), whole.size(), algorithm, message.data(), message.size(), &first) == VSH_OK,
        "vsh_hash_digest", name);
  vsh_hash* hash = nullptr;
  check(vsh_hash_new(&hash, algorithm, &second) == VSH_OK, "vsh_hash_new", name);
  check(std::strcmp(vsh_hash_kernel(hash), second.kernel) == 0, "another kernel than the forced one", name);
  vsh_hash* copy = nullptr;
  feed(message, pieces, [&](const uint8_t* p, size_t n) {
    check(vsh_hash_update(hash, p, n) == VSH_OK, "vsh_hash_update", name);
    if (copy) {
      check(vsh_hash_update(copy, p, n) == VSH_OK, "update of a copy", name);
    } else {
      check(vsh_hash_copy(&copy, hash) == VSH_OK, "vsh_hash_copy", name);
    }
  });
  check(vsh_hash_final(hash, parts.data(), parts.size()) == VSH_OK, "vsh_hash_final", name);
  check(parts == whole, "the hash in pieces differs from the hash in one call", name);
  if (copy) {
    check(vsh_hash_final(copy, copied.data(), copied.size()) == VSH_OK, "final of a copy", name);
    check(copied == whole, "the hash of a copied context differs", name);
  }
  vsh_hash_free(hash);
  vsh_hash_free(copy);
}

void fuzz_mac(const std::string& name, Input& input) {
  vsh_mac_algorithm algorithm;
  check(vsh_mac_by_name(&algorithm, name.c_str()) == VSH_OK, "name not found", name);
  const bool hmac = algorithm == VSH_HMAC_STREEBOG256 || algorithm == VSH_HMAC_STREEBOG512;
  auto kernels = variants(family_of(name));
  if (hmac) std::erase(kernels, std::string("tables"));  // never, whatever is allowed
  vsh_options first = VSH_OPTIONS_INIT, second = VSH_OPTIONS_INIT;
  first.flags = second.flags = VSH_ALLOW_TABLES;
  // IMIT has 16 rounds where the kernels have 32: one implementation, and nothing to choose.
  if (algorithm == VSH_GOST28147_IMIT) {
    first.sbox = second.sbox = static_cast<vsh_sbox>(input.below(9));
  } else {
    first.kernel = kernels[input.below(kernels.size())];
    second.kernel = kernels[input.below(kernels.size())];
  }
  const Bytes key = input.bytes(hmac ? 1 + input.below(200) : VSH_KEY_LEN);
  const size_t tag_len = 1 + input.below(vsh_mac_max_len(algorithm));
  const size_t flip = input.below(8 * tag_len);
  const Bytes pieces = input.bytes(input.below(6));
  const Bytes message = input.rest();

  vsh_mac* mac = nullptr;
  Bytes whole(tag_len), parts(tag_len);
  check(vsh_mac_new(&mac, algorithm, key.data(), key.size(), &first) == VSH_OK, "vsh_mac_new", name);
  check(vsh_mac_update(mac, message.data(), message.size()) == VSH_OK, "vsh_mac_update", name);
  check(vsh_mac_final(mac, whole.data(), tag_len) == VSH_OK, "vsh_mac_final", name);
  vsh_mac_free(mac);

  check(vsh_mac_new(&mac, algorithm, key.data(), key.size(), &second) == VSH_OK, "vsh_mac_new", name);
  const auto again = [&] {
    check(vsh_mac_reset(mac) == VSH_OK, "vsh_mac_reset", name);
    feed(message, pieces,
         [&](const uint8_t* p, size_t n) { check(vsh_mac_update(mac, p, n) == VSH_OK, "vsh_mac_update", name); });
  };
  again();
  check(vsh_mac_final(mac, parts.data(), tag_len) == VSH_OK, "vsh_mac_final", name);
  check(parts == whole, "the MAC in pieces differs from the MAC in one call", name);
  again();
  check(vsh_mac_verify(mac, whole.data(), tag_len) == VSH_OK, "a right tag was refused", name);
  whole[flip / 8] ^= static_cast<uint8_t>(1u << flip % 8);
  again();
  check(vsh_mac_verify(mac, whole.data(), tag_len) == VSH_E_TAG, "a wrong tag was accepted", name);
  vsh_mac_free(mac);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const size_t num_hashes = count_names(vsh_hash_name), num_macs = count_names(vsh_mac_name);
  Input input(data, size);
  const size_t i = input.below(num_hashes + num_macs);
  if (i < num_hashes) fuzz_hash(vsh_hash_name(i), input);
  else fuzz_mac(vsh_mac_name(i - num_hashes), input);
  return 0;
}
