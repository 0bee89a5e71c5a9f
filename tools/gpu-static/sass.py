"""NVIDIA's machine instructions: operands read, written and used as addresses.

Operands are in nvdisasm's notation. Written operands come first: predicates, then a register, then carries ("LOP3.LUT
P0,RZ,R2,…", "IADD3 R2,P0,R3,…"); the rest is read. An opcode missing in the tables below is an error: better no verdict
than a wrong one.
"""

import dataclasses
import functools
import re


class Unknown(Exception):
    """An instruction that is not in the tables."""


# The part of a multiprocessor that executes it. Lanes a clock of compute capabilities 7.5 to 10.0: CUDA's programming
# guide, "Arithmetic instructions", throughput of native instructions.
ALU = """LOP3 IADD3 IADD SHF SHL SHR PRMT SEL ISETP LEA PLOP3 VIADD MOV SGXT BMSK IMNMX VIMNMX VABSDIFF IABS P2R R2P
         FSETP FSEL ICMP LOP VOTE CSET VIADDMNMX FMNMX""".split()
FMA = "IMAD HFMA2 FFMA FMUL FADD IMAD32I IDP IMUL".split()  # IMAD.MOV and IMAD.SHL move and shift there
SLOW = "POPC FLO BREV MUFU I2F F2I I2FP F2F FRND I2I".split()
UNIFORM = """ULDC LDCU UMOV ULOP3 UIADD3 UISETP USHF ULEA UIMAD USEL UPLOP3 UPRMT USGXT UBMSK UP2UR UR2UP R2UR S2UR
             UFLO UPOPC UBREV VOTEU UVIADD UVIMNMX UIABS UIMNMX USHL""".split()
MEMORY = "LDG STG LDS STS LDL STL LDC LD ST ATOM ATOMG ATOMS RED REDG SHFL S2R CS2R LDSM LDGSTS".split()
CONTROL = """BRA EXIT NOP BSSY BSYNC WARPSYNC BAR CALL RET MEMBAR DEPBAR YIELD BREAK BMOV ERRBAR CCTL NANOSLEEP
             LDGDEPBAR JMP BRX JMX ENDCOLLECTIVE""".split()
PIPES = {op: pipe for pipe, ops in (("alu", ALU), ("fma", FMA), ("slow", SLOW), ("uniform", UNIFORM),
                                    ("memory", MEMORY), ("control", CONTROL)) for op in ops}

# Opcodes that do not write their first register operand.
STORES = set("STG STS STL ST RED REDG".split())
# .U64 there is the type of the shifted value, which takes two operands, or of the result.
SINGLE = set("SHF USHF LEA ULEA F2I".split())
# Opcodes with this number of leading predicates, whatever follows.
LEADING_PREDICATES = {"ISETP": 2, "UISETP": 2, "PLOP3": 2, "UPLOP3": 2, "FSETP": 2}

_REGISTER = re.compile(r"(?<![\w.])(UR|R|UP|P|B)(\d+|Z|T)(?![\w])(\.64|\.U32|\.UX4|\.X4|\.X8|\.X16)?")
FIRST_BIT = {"R": 0, "UR": 256, "P": 512, "UP": 528, "B": 544}


@functools.cache
def registers(text):
    """(kind, number, suffix) of each register in an operand; RZ, URZ, PT and UPT are constants."""
    return [(kind, int(number), suffix) for kind, number, suffix in _REGISTER.findall(text) if number.isdigit()]


def mask(kind, number, width=1):
    """Its bits in a set of registers."""
    return ((1 << width) - 1) << (FIRST_BIT[kind] + number)


@functools.cache
def is_predicate(operand):
    return re.fullmatch(r"!?U?P(\d+|T)", operand) is not None


