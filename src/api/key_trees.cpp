// vsh_tlstree and vsh_esptree.
#include <iterator>

#include "api/arguments/keys.hpp"
#include "api/arguments/names.hpp"
#include "api/hash_kernels.hpp"
#include "keys/esptree.hpp"
#include "keys/tlstree.hpp"

using namespace vsh;
using namespace vsh::api;
using keys::kTlsTreeSets;

static_assert(std::size(kTlsTreeSets) == VSH_TLSTREE_MAGMA_MGM_S);

struct vsh_tlstree : ErasedOnFree {
  vsh_tlstree(const HashKernel* kernel, const keys::TlsTreeSet& set, keys::Bytes root) : tree(kernel, set, root) {}
  keys::TlsTree tree;
};

struct vsh_esptree : ErasedOnFree {
  vsh_esptree(const HashKernel* kernel, keys::Bytes root) : tree(kernel, root) {}
  keys::EspTree tree;
};

static_assert(alignof(vsh_tlstree) <= static_cast<size_t>(ErasedOnFree::kAlignment));
static_assert(alignof(vsh_esptree) <= static_cast<size_t>(ErasedOnFree::kAlignment));

namespace {

template <class Tree, class... Args>
vsh_status new_tree(Tree** tree, const uint8_t* root, size_t root_len, const vsh_options* options,
                    const Args&... args) {
  if (!tree) return VSH_E_ARGUMENT;
  Options o;
  SecretHashKernels kernels;
  if (const vsh_status s = check_key(root, root_len)) return s;
  if (const vsh_status s = kernels.choose(o, options)) return s;
  return guarded([&] {
    *tree = new Tree(kernels.one, args..., keys::Bytes(root, root_len));
    return VSH_OK;
  });
}

template <class Derive>
vsh_status derive(uint8_t* key, size_t key_len, Derive derive) {
  if (!key || key_len != keys::kKdfLen || !is_buffer(key, key_len)) return VSH_E_ARGUMENT;
  const SecretWork scope;
  std::memcpy(key, derive(), key_len);
  return VSH_OK;
}

}  // namespace

vsh_status vsh_tlstree_by_name(vsh_tlstree_suite* suite, const char* name) {
  const keys::TlsTreeSet* set = find_name(kTlsTreeSets, name);
  if (!set || !suite) return VSH_E_ARGUMENT;
  *suite = static_cast<vsh_tlstree_suite>(set - kTlsTreeSets + 1);
  return VSH_OK;
}

const char* vsh_tlstree_name(size_t i) { return name_at(kTlsTreeSets, i); }

uint64_t vsh_tlstree_records(vsh_tlstree_suite suite) {
  const unsigned i = number(suite);
  return i < 1 || i > std::size(kTlsTreeSets) ? 0 : kTlsTreeSets[i - 1].records();
}

vsh_status vsh_tlstree_new(vsh_tlstree** tree, vsh_tlstree_suite suite, const uint8_t* root, size_t root_len,
                           const vsh_options* options) {
  const unsigned i = number(suite);
  if (i < 1 || i > std::size(kTlsTreeSets)) return VSH_E_ARGUMENT;
  return new_tree(tree, root, root_len, options, kTlsTreeSets[i - 1]);
}

void vsh_tlstree_free(vsh_tlstree* tree) { delete tree; }

vsh_status vsh_tlstree_key(vsh_tlstree* tree, uint8_t* key, size_t key_len, uint64_t seqnum) {
  if (!tree) return VSH_E_ARGUMENT;
  if (seqnum > tree->tree.max_seqnum()) return VSH_E_LIMIT;
  return derive(key, key_len, [&] { return tree->tree.key(seqnum); });
}

vsh_status vsh_esptree_new(vsh_esptree** tree, const uint8_t* root, size_t root_len, const vsh_options* options) {
  return new_tree(tree, root, root_len, options);
}

void vsh_esptree_free(vsh_esptree* tree) { delete tree; }

vsh_status vsh_esptree_key(vsh_esptree* tree, uint8_t* key, size_t key_len, uint8_t i1, uint16_t i2, uint16_t i3) {
  if (!tree) return VSH_E_ARGUMENT;
  return derive(key, key_len, [&] { return tree->tree.key(i1, i2, i3); });
}
