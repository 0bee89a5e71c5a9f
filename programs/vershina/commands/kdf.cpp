// `vershina kdf`: keys from keys and from passphrases, by the functions of the standards.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/key_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/passphrase.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/contexts.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"
#include "programs/vershina/options/variable_key_file.hpp"

namespace vsh::cli {
namespace {

using Data = std::vector<uint8_t>;

// More than any real use; the output is held in memory.
constexpr unsigned kMaxLength = 1u << 20;

struct KdfSettings {
  std::string algorithm, label, suite, output = "-", kernel;
  Data label_bytes, seed, salt;
  uint64_t seqnum = 0;
  unsigned length = 32, counter_length = 1, iterations = 0, i1 = 0, i2 = 0, i3 = 0, threads = 0;
  bool raw = false, force = false;
  KeyOptions key;
  PassphraseOptions passphrase;
};

// Groups of options by function.
enum Group : unsigned { label_and_seed = 1, length = 2, counter = 4, password = 8, tls = 16, esp = 32 };

struct Function {
  const char* name;
  unsigned groups;
};
constexpr Function kFunctions[] = {{"kdf", label_and_seed},
                                   {"kdf-tree", label_and_seed | length | counter},
                                   {"prf-tls-256", label_and_seed | length},
                                   {"prf-tls-512", label_and_seed | length},
                                   {"prf-ipsec-keymat-256", label_and_seed | length},
                                   {"prf-ipsec-keymat-512", label_and_seed | length},
                                   {"prf-ipsec-prfplus-256", label_and_seed | length},
                                   {"prf-ipsec-prfplus-512", label_and_seed | length},
                                   {"pbkdf2", password | length},
                                   {"tlstree", tls},
                                   {"esptree", esp}};

const char* function_name(size_t i) { return i < std::size(kFunctions) ? kFunctions[i].name : nullptr; }

const Function& function_by_name(const std::string& name) {
  for (const Function& function : kFunctions)
    if (function.name == name) return function;
  throw std::invalid_argument(name);
}

struct FreeTree {
  void operator()(vsh_tlstree* tree) const { vsh_tlstree_free(tree); }
  void operator()(vsh_esptree* tree) const { vsh_esptree_free(tree); }
};

class KdfCommand {
 public:
  explicit KdfCommand(const KdfSettings& settings)
      : s_(settings), function_(function_by_name(settings.algorithm)), derived_(settings.length) {
    options_.threads = settings.threads;
    if (!settings.kernel.empty()) options_.kernel = settings.kernel.c_str();
  }

  void run() {
    check_output_name(s_.output, s_.force);
    std::vector<ReadFile> sources;
    if (function_.groups & password) {
      derive_from_passphrase(sources);
    } else {
      LongKey key;
      s_.key.load(key, false);
      if (key.source) sources.push_back(*key.source);
      derive_from_key(key.secret.bytes());
    }
    write(sources);
    if ((function_.groups & label_and_seed) != 0 && s_.label.empty() && s_.label_bytes.empty() && s_.seed.empty())
      print_note(tr("{1}: label and seed are empty, the result depends on the key alone", function_.name));
  }

 private:
  void check(vsh_status status) const {
    if (status == VSH_OK) return;
    if (status == VSH_E_KEY_LENGTH)
      throw Failure(ExitCode::usage, tr("{1}: the root key has 32 bytes", function_.name),
                    tr("give one of that length"));
    throw engine_failure(status, function_.name, options_);
  }

  void derive_from_passphrase(std::vector<ReadFile>& sources) {
    if (s_.salt.empty()) {
      throw Failure(ExitCode::usage, tr("pbkdf2 needs a salt"),
                    tr("give one with --salt-hex: 16 random bytes or more"));
    }
    if (s_.iterations == 0) {
      throw Failure(ExitCode::usage, tr("pbkdf2 needs the number of its iterations"),
                    tr("give it with --iterations: as many as can be borne, RFC 9337 asks for at least 1000"));
    }
    const EchoGuard silence;
    Passphrase passphrase;
    s_.passphrase.load(passphrase, false, false);
    if (s_.passphrase.source()) sources.push_back(*s_.passphrase.source());
    check(vsh_pbkdf2(derived_.data(), derived_.size(), passphrase.data(), passphrase.size(), s_.salt.data(),
                     s_.salt.size(), s_.iterations, &options_));
  }