@dataclasses.dataclass(frozen=True)
class Operand:
    """
    sign       "!", "~", "-" or ""
    kind       "R", "UR", "P", "UP": a register; "c": constant memory; "number"; "special": one that S2R reads, or
               what tells no value
    number     of the register; of the byte in constant memory; or the number itself
    bank       of constant memory: "0x0"; with a register for the byte's number: what stands in the brackets
    name       of what is special
    """
    sign: str
    kind: str
    number: int = 0
    bank: str = ""
    name: str = ""


_FIXED = {"RZ": 0, "URZ": 0, "SRZ": 0, "PT": 1, "UPT": 1}


@functools.cache
def operand(text):
    sign = text[0] if text[0] in "!~-" and not re.match(r"-(0x|\d)", text) else ""
    text = text[len(sign):]
    found = registers(text)
    if text.startswith("c["):
        bank, at = re.fullmatch(r"c\[(.*?)\]\[(.*)\]", text).groups()
        return Operand(sign, "c", 0, bank, at) if found else Operand(sign, "c", int(at, 16), bank)
    if found:
        return Operand(sign, found[0][0], found[0][1])
    plain = re.sub(r"\.\w+$", "", text)
    if plain in _FIXED:
        return Operand(sign, "number", _FIXED[plain])
    try:
        return Operand(sign, "number", int(text, 0))
    except ValueError:
        return Operand(sign, "special", name=text)


def _split(operands):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(operands):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(operands[start:i])
            start = i + 1
    return [p.strip().replace(".reuse", "") for p in parts + [operands[start:]] if p.strip()]


