#include "gpu/schedule/crew.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <system_error>
#include <thread>

#include "gpu/device/device.hpp"
#include "gpu/device/last_error.hpp"

namespace vsh::gpu {

// One request on its way.
class Crew::Run {
 public:
  Run(Crew& crew, const Request& request) : crew_(crew), request_(request), division_(divide(crew, request)) {}

  void work_through() {
    const size_t processor = crew_.places_.size() - 1;
    std::vector<size_t> slots = choose_slots();
    // The calling thread is the processor's, or else that of a slot.
    size_t own = processor;
    if (crew_.of_processor_ != Role::works && !slots.empty()) {
      own = slots.back();
      slots.pop_back();
    }
    std::vector<std::thread> threads;
    try {
      for (const size_t slot : slots) threads.emplace_back([this, slot] { work(slot); });
    } catch (const std::system_error&) {  // fewer threads do it too
      const std::lock_guard lock(mutex_);
      for (size_t i = threads.size(); i < slots.size(); ++i) set_aside(slots[i]);
    }
    work(own);
    for (std::thread& thread : threads) thread.join();
    for (const size_t slot : aside_) {  // where others found no memory
      if (failure_ || division_.is_finished()) break;
      division_.recall(slot);
      work(slot);
    }
    if (!failure_ && !division_.is_finished()) work(processor);
    if (failure_) std::rethrow_exception(failure_);
    for (size_t i = 0; i < crew_.places_.size(); ++i) crew_.places_[i].rates[request_.kind] = division_.rate(i);
    if (!division_.is_finished()) throw *error_;
    if (error_)
      set_message(error_->what() + std::string(crew_.is_over_ ? "; the processor goes on alone"
                                                              : "; the others go on without it"));
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Piece = Division::Piece;

  static Division divide(const Crew& crew, const Request& request) {
    std::vector<Division::Worker> workers;
    for (size_t i = 0; i < crew.places_.size(); ++i) {
      const size_t min = crew.is_processor(i) ? request.processor_min : request.slot_min;
      const double rate = crew.places_[i].rates[request.kind];
      workers.push_back({std::max<size_t>(min, 1), std::max(min, request.slot_max), rate});
    }
    Division division(request.num_units, request.grain, std::move(workers));
    for (size_t i = 0; i < crew.places_.size(); ++i)
      if (crew.has_left(i)) division.retire(i);
    return division;
  }

  // Those that are left; no more than there can be pieces, for a thread takes as long to start as 1 MiB to be copied.
  std::vector<size_t> choose_slots() {
    const size_t least = std::max(request_.slot_min / request_.grain, size_t{1}) * request_.grain;
    const size_t most_pieces = request_.num_units / least + 1;
    std::vector<size_t> slots;
    for (size_t i = 0; i + 1 < crew_.places_.size(); ++i) {
      if (crew_.has_left(i)) continue;
      if (slots.size() < most_pieces) slots.push_back(i);
      else set_aside(i);
    }
    return slots;
  }

  void set_aside(size_t slot) {
    division_.retire(slot);
    aside_.push_back(slot);
  }

  // Waits where there is nothing now, but may be again: others have pieces in hand that may come back.
  std::optional<Piece> take(size_t place) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (failure_ || division_.is_finished() || crew_.has_left(place)) return {};
      const std::optional<Piece> piece = division_.take(place);
      if (!piece && in_hand_ == 0) return {};
      if (piece) {
        ++in_hand_;
        if (request_.on_new && piece->end > seen_) request_.on_new(*piece);
        seen_ = std::max(seen_, piece->end);
        return piece;
      }
      changed_.wait(lock);
    }
  }

  void work(size_t place) {
    while (const std::optional<Piece> piece = take(place)) {
      try {
        const Clock::time_point start = Clock::now();
        crew_.is_processor(place) ? request_.on_processor(*piece) : request_.on_slot(place, *piece);
        const std::chrono::duration<double> time = Clock::now() - start;
        give_back([&] { division_.done(place, *piece, time.count()); });
      } catch (const Error& error) {
        give_back([&] { fail(place, *piece, error); });
      } catch (...) {
        give_back([&] { failure_ = std::current_exception(); });
      }
    }
  }

  template <class F>
  void give_back(F&& note) {
    const std::lock_guard lock(mutex_);
    --in_hand_;
    note();
    changed_.notify_all();
  }

  // A slot that finds no memory leaves its device to the other slots, if there are any; else the device is lost.
  void fail(size_t place, Piece piece, const Error& error) {
    division_.give_back(place, piece);
    const size_t member = crew_.places_[place].member;
    crew_.places_[place].has_failed = true;
    const auto& places = crew_.places_;
    const bool is_last = std::none_of(places.begin(), places.end() - 1,
                                      [&](const Place& p) { return p.member == member && !p.has_failed; });
    if (error.kind() != Error::Kind::memory || is_last) {
      crew_.lose(member);
      for (size_t i = 0; i + 1 < places.size(); ++i)
        if (places[i].member == member) division_.retire(i);
    }
    if (!error_) error_.emplace(error.kind(), "device " + crew_.members_[member].id + ": " + error.what());
  }

  Crew& crew_;
  const Request& request_;
  std::mutex mutex_;  // for all that follows
  std::condition_variable changed_;
  Division division_;
  size_t in_hand_ = 0;
  size_t seen_ = 0;             // where new pieces begin
  std::vector<size_t> aside_;   // slots that have no thread
  std::exception_ptr failure_;  // ends the request
  std::optional<Error> error_;  // the first of a device
};

Crew::Crew(std::vector<Member> members, Role of_processor, size_t num_kinds)
    : members_(std::move(members)), of_processor_(of_processor), has_failed_(members_.size()) {
  const Place nobody{members_.size(), false, std::vector<double>(num_kinds)};
  for (size_t m = 0; m < members_.size(); ++m) {
    places_.resize(places_.size() + members_[m].num_slots, nobody);
    for (size_t i = 0; i < members_[m].num_slots; ++i) places_[places_.size() - 1 - i].member = m;
  }
  places_.push_back(nobody);
}

bool Crew::has_left(size_t place) const {
  if (is_processor(place)) return of_processor_ == Role::rests;
  return places_[place].has_failed || has_failed_[places_[place].member];
}

void Crew::lose(size_t member) {
  has_failed_[member] = true;
  is_over_ = std::all_of(has_failed_.begin(), has_failed_.end(), [](bool failed) { return failed; });
}

void Crew::run(const Request& request) {
  const std::lock_guard lock(mutex_);
  if (is_over_ && of_processor_ == Role::rests) throw Error(Error::Kind::lost, "the device failed before");
  Run(*this, request).work_through();
}

}  // namespace vsh::gpu
