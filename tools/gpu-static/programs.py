"""The device programs as the library embeds them, the parameter sets used to compile them, their arguments."""

import re
import subprocess


class Program:
    def __init__(self, name, text):
        self.name, self.text = name, text

    def kernels(self, definitions):
        """Each kernel's parameters, (name, bytes, whether a pointer), behind the preprocessor: macros write some."""
        source = subprocess.run(["c++", "-E", "-P", "-x", "c++", "-D__CUDACC__", "-DVSH_GROUP=128", *definitions, "-"],
                                input=self.text, capture_output=True, text=True, check=True).stdout
        found = {}
        entry = r"__global__\s+__launch_bounds__\([^)]*\)\s+void\s+(\w+)\s*\(([^)]*)\)"
        for name, parameters in re.findall(entry, source):
            found[name] = [self._parameter(p) for p in parameters.split(",")]
        return found

    @staticmethod
    def _parameter(text):
        name = re.findall(r"\w+", text)[-1]
        pointer = "*" in text
        return name, 8 if pointer or "vsh_u64" in text else 4, pointer


def read(path):
    """From generated/gpu_programs.inc."""
    with open(path, encoding="ascii") as file:
        return {name: Program(name, text) for name, text in re.findall(
            r'^\{"(\w+)", R"program\((.*?)\)program"\},$', file.read(), re.S | re.M)}


def _magma(sboxes):
    """GOST 28147-89 with these sets."""
    return [f"-DVSH_SBOX={s} -DVSH_GOST28147=1" for s in sboxes]


def _operations(names, before=""):
    """Programs of these names of core/operation.def."""
    return [f"{before}-DVSH_OPERATION={name}" for name in names.split()]


MAGMA, GOST28147 = "-DVSH_SBOX=1 -DVSH_GOST28147=0", "-DVSH_SBOX=1 -DVSH_GOST28147=1"
STREAMS_SET = "-DVSH_SBOX=2 -DVSH_GOST28147=1 "  # that the tests run

# Parameter sets of each program. MAIN: for every architecture. MORE: for check.REFERENCE, too. REST: where time does
# not matter, and then all of them for every architecture.
MAIN = {
    "magma": [MAGMA, GOST28147],
    "kuznyechik": [""],
    "magma_streams": _operations("cnt imit", STREAMS_SET),
    "kuznyechik_streams": _operations("ctr"),
    "kuznyechik_keys": [""],
    "gf2n": ["-DVSH_WORDS=4", "-DVSH_WORDS=2"],
    "mgm": ["-DVSH_WORDS=4", "-DVSH_WORDS=2"],
    "streebog": [""],
    "probe": [""],
}
MORE = {
    "magma": _magma((4, 9)),  # the longest circuit; a user's own
    "magma_streams": _operations("ecb_encrypt cfb_encrypt", STREAMS_SET) + _operations("ecb_encrypt", MAGMA + " ") +
                     _operations("ecb_encrypt", _magma([9])[0] + " "),
    "kuznyechik_streams": _operations("ecb_encrypt mac"),
}
REST = {
    "magma": _magma((2, 3, 5, 6, 7, 8)),
    "magma_streams": _operations("ecb_decrypt cbc_encrypt cbc_decrypt cfb_decrypt", STREAMS_SET) +
                     _operations("ofb ctr mac", MAGMA + " "),
    "kuznyechik_streams": _operations("ecb_decrypt cbc_encrypt cbc_decrypt cfb_encrypt cfb_decrypt ofb"),
}


def parameters(name, everything=False):
    return MAIN[name] + MORE.get(name, []) + (REST.get(name, []) if everything else [])


# Values of the kernels' numbers for a run of one thread with all its blocks: one key, 2^20 blocks; or 2^18 messages of
# 512 bytes, or as many packets of 1424 bytes with 16 of associated data.
NUMBERS = {"num_blocks": 1 << 20, "first": 0, "z": 1, "unit_blocks": 256, "step": 8, "num_units": 1 << 20,
           "factor": 3, "n": 1 << 20, "num_items": 1 << 15}
STREAMS = 1 << 18


def numbers(program, definitions, kernel):
    blocks = 32 if program.startswith("kuznyechik") else 64
    if program == "streebog":
        return {"num_messages": STREAMS, "stride": 512, "num_blocks": 8, "initial": 0, "hash_words": 16}
    if program == "mgm":
        text_blocks = 1424 // (16 if definitions.endswith("4") else 8)
        data_blocks = text_blocks // 89
        return {"num_packets": 1 << 14, "data_blocks": data_blocks, "text_blocks": text_blocks, "opens": 0,
                "share": (data_blocks + text_blocks + 1) // 8}
    if program.endswith(("_streams", "_keys")):
        share = blocks // 32 if kernel == "spread" else STREAMS // 32
        return {"num_streams": STREAMS, "num_blocks": blocks, "stride": blocks, "share": share, "last": 512 // blocks}
    return NUMBERS
