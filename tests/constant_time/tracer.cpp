#include "tracer.hpp"

#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>

namespace vsh::test {
namespace {

constexpr uint8_t kBreakpoint = 0xcc;
constexpr int kNumRegisters = 16;
constexpr uint64_t kCacheLine = 64;

struct Instruction {
  ZydisDecodedInstruction i;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

const ZydisDecoder& decoder() {
  static const ZydisDecoder d = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  return d;
}

// rax, rcx, … r15 as the processor numbers them; -1 for other registers.
int register_number(ZydisRegister r) {
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
  return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? whole - ZYDIS_REGISTER_RAX : -1;
}

uint64_t register_value(const user_regs_struct& r, int number) {
  const std::array<unsigned long long, kNumRegisters> all = {r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi,
                                                             r.r8,  r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
  return all[static_cast<size_t>(number)];
}

uint64_t low_bits(unsigned n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

bool is_one_of(ZydisMnemonic m, std::initializer_list<ZydisMnemonic> list) {
  return std::find(list.begin(), list.end(), m) != list.end();
}

bool time_depends_on_operands(ZydisMnemonic m) {
  return is_one_of(m, {ZYDIS_MNEMONIC_DIV, ZYDIS_MNEMONIC_IDIV, ZYDIS_MNEMONIC_PDEP, ZYDIS_MNEMONIC_PEXT});
}
bool multiplies(ZydisMnemonic m) {
  return is_one_of(m, {ZYDIS_MNEMONIC_MUL, ZYDIS_MNEMONIC_IMUL, ZYDIS_MNEMONIC_MULX});
}

// Accesses not determined by the general registers: gathers, AVX's masked moves, bit strings in memory.
bool hides_addresses(const Instruction& x) {
  if (x.i.meta.category == ZYDIS_CATEGORY_GATHER || x.i.meta.category == ZYDIS_CATEGORY_AVX2GATHER ||
      x.i.meta.category == ZYDIS_CATEGORY_SCATTER)
    return true;
  const ZydisMnemonic m = x.i.mnemonic;
  if (is_one_of(m, {ZYDIS_MNEMONIC_BT, ZYDIS_MNEMONIC_BTS, ZYDIS_MNEMONIC_BTR, ZYDIS_MNEMONIC_BTC}))
    return x.operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY && x.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
  return is_one_of(m, {ZYDIS_MNEMONIC_VMASKMOVPS, ZYDIS_MNEMONIC_VMASKMOVPD, ZYDIS_MNEMONIC_VPMASKMOVD,
                       ZYDIS_MNEMONIC_VPMASKMOVQ, ZYDIS_MNEMONIC_MASKMOVDQU, ZYDIS_MNEMONIC_VMASKMOVDQU});
}

bool jumps(const Instruction& x) {
  switch (x.i.meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_INTERRUPT: return true;
    default: return false;
  }
}

// rcx has the count, except for comparisons.
bool repeats(const Instruction& x) {
  return (x.i.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
}
bool repeats_until_data_say(const Instruction& x) {
  return (x.i.attributes & (ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
}

// Returns whether a conditional jump is taken; empty for jumps that depend on more than the flags.
std::optional<bool> taken(ZydisMnemonic m, uint64_t flags) {
  const bool carry = flags & 1, parity = flags & 4, zero = flags & 0x40, sign = flags & 0x80, overflow = flags & 0x800;
  switch (m) {
    case ZYDIS_MNEMONIC_JO: return overflow;
    case ZYDIS_MNEMONIC_JNO: return !overflow;
    case ZYDIS_MNEMONIC_JB: return carry;
    case ZYDIS_MNEMONIC_JNB: return !carry;
    case ZYDIS_MNEMONIC_JZ: return zero;
    case ZYDIS_MNEMONIC_JNZ: return !zero;
    case ZYDIS_MNEMONIC_JBE: return carry || zero;
    case ZYDIS_MNEMONIC_JNBE: return !carry && !zero;
    case ZYDIS_MNEMONIC_JS: return sign;
    case ZYDIS_MNEMONIC_JNS: return !sign;
    case ZYDIS_MNEMONIC_JP: return parity;
    case ZYDIS_MNEMONIC_JNP: return !parity;
    case ZYDIS_MNEMONIC_JL: return sign != overflow;
    case ZYDIS_MNEMONIC_JNL: return sign == overflow;
    case ZYDIS_MNEMONIC_JLE: return zero || sign != overflow;
    case ZYDIS_MNEMONIC_JNLE: return !zero && sign == overflow;
    default: return std::nullopt;
  }
}

// Returns the constant that an instruction adds to register `number`, if any.
std::optional<int64_t> constant_move(const Instruction& x, int number) {
  const ZydisDecodedOperand &to = x.operands[0], &from = x.operands[1];
  switch (x.i.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_CALL:
      if (number == ZYDIS_REGISTER_RSP - ZYDIS_REGISTER_RAX && x.i.operand_width == 64) return -8;
      break;
    case ZYDIS_MNEMONIC_POP:
      if (number == ZYDIS_REGISTER_RSP - ZYDIS_REGISTER_RAX && x.i.operand_width == 64 &&
          to.type == ZYDIS_OPERAND_TYPE_REGISTER && register_number(to.reg.value) != number)
        return 8;
      break;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
      if (to.size == 64 && from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return x.i.mnemonic == ZYDIS_MNEMONIC_ADD ? from.imm.value.s : -from.imm.value.s;
      break;
    case ZYDIS_MNEMONIC_LEA:
      if (to.size == 64 && from.mem.index == ZYDIS_REGISTER_NONE && from.mem.base == to.reg.value)
        return from.mem.disp.value;
      break;
    default: break;
  }
  return std::nullopt;
}

}  // namespace

struct Tracer::Process {
  pid_t pid;
  int memory;

  explicit Process(pid_t p) : pid(p), memory(open(("/proc/" + std::to_string(p) + "/mem").c_str(), O_RDWR)) {
    if (memory < 0) throw std::runtime_error("the memory of the traced process cannot be opened");
  }
  ~Process() {
    close(memory);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  size_t read(uint64_t at, void* p, size_t n) const {
    const ssize_t got = pread(memory, p, n, static_cast<off_t>(at));
    return got < 0 ? 0 : static_cast<size_t>(got);
  }
  void write_byte(uint64_t at, uint8_t b) const {
    if (pwrite(memory, &b, 1, static_cast<off_t>(at)) != 1) throw std::runtime_error("no breakpoint can be set");
  }
  void wait_for_trap() const {
    int status = 0;
    waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
      throw std::runtime_error(WIFSTOPPED(status)    ? "signal " + std::to_string(WSTOPSIG(status))
                               : WIFSIGNALED(status) ? "killed by signal " + std::to_string(WTERMSIG(status))
                                                     : "exit code " + std::to_string(WEXITSTATUS(status)));
  }
  user_regs_struct registers() const {
    user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, pid, nullptr, &r) != 0) throw std::runtime_error("no registers");
    return r;
  }
  void step() const {
    ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr);
    wait_for_trap();
  }
  // Returns the registers there.
  user_regs_struct run_to(uint64_t at) const {
    uint8_t was;
    if (read(at, &was, 1) != 1) throw std::runtime_error("a jump to nowhere");
    write_byte(at, kBreakpoint);
    ptrace(PTRACE_CONT, pid, nullptr, nullptr);
    wait_for_trap();
    write_byte(at, was);
    user_regs_struct r = registers();
    if (r.rip != at + 1) throw std::runtime_error("a trap that was not set");
    r.rip = at;
    ptrace(PTRACE_POKEUSER, pid, offsetof(user_regs_struct, rip), at);
    return r;
  }
  uint64_t opmask(uint8_t number) const {
    std::array<uint8_t, 16384> state;
    iovec v{state.data(), state.size()};
    uint32_t size, offset, unused;
    uint64_t mask;
    if (!__get_cpuid_count(0xd, 5, &size, &offset, &unused, &unused) ||
        ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &v) != 0 || offset + 8u * number + 8 > v.iov_len)
      throw std::runtime_error("no mask registers");
    std::memcpy(&mask, &state[offset + 8u * number], sizeof mask);
    return mask;
  }
};

bool same_accesses(const Trace& a, const Trace& b) {
  const auto accesses = [](const Trace& t) {
    std::vector<Event> events;
    for (const Event& e : t.events)
      if (e.kind != Event::path && e.kind != Event::gather) events.push_back(e);
    return events;
  };
  return a.instructions == b.instructions && accesses(a) == accesses(b);
}

Difference compare(const Trace& a, const Trace& b) {
  Difference d;
  const size_t n = std::min(a.events.size(), b.events.size());
  for (size_t i = 0; i < n; ++i) {
    const Event &x = a.events[i], &y = b.events[i];
    // A path event with two values precedes a divergence, except for another repetition of `rep`.
    if (x.at != y.at || x.kind != y.kind) return {Event{x.at, 0, Event::path}, d.factor};
    if (x.value == y.value) continue;
    if (x.kind != Event::factor) return {x, d.factor};
    if (!d.factor) d.factor = x;
  }
  if (a.events.size() != b.events.size() || a.instructions != b.instructions)
    d.leak = Event{n ? a.events[n - 1].at : 0, 0, Event::path};
  return d;
}

Tracer::Tracer(Address finish, std::vector<Address> untraced, bool every_instruction)
    : finish_(finish), untraced_(std::move(untraced)), every_instruction_(every_instruction) {}

bool Tracer::offer() {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return false;
  raise(SIGTRAP);
  return true;
}

bool Tracer::is_boundary(Address a) const {
  return a == finish_ || std::find(untraced_.begin(), untraced_.end(), a) != untraced_.end();
}

const Tracer::Segment& Tracer::segment(const Process& process, uint64_t start) {
  const auto [place, is_new] = segments_.try_emplace(start);
  Segment& s = place->second;
  if (!is_new) return s;

  // By how much a register differs from its value at the start; unknown: depends on data.
  std::array<int64_t, kNumRegisters> moved{};
  std::array<bool, kNumRegisters> unknown{};
  constexpr uint32_t kMaxInstructions = 4096;
  for (uint64_t at = start;; ++s.instructions) {
    s.end = at;
    if (s.instructions == kMaxInstructions) break;
    std::array<uint8_t, ZYDIS_MAX_INSTRUCTION_LENGTH> code;
    Instruction x;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder(), code.data(), process.read(at, code.data(), code.size()), &x.i,
                                             x.operands))) {
      if (s.instructions) break;
      throw std::runtime_error("an instruction that the disassembler does not know");
    }
    const uint64_t next = at + x.i.length;
    const std::span operands(x.operands, x.i.operand_count);

    // A jump forward to a known place is harmless; one backward could reach the trap.
    uint64_t target = next;
    bool steps = every_instruction_ || jumps(x) || repeats_until_data_say(x);
    if (!every_instruction_ && (x.i.mnemonic == ZYDIS_MNEMONIC_JMP || x.i.mnemonic == ZYDIS_MNEMONIC_CALL) &&
        operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      ZydisCalcAbsoluteAddress(&x.i, &operands[0], at, &target);
      steps = target < next || is_boundary(target);
    }

    // The inputs of its events must still be in registers or memory as at the start.
    bool first = steps;
    std::vector<Observation> seen;
    const auto see = [&](Observation o) {
      for (int8_t* r : {&o.base, &o.index})
        if (*r >= 0) {
          const auto number = static_cast<size_t>(*r);
          first |= unknown[number];
          o.displacement += moved[number] * (r == &o.index ? o.scale : 1);
        }
      o.at = at;
      seen.push_back(o);
    };
    if (repeats(x)) {
      first = true;
      see({.base = ZYDIS_REGISTER_RCX - ZYDIS_REGISTER_RAX, .kind = Event::path});
    }
    const bool by_operands = time_depends_on_operands(x.i.mnemonic);
    const Event::Kind of_value = by_operands ? Event::operand : Event::factor;
    const bool shows_values = by_operands || multiplies(x.i.mnemonic);
    for (const auto& o : operands) {
      if (o.type == ZYDIS_OPERAND_TYPE_REGISTER && shows_values && (o.actions & ZYDIS_OPERAND_ACTION_MASK_READ)) {
        if (const int number = register_number(o.reg.value); number >= 0)
          see({.bits = low_bits(o.size), .base = static_cast<int8_t>(number), .kind = of_value});
      }
      if (o.type != ZYDIS_OPERAND_TYPE_MEMORY || o.mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
          x.i.mnemonic == ZYDIS_MNEMONIC_NOP)
        continue;
      if (hides_addresses(x)) {
        first = true;
        see({.kind = Event::gather});
        continue;
      }
      Observation access{.displacement = o.mem.disp.value, .bits = low_bits(x.i.address_width), .kind = Event::address};
      access.base = static_cast<int8_t>(register_number(o.mem.base));
      access.index = static_cast<int8_t>(register_number(o.mem.index));
      access.scale = o.mem.scale;
      if (o.mem.segment == ZYDIS_REGISTER_FS) access.segment = 0;
      if (o.mem.segment == ZYDIS_REGISTER_GS) access.segment = 1;
      if (o.mem.base == ZYDIS_REGISTER_RIP) access.displacement += static_cast<int64_t>(next);
      see(access);
      if (shows_values && (o.actions & ZYDIS_OPERAND_ACTION_MASK_READ)) {
        first = true;
        access.load = static_cast<uint8_t>(std::min(o.size / 8, 8));
        access.kind = of_value;
        see(access);
      }
      if (x.i.avx.mask.mode != ZYDIS_MASK_MODE_INVALID && x.i.avx.mask.mode != ZYDIS_MASK_MODE_DISABLED) {
        first = true;
        access.load = static_cast<uint8_t>(std::min(o.size / 8, 64));
        access.mask = static_cast<uint8_t>(x.i.avx.mask.reg - ZYDIS_REGISTER_K0);
        access.writes = (o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
        access.kind = Event::masked;
        see(access);
      }
    }
    if (first && s.instructions) break;
    s.observations.insert(s.observations.end(), seen.begin(), seen.end());
    if (steps) {
      s.steps = !repeats(x) || repeats_until_data_say(x);
      s.instructions = 1;
      s.end = next;
      if (x.i.meta.category == ZYDIS_CATEGORY_COND_BR && taken(x.i.mnemonic, 0)) {
        s.condition = static_cast<uint16_t>(x.i.mnemonic);
        ZydisCalcAbsoluteAddress(&x.i, &operands[0], at, &s.target);
      }
      break;
    }
    for (const auto& o : operands) {
      if (o.type != ZYDIS_OPERAND_TYPE_REGISTER || !(o.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)) continue;
      const int number = register_number(o.reg.value);
      if (number < 0) continue;
      const auto move = constant_move(x, number);
      if (move) moved[static_cast<size_t>(number)] += *move;
      else unknown[static_cast<size_t>(number)] = true;
    }
    at = target;
  }
  return s;
}

Trace Tracer::trace(pid_t pid, uint64_t& result) {
  const Process process(pid);
  process.wait_for_trap();
  const uint64_t this_trace = static_cast<uint64_t>(pid);
  Trace t;
  user_regs_struct r = process.registers();
  // The target of a conditional jump follows from the flags: then r.rip is ahead of the process.
  uint64_t stands_at = r.rip;
  while (r.rip != finish_) {
    if (is_boundary(r.rip)) {
      uint64_t back = 0;
      process.read(r.rsp, &back, sizeof back);
      r = process.run_to(back);
      stands_at = r.rip;
      continue;
    }
    const Segment& s = segment(process, r.rip);
    for (const Observation& o : s.observations) {
      uint64_t value = static_cast<uint64_t>(o.displacement);
      if (o.base >= 0) value += register_value(r, o.base);
      if (o.index >= 0) value += register_value(r, o.index) * o.scale;
      value &= o.bits;
      if (o.segment >= 0) value += o.segment ? r.gs_base : r.fs_base;
      if (o.kind == Event::gather) value = this_trace;
      if (o.mask) {
        const bool one_line = value / kCacheLine == (value + o.load - 1) / kCacheLine;
        value = one_line && !o.writes ? 0 : process.opmask(o.mask);
      } else if (o.load) {
        uint64_t loaded = 0;
        process.read(value, &loaded, o.load);
        value = loaded;
      }
      t.events.push_back({o.at, value, o.kind});
    }
    t.instructions += s.instructions;
    const uint64_t at = r.rip;
    if (!s.steps) {
      // A jump to the current place must first be executed.
      if (s.end == stands_at) process.step();
      r = process.run_to(s.end);
      stands_at = r.rip;
      ++t.stops;
      continue;
    }
    if (s.condition && !every_instruction_) {
      r.rip = *taken(static_cast<ZydisMnemonic>(s.condition), r.eflags) ? s.target : s.end;
    } else {
      if (at != stands_at) process.run_to(at);
      process.step();
      r = process.registers();
      stands_at = r.rip;
      ++t.stops;
    }
    t.events.push_back({at, r.rip, Event::path});
  }
  result = r.rdi;
  return t;
}

std::string instruction_at(uint64_t address) {
  std::array<uint8_t, ZYDIS_MAX_INSTRUCTION_LENGTH> code;
  Instruction x;
  ZydisFormatter formatter;
  char text[256] = "?";
  std::memcpy(code.data(), reinterpret_cast<const void*>(address), code.size());
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
  if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder(), code.data(), code.size(), &x.i, x.operands)))
    ZydisFormatterFormatInstruction(&formatter, &x.i, x.operands, x.i.operand_count_visible, text, sizeof text, address,
                                    nullptr);
  return text;
}

}  // namespace vsh::test
