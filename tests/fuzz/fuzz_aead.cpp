// Authenticated encryption: one call equals pieces, one kernel another; sealed messages open; messages changed anywhere
// are refused and leave the output untouched; and messages made by the fuzzer are refused.
#include <algorithm>

#include "fuzz.hpp"

namespace {

using namespace vsh::fuzz;

struct FreeAead {
  vsh_aead* context = nullptr;
  ~FreeAead() { vsh_aead_free(context); }
};

void fuzz_aead(const std::string& name, Input& input) {
  vsh_aead_algorithm algorithm;
  check(vsh_aead_by_name(&algorithm, name.c_str()) == VSH_OK, "name not found", name);
  const auto kernels = variants(family_of(name));
  vsh_options first = VSH_OPTIONS_INIT, second = VSH_OPTIONS_INIT;
  first.flags = second.flags = VSH_ALLOW_TABLES | VSH_ALLOW_SHORT_TAGS;
  first.kernel = kernels[input.below(kernels.size())];
  second.kernel = kernels[input.below(kernels.size())];
  const size_t tag_len = 4 + input.below(vsh_aead_max_tag_len(algorithm) - 3);
  const Bytes key = input.bytes(VSH_KEY_LEN);
  Bytes nonce = input.bytes(vsh_aead_nonce_len(algorithm));
  nonce[0] &= 0x7f;
  Bytes data = input.bytes(input.below(64));
  const bool is_mgm = algorithm == VSH_KUZNYECHIK_MGM || algorithm == VSH_MAGMA_MGM;
  if (!is_mgm) {
    data.clear();                                                                             // the others take none
    first.section_len = second.section_len = vsh_aead_max_tag_len(algorithm) * input.byte();  // blocks; 0: the default
  }
  const size_t repeats = 1 + input.below(40), piece = 1 + input.byte(), change = input.byte() << 8 | input.byte();
  const Bytes seed = input.rest();
  Bytes text;
  for (size_t i = 0; i < repeats && text.size() < 20'000; ++i) text.insert(text.end(), seed.begin(), seed.end());

  FreeAead one, other;
  const auto renew = [&](FreeAead& aead, const vsh_options& options) {
    check(vsh_aead_new(&aead.context, algorithm, key.data(), key.size(), tag_len, &options) == VSH_OK, "vsh_aead_new",
          name);
  };
  renew(one, first);
  renew(other, second);
  Bytes sealed(text.size() + tag_len), opened(text.size());
  size_t len = 0;
  const vsh_status status = vsh_aead_seal(one.context, sealed.data(), sealed.size(), &len, nonce.data(), nonce.size(),
                                          data.data(), data.size(), text.data(), text.size());
  const bool nothing = is_mgm && text.empty() && data.empty();
  check(status == (nothing ? VSH_E_DATA_LENGTH : VSH_OK), "vsh_aead_seal", name);
  if (nothing) return;

  Bytes pieces(sealed.size());
  check(vsh_aead_begin(other.context, nonce.data(), nonce.size()) == VSH_OK, "vsh_aead_begin", name);
  for (size_t at = 0; at < data.size(); at += piece)
    check(vsh_aead_add_data(other.context, &data[at], std::min(piece, data.size() - at)) == VSH_OK, "vsh_aead_add_data",
          name);
  for (size_t at = 0; at < text.size(); at += piece)
    check(vsh_aead_encrypt(other.context, &pieces[at], &text[at], std::min(piece, text.size() - at)) == VSH_OK,
          "vsh_aead_encrypt", name);
  check(vsh_aead_final(other.context, &pieces[text.size()], tag_len) == VSH_OK, "vsh_aead_final", name);
  check(pieces == sealed, "a message in pieces differs from the message in one call", name);

  const auto open = [&](const Bytes& message) {
    return vsh_aead_open(other.context, opened.data(), opened.size(), &len, nonce.data(), nonce.size(), data.data(),
                         data.size(), message.data(), message.size());
  };
  check(open(sealed) == VSH_OK && opened == text, "a sealed message does not open", name);

  // One bit of the nonce, the data, the ciphertext or the tag. A short tag accepts a forgery once in 2^32. A failed
  // call leaves the output untouched or erased.
  const auto gave_nothing = [&] {
    return std::all_of(opened.begin(), opened.end(), [](uint8_t byte) { return byte == 0xA5 || byte == 0; });
  };
  std::fill(opened.begin(), opened.end(), uint8_t{0xA5});
  Bytes* const places[] = {&sealed, &sealed, &data, &nonce};
  Bytes& place = *places[change % 4];
  if (!place.empty()) {
    const size_t bit = change / 4 % (8 * place.size());
    if (&place != &nonce || bit != 7) {  // the bit that is not part of a nonce
      place[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
      check(open(sealed) == VSH_E_TAG, "a forgery was accepted", name);
      check(gave_nothing(), "a forgery was written", name);
      place[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    }
  }
  sealed.pop_back();
  check(open(sealed) == VSH_E_TAG && gave_nothing(), "a truncated message was accepted", name);
  const bool fits = seed.size() >= tag_len && seed.size() - tag_len <= opened.size();
  if (fits && !std::equal(seed.begin(), seed.end(), pieces.begin()))
    check(open(seed) == VSH_E_TAG && gave_nothing(), "a forged message was accepted", name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const size_t num = count_names(vsh_aead_name);
  Input input(data, size);
  fuzz_aead(vsh_aead_name(input.below(num)), input);
  return 0;
}
