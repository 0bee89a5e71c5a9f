#include "streams/single_message.hpp"

#include <algorithm>
#include <cstring>

#include "core/wipe.hpp"
#include "magma/imit_rounds.hpp"
#include "modes/cbc.hpp"
#include "modes/cfb.hpp"
#include "modes/cnt.hpp"
#include "modes/ctr.hpp"
#include "modes/imit.hpp"
#include "modes/mac.hpp"
#include "modes/ofb.hpp"

namespace vsh::streams {
namespace {

// Cycles to find the engine, to make the mode, and to call it: 150 to 200 on Zen 5.
constexpr uint64_t kCall = 170;

// Returns whether each block needs the one before: then only the one-block kernel is useful.
bool one_by_one(const Cipher& cipher, const Job& job) noexcept {
  return chained(job.operation) && (is_mac(job.operation) || job.iv_len == cipher.block_size());
}

// Each mode has a function of its own, so that no frame holds the registers of all: little of the stack is to be
// erased after a short message.
[[gnu::noinline]] void run_mac(const BlockEngine& engine, const Job& job, const uint8_t* zero_encrypted) {
  Wiped<uint8_t[modes::kMaxBlock]> tag;
  modes::Mac mac = zero_encrypted ? modes::Mac(engine, zero_encrypted) : modes::Mac(engine);
  mac.update(job.in, job.len);
  mac.final(tag.value);
  std::memcpy(job.out, tag.value, job.out_len);
  wipe(&mac, sizeof mac);
}

template <class Absorb>
void run_imit(const Job& job, const Absorb& absorb) {
  Wiped<uint8_t[modes::ImitSum::kBlock]> tag;
  modes::ImitSum sum;
  sum.update(job.in, job.len, absorb);
  sum.final(tag.value, absorb);
  std::memcpy(job.out, tag.value, job.out_len);
  wipe(&sum, sizeof sum);
}

// Returns whether a job's IMIT is made by its key's kept engine: if that has a row for it (ImitRounds::choose_kernel).
bool has_imit_engine(const KeySet& keys, const Job& job) noexcept {
  const BlockKernel& one = keys.cipher().kernels.ladder.one();
  return job.slot != kNoSlot && keys.keeps_engines() && one.imit && one.info.lanes == 1;
}

[[gnu::noinline]] void run_imit(const BlockEngine& engine, const Job& job) {
  run_imit(job, [&](uint8_t* state, const uint8_t* in, size_t num) { engine.absorb_imit(state, in, num); });
}

[[gnu::noinline]] void run_imit(const KeySet& keys, const Job& job) {
  const keys::CipherKey key(keys.cipher().parameters, job.key);
  const magma::ImitRounds rounds(*key.magma(), keys.imit_kernel());
  run_imit(job, [&](uint8_t* state, const uint8_t* in, size_t num) { rounds.absorb(state, in, num); });
}

[[gnu::noinline]] void run_cbc(const BlockEngine& engine, const Job& job, size_t num_blocks) {
  modes::Cbc cbc(engine, job.iv, job.iv_len);
  job.operation == Operation::cbc_encrypt ? cbc.encrypt(job.out, job.in, num_blocks)
                                          : cbc.decrypt(job.out, job.in, num_blocks);
}

template <class Mode, class... Args>
[[gnu::noinline]] void process(const Job& job, const Args&... args) {
  Mode mode(args...);
  mode.process(job.out, job.in, job.len);
  wipe(&mode, sizeof mode);
}

void run_mode(const KeySet& keys, const BlockEngine& engine, const Job& job) {
  using modes::Direction;
  const size_t segment = keys.cipher().segment;
  const size_t num = job.len / engine.block_size();
  switch (job.operation) {
    case Operation::ecb_encrypt: return engine.encrypt(job.out, job.in, num);
    case Operation::ecb_decrypt: return engine.decrypt(job.out, job.in, num);
    case Operation::cbc_encrypt:
    case Operation::cbc_decrypt: return run_cbc(engine, job, num);
    case Operation::cfb_encrypt:
      return process<modes::Cfb>(job, engine, Direction::encrypt, job.iv, job.iv_len, segment);
    case Operation::cfb_decrypt:
      return process<modes::Cfb>(job, engine, Direction::decrypt, job.iv, job.iv_len, segment);
    case Operation::ofb: return process<modes::Ofb>(job, engine, job.iv, job.iv_len, segment);
    case Operation::ctr: return process<modes::Ctr>(job, engine, job.iv, segment);
    case Operation::cnt: return process<modes::Cnt>(job, engine, job.iv, segment);
    default:  // run_alone has dealt with IMIT
      return run_mac(engine, job, job.slot == kNoSlot ? nullptr : keys.zero_encrypted(job.slot));
  }
}

}  // namespace

void run_alone(const KeySet& keys, const Job& job, unsigned threads) {
  const Cipher& cipher = keys.cipher();
  if (job.operation == Operation::imit)
    return has_imit_engine(keys, job) ? run_imit(keys.engine(job.slot), job) : run_imit(keys, job);
  keys.with_engine(job.slot, job.key, threads, one_by_one(cipher, job),
                   [&](const BlockEngine& engine) { run_mode(keys, engine, job); });
}

uint64_t num_blocks(const Cipher& cipher, const Job& job) noexcept {
  // No division by a variable: a batch asks this of every job.
  const size_t n = cipher.block_size();
  const uint64_t blocks = (n == 16 ? job.len / 16 : job.len / 8) + ((job.len & (n - 1)) != 0);
  if (job.operation == Operation::mac) return std::max<uint64_t>(blocks, 1);
  if (job.operation == Operation::imit) return std::max<uint64_t>(blocks, modes::ImitSum::kMinBlocks);
  return blocks;
}

uint64_t cost_alone(const KeySet& keys, const Job& job, uint64_t blocks) {
  const BatchCosts& costs = keys.costs();
  if (job.operation == Operation::imit)
    return kCall + (has_imit_engine(keys, job) ? 0 : costs.prepare_one()) + costs.chain(blocks) / 2;  // 16 rounds of 32
  const bool kept = job.slot != kNoSlot && keys.keeps_engines();
  const uint64_t set_up = kCall + (kept ? 0 : costs.set_up());
  if (one_by_one(keys.cipher(), job)) return set_up + costs.chain(blocks);
  return set_up + (kept ? keys.fetch_cost() : 0) + costs.parallel(blocks);
}

}  // namespace vsh::streams