  void derive_from_key(std::span<const uint8_t> key) {
    const std::string name = function_.name;
    if (name == "tlstree") return derive_tlstree(key);
    if (name == "esptree") return derive_esptree(key);
    Data label = s_.label_bytes;
    label.insert(label.end(), s_.label.begin(), s_.label.end());
    const Data& seed = s_.seed;
    vsh_prf_algorithm prf{};
    if (vsh_prf_by_name(&prf, function_.name) == VSH_OK) {
      const bool tls_prf = prf == VSH_PRF_TLS_256 || prf == VSH_PRF_TLS_512;
      if (!tls_prf && !label.empty())
        throw Failure(ExitCode::usage, tr("{1} has no label", name), tr("leave it out, or put it into --seed-hex"));
      const vsh_status status = vsh_prf(derived_.data(), derived_.size(), prf, key.data(), key.size(), label.data(),
                                        label.size(), seed.data(), seed.size(), &options_);
      if (status == VSH_E_PARAMETERS)
        throw Failure(ExitCode::usage, tr("{1} cannot make {2}", name, bytes_of(derived_.size())),
                      tr("choose a smaller --length"));
      return check(status);
    }
    const vsh_status status = vsh_kdf_tree(derived_.data(), derived_.size(), key.data(), key.size(), s_.counter_length,
                                           label.data(), label.size(), seed.data(), seed.size(), &options_);
    if (status == VSH_E_PARAMETERS) {
      throw Failure(
          ExitCode::usage,
          tr("{1} with a counter of {2} cannot make {3}", name, bytes_of(s_.counter_length), bytes_of(derived_.size())),
          tr("choose another --counter-length or --length"));
    }
    check(status);
  }

  void derive_tlstree(std::span<const uint8_t> root) {
    vsh_tlstree_suite suite{};
    if (vsh_tlstree_by_name(&suite, s_.suite.c_str()) != VSH_OK)
      throw Failure(ExitCode::usage, tr("tlstree needs a --suite"),
                    tr("choose one of {1}", list_names(vsh_tlstree_name)));
    vsh_tlstree* tree = nullptr;
    check(vsh_tlstree_new(&tree, suite, root.data(), root.size(), &options_));
    const std::unique_ptr<vsh_tlstree, FreeTree> owner(tree);
    const vsh_status status = vsh_tlstree_key(tree, derived_.data(), derived_.size(), s_.seqnum);
    if (status == VSH_E_LIMIT)
      throw Failure(ExitCode::usage, tr("--seqnum is beyond the last record of {1}", s_.suite),
                    tr("records are counted from 0"));
    check(status);
  }

  void derive_esptree(std::span<const uint8_t> root) {
    vsh_esptree* tree = nullptr;
    check(vsh_esptree_new(&tree, root.data(), root.size(), &options_));
    const std::unique_ptr<vsh_esptree, FreeTree> owner(tree);
    check(vsh_esptree_key(tree, derived_.data(), derived_.size(), static_cast<uint8_t>(s_.i1),
                          static_cast<uint16_t>(s_.i2), static_cast<uint16_t>(s_.i3)));
  }

  void write(const std::vector<ReadFile>& sources) const {
    OutputFile output(s_.output, s_.force, s_.raw ? OutputFile::Content::binary : OutputFile::Content::any, sources);
    output.keep_private();
    if (s_.raw) {
      output.write(derived_.bytes());
    } else {
      output.write(encode_secret_hex(derived_.bytes()).bytes());
    }
    output.commit();
  }

  const KdfSettings& s_;
  const Function& function_;
  vsh_options options_ = VSH_OPTIONS_INIT;
  SecretBuffer derived_;
};

constexpr const char* kKdfExamples = mark(R"text(Examples:
  vershina kdf -a kdf --key-file k.bin --label mac --seed-hex af21434145656378
  vershina kdf -a kdf-tree --key-file k.bin --label files --seed-hex 01 --length 64 --raw -o two-keys.bin
  vershina kdf -a pbkdf2 --salt-hex "$(openssl rand -hex 32)" --iterations 100000
  vershina kdf -a tlstree --key-file root.bin --suite kuznyechik-mgm-l --seqnum 8192)text");

// Adds the option and remembers which functions have it.
class OptionTable {
 public:
  Option* add(Option* option, unsigned groups) {
    rows_.push_back({option, groups});
    return option;
  }
  // Refuses options that the function does not use.
  void check(const Function& function) const {
    for (const auto& [option, groups] : rows_) {
      if (option->count() == 0 || (function.groups & groups) != 0) continue;
      throw Failure(ExitCode::usage, tr("{1} takes no {2}", function.name, option->name()), tr("leave it out"));
    }
  }

