// Batches: many messages in parallel.
#include <algorithm>

#include "algorithm.hpp"
#include "bindings.hpp"
#include "hash_names.hpp"
#include "locked.hpp"
#include "rows.hpp"

namespace vershina::python {
namespace {

// Type of row arguments; InputRows and OutputRows check the object.
class RowsArg : public nb::object {
  NB_OBJECT(RowsArg, nb::object, "typing_extensions.Buffer | typing.Sequence[typing_extensions.Buffer]", any_object)
};
using OptionalRows = std::optional<RowsArg>;
using Name = std::optional<std::string>;

// The modes of batches.
constexpr const char kModes[] = "ecb, cbc, ctr, ofb, cfb or, of GOST 28147-89, cnt";

std::string in_lower_case(std::string text) {
  for (char& c : text) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// Returns which part of a job has the length that its status complains about; wanted: that of the IV.
template <class Job>
std::string length_detail(const Job& job, size_t iv_len, size_t wanted) {
  switch (job.status) {
    case VSH_E_IV_LENGTH:
      if (iv_len == 0 && wanted > 0) return ", no IV: iv= is missing";
      return ", " + length_text("IV", iv_len, wanted);
    case VSH_E_DATA_LENGTH: return ", data of " + bytes_text(job.in_len);
    case VSH_E_CAPACITY: return ", data of " + bytes_text(job.in_len) + ", out has " + bytes_text(job.out_len);
    default: return {};
  }
}

// Describes the first failed job and the number of failures.
template <class Job, class Detail>
[[noreturn]] void throw_first(const std::vector<Job>& jobs, Detail detail) {
  size_t first = jobs.size(), failed = 0;
  for (size_t i = jobs.size(); i-- > 0;) {
    if (jobs[i].status != VSH_OK) first = i, ++failed;
  }
  throw Failure(jobs[first].status, "message " + std::to_string(first) + detail(jobs[first]) + "; " +
                                        std::to_string(failed) + " of " + std::to_string(jobs.size()) +
                                        " failed, the others are done");
}

// Returns true if all succeeded, false if some failed.
bool done(vsh_status status) {
  if (status != VSH_E_JOB) check(status);
  return status == VSH_OK;
}

// Runs a batch, and throws if a job failed.
template <class Job, class Run, class Detail = std::string (*)(const Job&)>
void run_jobs(
    const std::vector<Job>& jobs, size_t num_bytes, Run&& run,
    Detail detail = [](const Job&) { return std::string(); }) {
  if (!without_gil(num_bytes, [&] { return done(run()); })) throw_first(jobs, detail);
}

// The key of each message: as given, or one for all, or the i-th for the i-th.
class KeyIndices {
 public:
  KeyIndices(const std::optional<Buffer>& given, size_t num_messages, size_t num_keys) : one_for_all_(num_keys == 1) {
    if (given) {
      held_.emplace("key_index", *given);
      if (held_->size() != num_messages * sizeof(uint64_t))
        throw nb::value_error("key_index: a uint64 for each message is needed");
    } else if (num_keys != num_messages && !one_for_all_) {
      throw nb::value_error("key_index: needed where there are neither one key nor as many keys as messages");
    }
  }
  size_t operator[](size_t i) const noexcept {
    if (!held_) return one_for_all_ ? 0 : i;
    uint64_t index;
    memcpy(&index, held_->view().data() + i * sizeof index, sizeof index);
    return index;
  }

 private:
  std::optional<Input> held_;
  bool one_for_all_;
};

class StreamsObject {
 public:
  StreamsObject(const std::string& algorithm, const RowsArg& keys, size_t segment_len, nb::object sbox,
                unsigned threads, Name kernel, bool allow_tables, bool allow_short_tags, Name device)
      : name_(in_lower_case(algorithm)) {
    const InputRows rows("keys", keys);
    Secret packed(rows.num_bytes());
    uint8_t* end = packed.room().data();
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].size() != VSH_KEY_LEN) throw Failure(VSH_E_KEY_LENGTH, "key " + std::to_string(i));
      end = std::copy(rows[i].begin(), rows[i].end(), end);
    }
    const Sbox box = sbox.is_none() ? Sbox() : Sbox(sbox);
    const Engine engine{threads, std::move(kernel), allow_tables, std::move(device)};
    Options options = engine.options();
    box.apply(options);
    options.segment_len = segment_len;
    if (allow_short_tags) options.flags |= VSH_ALLOW_SHORT_TAGS;
    vsh_mode any;
    if (vsh_cipher_by_name(&id_, &any, (name_ + "-ecb").c_str()) != VSH_OK) {
      const std::string text = "unknown cipher: " + algorithm + "; there are kuznyechik, magma, gost28147";
      throw nb::value_error(text.c_str());
    }
    explained(name_, [&] {
      vsh_streams* made = nullptr;
      check(vsh_streams_new(&made, id_, packed.room().data(), rows.size(), &options));
      streams_.reset(made);
    });
    num_keys_ = rows.size();
  }

