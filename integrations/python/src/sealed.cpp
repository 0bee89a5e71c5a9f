// Sealed files (docs/sealed-format.md): the cryptography over buffers. The Python part handles files.
#include <algorithm>
#include <tuple>

#include "algorithm.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

using Name = std::optional<std::string>;
// Passes, KiB of memory, lanes.
using Argon2id = std::optional<std::tuple<uint32_t, uint32_t, uint32_t>>;

std::optional<vsh_argon2id> cost_of(const Argon2id& argon2id) {
  if (!argon2id) return std::nullopt;
  const auto& [passes, memory, lanes] = *argon2id;
  return vsh_argon2id{passes, memory, lanes};
}

std::string cost_text(const vsh_argon2id& cost) {
  return "argon2id with " + std::to_string(cost.passes) + " passes, " + std::to_string(cost.memory) + " KiB, " +
         std::to_string(cost.lanes) + " lanes";
}

nb::builtin_exception misuse(const std::string& what) { return nb::value_error(what.c_str()); }

// A secret that opens a file, for the duration of a call. iterations: 0 for a key.
class Recipient {
 public:
  Recipient(const std::string& kind, const Buffer& secret, uint32_t iterations, std::string label = {})
      : held_("secret", secret), label_(std::move(label)) {
    if (label_.find('\0') != std::string::npos) throw nb::value_error("a label has no control characters");
    if (kind != "passphrase" && kind != "key") throw nb::value_error("a recipient is a 'passphrase' or a 'key'");
    value_ = {kind == "key" ? VSH_RECIPIENT_KEY : VSH_RECIPIENT_PASSPHRASE, held_.view().data(), held_.size(),
              iterations, label_.c_str()};
  }
  const vsh_recipient& value() const noexcept { return value_; }
  std::string detail() const {
    return std::string(value_.kind == VSH_RECIPIENT_KEY ? "key" : "passphrase") + " of " +
           std::to_string(value_.secret_len) + " bytes" +
           (value_.iterations != 0 ? ", " + std::to_string(value_.iterations) + " iterations" : "") +
           (label_.empty() ? "" : ", label of " + std::to_string(label_.size()) + " bytes");
  }

 private:
  Input held_;
  std::string label_;
  vsh_recipient value_{};
};

class SealerObject {
 public:
  SealerObject(size_t chunk_len, size_t slot_len, unsigned threads, Name kernel, Name device)
      : sealer_(explained("chunks of " + std::to_string(chunk_len) + " bytes", [&] {
          return Sealer(chunk_len, Engine{threads, std::move(kernel), false, std::move(device)}.options());
        })) {
    explained("slots of " + std::to_string(slot_len) + " bytes", [&] { sealer_.set_slot_len(slot_len); });
  }

  void add(const std::string& kind, const Buffer& secret, uint32_t iterations, const std::string& label,
           const Argon2id& argon2id) {
    const Recipient recipient(kind, secret, iterations, label);
    const std::optional<vsh_argon2id> cost = cost_of(argon2id);
    const std::string detail = recipient.detail() + (cost ? ", " + cost_text(*cost) : "");
    lock_.run(kReleaseLen, [&] {
      explained(detail, [&] {
        sealer_.set_argon2id(cost);
        sealer_.add(recipient.value());
      });
    });
  }
  nb::bytes header() {
    return to_bytes(lock_.run(0, [&] { return sealer_.header(); }));
  }
  nb::bytes update(const Buffer& data) {
    const Input in("data", data);
    const NewBytes out(lock_.run(0, [&] { return sealer_.update_capacity(in.size()); }));
    return out.take(lock_.run(in.size(), [&] { return sealer_.update(out.room(), in); }));
  }
  nb::bytes finalize() {
    const NewBytes out(lock_.run(0, [&] { return sealer_.final_capacity(); }));
    return out.take(lock_.run(out.room().size(), [&] { return sealer_.final(out.room()); }));
  }

