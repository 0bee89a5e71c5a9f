"""hostile_tar.py KIND: a tar stream on standard output that an unpacker must refuse, or "good": one that it must
not."""
import io
import sys
import tarfile

out = io.BytesIO()
tar = tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT)


def add(name, kind=tarfile.REGTYPE, link="", data=b"", mode=0o644):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size, info.mode, info.mtime = kind, link, len(data), mode, 1600000000
    tar.addfile(info, io.BytesIO(data))


DIR, SYM, HARD = tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
DEEP = ("n" * 99 + "/") * 45
add("./", DIR, mode=0o755)
add("first", data=b"first")
kinds = {
    "good": lambda: (add("d", DIR, mode=0o755), add("d/e", DIR, mode=0o755), add("d/up", SYM, "../first"),
                     add("d/e/f", data=b"f"), add("d/hard", HARD, "first"), add("again", SYM, "d/up"),
                     add("implied/parents/g", data=b"g"), add("dangling", SYM, "nothing")),
    "absolute": lambda: add("/tmp/vershina-escaped", data=b"x"),
    "absolute_dir": lambda: add("/tmp/vershina-escaped", DIR),
    "dotdot": lambda: add("../vershina-escaped", data=b"x"),
    "dotdot_inside": lambda: add("d/../vershina-escaped", data=b"x"),
    "dotdot_end": lambda: (add("d", DIR), add("d/..", DIR)),
    "symlink_absolute": lambda: add("l", SYM, "/etc/passwd"),
    "symlink_up": lambda: add("l", SYM, "../x"),
    "symlink_up_deep": lambda: (add("d", DIR, mode=0o755), add("d/l", SYM, "../../x")),
    # Each target seems to stay inside; together they lead out.
    "symlink_chain": lambda: (add("d", DIR, mode=0o755), add("d/up", SYM, ".."), add("l", SYM, "d/up/..")),
    "symlink_chain_deep": lambda: (add("d", DIR, mode=0o755), add("d/up", SYM, ".."), add("d/l", SYM, "up/..")),
    "symlink_through": lambda: (add("d", DIR, mode=0o755), add("l", SYM, "d"), add("l/x", data=b"x")),
    "symlink_replaced": lambda: (add("l", SYM, "first"), add("l", data=b"x")),
    "symlink_then_dir": lambda: (add("d", DIR, mode=0o755), add("l", SYM, "d"), add("l", DIR), add("l/x", data=b"x")),
    "hard_absolute": lambda: add("h", HARD, "/etc/passwd"),
    "hard_up": lambda: add("h", HARD, "../x"),
    "hard_missing": lambda: add("h", HARD, "nothing"),
    "hard_to_symlink": lambda: (add("d", DIR, mode=0o755), add("d/l", SYM, "../first"), add("h", HARD, "d/l")),
    "hard_through_symlink": lambda: (add("d", DIR, mode=0o755), add("d/x", data=b"x"), add("l", SYM, "d"),
                                     add("h", HARD, "l/x")),
    "hard_to_dir": lambda: (add("d", DIR, mode=0o755), add("h", HARD, "d")),
    "twice": lambda: add("first", data=b"second"),
    # Below more directories than a path of the system may name.
    "twice_deep": lambda: (add(DEEP + "f", data=b"first"), add(DEEP + "f", data=b"second")),
    "link_over_file_deep": lambda: (add(DEEP + "f", data=b"first"), add(DEEP + "f", SYM, "first")),
    "dir_over_link_deep": lambda: (add(DEEP + "d/f", data=b"f"), add(DEEP + "l", SYM, "d"), add(DEEP + "l", DIR)),
    "through_link_deep": lambda: (add(DEEP + "d/f", data=b"f"), add(DEEP + "l", SYM, "d"),
                                  add(DEEP + "l/x", data=b"x")),
    "file_over_dir": lambda: (add("d", DIR, mode=0o755), add("d", data=b"x")),
    "dir_over_file": lambda: add("first", DIR),
    "through_file": lambda: add("first/x", data=b"x"),
    "fifo": lambda: add("p", tarfile.FIFOTYPE),
    "device": lambda: add("n", tarfile.CHRTYPE),
    "block_device": lambda: add("n", tarfile.BLKTYPE),
    "root_is_a_link": lambda: add("./", SYM, "/tmp"),
    "root_is_a_file": lambda: add(".", data=b"x"),
    "setuid": lambda: (add("s", data=b"x", mode=0o6755), add("t", DIR, mode=0o3777)),
}
if sys.argv[1] == "--list":
    print(*(kind for kind in kinds if kind not in ("good", "setuid")))
    sys.exit()
kinds[sys.argv[1]]()
tar.close()
sys.stdout.buffer.write(out.getvalue())
