// Traces a process of our own: which instructions it executes, and which addresses they use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace vsh::test {

// Observable effects of one instruction on time and caches.
struct Event {
  enum Kind : uint8_t {
    path,     // value: the instruction that followed a jump, call or return, or another turn of a repeated one
    address,  // value: the address of an access
    masked,   // value: the mask that says which elements of a vector are accessed; 0 for reads in one cache line
    gather,   // addresses that vector registers hold, or a mask that one holds: value differs in every trace
    operand,  // value: an operand of an instruction whose time depends on it: division, pdep, pext
    factor,   // value: an operand of an integer multiplication
  };
  uint64_t at;
  uint64_t value;
  Kind kind;
  bool operator==(const Event&) const = default;
};

struct Trace {
  std::vector<Event> events;
  uint64_t instructions = 0;
  uint64_t stops = 0;
};

// The first difference of two traces; factors are only recorded.
struct Difference {
  std::optional<Event> leak;
  std::optional<Event> factor;
};
Difference compare(const Trace& a, const Trace& b);

// Returns whether two traces of the same process are equal, one of which stopped at every instruction.
bool same_accesses(const Trace& a, const Trace& b);

// The instruction in AT&T's syntax. It must lie where this process has it too.
std::string instruction_at(uint64_t address);

using Address = uint64_t;
template <class Function>
Address address_of(Function* f) {
  return reinterpret_cast<Address>(f);
}

class Tracer {
 public:
  // A trace ends where `finish` is called. The functions `untraced` run at full speed and leave no events.
  // every_instruction: stop at each instruction, in place of each that cannot be foretold.
  Tracer(Address finish, std::vector<Address> untraced, bool every_instruction);

  // To be called in a new process, from which `trace` then goes on. False: the system does not permit it.
  static bool offer();

  // Traces a process that has called offer(), then ends it; what `finish` was called with goes to `result`. Throws
  // std::runtime_error when it ends otherwise.
  Trace trace(pid_t process, uint64_t& result);


 private:
  // Returns the observable events of an instruction, from the registers at the begin of its segment.
  struct Observation {
    uint64_t at = 0;
    int64_t displacement = 0;
    uint64_t bits = ~uint64_t{0};  // of the result
    int8_t base = -1, index = -1;  // registers; -1: none
    uint8_t scale = 0;
    uint8_t mask = 0;  // k1 to k7
    uint8_t load = 0;  // bytes at the address: the value is loaded, or access under a mask
    bool writes = false;
    int8_t segment = -1;
    Event::Kind kind = Event::address;
  };

  // Instructions that follow each other whatever the data, and whose addresses follow from the registers before the
  // first one: there is nothing to be seen between them that is not known before.
  struct Segment {
    std::vector<Observation> observations;
    uint64_t end = 0;          // the first instruction after them
    uint32_t instructions = 0;
    bool steps = false;        // a single one, of which only the processor knows what follows
    uint16_t condition = 0;    // of a jump to `target`, else to `end`: its mnemonic
    uint64_t target = 0;
  };

  struct Process;
  const Segment& segment(const Process& process, uint64_t start);
  bool is_boundary(Address a) const;

  Address finish_;
  std::vector<Address> untraced_;
  bool every_instruction_;
  std::unordered_map<uint64_t, Segment> segments_;
};

}  // namespace vsh::test
