// vsh_hash: Streebog and GOST R 34.11-94 behind a context.
#include "streebog/hash.hpp"

#include <variant>

#include "api/arguments/names.hpp"
#include "api/arguments/options.hpp"
#include "gost94/hash.hpp"

using namespace vsh;
using namespace vsh::api;

namespace {

using Hash = std::variant<streebog::Hash, gost94::Hash>;

}  // namespace

struct vsh_hash : ErasedOnFree {
  explicit vsh_hash(const Hash& h) : hash(h) {}
  Hash hash;
  bool ended = false;
};
static_assert(alignof(vsh_hash) <= static_cast<size_t>(ErasedOnFree::kAlignment));

namespace {

// VERSHINA_KERNEL names kernels of ciphers and of Streebog, so it does not choose here; there are no table kernels.
vsh_status with_gost94(tables::MagmaSbox set, const Options& o, auto&& use) {
  const gost94::Step::KernelChoice kernel = gost94::Step::choose_kernel(o.kernel);
  if (const vsh_status s = status_of(kernel.status)) return s;
  return use(gost94::Hash(gost94::Step(*kernel.row, set)));
}

vsh_status with_streebog(unsigned bits, const Options& o, auto&& use) {
  const HashChoice kernel = choose_hash_kernel(o.kernel, o.allow_tables || o.input_is_public);
  if (const vsh_status s = status_of(kernel.status)) return s;
  return use(streebog::Hash(kernel.row, bits));
}

// use(a fresh hash) returns a status.
vsh_status with_hash(unsigned a, const vsh_options* options, auto&& use) {
  Options o;
  if (hash_len(a) == 0) return VSH_E_ARGUMENT;
  if (const vsh_status s = read_options(o, options)) return s;
  switch (a) {
    case VSH_GOST94_CRYPTOPRO: return with_gost94(tables::MagmaSbox::cryptopro_3411_94, o, use);
    case VSH_GOST94_TEST: return with_gost94(tables::MagmaSbox::test_3411_94, o, use);
    default: return with_streebog(8 * static_cast<unsigned>(hash_len(a)), o, use);
  }
}

size_t size(const Hash& hash) {
  return std::visit([](const auto& h) { return h.size(); }, hash);
}

}  // namespace

vsh_status vsh_hash_new(vsh_hash** context, vsh_hash_algorithm algorithm, const vsh_options* options) {
  if (!context) return VSH_E_ARGUMENT;
  return guarded([&] {
    return with_hash(number(algorithm), options, [&](const auto& hash) {
      *context = new vsh_hash(hash);
      return VSH_OK;
    });
  });
}

void vsh_hash_free(vsh_hash* context) { delete context; }

vsh_status vsh_hash_copy(vsh_hash** copy, const vsh_hash* context) {
  if (!copy || !context) return VSH_E_ARGUMENT;
  return guarded([&] {
    *copy = new vsh_hash(*context);
    return VSH_OK;
  });
}

vsh_status vsh_hash_reset(vsh_hash* context) {
  if (!context) return VSH_E_ARGUMENT;
  std::visit([](auto& hash) { hash.reset(); }, context->hash);
  context->ended = false;
  return VSH_OK;
}

vsh_status vsh_hash_update(vsh_hash* context, const uint8_t* in, size_t in_len) {
  if (!context || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (context->ended) return VSH_E_STATE;
  const SecretWork scope;
  std::visit([&](auto& hash) { hash.update(in, in_len); }, context->hash);
  return VSH_OK;
}

vsh_status vsh_hash_final(vsh_hash* context, uint8_t* digest, size_t digest_len) {
  if (!context || digest_len != size(context->hash) || !is_buffer(digest, digest_len)) return VSH_E_ARGUMENT;
  if (context->ended) return VSH_E_STATE;
  const SecretWork scope;
  std::visit([&](auto& hash) { hash.final(digest); }, context->hash);
  context->ended = true;
  return VSH_OK;
}

const char* vsh_hash_kernel(const vsh_hash* context) {
  if (!context) return "";
  if (const auto* gost94 = std::get_if<gost94::Hash>(&context->hash)) return gost94->kernel().info.variant;
  return std::get<streebog::Hash>(context->hash).kernel()->info.variant;
}

vsh_status vsh_hash_digest(uint8_t* digest, size_t digest_len, vsh_hash_algorithm algorithm, const uint8_t* in,
                           size_t in_len, const vsh_options* options) {
  const SecretWork scope;
  return with_hash(number(algorithm), options, [&](auto hash) {
    if (digest_len != hash.size()) return VSH_E_ARGUMENT;
    if (!is_buffer(digest, digest_len) || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
    hash.update(in, in_len);
    hash.final(digest);
    return VSH_OK;
  });
}
