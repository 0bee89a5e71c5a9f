// Runs a fuzz target without libFuzzer: over every file of a corpus, and over inputs made at random from them.
//   fuzz_TARGET_replay CORPUS_DIRECTORY NUMBER_OF_RANDOM_INPUTS
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz.hpp"
#include "support/random.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY NUMBER_OF_RANDOM_INPUTS\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<vsh::fuzz::Bytes> corpus;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(corpus.back().data(), corpus.back().size());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no corpus in %s\n", argv[0], argv[1]);
    return 1;
  }
  // A failure aborts with its own message; the seed reproduces it.
  std::printf("%s\n", vsh::test::seed_note().c_str());
  std::fflush(stdout);
  vsh::test::Random random(1);
  const size_t rounds = std::strtoul(argv[2], nullptr, 10);
  for (size_t i = 0; i < rounds; ++i) {
    vsh::fuzz::Bytes input = random.below(2) ? corpus[random.below(corpus.size())] : random.bytes(random.below(600));
    for (size_t n = random.below(8); n > 0 && !input.empty(); --n)
      input[random.below(input.size())] = static_cast<uint8_t>(random());
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu files, %zu random inputs\n", corpus.size(), rounds);
}
