#include "params.hpp"

#include <cstring>
#include <limits>

#include "cms_parameters.hpp"

namespace vsh::openssl {
namespace {

template <class T>
T load(const void* p) noexcept {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
bool store(OSSL_PARAM& p, size_t value) noexcept {
  if (value > static_cast<uint64_t>(std::numeric_limits<T>::max())) return false;
  const T stored = static_cast<T>(value);
  std::memcpy(p.data, &stored, sizeof stored);
  return true;
}

bool is_integer(const OSSL_PARAM& p) noexcept {
  return p.data_type == OSSL_PARAM_INTEGER || p.data_type == OSSL_PARAM_UNSIGNED_INTEGER;
}

}  // namespace

const OSSL_PARAM* find(const OSSL_PARAM* params, const char* key) noexcept {
  for (; params && params->key; ++params)
    if (std::strcmp(params->key, key) == 0) return params;
  return nullptr;
}

bool read(const OSSL_PARAM& p, size_t& value) noexcept {
  if (!is_integer(p) || !p.data) return false;
  uint64_t v = 0;
  switch (p.data_size) {
    case 1: v = load<uint8_t>(p.data); break;
    case 2: v = load<uint16_t>(p.data); break;
    case 4: v = load<uint32_t>(p.data); break;
    case 8: v = load<uint64_t>(p.data); break;
    default: return false;
  }
  const bool negative = p.data_type == OSSL_PARAM_INTEGER && v >> (8 * p.data_size - 1);
  if (negative || v > SIZE_MAX) return false;
  value = static_cast<size_t>(v);
  return true;
}

bool read(const OSSL_PARAM& p, Bytes& value) noexcept {
  if (p.data_type != OSSL_PARAM_OCTET_STRING || (!p.data && p.data_size)) return false;
  value = {static_cast<const uint8_t*>(p.data), p.data_size};
  return true;
}

bool read(const OSSL_PARAM& p, std::string_view& value) noexcept {
  if (!p.data) return false;
  const char* text = static_cast<const char*>(p.data);
  if (p.data_type == OSSL_PARAM_UTF8_PTR) {
    text = load<const char*>(p.data);
    if (!text) return false;
    value = text;
    return true;
  }
  if (p.data_type != OSSL_PARAM_UTF8_STRING) return false;
  value = {text, strnlen(text, p.data_size)};
  return true;
}

bool read(const OSSL_PARAM& p, vsh_sbox& value) noexcept {
  std::string_view text;
  return read(p, text) && find_sbox(text, value);
}

bool read_seqnum(const OSSL_PARAM& p, uint64_t& seqnum, bool takes_next) noexcept {
  const bool is_next = takes_next && p.data_size == 1;
  if (p.data_type != OSSL_PARAM_OCTET_STRING || !p.data || (p.data_size != 0 && p.data_size != 8 && !is_next))
    return false;
  uint64_t number = 0;
  for (size_t i = 0; i < 8; ++i) number = number << 8 | static_cast<const uint8_t*>(p.data)[i];
  if (is_next && number == 0) return false;
  seqnum = is_next ? number - 1 : number;
  return true;
}

bool read_tlstree_mode(const OSSL_PARAM& p, bool& strong) noexcept {
  constexpr size_t kLongest = 7;  // "strong" and its end
  std::string_view word;
  if (p.data_type != OSSL_PARAM_OCTET_STRING) {
    if (!read(p, word)) return false;
  } else {
    if (!p.data || p.data_size > kLongest) return false;
    const auto* const text = static_cast<const char*>(p.data);
    word = {text, p.data_size ? p.data_size : strnlen(text, kLongest)};
  }
  strong = word == "strong";
  return strong || word == "light";
}

bool write(OSSL_PARAM* p, size_t value) noexcept {
  if (!p) return true;
  if (!is_integer(*p)) return false;
  const bool is_signed = p->data_type == OSSL_PARAM_INTEGER;
  p->return_size = sizeof value;
  if (!p->data) return true;
  p->return_size = p->data_size;
  switch (p->data_size) {
    case 4: return is_signed ? store<int32_t>(*p, value) : store<uint32_t>(*p, value);
    case 8: return is_signed ? store<int64_t>(*p, value) : store<uint64_t>(*p, value);
    default: return false;
  }
}

bool write(OSSL_PARAM* p, Bytes value) noexcept {
  if (!p) return true;
  if (p->data_type == OSSL_PARAM_OCTET_PTR) {
    const void* const bytes = value.data();
    p->return_size = value.size();
    if (p->data) std::memcpy(p->data, &bytes, sizeof bytes);
    return true;
  }
  if (p->data_type != OSSL_PARAM_OCTET_STRING) return false;
  p->return_size = value.size();
  if (!p->data) return true;
  if (p->data_size < value.size()) return false;
  if (!value.empty()) std::memcpy(p->data, value.data(), value.size());
  return true;
}

bool write(OSSL_PARAM* p, const char* value) noexcept {
  if (!p) return true;
  const size_t len = std::strlen(value);
  p->return_size = len;
  if (!p->data) return p->data_type == OSSL_PARAM_UTF8_PTR || p->data_type == OSSL_PARAM_UTF8_STRING;
  if (p->data_type == OSSL_PARAM_UTF8_PTR) {
    std::memcpy(p->data, &value, sizeof value);
    return true;
  }
  if (p->data_type != OSSL_PARAM_UTF8_STRING || p->data_size < len) return false;
  std::memcpy(p->data, value, p->data_size > len ? len + 1 : len);
  return true;
}

}  // namespace vsh::openssl
