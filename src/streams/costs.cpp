#include "streams/costs.hpp"

#include <algorithm>

#include "core/user_cache.hpp"
#include "modes/cbc.hpp"
#include "streams/key_set.hpp"
#include "streams/lockstep.hpp"
#include "streams/stopwatch.hpp"

namespace vsh::streams {
namespace {

using tuner::Figure;
using tuner::Figures;

constexpr uint8_t kKey[32] = {};
constexpr size_t kChain = 8;        // blocks of a measured chain
constexpr size_t kMany = 512;       // blocks that are many
constexpr size_t kMostPasses = 64;  // of a measured request
// Cycles more for a line that is read and written beyond the second-level cache: 20 to 35 on Zen 5, 38 on Zen 3.
constexpr uint64_t kFarLine = 20;

uint32_t figure(double cycles) noexcept {
  return static_cast<uint32_t>(std::clamp(cycles + 0.5, 1.0, double{tuner::kMaxCost}));
}

Cipher cipher_of(const BlockKernel& row) {
  const Algorithm algorithm = row.block_size == 16 ? Algorithm::kuznyechik : Algorithm::magma;
  return {keys::CipherParameters(algorithm), {Choice::ok, Ladder(row), true}, row.block_size, 1};
}

// Under one key, through an engine, as messages run alone.
void measure_alone(const Stopwatch& watch, const BlockKernel& row, Figures& of) {
  const Cipher cipher = cipher_of(row);
  const BlockEngine engine = make_engine(cipher, cipher.kernels, kKey, 1);
  const size_t lanes = row.info.lanes, n = row.block_size;
  const size_t many = std::max(2 * lanes, std::min(kMany, kMostPasses * lanes));
  std::vector<uint8_t> blocks(std::max(2 * many, kChain + 1) * n);
  const auto request = [&](size_t num) { return [&, num] { engine.encrypt(blocks.data(), blocks.data(), num); }; };
  const auto [once, twice] = watch.cycles(request(many), request(2 * many));
  of[Figure::pass] = figure(std::max(twice - once, once / 2) / static_cast<double>(many / lanes));
  of[Figure::request] = figure(watch.cycles(request(lanes)));
  const auto chain = [&](size_t num) {
    return [&, num] { modes::Cbc(engine, blocks.data(), n).encrypt(blocks.data(), blocks.data(), num); };
  };
  const auto [shorter, longer] = watch.cycles(chain(1), chain(kChain + 1));
  of[Figure::chain] = figure((longer - shorter) / kChain);
  of[Figure::expand] = figure(watch.cycles([&] { const keys::CipherKey key(cipher.parameters, kKey, &row); }));
  const keys::CipherKey key(cipher.parameters, kKey, &row);
  SecretBuffer schedule(row.schedule_size);
  of[Figure::prepare] = figure(watch.cycles([&] { row.prepare(schedule.data(), RoundKeysView(key).for_row(row)); }));
}

// A chunk with a message in every lane, of one tile and of two.
void measure_lanes(const Stopwatch& watch, const BlockKernel& row, Figures& of) {
  const Cipher cipher = cipher_of(row);
  const size_t lanes = row.info.lanes, n = row.block_size;
  SecretBuffer schedule(LaneKeys::size(row));
  std::vector<const uint8_t*> keys(lanes, kKey);
  const auto slice = [&] { LaneKeys::prepare(schedule.data(), row, keys.data(), cipher); };
  of[Figure::lane_keys] = figure(watch.cycles(slice));
  LaneKeys::encrypt_zero(schedule.data(), row);
  const LaneCipher cipher_of_lanes{row, schedule.data(), LaneKeys::zero_encrypted(schedule.data(), row)};

  // Messages of a page each, read and written at a place that moves on: a batch, too, mostly comes from the second
  // level of caches, and in lanes, not alone, that is felt. Those whose lines compete cost what the pages' places in
  // that cache make of it, half as much again at times; chains are compared by the others.
  constexpr size_t kMost = 2 * kTileBytes, kPage = 4096;
  constexpr size_t kApart = kPage + kTileBytes;  // lines of no two messages compete in a cache
  std::vector<uint8_t> from(lanes * kApart + kTileBytes), to(lanes * kPage), tags(lanes * n);
  uint8_t* const own = from.data() + (0 - reinterpret_cast<uintptr_t>(from.data())) % kTileBytes;  // begins at a line
  std::vector<Job> jobs(lanes);
  std::vector<Placed> placed;
  for (uint32_t i = 0; i < lanes; ++i) placed.push_back({i, i});
  Lockstep lockstep(lanes, n);
  size_t place = 0;
  const auto run = [&](Operation operation, size_t len, bool apart) {
    return [&, operation, len, apart] {
      place = (place + kMost) % kPage;
      for (size_t i = 0; i < lanes; ++i) {
        jobs[i] = {operation, false, kNoSlot, kKey, kKey, nullptr, &tags[i * n], len, n, n};
        jobs[i].in = apart ? own + i * kApart + place : &from[i * kPage + place];
        if (!is_mac(operation)) jobs[i].out = apart ? own + i * kApart + place : &to[i * kPage + place];
      }
      lockstep.run(cipher_of_lanes, operation, std::span(jobs), placed, len / n);
    };
  };
  // Sets a row's cycles, by no noise fewer than half a pass.
  const auto measure = [&](Figure of_row, Operation operation, bool apart) {
    const auto [tile, two_tiles] = watch.cycles(run(operation, kTileBytes, apart), run(operation, kMost, apart));
    const double least = 0.5 * static_cast<double>(of[Figure::pass]);
    of[of_row] = figure(std::max(least, (two_tiles - tile) / static_cast<double>(kTileBytes / n)));
  };
  measure(Figure::lane_row, Operation::ecb_encrypt, false);
  measure(Figure::lane_apart, Operation::ecb_encrypt, true);
  measure(Figure::lane_chain, Operation::cbc_encrypt, true);
  measure(Figure::lane_tag, Operation::mac, true);

  // The cost before the first row and after the last one of messages of one block, measured with rows that do nothing:
  // next to passes of 30 000 cycles it would be lost in noise. A tile is moved whole for a single row of it.
  BlockKernel idle = row;
  idle.encrypt_lanes = [](const void*, uint8_t*, const uint8_t*, size_t) {};
  for (size_t i = 0; i < lanes; ++i)
    jobs[i] = {Operation::ecb_encrypt, false, kNoSlot, kKey, nullptr, &from[i * n], &to[i * n], n, 0, n};
  const auto move = [&] { lockstep.run({idle, schedule.data()}, Operation::ecb_encrypt, std::span(jobs), placed, 1); };
  of[Figure::lane_begin] = figure(std::max(watch.cycles(move), 8.0 * static_cast<double>(lanes)));
}

// A user's own S-boxes cost in lanes and alone what they cost in a pass.
Figures with_own_sboxes(Figures figures, const BlockKernel& row, bool custom) {
  const uint64_t named = tuner::pass_cost(tuner::measured(), row.info, false);
  const uint64_t own = tuner::pass_cost(tuner::measured(), row.info, true);
  if (!custom || own == named) return figures;
  for (const Figure f : {Figure::pass, Figure::request, Figure::chain, Figure::lane_row, Figure::lane_apart,
                         Figure::lane_chain, Figure::lane_tag})
    figures[f] = figure(static_cast<double>(figures[f]) * static_cast<double>(own) / static_cast<double>(named));
  return figures;
}

// Cycles to allocate an engine's schedules, and to erase them and the stack: on Zen 5 900 for 3.6 KiB, 400 for 0.8.
uint64_t cost_of_memory(const Ladder& ladder) noexcept {
  size_t size = 0;
  for (const Rung& rung : ladder) size += aligned_size(rung.row->schedule_size);
  return 250 + size * 3 / 16;
}

LaneCost far_away(LaneCost cost, size_t block_size) noexcept {
  cost.pass += kFarLine * cost.lanes * block_size / kTileBytes;
  return cost;
}

template <class Rows>
std::vector<Figures> figures_of_all(const Rows& rows, bool custom) {
  std::vector<Figures> figures;
  for (const BlockKernel* row : rows) figures.push_back(with_own_sboxes(figures_of(*row), *row, custom));
  return figures;
}

std::vector<const BlockKernel*> rows_of(const Ladder& ladder) {
  std::vector<const BlockKernel*> rows;
  for (const Rung& rung : ladder) rows.push_back(rung.row);
  return rows;
}

}  // namespace

LaneWork work_of(Operation operation) noexcept {
  if (operation == Operation::mac) return LaneWork::tags;
  if (operation == Operation::imit) return LaneWork::imit;
  return chained(operation) ? LaneWork::chained : LaneWork::parallel;
}

Figures modelled_figures(const BlockKernel& row) noexcept {
  const uint32_t pass = tuner::pass_cost(tuner::measured(), row.info, false);
  const uint32_t bytes = row.info.lanes * static_cast<uint32_t>(row.block_size);
  const bool is_kuznyechik = row.block_size == 16;
  Figures of{};
  of[Figure::pass] = of[Figure::request] = of[Figure::chain] = pass;
  of[Figure::expand] = is_kuznyechik ? 4000 : 1500;
  of[Figure::prepare] = 250;
  // A row is gathered from the messages and, but for tags, scattered to them.
  of[Figure::lane_row] = of[Figure::lane_chain] = pass + bytes / 2;
  of[Figure::lane_apart] = pass + bytes / 4;
  of[Figure::lane_tag] = pass + bytes / 4;
  of[Figure::lane_begin] = 500 + 2 * bytes;
  // Kuznyechik's 32 steps of key expansion are three and a half passes; Magma's keys are only transposed.
  of[Figure::lane_keys] = (is_kuznyechik ? 4 : 1) * pass;
  return of;
}

Figures measured_figures(const BlockKernel& row, Clock clock) {
  const Stopwatch watch(clock);
  Figures of = modelled_figures(row);
  if (!watch.works()) return of;
  measure_alone(watch, row, of);
  if (row.lanes_schedule_size) measure_lanes(watch, row, of);
  // No noise makes a block that waits cheaper than one that does not, nor a row with keys in lanes free.
  of[Figure::request] = std::max(of[Figure::request], of[Figure::pass]);
  of[Figure::chain] = std::max(of[Figure::chain], (of[Figure::pass] + row.info.lanes - 1) / row.info.lanes);
  return of;
}

Figures figures_of(const BlockKernel& row) {
  const auto is_known = [&](const Figures& figures) {
    const size_t num = row.lanes_schedule_size ? tuner::kNumFigures : static_cast<size_t>(Figure::lane_row);
    return std::find(figures.of, figures.of + num, 0u) == figures.of + num;
  };
  if (const Figures* const filed = tuner::measured_figures(row.info); filed && is_known(*filed)) return *filed;
  if (environment("VERSHINA_TUNE") == "off") return modelled_figures(row);
  return once_for<Figures>(row.info, [&] { return measured_figures(row, steady_nanoseconds); });
}

BatchCosts::BatchCosts(const Cipher& cipher, std::span<const BlockKernel* const> kernels)
    : BatchCosts(cipher, kernels, figures_of_all(kernels, cipher.parameters.has_custom_sbox()),
                 figures_of_all(rows_of(cipher.kernels.ladder), cipher.parameters.has_custom_sbox())) {}

BatchCosts::BatchCosts(const Cipher& cipher, std::span<const BlockKernel* const> kernels,
                       std::span<const Figures> of_kernels, std::span<const Figures> of_rungs)
    : ladder_(cipher.kernels.ladder) {
  for (size_t i = 0; i < of_rungs.size(); ++i) {
    const uint32_t pass = of_rungs[i][Figure::pass];
    passes_[i] = {pass, std::max(of_rungs[i][Figure::request], pass) - pass};
    set_up_ += of_rungs[i][Figure::prepare];
  }
  chain_ = of_rungs.back()[Figure::chain];
  set_up_ += of_rungs.back()[Figure::expand] + cost_of_memory(ladder_);
  prepare_one_ = of_rungs.back()[Figure::prepare];
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Figures& of = of_kernels[i];
    const uint32_t lanes = kernels[i]->info.lanes;
    const uint64_t keys = of[Figure::lane_keys], begin = of[Figure::lane_begin];
    const auto add = [&](LaneWork work, uint64_t row, uint64_t prepare) {
      const LaneCost cost{lanes, row, prepare, begin};
      lanes_[static_cast<size_t>(work)].push_back(cost);
      lanes_far_[static_cast<size_t>(work)].push_back(far_away(cost, kernels[i]->block_size));
    };
    add(LaneWork::parallel, of[Figure::lane_row], keys);
    add(LaneWork::apart, of[Figure::lane_apart], keys);
    add(LaneWork::chained, of[Figure::lane_chain], keys);
    add(LaneWork::tags, of[Figure::lane_tag], keys + of[Figure::lane_tag]);  // and the row E(0^n)
    add(LaneWork::imit, (of[Figure::lane_tag] + 1) / 2, keys);               // 16 rounds of 32
  }
  // Under one key the rows of a tile are one request where blocks do not wait. Where they do, a row is a request, by
  // the ladder's rows.
  const auto many = static_cast<size_t>(std::find(kernels.begin(), kernels.end(), &ladder_.many()) - kernels.begin());
  for (size_t i = 0; i < kernels.size(); ++i) {
    const uint64_t rows = kTileBytes / kernels[i]->block_size, lanes = kernels[i]->info.lanes;
    for (const LaneWork work : {LaneWork::parallel, LaneWork::apart}) {
      const uint64_t row = this->lanes(work)[i].pass, pass = of_kernels[i][Figure::pass];
      const uint64_t moves = row - std::min(row, pass);
      add_of_one_key(work, i, moves + without_call(rows * lanes) / rows);
    }
    for (const LaneWork work : {LaneWork::chained, LaneWork::tags}) {
      const std::span<const LaneCost> all = this->lanes(work);
      const bool is_wider = many < all.size() && lanes > all[many].lanes;
      add_of_one_key(work, i, is_wider ? lanes / all[many].lanes * all[many].pass : all[i].pass);
    }
  }
}

void BatchCosts::add_of_one_key(LaneWork work, size_t kernel, uint64_t row) {
  LaneCost cost = lanes(work)[kernel];
  cost.pass = row, cost.prepare = 0;
  one_key_[static_cast<size_t>(work)].push_back(cost);
  one_key_far_[static_cast<size_t>(work)].push_back(far_away(cost, ladder_.many().block_size));
}

uint64_t BatchCosts::cost_of(uint64_t num_blocks, bool with_call) const noexcept {
  uint64_t total = 0;
  for (size_t i = 0; num_blocks; ++i) {
    const uint64_t lanes = ladder_[i].row->info.lanes, share = ladder_[i].share(num_blocks);
    if (share == 0) continue;
    if (total == 0 && with_call) total = passes_[i].call;  // the widest row of a request leaves most to erase
    total += (share + lanes - 1) / lanes * passes_[i].pass;
    num_blocks -= share;
  }
  return total;
}

}  // namespace vsh::streams
