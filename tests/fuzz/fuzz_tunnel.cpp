// What vershina-tunnel reads: key files and hellos. A key file that is accepted has two different keys and bounds that
// hold, and what is written from it is read as the same; a hello that is accepted was written under the key.
#include <algorithm>
#include <string>

#include "cli/text/failure.hpp"
#include "fuzz.hpp"
#include "tunnel/hello.hpp"
#include "tunnel/key_file.hpp"

namespace {

using namespace vsh::fuzz;
using namespace vsh::tunnel;

bool parses(KeyFile& file, const std::string& text) {
  try {
    parse_key_file(file, text, "fuzz");
    return true;
  } catch (const vsh::cli::Failure& failure) {
    check(failure.code() == vsh::cli::ExitCode::usage, "another failure", failure.what());
    return false;
  }
}

void fuzz_key_file(Input& input) {
  std::string text;
  const bool begins_well = input.byte() % 2;
  if (begins_well) text = "send = " + std::string(64, 'a') + "\nreceive = " + std::string(64, 'b') + "\n";
  const Bytes rest = input.rest();
  text.append(rest.begin(), rest.end());
  KeyFile file, again;
  if (!parses(file, text)) return;
  check(file.queues >= 1 && file.queues <= kMaxQueues, "queues out of bounds", "key file");
  check(file.transform == VSH_ESP_KUZNYECHIK_MGM || file.transform == VSH_ESP_MAGMA_MGM, "no encryption", "key file");
  check(!std::equal(std::begin(file.send.bytes), std::end(file.send.bytes), file.receive.bytes), "equal keys",
        "key file");
  check(parses(again, key_file_text(file, "peer")), "what was written is not read", "key file");
  check(again.queues == file.queues && again.transform == file.transform &&
            std::equal(std::begin(file.send.bytes), std::end(file.send.bytes), again.send.bytes) &&
            std::equal(std::begin(file.receive.bytes), std::end(file.receive.bytes), again.receive.bytes),
        "what was written is read as something else", "key file");
}

void fuzz_hello(Input& input) {
  DirectionKeys keys{};
  keys.control_spi = 0x10001;
  std::fill(std::begin(keys.control_key), std::end(keys.control_key), uint8_t{7});
  Hello hello{};
  for (uint8_t& byte : hello.challenge) byte = input.byte();
  hello.sent = input.byte(), hello.seen = input.byte();
  Bytes message(Hello::kLen), before;
  write_hello(message.data(), keys, hello);
  before = message;
  const size_t changes = input.below(3);
  for (size_t i = 0; i < changes; ++i) message[input.byte() % message.size()] ^= input.byte();
  const Bytes rest = input.rest();
  if (changes == 2) message.insert(message.end(), rest.begin(), rest.end());
  Hello read{};
  const bool is_right = read_hello(read, keys, message.data(), message.size());
  check(is_right == (message == before), "a changed hello is read, or a right one is not", "hello");
  if (is_right) check(read.sent == hello.sent && read.challenge == hello.challenge, "another hello", "hello");
  check(!read_hello(read, keys, rest.data(), rest.size()) || rest == before, "a forged hello is read", "hello");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  input.byte() % 4 == 0 ? fuzz_hello(input) : fuzz_key_file(input);
  return 0;
}