 private:
  Sealer sealer_;
  Lock lock_;
};

class OpenerObject {
 public:
  OpenerObject(const Buffer& header, uint64_t max_iterations, unsigned threads, Name kernel, Name device)
      : opener_(make(Input("header", header), max_iterations,
                     Engine{threads, std::move(kernel), false, std::move(device)})) {}

  void limit_argon2id(uint64_t max_memory, uint64_t max_work) {
    lock_.run(0, [&] { opener_.limit_argon2id(max_memory, max_work); });
  }
  bool unlock(const std::string& kind, const Buffer& secret) {
    const Recipient recipient(kind, secret, 0);
    return lock_.run(kReleaseLen,
                     [&] { return explained(recipient.detail(), [&] { return opener_.unlock(recipient.value()); }); });
  }
  vsh_sealed_info info() {
    return lock_.run(0, [&] { return opener_.inspect(); });
  }
  size_t recipient() {
    return lock_.run(0, [&] { return opener_.recipient() + 1; });
  }
  nb::bytes update(const Buffer& data) {
    const Input in("data", data);
    const NewBytes out(lock_.run(0, [&] { return opener_.update_capacity(in.size()); }));
    return out.take(lock_.run(in.size(), [&] { return where([&] { return opener_.update(out.room(), in); }); }));
  }
  nb::bytes finalize() {
    const NewBytes out(lock_.run(0, [&] { return opener_.final_capacity(); }));
    return out.take(lock_.run(out.room().size(), [&] { return where([&] { return opener_.final(out.room()); }); }));
  }
  size_t header_len() const noexcept { return opener_.header_len(); }
  uint64_t plain_len(uint64_t file_len) {
    return lock_.run(0, [&] {
      return explained("file of " + std::to_string(file_len) + " bytes", [&] { return opener_.plain_len(file_len); });
    });
  }
  vsh_sealed_span locate(uint64_t position, uint64_t len, uint64_t file_len) {
    return lock_.run(0, [&] { return opener_.locate(position, len, file_len); });
  }
  nb::bytes read(const vsh_sealed_span& span, const Buffer& data) {
    const Input in("data", data);
    return to_bytes(lock_.run(in.size(), [&] {
      return explained("chunks " + std::to_string(span.first_chunk) + " to " +
                           std::to_string(span.first_chunk + span.num_chunks - 1),
                       [&] { return opener_.read(span, in); });
    }));
  }
  nb::tuple rekey(const std::vector<std::tuple<std::string, Buffer, uint32_t, std::string>>& add,
                  const std::vector<int64_t>& remove, size_t slot_len, const Argon2id& argon2id) {
    const std::vector<size_t> removed = indices(remove, add.empty());
    std::vector<std::unique_ptr<Recipient>> held;
    std::vector<vsh_recipient> recipients;
    for (const auto& [kind, secret, iterations, label] : add) {
      held.push_back(std::make_unique<Recipient>(kind, secret, iterations, label));
      recipients.push_back(held.back()->value());
    }
    const Opener::Slot slot = lock_.run(kReleaseLen, [&] {
      opener_.set_argon2id(cost_of(argon2id));
      return opener_.rekey(recipients, removed, slot_len);
    });
    return nb::make_tuple(slot.first, to_bytes(slot.bytes));
  }

