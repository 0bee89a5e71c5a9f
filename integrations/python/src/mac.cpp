// Message authentication codes with the interface of hmac.
#include <memory>

#include "algorithm.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

class MacObject {
 public:
  // name: of vsh_mac_name.
  MacObject(const std::string& name, View key, const Options& options, const std::optional<Buffer>& data)
      : name_(name), mac_(make(name, key, options)) {
    if (data) update(*data);
  }
  MacObject(const MacObject&) = delete;

  void update(const Buffer& data) {
    const Input in("data", data);
    lock_.run(in.size(), [&] { mac_.update(in); });
  }
  Bytes value(size_t tag_len) {
    if (tag_len > mac_.max_len()) throw Failure(VSH_E_TAG_LENGTH, name_ + ", tag of " + std::to_string(tag_len) + " bytes");
    return lock_.run(0, [&] { return mac_.final(tag_len); });
  }
  nb::bytes finalize(size_t tag_len) { return to_bytes(value(tag_len)); }
  void verify(const Buffer& tag) {
    const Input in("tag", tag);
    const bool right = explained(name_ + ", tag of " + std::to_string(in.size()) + " bytes",
                                 [&] { return lock_.run(0, [&] { return mac_.verify(in); }); });
    if (!right) throw Failure(VSH_E_TAG, name_);
  }
  void reset() {
    lock_.run(0, [&] { mac_.reset(); });
  }

  const std::string& name() const noexcept { return name_; }
  size_t digest_size() const noexcept { return mac_.max_len(); }
  std::string kernel() const { return std::string(mac_.kernel()); }

 private:
  static Mac make(const std::string& name, View key, const Options& options) {
    vsh_mac_algorithm algorithm;
    if (vsh_mac_by_name(&algorithm, name.c_str()) != VSH_OK) {
      const std::string text = "there is no such MAC: " + name;
      throw nb::value_error(text.c_str());
    }
    return explained(name + ", key of " + std::to_string(key.size()) + " bytes", [&] { return Mac(algorithm, key, options); });
  }

  std::string name_;
  Mac mac_;
  Lock lock_;
};

struct Omac : MacObject {
  Omac(const Algorithm& algorithm, const std::optional<Buffer>& data)
      : MacObject(std::string(algorithm.name()) + "-mac", algorithm.key(), algorithm.options(), data) {}
};

}  // namespace

void bind_mac(nb::module_& module) { (void)module; }

}  // namespace vershina::python
