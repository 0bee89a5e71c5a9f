#include "api/selftest/device.hpp"

#include <cstring>

#include "api/arguments/keys.hpp"
#include "api/arguments/names.hpp"
#include "api/selftest/examples.hpp"
#include "gpu/ciphers/block_cipher.hpp"

namespace vsh::api::selftest {
namespace {

// Two whole groups of blocks that work items share, and a partial one.
constexpr size_t kManyBlocks = 2500;

keys::CipherKey cipher_key(const CipherExample& e) {
  Options options;
  options.sbox = e.sbox;
  return api::cipher_key(algorithm_of(e.algorithm), from_hex(e.key).data(), options);
}

class Bench {
 public:
  Bench(gpu::Device& device, const CipherExample& e)
      : device_(device), queue_(device.make_queue()), cipher_(device, *queue_, cipher_key(e)) {}

  // Checks that the operation turns `in` into `out`. start: as BlockCipher::Task has it.
  bool gives(Operation operation, const Bytes& in, const Bytes& out, const Bytes& start = {}, uint64_t first = 0) {
    return run(operation, in, start, first) == out;
  }
  Bytes run(Operation operation, const Bytes& in, const Bytes& start, uint64_t first) {
    Bytes out(in.size());
    const auto device_in = upload(in), device_start = upload(start), device_out = device_.allocate(in.size());
    gpu::BlockCipher::Task task{operation, device_out.get(), device_in.get(), in.size() / cipher_.block_size()};
    task.start = device_start.get();
    task.first = first;
    if (!start.empty()) task.z = static_cast<uint32_t>(start.size() / cipher_.block_size());
    cipher_.launch(*queue_, task);
    queue_->download(out.data(), *device_out, 0, out.size());
    queue_->finish();
    return out;
  }

 private:
  std::unique_ptr<gpu::Buffer> upload(const Bytes& bytes) {
    auto buffer = device_.allocate(bytes.size());
    queue_->upload(*buffer, 0, bytes.data(), bytes.size());
    return buffer;
  }

  gpu::Device& device_;
  std::unique_ptr<gpu::Queue> queue_;
  gpu::BlockCipher cipher_;
};

bool passes(gpu::Device& device, const CipherExample& e) {
  using enum Operation;
  Bench bench(device, e);
  const Bytes in = from_hex(e.in), out = from_hex(e.out);
  const size_t block = vsh_block_len(e.algorithm);
  Bytes iv = from_hex(e.iv);
  switch (e.mode) {
    case VSH_ECB: {
      const Bytes text = repeated(in, kManyBlocks * block), ciphertext = repeated(out, kManyBlocks * block);
      return bench.gives(ecb_encrypt, text, ciphertext) && bench.gives(ecb_decrypt, ciphertext, text);
    }
    case VSH_CTR: {
      iv.resize(block);  // GOST R 34.13-2015 5.2: zeros behind the IV
      const auto half = static_cast<std::ptrdiff_t>(in.size() / 2);
      return bench.gives(ctr, in, out, iv) &&
             bench.gives(ctr, {in.begin() + half, in.end()}, {out.begin() + half, out.end()}, iv,
                         static_cast<uint64_t>(half) / block);
    }
    case VSH_CNT: return bench.gives(cnt, in, out, bench.run(ecb_encrypt, iv, {}, 0));
    case VSH_CBC: return bench.gives(cbc_decrypt, out, in, iv);
    case VSH_CFB: return bench.gives(cfb_decrypt, out, in, iv);
    default: return true;
  }
}

// Each S-box set is compiled as a separate program; one of the sets of GOST 28147-89 is enough.
bool is_tried(const CipherExample& e) {
  return e.section_len == 0 && (e.algorithm != VSH_GOST28147 || e.sbox == VSH_SBOX_CRYPTOPRO_A);
}

}  // namespace

std::string device_failure(gpu::Device& device) {
  // As vsh_cipher_algorithm and vsh_mode count.
  static constexpr const char* kNames[] = {"", "Kuznyechik", "Magma", "GOST 28147-89"};
  static constexpr const char* kModes[] = {"", "ECB", "CTR", "OFB", "CBC", "CFB", "CNT"};
  for (const CipherExample& e : kCiphers)
    if (is_tried(e) && !passes(device, e))
      return device.info().id + ": wrong result: " + kNames[e.algorithm] + " " + kModes[e.mode];
  return "";
}

}  // namespace vsh::api::selftest