 private:
  static Opener make(const Input& header, uint64_t max_iterations, const Engine& engine) {
    return without_gil(0, [&] { return Opener(header, max_iterations, engine.options()); });
  }
  // Numbers of recipients count from 1, as in the program; the library's from 0.
  std::vector<size_t> indices(const std::vector<int64_t>& numbers, bool none_added) {
    const size_t count = info().num_recipients;
    std::vector<size_t> list;
    for (const int64_t number : numbers) {
      if (number < 1 || static_cast<uint64_t>(number) > count) {
        throw misuse("there is no recipient " + std::to_string(number) +
                     "; the file's recipients have the numbers 1 to " + std::to_string(count));
      }
      const auto index = static_cast<size_t>(number - 1);
      if (std::find(list.begin(), list.end(), index) != list.end())
        throw misuse("recipient " + std::to_string(number) + " is to be removed twice");
      list.push_back(index);
    }
    if (none_added && list.size() == count) throw misuse("nobody could open the file any more");
    return list;
  }
  // Adds the number of the damaged chunk to exceptions of `call`.
  template <class Call>
  size_t where(Call&& call) {
    try {
      return call();
    } catch (const Error& error) {
      if (error.status() == VSH_E_CHUNK) throw Failure(VSH_E_CHUNK, "chunk " + std::to_string(opener_.chunk()));
      throw;
    }
  }

  Opener opener_;
  Lock lock_;
};

// One of SealedInfo.recipients.
struct Numbered {
  size_t number;
  vsh_recipient_info info;
  vsh_argon2id cost;

  const char* kind() const noexcept { return info.kind == VSH_RECIPIENT_KEY ? "key" : "passphrase"; }
  Argon2id argon2id() const {
    if (cost.passes == 0) return std::nullopt;
    return std::tuple(cost.passes, cost.memory, cost.lanes);
  }
  std::string text() const {
    std::string derivation;
    if (cost.passes != 0) {
      derivation = ", " + cost_text(cost);
    } else if (info.kind == VSH_RECIPIENT_PASSPHRASE) {
      derivation = ", " + std::to_string(info.iterations) + " iterations";
    }
    return "recipient " + std::to_string(number) + ": " + kind() + derivation +
           (*info.label ? std::string(", ") + info.label : "");
  }
};

std::vector<Numbered> numbered(const vsh_sealed_info& info) {
  std::vector<Numbered> list;
  for (size_t i = 0; i < std::min<size_t>(info.num_recipients, VSH_SEALED_MAX_RECIPIENTS); ++i)
    list.push_back({i + 1, info.recipients[i], info.argon2id[i]});
  return list;
}

nb::list recipients(const vsh_sealed_info& info) {
  nb::list list;
  for (const Numbered& recipient : numbered(info)) list.append(nb::cast(recipient));
  return list;
}

const char* content(const vsh_sealed_info& info) {
  return info.content == VSH_SEALED_DIRECTORY ? "directory" : "bytes";
}

std::string text(const vsh_sealed_info& info) {
  const std::string what = info.content == VSH_SEALED_DIRECTORY ? "directory" : "file";
  std::string text = "<vershina sealed " + what + ": version " + std::to_string(info.version) + ", " + info.cipher +
                     ", chunks of " + std::to_string(info.chunk_len) + " bytes, generation " +
                     std::to_string(info.generation);
  for (const Numbered& recipient : numbered(info)) text += "; " + recipient.text();
  return text + ">";
}