 private:
  std::vector<std::pair<Option*, unsigned>> rows_;
};

}  // namespace

void add_kdf_command(Program& program) {
  Command& command = program.add_command("kdf", tr("Derive a key from another key or from a passphrase"));
  auto settings = std::make_shared<KdfSettings>();
  auto table = std::make_shared<OptionTable>();
  KdfSettings& s = *settings;
  add_name(command, "-a,--algorithm", s.algorithm, one_of(mark("key derivation"), function_name),
           list_names(function_name), "NAME")
      ->manual(
          "One of:\n"
          "- `kdf`: KDF_GOSTR3411_2012_256 (RFC 7836 4.5): 32 bytes.\n"
          "- `kdf-tree`: KDF_TREE_GOSTR3411_2012_256 (RFC 7836 4.4). The length enters every part of the "
          "result: a shorter key is not a prefix of a longer one.\n"
          "- `prf-tls-256`, `prf-tls-512`: PRF_TLS_GOSTR3411_2012_256 and _512 (RFC 7836 4.2.1).\n"
          "- `prf-ipsec-keymat-256`, `prf-ipsec-keymat-512`: PRF_IPSEC_KEYMAT_GOSTR3411_2012_256 and _512 (R "
          "50.1.113-2016).\n"
          "- `prf-ipsec-prfplus-256`, `prf-ipsec-prfplus-512`: PRF_IPSEC_PRFPLUS_GOSTR3411_2012_256 and "
          "_512, the prf+ of IKEv2 (RFC 7836 4.2.2).\n"
          "- `pbkdf2`: PBKDF2 with HMAC-Streebog-512 (RFC 9337, R 50.1.111-2016) from a passphrase.\n"
          "- `tlstree`: The key of a TLS record (RFC 9189 8.1, RFC 9367 4.1.2).\n"
          "- `esptree`: The key of an ESP packet (RFC 9227).")
      ->required();
  s.key.add_to(command);
  const auto add_bytes = [&](const char* name, Data& value, unsigned groups, const std::string& text) {
    return table->add(add_hex(command, name, value, text), groups);
  };
  const auto add = [&](const char* name, auto& value, const NumberRule& rule, unsigned groups,
                       const std::string& text) {
    return table->add(add_number(command, name, value, rule, text), groups);
  };
  table->add(command.add_option("--label", s.label, "TEXT", tr("The label, as text")), label_and_seed);
  add_bytes("--label-hex", s.label_bytes, label_and_seed, tr("The label, or the part before --label"));
  add_bytes("--seed-hex", s.seed, label_and_seed, tr("The seed"));
  add("--length", s.length, {.min = 1, .max = kMaxLength, .is_size = true}, length, tr("Bytes to derive (default 32)"));
  add("--counter-length", s.counter_length, {.min = 1, .max = 4}, counter,
      tr("kdf-tree: bytes of the counter, R, 1 to 4 (default 1)"));
  add_bytes("--salt-hex", s.salt, password, tr("pbkdf2: the salt"))->manual("The salt, 16 random bytes or more.");
  add("--iterations", s.iterations, {.min = 1, .max = UINT32_MAX}, password, tr("pbkdf2: how many iterations"))
      ->manual(
          "Iterations, as many as you can afford: each guess at the passphrase costs an attacker the same "
          "number. RFC 9337 requires at least 1000.");
  s.passphrase.add_to(command);
  table->add(
      add_name(command, "--suite", s.suite, one_of(mark("suite"), vsh_tlstree_name),
               "tlstree: " + list_names(vsh_tlstree_name), "NAME")
          ->manual("For `tlstree`: the cipher suite (the part after TLS_GOSTR341112_256_WITH_), "
                   "`kuznyechik-ctr-omac`, `magma-ctr-omac`, `kuznyechik-mgm-l`, `magma-mgm-l`, `kuznyechik-mgm-s` or "
                   "`magma-mgm-s`."),
      tls);
  add("--seqnum", s.seqnum, {}, tls, tr("tlstree: the record's number (default 0)"));
  add("--i1", s.i1, {.max = UINT8_MAX}, esp, tr("esptree: the first byte of the IV (default 0)"));
  add("--i2", s.i2, {.max = UINT16_MAX}, esp, tr("esptree: the next two bytes, as a number (default 0)"));
  add("--i3", s.i3, {.max = UINT16_MAX}, esp, tr("esptree: the two bytes after them (default 0)"));
  command.add_option("-o,--output", s.output, "OUT", tr("The file to write (default: standard output)"))
      ->manual("The file to write; by default standard output. A new file is readable only by its owner.");
  command.add_flag("--raw", s.raw, tr("Write bytes, not a line of hexadecimal digits"));
  command.add_flag("-f,--force", s.force, tr("Replace an existing output file; write bytes to a terminal"));
  add_threads_option(command, s.threads);
  add_kernel_option(command, s.kernel);
  add_quiet_option(command);
  command.footer(tr(kKdfExamples));

  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::input, ExitCode::output, ExitCode::kernel});
  command.action([settings, table] {
    const Function& function = function_by_name(settings->algorithm);
    table->check(function);
    if ((function.groups & password) != 0 && settings->key.given()) {
      throw Failure(ExitCode::usage, tr("pbkdf2 takes a passphrase, not a key"),
                    tr("give it with --passphrase-file, or on the terminal"));
    }
    if ((function.groups & password) == 0 && settings->passphrase.given()) {
      throw Failure(ExitCode::usage, tr("{1} takes a key, not a passphrase", function.name),
                    tr("derive one with -a pbkdf2"));
    }
    KdfCommand(*settings).run();
  });
}

}  // namespace vsh::cli
