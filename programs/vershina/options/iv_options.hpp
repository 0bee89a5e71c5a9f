// The IV of `encrypt` and `decrypt`: --iv-hex, --iv random, --iv file, --iv-in; and --iv-out, where a random one goes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/files/input_file.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/common/options/command.hpp"
#include "programs/common/text/failure.hpp"

namespace vsh::cli {

class IvOptions {
 public:
  // lengths: of the ciphers' IVs, for the help.
  void add_to(Command& command, bool encrypts, const std::string& lengths);

  bool given() const { return !option().empty(); }
  std::string option() const;  // the one that is given, "--iv-hex"; empty if none is
  bool is_random() const { return word_ == "random"; }
  bool is_in_input() const { return word_ == "file"; }
  bool takes_stdin() const { return in_ == "-"; }

  // Throws a Failure if more than one is given.
  void check() const;

  // Returns the IV of --iv-hex or --iv-in, or a random one of `len` bytes. stdin_is_taken: standard input has another
  // use. Throws Failure.
  std::vector<uint8_t> load(size_t len, bool stdin_is_taken);
  // Returns the next `len` bytes of the input, which begins behind them from then on. Throws Failure.
  std::vector<uint8_t> read_from(InputFile& input, size_t len) const;

  // The Failure for an IV of the wrong length, or for none: `needs`, "magma-ctr needs an IV of 4 bytes".
  Failure failure(const std::string& needs, size_t len, bool encrypts) const;

  // The file of --iv-in that load() read: no output may replace it.
  const std::optional<ReadFile>& source() const { return source_; }

  const std::string& out() const { return out_; }  // of --iv-out, or empty

 private:
  std::vector<uint8_t> read_file(bool stdin_is_taken);

  std::vector<uint8_t> hex_;
  std::string word_, in_, out_;
  std::optional<ReadFile> source_;
};

// Where a random IV is written: before the ciphertext, or to a file of its own, which gets its name right before the
// ciphertext gets its own. Does nothing for other IVs.
class IvOutput {
 public:
  // Throws Failure.
  IvOutput(const IvOptions& options, const std::vector<uint8_t>& iv, OutputFile& output, Force force,
           const std::vector<ReadFile>& sources);

  // Commits both. Throws Failure.
  void commit();

 private:
  OutputFile& output_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace vsh::cli
