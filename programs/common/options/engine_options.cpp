#include "programs/common/options/engine_options.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "programs/common/files/input_file.hpp"
#include "programs/common/options/device_word.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/contexts.hpp"
#include "programs/common/system/device_trial.hpp"
#include "programs/common/system/environment.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

// For completion.
Texts kernel_names() {
  std::set<std::string> names;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i)
    if (info.runnable) names.insert(info.variant);
  return {names.begin(), names.end()};
}

}  // namespace

Texts device_names() {
  Texts names = {"cpu", "auto", "all"};
  vsh_device_info info;
  for (size_t i = 0; vsh_device(i, &info) == VSH_OK; ++i) names.emplace_back(info.id);
  (void)take_trial_problems();  // no matter of completion
  return names;
}

Option* add_threads_option(Command& command, unsigned& threads, const std::string& description) {
  return add_number(command, "--threads", threads, {.max = kMaxThreads, .note = mark("0: all processors")}, description)
      ->manual("Use at most N threads; by default all processors.");
}

Option* add_kernel_option(Command& command, std::string& kernel) {
  return command.add_option("--kernel", kernel, "KERNEL", tr("Force a kernel by name (see `vershina kernels`)"))
      ->offers(kernel_names);
}

Option* add_device_option(Command& command, std::string& device) {
  const auto read = [](const std::string& option, const std::string& word) {
    if (is_device_word(word)) return ReadValue<std::string>{.value = word};
    return ReadValue<std::string>{
        .problem = tr("{1}: {2} is not a device", option, quote_name(word)),
        .advice = tr("a device is cpu, auto, all, cuda:N or opencl:P.D; `vershina devices` lists those here")};
  };
  return add_value(command, "--device", device,
                   tr("Device for large requests: cpu (default), auto, all, cuda:N, opencl:P.D"), "DEVICE", read)
      ->manual(
          "Device for large requests: `cpu`, the default; `auto`: devices for sizes at which `vershina tune "
          "--device all` measured them to be faster; `all`: every device and the processor together; or a "
          "device of vershina-devices(1), `cuda:N` or `opencl:P.D`. Devices support ECB, CTR, CNT, MGM, XTS, "
          "and decryption in CBC and CFB, all with segments of a block and without key changes; a named "
          "device for any other work is an error, exit status 12. If a device fails, `auto` and `all` "
          "continue on the processor after a warning; a named device ends with exit status 12 and no "
          "output.\n"
          "`hash` and `mac` give devices many small files: one message is a chain of blocks, each depending "
          "on the one before. A named device needs at least 64 files, and gets those of up to 1 MiB; not "
          "with --check, and not for HMAC, OMAC-ACPKM and key meshing. Chunks of sealed files go to devices "
          "in groups, those of more than 1 MiB one by one.")
      ->offers(device_names);
}

ReadValue<std::string> read_measured_device(const std::string& option, const std::string& word) {
  if (word == "all" || is_device_name(word)) return {.value = word};
  return {.problem = tr("{1}: {2} is not a device to measure", option, quote_name(word)),
          .advice = tr("give all, cuda:N or opencl:P.D; `vershina devices` lists those here")};
}

void add_quiet_option(Command& command) { command.add_flag("-q,--quiet", tr("Print only errors")); }

void warn_of_devices() {
  for (const std::string& problem : take_trial_problems()) print_note(tr("not used: {1}", problem));
  const std::string_view message = vsh_device_message();
  if (!message.empty()) print_error(tr("warning: {1}", message));
}

std::string device_problem(const std::string& id, const std::string& message) {
  const std::string missing = "there is no device " + id;  // and why back ends have none
  if (!message.starts_with(missing)) return id + ": " + tr(message.c_str());
  std::string text = id + ": " + tr("there is no such device");
  for (size_t at = missing.size(); at < message.size();) {
    at = std::min(at + std::strlen("; "), message.size());
    const size_t end = std::min(message.find("; ", at), message.size());
    if (end > at) text += "; " + tr(message.substr(at, end - at).c_str());
    at = end;
  }
  return text;
}

void CipherOptions::add_to(Command& command) {
  sbox_option_ =
      add_name(command, "--sbox", sbox_, one_of(mark("S-box set"), vsh_sbox_name),
               tr("S-boxes of GOST 28147-89 (default tc26-z)"), "SBOX")
          ->manual(
              "S-boxes of GOST 28147-89: `tc26-z` (the default, id-tc26-gost-28147-param-Z), `cryptopro-a`, "
              "`cryptopro-b`, `cryptopro-c`, `cryptopro-d`, `test-28147`, `test-3411-94`, `cryptopro-3411-94`, "
              "or the name of the object identifier.");
  sbox_file_option_ =
      command
          .add_option("--sbox-file", sbox_file_, "FILE",
                      tr("Own S-boxes of GOST 28147-89: 8 lines of 16 hexadecimal digits"))
          ->manual(
              "User-defined S-boxes: 8 lines of 16 hexadecimal digits. Line 1 substitutes the least significant "
              "half-byte; digit K of a line, counted from 0, is the image of K. Each line must be a permutation.");
  add_threads_option(command, threads_);
  kernel_option_ = add_kernel_option(command, kernel_);
  add_device_option(command, device_);
  command
      .add_flag("--allow-tables", allow_tables_,
                tr("Allow table kernels: others on this machine may learn the key from their timing"))
      ->manual(
          "Allow table kernels: from their timing others on this machine may learn the key. HMAC never uses "
          "them.");
}

