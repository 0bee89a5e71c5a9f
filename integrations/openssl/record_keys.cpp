#include "record_keys.hpp"

namespace vsh::openssl {

void RecordKeys::choose(vsh_tlstree_suite other) noexcept {
  if (other != suite) forget();
  suite = other;
  are_expected = suite != vsh_tlstree_suite{};
}

void RecordKeys::forget() noexcept {
  tree_.reset();
  has_seqnum = has_key = false;
  are_expected = suite != vsh_tlstree_suite{};
  provider_.cleanse(key, sizeof key);
}

int RecordKeys::set(uint64_t number, const uint8_t* root, bool& is_new) noexcept {
  has_seqnum = false;
  const uint64_t start = number - number % vsh_tlstree_records(suite);
  is_new = !has_key || start != first;
  if (is_new) {
    has_key = false;
    if (const vsh_status s = derive(number, root)) return provider_.fail(s);
    has_key = true;
    first = start;
  }
  seqnum = number;
  return has_seqnum = true;
}

vsh_status RecordKeys::derive(uint64_t number, const uint8_t* root) noexcept {
  // RFC 9189 4.3.5: SNMAX of the suite's records. The tree itself goes further.
  if (suite == VSH_TLSTREE_MAGMA_CTR_OMAC && number > UINT32_MAX) return VSH_E_LIMIT;
  if (!tree_) {
    const vsh_options o = provider_.options();
    vsh_tlstree* made = nullptr;
    if (const vsh_status s = vsh_tlstree_new(&made, suite, root, VSH_KEY_LEN, &o)) return s;
    tree_.reset(made);
  }
  return vsh_tlstree_key(tree_.get(), key, sizeof key, number);
}

}  // namespace vsh::openssl