void bind_info(nb::module_& module) {
  nb::class_<Numbered>(module, "RecipientInfo", "A recipient, as the header of a sealed file describes it.")
      .def_ro("number", &Numbered::number, "From 1, as `vershina inspect` shows it and rekey() takes it.")
      .def_prop_ro("kind", &Numbered::kind, "'passphrase' or 'key'.")
      .def_prop_ro(
          "iterations", [](const Numbered& r) { return r.info.iterations; }, "For PBKDF2; 0 for a key and argon2id.")
      .def_prop_ro("argon2id", &Numbered::argon2id, nb::sig("def argon2id(self) -> tuple[int, int, int] | None"),
                   "For a passphrase by argon2id: passes, KiB of memory, lanes.")
      .def_prop_ro(
          "label", [](const Numbered& r) { return r.info.label; }, "A name, in the words of the sender; or ''.")
      .def("__repr__", [](const Numbered& r) { return "<vershina " + r.text() + ">"; });
  nb::class_<vsh_sealed_info>(module, "SealedInfo",
                              "The header of a sealed file; authentic only after an opener's unlock().")
      .def_ro("version", &vsh_sealed_info::version, "Version of the format: 2.")
      .def_prop_ro(
          "cipher", [](const vsh_sealed_info& i) { return i.cipher; }, "'kuznyechik-mgm'.")
      .def_prop_ro("content", &content, "'bytes', or 'directory': a tar stream.")
      .def_ro("chunk_len", &vsh_sealed_info::chunk_len, "Bytes of plaintext of a chunk.")
      .def_ro("slot_len", &vsh_sealed_info::slot_len, "Bytes of a slot: half of the header.")
      .def_prop_ro(
          "file_id", [](const vsh_sealed_info& i) { return to_bytes(i.file_id); }, "32 bytes.")
      .def_ro("generation", &vsh_sealed_info::generation, "1, and 1 more for each change of recipients.")
      .def_prop_ro("recipients", &recipients, nb::sig("def recipients(self) -> list[RecipientInfo]"),
                   "Who can open the file, in the order of their numbers, which begin at 1.")
      .def_prop_ro(
          "slots_differ", [](const vsh_sealed_info& i) { return i.slots_differ != 0; },
          "A change of recipients was interrupted, or a slot is damaged.")
      .def("__repr__", &text);
}

void bind_sealer(nb::module_& module) {
  nb::class_<SealerObject>(
      module, "Sealer",
      "Seals a stream: add() for everyone who shall be able to open, header(), update() ..., finalize(); what these\n"
      "return, one after the other, is the file. chunk_len: bytes, a power of two from 4096 to 2^24; 0 means 65536.\n"
      "slot_len: least length of a slot, a power of two from 512 to 8192; from 4096 on recipients can be changed in\n"
      "place. 0: as short as the recipients fit.\n"
      "threads: 0 means all; 4 MiB and more in a call keep them busy. device: as Kuznyechik has it.")
      .def(nb::init<size_t, size_t, unsigned, Name, Name>(), "chunk_len"_a = 0, nb::kw_only(), "slot_len"_a = 0,
           "threads"_a = 0, "kernel"_a = nb::none(), "device"_a = nb::none())
      .def("add", &SealerObject::add, "kind"_a, "secret"_a, "iterations"_a = 0, "label"_a = "",
           "argon2id"_a = nb::none(),
           "kind: 'passphrase' (iterations: 1000 to 2^26; or 0, and argon2id: passes, KiB of memory, lanes) or 'key'\n"
           "(32 to 64 random bytes). label: who it is, up to 64 bytes of UTF-8 without control characters and\n"
           "invisible ones, which everybody can read. OSError: argon2id, and libargon2 is missing.")
      .def("header", &SealerObject::header, "The first bytes of the file, once: two slots.")
      .def("update", &SealerObject::update, "data"_a, "Any number of bytes.")
      .def("finalize", &SealerObject::finalize, "The last chunk and the end mark.");
}