  void run(vsh_stream_work work, const std::string& mode, const RowsArg& data, const RowsArg& out,
           const OptionalRows& iv, const std::optional<Buffer>& key_index) const {
    const InputRows in("data", data);
    const OutputRows to("out", out);
    to.expect(in.size(), "out");
    std::optional<InputRows> ivs;
    if (iv) ivs.emplace("iv", *iv), ivs->expect(in.size(), "iv");
    const KeyIndices keys(key_index, in.size(), num_keys_);
    vsh_cipher_algorithm same;
    vsh_mode mode_id{};
    if (work != VSH_STREAM_MAC) {
      const std::string name = in_lower_case(mode);
      const bool is_of_batches = name.size() == 3 && std::string_view(kModes).find(name) != std::string_view::npos;
      if (!is_of_batches || vsh_cipher_by_name(&same, &mode_id, (name_ + "-" + name).c_str()) != VSH_OK) {
        const std::string text = "batches of " + name_ + " have no mode " + mode + ": " + kModes;
        throw nb::value_error(text.c_str());
      }
    }
    std::vector<vsh_stream_job> jobs(in.size());
    for (size_t i = 0; i < jobs.size(); ++i) {
      const View iv_i = ivs ? (*ivs)[i] : View{};
      jobs[i] = {work,         mode_id,      nullptr,      keys[i],      iv_i.data(), iv_i.size(),
                 in[i].data(), in[i].size(), to[i].data(), to[i].size(), VSH_OK};
    }
    run_jobs(
        jobs, in.num_bytes(), [&] { return vsh_streams_run(streams_.get(), jobs.data(), jobs.size()); },
        [&](const vsh_stream_job& job) { return length_detail(job, job.iv_len, vsh_iv_len(id_, mode_id)); });
  }

  // verdicts: a byte for each packet, 1 if it is authentic; without it a forged packet raises.
  void mgm(bool encrypt, const RowsArg& nonce, const RowsArg& data, const RowsArg& out,
           const OptionalRows& associated_data, const std::optional<Buffer>& key_index, size_t tag_len,
           const std::optional<Buffer>& verdicts) const {
    const InputRows in("data", data), nonces("nonce", nonce);
    const OutputRows to("out", out);
    to.expect(in.size(), "out");
    nonces.expect(in.size(), "nonce");
    std::optional<InputRows> headers;
    if (associated_data)
      headers.emplace("associated_data", *associated_data), headers->expect(in.size(), "associated_data");
    std::optional<Output> verdict;
    if (verdicts) verdict.emplace("verified", *verdicts);
    if (verdict && verdict->size() != in.size()) throw nb::value_error("verified: a byte for each message is needed");
    const KeyIndices keys(key_index, in.size(), num_keys_);
    std::vector<vsh_mgm_job> jobs(in.size());
    for (size_t i = 0; i < jobs.size(); ++i) {
      const View header = headers ? (*headers)[i] : View{};
      jobs[i] = {encrypt ? VSH_STREAM_ENCRYPT : VSH_STREAM_DECRYPT,
                 nullptr,
                 keys[i],
                 nonces[i].data(),
                 nonces[i].size(),
                 header.data(),
                 header.size(),
                 in[i].data(),
                 in[i].size(),
                 to[i].data(),
                 to[i].size(),
                 tag_len,
                 VSH_OK};
    }
    bool forged_alone = true;
    const bool all =
        without_gil(in.num_bytes(), [&] { return done(vsh_streams_mgm(streams_.get(), jobs.data(), jobs.size())); });
    for (size_t i = 0; i < jobs.size(); ++i) {
      if (verdict) verdict->room()[i] = jobs[i].status == VSH_OK;
      if (jobs[i].status != VSH_OK && jobs[i].status != VSH_E_TAG) forged_alone = false;
    }
    if (!all && !(verdict && forged_alone))
      throw_first(jobs, [&](const vsh_mgm_job& job) { return length_detail(job, job.nonce_len, block_len()); });
  }

