// Hash functions with the interface of hashlib.
#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "buffers.hpp"
#include "hash_names.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

struct Function {
  const char* name;
  vsh_hash_algorithm algorithm;
  size_t block_len;
  const char* doc;
};

constexpr Function kFunctions[] = {
    {"streebog256", VSH_STREEBOG256, 64, "Streebog with a digest of 32 bytes: GOST R 34.11-2012, RFC 6986."},
    {"streebog512", VSH_STREEBOG512, 64, "Streebog with a digest of 64 bytes: GOST R 34.11-2012, RFC 6986."},
    {"gost94-cryptopro", VSH_GOST94_CRYPTOPRO, 32,
     "GOST R 34.11-94 (RFC 5831) with the S-boxes id-GostR3411-94-CryptoProParamSet: a digest of 32 bytes.\n\n"
     "Broken in theory: for checking old signatures only."},
    {"gost94-test", VSH_GOST94_TEST, 32,
     "GOST R 34.11-94 (RFC 5831) with the S-boxes id-GostR3411-94-TestParamSet: a digest of 32 bytes.\n\n"
     "Broken in theory: for checking old signatures only."},
};

constexpr const char kArguments[] =
    "\n\ndata: the beginning of the message. usedforsecurity=False says that the input is public, so that a table "
    "kernel may be "
    "chosen\n"
    "where it is faster; otherwise the time taken tells nothing about the input.";

class HashObject {
 public:
  HashObject(const Function& function, const Buffer& data, bool used_for_security)
      : function_(&function), hash_(function.algorithm, options(used_for_security)) {
    update(data);
  }
  HashObject(const HashObject& other) : HashObject(*other.function_, other.clone()) {}

  void update(const Buffer& data) {
    const Input in("data", data);
    lock_.run(in.size(), [&] { hash_.update(in); });
  }
  Bytes value() const { return clone().final(); }
  nb::bytes digest() const { return to_bytes(value()); }
  nb::str hexdigest() const { return to_hex(value()); }

  const char* name() const noexcept { return function_->name; }
  size_t digest_size() const noexcept { return hash_.len(); }
  size_t block_size() const noexcept { return function_->block_len; }
  std::string kernel() const { return std::string(hash_.kernel()); }

 private:
  HashObject(const Function& function, Hash&& hash) : function_(&function), hash_(std::move(hash)) {}
  static Options options(bool used_for_security) {
    Options options;
    if (!used_for_security) options.flags = VSH_INPUT_IS_PUBLIC;
    return options;
  }
  Hash clone() const {
    return lock_.run(0, [&] { return hash_.clone(); });
  }

  const Function* function_;
  Hash hash_;
  mutable Lock lock_;
};

// In lower case, without - and _.
std::string folded(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c != '-' && c != '_') text += 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

const Function& function_by_name(const std::string& name) {
  std::string known;
  for (const Function& function : kFunctions) {
    if (folded(name) == folded(function.name)) return function;
    known += (known.empty() ? "" : ", ") + std::string(function.name);
  }
  const std::string text = "unknown hash function: " + name + "; there are " + known;
  throw nb::value_error(text.c_str());
}

std::unique_ptr<HashObject> hash_by_name(const std::string& name, const Buffer& data, bool used_for_security) {
  return std::make_unique<HashObject>(function_by_name(name), data, used_for_security);
}

nb::list names() {
  nb::list list;
  for (const Function& function : kFunctions) list.append(function.name);
  return list;
}

std::string identifier(std::string name) {
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

}  // namespace

std::string streebog_name(const char* user, const std::string& given) {
  const std::string name = function_by_name(given).name;
  if (name.starts_with("streebog")) return name;
  const std::string text = std::string(user) + " is over streebog256 or streebog512, not over " + name;
  throw nb::value_error(text.c_str());
}

void bind_hash(nb::module_& module) {
  nb::class_<HashObject>(
      module, "Hash",
      "A hash in progress: hashlib's interface. Made by streebog256() and the like, or by new().\n\n"
      "Several threads may use one object, one after the other; the GIL is released from 2048 bytes on.")
      .def("update", &HashObject::update, "data"_a, "Goes on with data, any number of bytes.")
      .def("digest", &HashObject::digest,
           "The digest of all that was given so far, digest_size bytes; more may follow.")
      .def("hexdigest", &HashObject::hexdigest, "The digest as a string of hexadecimal digits.")
      .def(
          "copy", [](const HashObject& hash) { return std::make_unique<HashObject>(hash); },
          "A second object that goes on from the same point.")
      .def_prop_ro("name", &HashObject::name, "Name for new().")
      .def_prop_ro("digest_size", &HashObject::digest_size, "Bytes of a digest.")
      .def_prop_ro("block_size", &HashObject::block_size,
                   "Bytes of the compression function's block: what HMAC pads its key to.")
      .def_prop_ro("kernel", &HashObject::kernel, "Which kernel does the work, such as 'avx2'.")
      .def("__repr__", [](const HashObject& hash) { return "<vershina hash " + std::string(hash.name()) + ">"; });

  for (const Function& function : kFunctions) {
    const std::string doc = std::string(function.doc) + kArguments;
    module.def(
        identifier(function.name).c_str(),
        [&function](const Buffer& data, bool used_for_security) {
          return std::make_unique<HashObject>(function, data, used_for_security);
        },
        "data"_a = nb::bytes(""), nb::kw_only(), "usedforsecurity"_a = true, doc.c_str());
  }
  module.def("new", &hash_by_name, "name"_a, "data"_a = nb::bytes(""), nb::kw_only(), "usedforsecurity"_a = true,
             "A hash function by its name: one of vershina.algorithms_available, in any case, also as `vershina hash\n"
             "--tag` prints it (Streebog-256) or as its constructor is called (gost94_test). ValueError for another.");
  module.def("hash_names", &names, nb::sig("def hash_names() -> list[str]"), "Names for new().");
}

}  // namespace vershina::python