void bind_opener(nb::module_& module) {
  nb::class_<vsh_sealed_span>(module, "SealedSpan",
                              "The chunks that hold a range of the plaintext, and where they lie.")
      .def_ro("offset", &vsh_sealed_span::offset, "In the file: read in_len bytes from here.")
      .def_ro("in_len", &vsh_sealed_span::in_len, "Bytes to read.")
      .def_ro("skip", &vsh_sealed_span::skip, "Plaintext in front of the range.");
  nb::class_<OpenerObject>(
      module, "Opener",
      "Opens a sealed file: header is its first 16384 bytes, or all that it has. unlock(), then update() ...,\n"
      "finalize() over what the file has from header_len on, or locate() and read() for parts. Only verified chunks "
      "come out.\n\n"
      "ValueError: not a sealed file, a header that is damaged or was tampered with, unknown version, or more "
      "iterations than max_iterations (0: "
      "2^26).")
      .def(nb::init<const Buffer&, uint64_t, unsigned, Name, Name>(), "header"_a, "max_iterations"_a = 0, nb::kw_only(),
           "threads"_a = 0, "kernel"_a = nb::none(), "device"_a = nb::none())
      .def("limit_argon2id", &OpenerObject::limit_argon2id, "max_memory"_a, "max_work"_a,
           "Limits of unlock() and rekey() for passphrases by argon2id: KiB of memory for one, and the sum of\n"
           "memory times passes; 0 means 2^20 (1 GiB) and 2^24.")
      .def("unlock", &OpenerObject::unlock, "kind"_a, "secret"_a,
           "False: the secret is wrong, try another. ValueError: it fits, but the other slot of the header is not of\n"
           "the same file: it was tampered with; or argon2id takes more than limit_argon2id() allows. OSError:\n"
           "libargon2 is missing, and the secret opens nothing else.")
      .def_prop_ro("header_len", &OpenerObject::header_len, "Bytes of the header: the payload begins there.")
      .def("info", &OpenerObject::info, "The header, now known to be authentic. ValueError before unlock().")
      .def("recipient", &OpenerObject::recipient, "Number of the recipient that the secret fitted, from 1.")
      .def("update", &OpenerObject::update, "data"_a,
           "Plaintext of whole, verified chunks. AuthenticationError: a chunk is damaged; the message says which.")
      .def("finalize", &OpenerObject::finalize,
           "The rest. Only when this has returned, the output of update() is the whole file. AuthenticationError: it "
           "is cut short.")
      .def("plain_len", &OpenerObject::plain_len, "file_len"_a, "Bytes of plaintext of a file of that length.")
      .def("locate", &OpenerObject::locate, "position"_a, "length"_a, "file_len"_a,
           "Where a range of the plaintext lies.")
      .def("read", &OpenerObject::read, "span"_a, "data"_a,
           "The plaintext of a span's chunks; data is what lies there.")
      .def("rekey", &OpenerObject::rekey, "add"_a, "remove"_a, "slot_len"_a = 0, "argon2id"_a = nb::none(),
           nb::sig("def rekey(self, add: typing.Sequence[tuple[str, typing_extensions.Buffer, int, str]], remove: "
                   "typing.Sequence[int], slot_len: int = 0, argon2id: tuple[int, int, int] | None = None) "
                   "-> tuple[int, bytes]"),
           "The next generation of the header: a slot, and at which of the two places to write it first, where slots\n"
           "have 4096 bytes or more; else a new file is made of it, twice, and the payload. slot_len: bytes of the\n"
           "slot; 0 means as it was. remove: numbers of recipients, from 1. argon2id: of passphrases of 0 iterations.\n"
           "ValueError: there is no such recipient, or "
           "nobody would be left.");
}

}  // namespace

void bind_sealed(nb::module_& module) {
  module.attr("SEALED_MAX_HEADER_LEN") = VSH_SEALED_MAX_HEADER_LEN;
  module.attr("SEALED_MIN_SLOT_LEN") = VSH_SEALED_MIN_SLOT_LEN;
  module.attr("SEALED_IN_PLACE_SLOT_LEN") = VSH_SEALED_IN_PLACE_SLOT_LEN;
  module.attr("SEALED_MAX_RECIPIENTS") = VSH_SEALED_MAX_RECIPIENTS;
  module.attr("SEALED_MAX_PASSPHRASE_LEN") = VSH_SEALED_MAX_PASSPHRASE_LEN;
  bind_info(module);
  bind_sealer(module);
  bind_opener(module);
  module.def(
      "sealed_slot_len", [](size_t num_recipients) { return vsh_sealed_slot_len(num_recipients); }, "num_recipients"_a,
      "Bytes of the shortest slot for so many recipients; 0 for more than 32.");
  module.def(
      "sealed_inspect",
      [](const Buffer& header) {
        const Input in("header", header);
        return inspect_sealed(in);
      },
      "header"_a, "The contents of a header, without any secret.");
}

}  // namespace vershina::python