  size_t num_keys() const noexcept { return num_keys_; }
  size_t lanes() const noexcept { return vsh_streams_lanes(streams_.get()); }
  const char* kernel() const noexcept { return vsh_streams_kernel(streams_.get()); }
  size_t block_len() const noexcept { return vsh_block_len(id_); }

 private:
  struct Free {
    void operator()(vsh_streams* streams) const noexcept { vsh_streams_free(streams); }
  };
  std::string name_;
  vsh_cipher_algorithm id_{};
  size_t num_keys_ = 0;
  std::unique_ptr<vsh_streams, Free> streams_;  // several threads may run batches over it at once
};

void hash_rows(const std::string& name, const RowsArg& data, const RowsArg& out, const Engine& engine,
               bool used_for_security) {
  const InputRows in("data", data);
  const OutputRows to("out", out);
  to.expect(in.size(), "out");
  vsh_hash_algorithm algorithm;
  check(vsh_hash_by_name(&algorithm, streebog_name("a batch", name).c_str()));
  Options options = engine.options();
  if (!used_for_security) options.flags |= VSH_INPUT_IS_PUBLIC;
  std::vector<vsh_hash_job> jobs(in.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i] = {in[i].data(), in[i].size(), to[i].data(), to[i].size(), VSH_OK};
  }
  run_jobs(jobs, in.num_bytes(), [&] { return vsh_streams_hash(algorithm, jobs.data(), jobs.size(), &options); });
}

void hmac_rows(const std::string& name, const RowsArg& keys, const RowsArg& data, const RowsArg& out,
               const Engine& engine) {
  const InputRows in("data", data), key("keys", keys);
  const OutputRows to("out", out);
  to.expect(in.size(), "out");
  key.expect(in.size(), "keys");
  vsh_mac_algorithm algorithm;
  check(vsh_mac_by_name(&algorithm, ("hmac-" + streebog_name("HMAC", name)).c_str()));
  const Options options = engine.options();
  std::vector<vsh_hmac_job> jobs(in.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i] = {key[i].data(), key[i].size(), in[i].data(), in[i].size(), to[i].data(), to[i].size(), VSH_OK};
  }
  run_jobs(jobs, in.num_bytes(), [&] { return vsh_streams_hmac(algorithm, jobs.data(), jobs.size(), &options); });
}

void pbkdf2_rows(const RowsArg& passwords, const RowsArg& salts, uint32_t iterations, const RowsArg& out,
                 const Engine& engine) {
  const InputRows password("passwords", passwords), salt("salts", salts);
  const OutputRows to("out", out);
  to.expect(password.size(), "out");
  salt.expect(password.size(), "salts");
  const Options options = engine.options();
  std::vector<vsh_pbkdf2_job> jobs(password.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i] = {password[i].data(), password[i].size(), salt[i].data(), salt[i].size(),
               iterations,         to[i].data(),       to[i].size(),   VSH_OK};
  }
  run_jobs(jobs, kReleaseLen, [&] { return vsh_pbkdf2_batch(jobs.data(), jobs.size(), &options); });
}