void CipherOptions::apply(vsh_options& options) {
  options.threads = threads_;
  options.device = device_.c_str();
  if (allow_tables_) options.flags |= VSH_ALLOW_TABLES;
  if (kernel_option_->count() > 0) options.kernel = kernel_.c_str();
  if (sbox_option_->count() > 0 && sbox_file_option_->count() > 0) {
    throw Failure(ExitCode::usage, tr("--sbox and --sbox-file exclude each other"), tr("give one set of S-boxes"));
  }
  if (sbox_option_->count() > 0) (void)vsh_sbox_by_name(&options.sbox, sbox_.c_str());
  if (sbox_file_option_->count() > 0) {
    InputFile input(sbox_file_);
    std::array<uint8_t, kMaxSboxText + 1> content;
    size_t len = 0;
    while (len < content.size()) {
      const size_t got = input.read(std::span(content).subspan(len));
      if (got == 0) break;
      len += got;
    }
    const std::string problem = parse_sbox({reinterpret_cast<const char*>(content.data()), len}, custom_sbox_);
    if (!problem.empty()) throw Failure(ExitCode::usage, input.name() + ": " + problem);
    options.sbox = VSH_SBOX_CUSTOM;
    options.custom_sbox = custom_sbox_.data();
    sbox_source_ = ReadFile{input.name(), input.status()};
  }
}

Failure engine_failure(vsh_status status, const std::string& algorithm, const vsh_options& options) {
  const std::string from_environment(environment("VERSHINA_KERNEL"));
  std::string kernel;
  if (options.kernel != nullptr) {
    kernel = quote_name(options.kernel);
  } else if (!from_environment.empty()) {
    kernel = tr("{1} (from VERSHINA_KERNEL)", quote_name(from_environment));
  }
  switch (status) {
    case VSH_E_KERNEL_UNKNOWN:
      if (options.kernel == nullptr) {
        return Failure(
            ExitCode::kernel,
            tr("kernel {1}: not a list of algorithm:kernel pairs, or a kernel that this build does not have", kernel),
            tr("`env -u VERSHINA_KERNEL vershina kernels` lists them"));
      }
      return Failure(ExitCode::kernel, tr("kernel {1}: this build has none of that name for {2}", kernel, algorithm),
                     tr("`vershina kernels` lists them"));
    case VSH_E_KERNEL_CPU:
      return Failure(ExitCode::kernel, tr("kernel {1}: this processor lacks its instructions", kernel),
                     tr("`vershina kernels` shows which ones run here"));
    case VSH_E_KERNEL_TABLES:
      return Failure(ExitCode::kernel, tr("kernel {1}: its timing depends on secrets", kernel),
                     tr("choose another, or accept that with --allow-tables"));
    case VSH_E_SBOX:
      return Failure(ExitCode::usage, tr("{1} has fixed S-boxes", algorithm), tr("leave out --sbox and --sbox-file"));
    case VSH_E_DEVICE:
      return Failure(ExitCode::device,
                     "--device " + device_problem(options.device ? options.device : "cpu", vsh_device_message()),
                     tr("--device auto leaves to the processor what devices cannot do"));
    case VSH_E_MEMORY: return Failure(ExitCode::internal, tr("out of memory"));
    default: return Failure(ExitCode::internal, algorithm + ": " + tr(vsh_status_message(status)));
  }
}

std::string check_kernels_of_environment() {
  std::string tables;
  vsh_options options = VSH_OPTIONS_INIT;
  const auto check = [&](vsh_status status, const char* algorithm) {
    if (status == VSH_OK) return;
    const Failure failure = engine_failure(status, algorithm, options);
    if (status != VSH_E_KERNEL_TABLES) throw failure;
    tables = failure.what();
  };
  const uint8_t key[VSH_KEY_LEN] = {};
  static constexpr std::pair<vsh_cipher_algorithm, const char*> ciphers[] = {
      {VSH_KUZNYECHIK, "kuznyechik"}, {VSH_MAGMA, "magma"}, {VSH_GOST28147, "gost28147"}};
  for (const auto& [algorithm, name] : ciphers) {
    vsh_cipher* context = nullptr;
    const vsh_status status =
        vsh_cipher_new(&context, algorithm, VSH_ECB, VSH_ENCRYPT, key, sizeof key, nullptr, 0, &options);
    const CipherContext owner(context);
    check(status, name);
  }
  options.flags = VSH_ALLOW_TABLES;  // Kuznyechik's kernel was checked: this checks the products of MGM
  vsh_aead* aead = nullptr;
  const vsh_status products = vsh_aead_new(&aead, VSH_KUZNYECHIK_MGM, key, sizeof key, 0, &options);
  const AeadContext aead_owner(aead);
  if (products != VSH_OK) throw engine_failure(products, "gf2n", options);
  options.flags = VSH_INPUT_IS_PUBLIC;  // as in `hash`
  vsh_hash* context = nullptr;
  const vsh_status status = vsh_hash_new(&context, VSH_STREEBOG256, &options);
  const HashContext owner(context);
  check(status, "Streebog");
  return tables;
}

std::string list_names(const char* (*name_of)(size_t)) { return join(one_of("", name_of).names()); }

}  // namespace vsh::cli