class Instruction:
    """
    opcode, modifiers   "LDG", {"E", "128"}
    guard               "P0", "!UP2" or None
    writes, reads       operands; of memory accesses without the address
    address             operand of the memory access, or None
    """

    def __init__(self, raw, where, symbols):
        self.where = where
        self.name = raw["opcode"]
        self.opcode, *modifiers = self.name.split(".")
        self.modifiers = set(modifiers)
        self.guard = raw.get("predicate", "").lstrip("@") or None
        if self.guard in ("PT", "UPT", "PR"):  # PR is P2R's operand: all predicates, of which it takes some
            self.guard = None
        self.operands = _split(raw.get("operands", ""))
        if self.opcode not in PIPES:
            raise Unknown(f"{where:04x}: {self.name} {raw.get('operands', '')}")
        self.pipe = PIPES[self.opcode]
        self.address = None
        rest = list(self.operands)
        if self.pipe == "memory" or self.opcode in ("ULDC", "LDCU"):
            for operand in rest:
                if "[" in operand:
                    self.address = operand
                    rest.remove(operand)
                    break
        self.writes, self.reads = self._divide(rest)
        self.target = None  # of a branch or call: its address
        if self.opcode in ("BRA", "CALL"):
            self.target = symbols[rest[-1]] if rest[-1] in symbols else int(rest[-1], 16)

    def _divide(self, rest):
        if self.pipe == "control" or self.opcode in STORES:
            return [], rest
        count = len(rest) - 1 if self.opcode in ("VOTE", "VOTEU") else LEADING_PREDICATES.get(self.opcode)
        if count is None:
            count = 0
            while count < len(rest) and is_predicate(rest[count]):
                count += 1
            count += 1
            carries = 2
            while count < len(rest) and carries and is_predicate(rest[count]):
                count += 1
                carries -= 1
        return rest[:count], rest[count:]

    @property
    def width(self):
        """Registers of the value moved by a memory access."""
        return 4 if "128" in self.modifiers else 2 if "64" in self.modifiers else 1

    @property
    def num_bytes(self):
        for name, size in (("128", 16), ("64", 8), ("U16", 2), ("S16", 2), ("16", 2), ("U8", 1), ("S8", 1), ("8", 1)):
            if name in self.modifiers:
                return size
        return 4

    @functools.cached_property
    def written(self):
        """The registers it writes, as a set of bits."""
        bits = 0
        for operand in self.writes:
            for kind, number, _ in registers(operand):
                bits |= mask(kind, number, self._write_width(kind))
        return bits | (self.predicates() if self.opcode == "R2P" else 0)

    def predicates(self):
        """The predicates moved by P2R, UP2UR and R2P, given by their last operand."""
        return (int(self.operands[-1], 16) & 127) << FIRST_BIT["UP" if self.opcode == "UP2UR" else "P"]

    def _write_width(self, kind):
        if kind in ("P", "UP"):
            return 1
        if self.opcode in ("LDG", "LDS", "LDL", "LD", "LDC", "ULDC", "LDCU", "ATOMG", "ATOMS", "ATOM"):
            return self.width
        if self.opcode == "CS2R":
            return 1 if "32" in self.modifiers else 2
        return 2 if self.modifiers & {"WIDE", "64"} or self.opcode == "F2I" and self.modifiers & {"U64", "S64"} else 1

    @functools.cached_property
    def read(self):
        """The registers it reads, without its guard and address. Too many rather than too few."""
        bits = 0
        for i, operand in enumerate(self.reads):
            for kind, number, suffix in registers(operand):
                width = 1
                if kind in ("R", "UR"):
                    if self.opcode in STORES or self.opcode in ("ATOMG", "ATOMS", "ATOM"):
                        width = self.width
                    elif self.modifiers & {"WIDE", "HI"} and self.opcode in ("IMAD", "UIMAD") and i == 2:
                        width = 2
                    elif suffix == ".64" or self.opcode not in SINGLE and self.modifiers & {"64", "U64", "S64", "F64"}:
                        width = 2
                bits |= mask(kind, number, width)
        return bits | (self.predicates() if self.opcode in ("P2R", "UP2UR") else 0)

    @functools.cached_property
    def addressing(self):
        """The registers in its address, in brackets of constant operands, and those that select another lane."""
        bits = 0
        pairs = self.opcode in ("LDG", "STG", "LD", "ST", "ATOM", "ATOMG", "RED", "REDG")
        operands = [self.address or "", *(o for o in self.reads if "[" in o)]
        for operand in operands + (self.reads[1:] if self.opcode == "SHFL" else []):
            for kind, number, suffix in registers(operand):
                bits |= mask(kind, number, 2 if suffix == ".64" or pairs and kind == "UR" else 1)
        return bits

    @functools.cached_property
    def guarding(self):
        return sum(mask(kind, number) for kind, number, _ in registers(self.guard or ""))

    def __str__(self):
        return f"{self.where:04x}: {'@' + self.guard + ' ' if self.guard else ''}{self.name} {','.join(self.operands)}"


class Function:
    """A kernel's instructions by address, and its control flow."""

    def __init__(self, raw, symbols):
        self.name = raw["function-name"]
        listing = raw["sass-instructions"]
        while listing and listing[-1]["opcode"] == "NOP":
            listing.pop()
        self.code = [Instruction(one, 16 * i, symbols) for i, one in enumerate(listing)]
        self.num_bytes = 16 * len(self.code)

    def successors(self, i, back=()):
        """Successors of an instruction, as (number, return addresses of the enclosing functions)."""
        one = self.code[i]
        following = [(i + 1, back)] if i + 1 < len(self.code) else []
        if one.opcode == "BRA":
            always = one.guard is None and len(one.operands) == 1
            return [(one.target // 16, back)] + ([] if always else following)
        if one.opcode == "EXIT":
            return following if one.guard else []
        if one.opcode == "CALL":  # some are jumps without a return: they do not accumulate
            inside = back if i + 1 in back else (*back, i + 1)
            return [(one.target // 16, inside)] + (following if one.guard else [])
        if one.opcode == "RET" and back and one.guard is None:
            return [(back[-1], back[:-1])]
        if one.opcode in ("BRX", "JMX", "JMP", "RET"):
            raise Unknown(str(one))
        return following
