// `vershina tunnel keygen`: the key and state files of both ends.
#include <unistd.h>

#include <algorithm>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/random.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tunnel/commands.hpp"
#include "programs/tunnel/state_file.hpp"

namespace vsh::tunnel {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

struct Options {
  std::string one, other, transform = "kuznyechik-mgm-ktree";
  unsigned queues = 1;
};

void write(const std::string& name, const KeyFile& file, const std::string& peer) {
  std::string text = key_file_text(file, peer);
  cli::OutputFile out(name, cli::Force::not_offered(), cli::Content::any, {});
  if (out.is_direct()) throw Failure(ExitCode::usage, tr("{1}: a key file is a regular file", name));
  out.keep_private();
  out.write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  cli::wipe(text.data(), text.size());
  StateFile::create(name + ".state", file);
  out.commit();
}

void run(const Options& o) {
  if (o.one == o.other) throw Failure(ExitCode::usage, tr("the two ends need two files"));
  for (const std::string& name : {o.one, o.other}) {
    cli::check_output_name(name, cli::Force::not_offered());
    cli::check_output_name(name + ".state", cli::Force::not_offered());
  }
  KeyFile one, other;
  if (vsh_esp_by_name(&one.transform, o.transform.c_str()) != VSH_OK) throw Failure(ExitCode::internal, o.transform);
  other.transform = one.transform;
  one.queues = other.queues = o.queues;
  cli::fill_random(one.send.bytes);
  cli::fill_random(one.receive.bytes);
  std::copy(std::begin(one.send.bytes), std::end(one.send.bytes), other.receive.bytes);
  std::copy(std::begin(one.receive.bytes), std::end(one.receive.bytes), other.send.bytes);
  write(o.one, one, o.other);
  write(o.other, other, o.one);
  cli::print_done(tr("{1}, {1}.state: for one end; {2}, {2}.state: for the other", o.one, o.other));
}

}  // namespace

void add_keygen_command(cli::Program& program) {
  cli::Command& command = program.add_command("keygen", tr("Make the key and state files of both ends"));
  const auto o = std::make_shared<Options>();
  command.add_operand("FILE", o->one, tr("Key file of one end; its state file gets .state behind the name"))
      ->required();
  command.add_operand("PEER-FILE", o->other, tr("Key file of the other end"))->required();
  const cli::NameRule transforms{cli::mark("transform"), [] {
                                   return std::vector<std::string>{"kuznyechik-mgm-ktree", "magma-mgm-ktree"};
                                 }};
  cli::add_name(command, "-t,--transform", o->transform, transforms,
                tr("kuznyechik-mgm-ktree (default), magma-mgm-ktree"), "NAME");
  cli::add_number(command, "-q,--queues", o->queues, {.min = 1, .max = kMaxQueues},
                  tr("Queues, each with a thread, a UDP port and keys of its own; 1 by default"))
      ->manual(
          "Queues, 1 to 16: each has a thread, a UDP port, a queue of the TUN device, and keys of its own. 1 "
          "by default.");
  command.footer(
      tr(R"(Keys and state files belong together: neither is ever copied back from a backup, and no two machines
use the same. Move PEER-FILE and PEER-FILE.state to the other end, and delete them here.

Example:
  vershina tunnel keygen left.key right.key
)"));
  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::output});
  command.action([o] { run(*o); });
}

}  // namespace vsh::tunnel
