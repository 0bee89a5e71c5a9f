"""NVRTC and nvdisasm as their packages on PyPI hold them: device source to machine code, no GPU needed."""

import ctypes
import functools
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import sass


class Failed(Exception):
    """The compiler refused; the message has its log."""


def installed(pattern):
    for folder in sys.path:
        for path in sorted(glob.glob(os.path.join(folder, "nvidia", "**", pattern), recursive=True)):
            return path
    raise Failed(f"no {pattern} in this Python environment")


@functools.cache
def nvrtc():
    return ctypes.CDLL(installed("libnvrtc.so.*[0-9]"))


def version():
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"NVRTC {major.value}.{minor.value}"


def _text(program, what):
    size = ctypes.c_size_t()
    getattr(nvrtc(), f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc(), f"nvrtcGet{what}")(program, text)
    return text.raw


class Cubin:
    """One program's machine code for one architecture, and what ptxas said of each kernel."""

    def __init__(self, source, architecture, definitions):
        options = [f"-arch={architecture}", "-std=c++17", "-DVSH_GROUP=128", "--ptxas-options=-v", *definitions]
        program = ctypes.c_void_p()
        nvrtc().nvrtcCreateProgram(ctypes.byref(program), source.encode("ascii"), b"program.cu", 0, None, None)
        status = nvrtc().nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*[o.encode() for o in options]))
        log = _text(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
        if status == 0:
            self.image = _text(program, "CUBIN")
        nvrtc().nvrtcDestroyProgram(ctypes.byref(program))
        if status != 0:
            raise Failed(f"{' '.join(options)}:\n{log}")
        self.resources = {}
        for part in log.split("Compiling entry function '")[1:]:
            number = lambda what: int((re.search(rf"(\d+) {what}", part) or [0, 0])[1])
            self.resources[part.split("'")[0]] = {
                "registers": number("registers"), "stack": number("bytes stack frame"),
                "spills": number("bytes spill stores") + number("bytes spill loads"), "shared": number("bytes smem")}

    def functions(self):
        """The kernels, as nvdisasm reads them."""
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(self.image)
            file.flush()
            listing = subprocess.run([installed("nvdisasm"), "--emit-json", file.name], capture_output=True, check=True)
        symbols = self._symbols()
        return [sass.Function(raw, symbols) for raw in json.loads(listing.stdout)[1]]

    def _symbols(self):
        """Addresses of functions within their sections: what a call names. From the ELF file's table of symbols."""
        sections = struct.unpack_from("<Q", self.image, 0x28)[0]
        size, count = struct.unpack_from("<HH", self.image, 0x3a)
        table = [struct.unpack_from("<IIQQQQIIQQ", self.image, sections + size * i) for i in range(count)]
        symbols = {}
        for _, kind, _, _, offset, length, link, *_ in table:
            for at in range(offset, offset + length, 24) if kind == 2 else ():  # SHT_SYMTAB
                name, info, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.image, at)
                start = table[link][4] + name
                if info & 15 == 2:  # STT_FUNC
                    symbols[self.image[start:self.image.index(b"\0", start)].decode()] = value
        return symbols