Engine engine(unsigned threads, Name kernel, Name device = {}) {
  return {threads, std::move(kernel), false, std::move(device)};
}

}  // namespace

void bind_streams(nb::module_& module) {
  nb::class_<StreamsObject>(module, "Streams", "Batches under prepared keys; see vershina.streams.Streams.")
      .def(nb::init<const std::string&, const RowsArg&, size_t, nb::object, unsigned, Name, bool, bool, Name>(),
           "algorithm"_a, "keys"_a, "segment_len"_a, "sbox"_a.none(), "threads"_a, "kernel"_a.none(), "allow_tables"_a,
           "allow_short_tags"_a, "device"_a.none())
      .def(
          "encrypt_rows",
          [](const StreamsObject& s, const std::string& mode, const RowsArg& data, const RowsArg& out,
             const OptionalRows& iv,
             const std::optional<Buffer>& key_index) { s.run(VSH_STREAM_ENCRYPT, mode, data, out, iv, key_index); },
          "mode"_a, "data"_a, "out"_a, "iv"_a.none(), "key_index"_a.none())
      .def(
          "decrypt_rows",
          [](const StreamsObject& s, const std::string& mode, const RowsArg& data, const RowsArg& out,
             const OptionalRows& iv,
             const std::optional<Buffer>& key_index) { s.run(VSH_STREAM_DECRYPT, mode, data, out, iv, key_index); },
          "mode"_a, "data"_a, "out"_a, "iv"_a.none(), "key_index"_a.none())
      .def(
          "mac_rows",
          [](const StreamsObject& s, const RowsArg& data, const RowsArg& out, const std::optional<Buffer>& key_index) {
            s.run(VSH_STREAM_MAC, "", data, out, std::nullopt, key_index);
          },
          "data"_a, "out"_a, "key_index"_a.none())
      .def("mgm_rows", &StreamsObject::mgm, "encrypt"_a, "nonce"_a, "data"_a, "out"_a, "associated_data"_a.none(),
           "key_index"_a.none(), "tag_len"_a, "verified"_a.none())
      .def_prop_ro("num_keys", &StreamsObject::num_keys, "How many keys were prepared.")
      .def_prop_ro("block_size", &StreamsObject::block_len, "Bytes of a block: 16 or 8.")
      .def_prop_ro("lanes", &StreamsObject::lanes, "Messages of one pass: a batch should have at least so many.")
      .def_prop_ro("kernel", &StreamsObject::kernel, "Which kernel takes a message in each lane.");

  module.def(
      "hash_rows",
      [](const std::string& name, const RowsArg& data, const RowsArg& out, unsigned threads, Name kernel,
         bool usedforsecurity, Name device) {
        hash_rows(name, data, out, engine(threads, std::move(kernel), std::move(device)), usedforsecurity);
      },
      "name"_a, "data"_a, "out"_a, "threads"_a, "kernel"_a.none(), "usedforsecurity"_a, "device"_a.none());
  module.def(
      "hmac_rows",
      [](const std::string& name, const RowsArg& keys, const RowsArg& data, const RowsArg& out, unsigned threads,
         Name kernel) { hmac_rows(name, keys, data, out, engine(threads, std::move(kernel))); },
      "name"_a, "keys"_a, "data"_a, "out"_a, "threads"_a, "kernel"_a.none());
  module.def(
      "pbkdf2_rows",
      [](const RowsArg& passwords, const RowsArg& salts, uint32_t iterations, const RowsArg& out, unsigned threads,
         Name kernel) { pbkdf2_rows(passwords, salts, iterations, out, engine(threads, std::move(kernel))); },
      "passwords"_a, "salts"_a, "iterations"_a, "out"_a, "threads"_a, "kernel"_a.none());
}

}  // namespace vershina::python
