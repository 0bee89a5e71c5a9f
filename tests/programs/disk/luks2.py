"""LUKS2 headers written and edited without libcryptsetup's checks: https://gitlab.com/cryptsetup/LUKS2-docs."""
import hashlib
import json
import struct
import subprocess

PRIMARY, SECONDARY = b"LUKS\xba\xbe", b"SKUL\xba\xbe"
PASSPHRASE = b"correct horse battery staple"
DATA = 16 << 20  # where cryptsetup lets the data begin


def format_volume(path, folder, key, sector_len=4096, header=None, passphrase=PASSPHRASE, more=()):
    """Lets cryptsetup format `path` as aes with this volume key at the least costs, and changes the cipher's name."""
    key_file, pass_file = folder + "/volume-key", folder + "/passphrase"
    with open(key_file, "wb") as file:
        file.write(key)
    with open(pass_file, "wb") as file:
        file.write(passphrase)
    cryptsetup("luksFormat", "--type", "luks2", "--cipher", "aes-xts-plain64", "--key-size", "512", "--sector-size",
               str(sector_len), "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--volume-key-file", key_file,
               *(["--header", header] if header else []), *more, path, pass_file)

    def change(metadata):
        metadata["segments"]["0"]["encryption"] = "kuznyechik-xts-plain64"

    edit(header or path, change)


def cryptsetup(*arguments, **options):
    return subprocess.run(["cryptsetup", "--batch-mode", *arguments], check=True, capture_output=True, **options).stdout


def read_headers(path):
    """Returns [(offset, binary header, JSON area)] of both copies."""
    with open(path, "rb") as file:
        first = file.read(4096)
        length = struct.unpack_from(">Q", first, 8)[0]
        copies = [(0, first, file.read(length - 4096))]
        file.seek(length)
        copies.append((length, file.read(4096), file.read(length - 4096)))
    return copies


def write_header(path, offset, binary, area):
    binary = bytearray(binary)
    binary[448:512] = bytes(64)
    binary[448:480] = hashlib.sha256(bytes(binary) + area).digest()
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(bytes(binary) + area)


def metadata_of(path, copy=0):
    return json.loads(read_headers(path)[copy][2].split(b"\0")[0])


def edit(path, change, copies=(0, 1), raw=None):
    """Changes the metadata of these copies; raw: bytes that replace it."""
    for index in copies:
        offset, binary, area = read_headers(path)[index]
        if raw is None:
            metadata = json.loads(area.split(b"\0")[0])
            change(metadata)
            text = json.dumps(metadata, separators=(",", ":")).encode()
        else:
            text = raw
        assert len(text) < len(area)
        write_header(path, offset, binary, text.ljust(len(area), b"\0"))


def damage(path, copy):
    """Changes a byte in the metadata of a copy, whose checksum is then wrong."""
    offset = read_headers(path)[copy][0] + 4096 + 10
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)
        file.seek(offset)
        file.write(bytes([byte[0] ^ 1]))
