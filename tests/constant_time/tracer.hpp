// Traces a child process: its instructions and their addresses.
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
    path,     // value: the instruction after a jump, call or return, or another repetition
    address,  // value: the address of an access
    masked,   // value: the mask of the accessed elements of a vector; 0 for reads in one cache line
    gather,   // addresses or a mask in vector registers: value differs in every trace
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

// The instruction in AT&T's syntax. It must be at the same address in this process.
std::string instruction_at(uint64_t address);

using Address = uint64_t;
template <class Function>
Address address_of(Function* f) {
  return reinterpret_cast<Address>(f);
}

class Tracer {
 public:
  // A trace ends where `finish` is called. The functions `untraced` run at full speed and leave no events.
  // every_instruction: stop at each instruction, not only at unpredictable ones.
  Tracer(Address finish, std::vector<Address> untraced, bool every_instruction);

  // Called in a new process, which `trace` then continues. Returns false if the system does not permit it.
  static bool offer();

  // Traces a process that has called offer(), then ends it; the argument of `finish` goes to `result`. Throws
  // std::runtime_error if it ends otherwise.
  Trace trace(pid_t process, uint64_t& result);

 private:
  // Returns the observable events of an instruction, from the registers at the start of its segment.
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

  // Instructions that follow each other for any data, and whose addresses follow from the registers before the first
  // one: all of their events are known in advance.
  struct Segment {
    std::vector<Observation> observations;
    uint64_t end = 0;  // the first instruction after them
    uint32_t instructions = 0;
    bool steps = false;      // a single one with an unpredictable successor
    uint16_t condition = 0;  // of a jump to `target`, else to `end`: its mnemonic
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
