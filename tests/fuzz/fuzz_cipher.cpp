// Every mode: one call equals many calls, one kernel equals another, decryption undoes encryption, seeking and in-place
// operation change nothing. All must refuse invalid combinations alike, with the output untouched.
#include <algorithm>

#include "fuzz.hpp"

namespace {

using namespace vsh::fuzz;

struct Job {
  std::string name;
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  Bytes key, iv;
  vsh_options options = VSH_OPTIONS_INIT;
};

struct Outcome {
  vsh_status status = VSH_OK;
  Bytes out;
  bool operator==(const Outcome&) const = default;
};

constexpr uint8_t kUntouched = 0xA5;

Outcome in_one_call(const Job& job, vsh_direction direction, const char* kernel, const Bytes& in) {
  vsh_options options = job.options;
  options.kernel = kernel;
  Outcome result;
  Bytes out(in.size() + VSH_FINAL_CAPACITY, kUntouched);
  size_t out_len = 0;
  const auto call = direction == VSH_ENCRYPT ? vsh_encrypt : vsh_decrypt;
  result.status = call(out.data(), out.size(), &out_len, job.algorithm, job.mode, job.key.data(), job.key.size(),
                       job.iv.data(), job.iv.size(), in.data(), in.size(), &options);
  if (result.status == VSH_OK) {
    check(out_len <= out.size(), "out_len beyond the capacity", job.name);
    for (size_t i = out_len; i < out.size(); ++i) check(out[i] == kUntouched, "bytes after out_len written", job.name);
    out.resize(out_len);
    result.out = out;
  }
  return result;
}

bool is_stream(vsh_mode mode) {
  return mode == VSH_CTR || mode == VSH_CTR_ACPKM || mode == VSH_CNT || mode == VSH_OFB || mode == VSH_CFB;
}

// pieces: lengths of the update calls, used cyclically.
Outcome in_pieces(const Job& job, vsh_direction direction, const char* kernel, const Bytes& in, const Bytes& pieces,
                  bool in_place) {
  vsh_options options = job.options;
  options.kernel = kernel;
  Outcome result;
  vsh_cipher* context = nullptr;
  result.status = vsh_cipher_new(&context, job.algorithm, job.mode, direction, job.key.data(), job.key.size(),
                                 job.iv.data(), job.iv.size(), &options);
  if (result.status != VSH_OK) {
    check(context == nullptr, "a failed vsh_cipher_new left a context", job.name);
    return result;
  }
  check(std::strcmp(vsh_cipher_kernel(context), kernel) == 0, "another kernel than the forced one", job.name);

  Bytes message = in;
  size_t done = 0;
  for (size_t i = 0; done < in.size(); ++i) {
    size_t n = pieces.empty() ? in.size() : pieces[i % pieces.size()];
    if (i >= pieces.size() && n == 0) n = in.size();  // all pieces empty: end it
    n = std::min(n, in.size() - done);
    // A buffer of exactly the promised capacity, so that a sanitizer sees one byte too many.
    Bytes out(vsh_cipher_update_capacity(context, n));
    uint8_t* target = out.data();
    size_t capacity = out.size(), out_len = 0;
    if (in_place && is_stream(job.mode)) {
      target = message.data() + done;
      capacity = n;
    }
    result.status = vsh_cipher_update(context, target, capacity, &out_len, message.data() + done, n);
    check(result.status == VSH_OK, "vsh_cipher_update failed within its promised capacity", job.name);
    check(out_len <= capacity, "out_len beyond the capacity", job.name);
    if (is_stream(job.mode)) check(out_len == n, "a stream mode did not write as much as it read", job.name);
    result.out.insert(result.out.end(), target, target + out_len);
    done += n;
  }
  Bytes out(VSH_FINAL_CAPACITY);
  size_t out_len = 0;
  result.status = vsh_cipher_final(context, out.data(), out.size(), &out_len);
  if (result.status == VSH_OK) {
    check(out_len <= out.size(), "out_len beyond the capacity", job.name);
    result.out.insert(result.out.end(), out.begin(), out.begin() + static_cast<ptrdiff_t>(out_len));
  } else {
    result.out.clear();
  }
  vsh_cipher_free(context);
  return result;
}

void check_seek(const Job& job, const char* kernel, const Bytes& in, const Bytes& whole, size_t position) {
  vsh_options options = job.options;
  options.kernel = kernel;
  vsh_cipher* context = nullptr;
  check(vsh_cipher_new(&context, job.algorithm, job.mode, VSH_ENCRYPT, job.key.data(), job.key.size(), job.iv.data(),
                       job.iv.size(), &options) == VSH_OK,
        "vsh_cipher_new", job.name);
  check(vsh_cipher_seek(context, position) == VSH_OK, "vsh_cipher_seek", job.name);
  Bytes out(in.size() - position);
  size_t out_len = 0;
  check(vsh_cipher_update(context, out.data(), out.size(), &out_len, in.data() + position, out.size()) == VSH_OK &&
            out_len == out.size(),
        "update after seek", job.name);
  check(out.empty() || std::memcmp(out.data(), whole.data() + position, out.size()) == 0, "seek changed the result",
        job.name);
  vsh_cipher_free(context);
}

// Eight permutations of 0..15 from the input.
Bytes shuffled_sboxes(Input& input) {
  Bytes rows;
  for (int row = 0; row < 8; ++row) {
    uint8_t p[16];
    for (uint8_t i = 0; i < 16; ++i) p[i] = i;
    for (size_t i = 15; i > 0; --i) std::swap(p[i], p[input.below(i + 1)]);
    rows.insert(rows.end(), p, p + 16);
  }
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const size_t num_ciphers = count_names(vsh_cipher_name);
  Input input(data, size);
  Job job;
  job.name = vsh_cipher_name(input.below(num_ciphers));
  check(vsh_cipher_by_name(&job.algorithm, &job.mode, job.name.c_str()) == VSH_OK, "name not found", job.name);
  const size_t block = vsh_block_len(job.algorithm);

  const uint8_t choices = input.byte();
  const bool in_place = choices & 1;
  job.options.flags = VSH_ALLOW_TABLES;
  // Mostly valid lengths; sometimes any.
  const bool wild = (choices >> 1) % 8 == 7;
  const bool padded = job.mode == VSH_ECB || job.mode == VSH_CBC;
  const bool acpkm = job.mode == VSH_CTR_ACPKM;
  const bool segmented = job.mode == VSH_CTR || acpkm || job.mode == VSH_OFB || job.mode == VSH_CFB;
  if (padded || wild) job.options.padding = static_cast<vsh_padding>(input.below(wild ? 7 : 5));
  if (segmented || wild) job.options.segment_len = input.below(wild ? 20 : block + 1);
  Bytes custom;
  if (job.algorithm == VSH_GOST28147 || wild) {
    job.options.sbox = static_cast<vsh_sbox>(input.below(wild ? 12 : 10));
    if (job.options.sbox == VSH_SBOX_CUSTOM) {
      custom = shuffled_sboxes(input);
      if (wild) custom[input.below(128)] = input.byte();
      job.options.custom_sbox = custom.data();
    }
  }
  if (acpkm || wild) job.options.section_len = input.below(8) * (wild ? 1 : block) << input.below(8);
  if (job.algorithm == VSH_GOST28147 || wild)
    job.options.key_meshing = static_cast<vsh_key_meshing>(input.below(wild ? 3 : 2));
  size_t iv_len = vsh_iv_len(job.algorithm, job.mode);
  const bool long_register = job.mode != VSH_CTR && !acpkm && job.mode != VSH_ECB && job.algorithm != VSH_GOST28147;
  if (long_register) iv_len *= 1 + input.below(4);
  if (wild) iv_len = input.below(64);
  job.key = input.bytes(wild && input.below(8) == 0 ? input.byte() : VSH_KEY_LEN);
  job.iv = input.bytes(iv_len);

  const auto kernels = variants(family_of(job.name));
  const char* first = kernels[input.below(kernels.size())];
  const char* second = kernels[input.below(kernels.size())];
  const Bytes pieces = input.bytes(input.below(6));
  const size_t seek = input.byte();
  // A short input repeated makes a message of several passes of the widest kernel (8 KiB); not always, it takes time.
  const size_t repeat = 1 + input.below(16) * input.below(16);
  const size_t max_len = choices >> 4 & 3 ? 1000 : 20000;
  const Bytes seed = input.rest();
  Bytes message;
  for (size_t i = 0; i < repeat && message.size() < max_len; ++i)
    message.insert(message.end(), seed.begin(), seed.end());

  const Outcome whole = in_one_call(job, VSH_ENCRYPT, first, message);
  const Outcome parts = in_pieces(job, VSH_ENCRYPT, second, message, pieces, in_place);
  check(whole == parts, "encryption in one call differs from encryption in pieces by another kernel", job.name);
  if (whole.status == VSH_OK) {
    const Outcome back = in_pieces(job, VSH_DECRYPT, first, whole.out, pieces, in_place);
    check(back == in_one_call(job, VSH_DECRYPT, second, whole.out), "decryption: one call differs from pieces",
          job.name);
    check(back.status == VSH_OK, "decryption of the ciphertext failed", job.name);
    Bytes expected = message;
    // Procedure 1 pads with zeros that decryption leaves in place.
    if (padded && job.options.padding == VSH_PADDING_1) expected.resize((message.size() + block - 1) / block * block);
    check(back.out == expected, "decryption does not undo encryption", job.name);
    if (job.mode == VSH_CTR || acpkm || job.mode == VSH_CNT)
      check_seek(job, second, message, whole.out, message.empty() ? 0 : seek % message.size());
  }
  // Arbitrary bytes as ciphertext: padding and length errors must not depend on the pieces.
  check(in_one_call(job, VSH_DECRYPT, first, message) == in_pieces(job, VSH_DECRYPT, second, message, pieces, false),
        "decryption of arbitrary data: one call differs from pieces", job.name);
  return 0;
}
