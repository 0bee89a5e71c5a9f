// vsh_hash: Streebog behind a context.
#include "streebog/hash.hpp"

#include "api/names.hpp"
#include "api/options.hpp"

using namespace vsh;
using namespace vsh::api;

struct vsh_hash : ErasedOnFree {
  explicit vsh_hash(const streebog::Hash& h) : hash(h) {}
  streebog::Hash hash;
  bool ended = false;
};
static_assert(alignof(vsh_hash) <= static_cast<size_t>(ErasedOnFree::kAlignment));

namespace {

// len: of the digest, 0 for an unknown algorithm.
vsh_status choose_kernel(size_t len, const vsh_options* options, const HashKernel*& kernel) {
  if (len == 0) return VSH_E_ARGUMENT;
  Options o;
  if (const vsh_status s = read_options(o, options)) return s;
  const HashChoice choice = choose_hash_kernel(o.kernel, o.allow_tables || o.input_is_public);
  kernel = choice.row;
  return status_of(choice.status);
}

}  // namespace

vsh_status vsh_hash_new(vsh_hash** context, vsh_hash_algorithm algorithm, const vsh_options* options) {
  if (!context) return VSH_E_ARGUMENT;
  const size_t len = hash_len(number(algorithm));
  const HashKernel* kernel;
  if (const vsh_status s = choose_kernel(len, options, kernel)) return s;
  return guarded([&] {
    *context = new vsh_hash(streebog::Hash(kernel, 8 * static_cast<unsigned>(len)));
    return VSH_OK;
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
  context->hash.reset();
  context->ended = false;
  return VSH_OK;
}

vsh_status vsh_hash_update(vsh_hash* context, const uint8_t* in, size_t in_len) {
  if (!context || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  if (context->ended) return VSH_E_STATE;
  const StackEraser eraser;
  context->hash.update(in, in_len);
  return VSH_OK;
}

vsh_status vsh_hash_final(vsh_hash* context, uint8_t* digest, size_t digest_len) {
  if (!context || digest_len != context->hash.size() || !is_buffer(digest, digest_len)) return VSH_E_ARGUMENT;
  if (context->ended) return VSH_E_STATE;
  const StackEraser eraser;
  context->hash.final(digest);
  context->ended = true;
  return VSH_OK;
}

const char* vsh_hash_kernel(const vsh_hash* context) {
  return context ? context->hash.kernel()->info.variant : "";
}

vsh_status vsh_hash_digest(uint8_t* digest, size_t digest_len, vsh_hash_algorithm algorithm,
                           const uint8_t* in, size_t in_len, const vsh_options* options) {
  const size_t len = hash_len(number(algorithm));
  const HashKernel* kernel;
  if (const vsh_status s = choose_kernel(len, options, kernel)) return s;
  if (digest_len != len) return VSH_E_ARGUMENT;
  if (!is_buffer(digest, digest_len) || !is_buffer(in, in_len)) return VSH_E_ARGUMENT;
  streebog::Hash hash(kernel, 8 * static_cast<unsigned>(digest_len));
  hash.update(in, in_len);
  hash.final(digest);
  return VSH_OK;
}
