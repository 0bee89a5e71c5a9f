"""NVRTC and nvdisasm from their packages on PyPI: device source to machine code, no GPU needed."""

import ctypes
import functools
import glob
import gzip
import hashlib
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


def _compile(source, options):
    """The compiler's messages and output, and nvdisasm's listing of it."""
    program = ctypes.c_void_p()
    nvrtc().nvrtcCreateProgram(ctypes.byref(program), source.encode("ascii"), b"program.cu", 0, None, None)
    status = nvrtc().nvrtcCompileProgram(
        program, len(options), (ctypes.c_char_p * len(options))(*[o.encode() for o in options]))
    log = _text(program, "ProgramLog").rstrip(b"\0")
    image = _text(program, "CUBIN") if status == 0 else b""
    nvrtc().nvrtcDestroyProgram(ctypes.byref(program))
    if status != 0:
        raise Failed(f"{' '.join(options)}:\n{log.decode(errors='replace')}")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(image)
        file.flush()
        listing = subprocess.run([installed("nvdisasm"), "--emit-json", file.name], capture_output=True, check=True)
    return log, image, listing.stdout


def _kept(key, make):
    """Three byte strings, from the folder GPU_STATIC_CUBINS if they were made before."""
    folder = os.environ.get("GPU_STATIC_CUBINS")
    if not folder:
        return make()
    path = os.path.join(folder, hashlib.sha256("\0".join([version(), *key]).encode()).hexdigest())
    if os.path.exists(path):
        with gzip.open(path) as file:
            sizes = struct.unpack("<3Q", file.read(24))
            return [file.read(size) for size in sizes]
    parts = make()
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(gzip.compress(struct.pack("<3Q", *map(len, parts)) + b"".join(parts), 1))
    os.rename(file.name, path)
    return parts


class Cubin:
    """One program's machine code for one architecture, and ptxas' report on each kernel."""

    def __init__(self, source, architecture, definitions):
        options = [f"-arch={architecture}", "-std=c++17", "-DVSH_GROUP=128", "--ptxas-options=-v", *definitions]
        log, self.image, self.listing = _kept([source, *options], lambda: _compile(source, options))
        self.resources = {}
        for part in log.decode(errors="replace").split("Compiling entry function '")[1:]:
            number = lambda what: int((re.search(rf"(\d+) {what}", part) or [0, 0])[1])
            self.resources[part.split("'")[0]] = {
                "registers": number("registers"), "stack": number("bytes stack frame"),
                "spills": number("bytes spill stores") + number("bytes spill loads"), "shared": number("bytes smem")}

    def functions(self):
        """The kernels, as listed by nvdisasm."""
        symbols = self._symbols()
        return [sass.Function(raw, symbols) for raw in json.loads(self.listing)[1]]

    def _sections(self):
        """The ELF file's table of them."""
        sections = struct.unpack_from("<Q", self.image, 0x28)[0]
        size, count = struct.unpack_from("<HH", self.image, 0x3a)
        return [struct.unpack_from("<IIQQQQIIQQ", self.image, sections + size * i) for i in range(count)]

    def _name(self, at):
        return self.image[at:self.image.index(b"\0", at)].decode()

    def _symbols(self):
        """Addresses of functions within their sections, as used by calls. From the ELF file's table of symbols."""
        table = self._sections()
        symbols = {}
        for _, kind, _, _, offset, length, link, *_ in table:
            for at in range(offset, offset + length, 24) if kind == 2 else ():  # SHT_SYMTAB
                name, info, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.image, at)
                start = table[link][4] + name
                if info & 15 == 2:  # STT_FUNC
                    symbols[self._name(start)] = value
        return symbols
