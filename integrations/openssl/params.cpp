#include "params.hpp"

#include <cstring>
#include <limits>

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
  char name[64] = {};
  if (!read(p, text) || text.size() >= sizeof name) return false;
  std::memcpy(name, text.data(), text.size());
  return vsh_sbox_by_name(&value, name) == VSH_OK;
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
