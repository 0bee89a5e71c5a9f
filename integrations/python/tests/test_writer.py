"""sealed.Writer completes a file only on request, under any failure around it; sinks with partial writes."""

import asyncio
import contextlib
import gc
import io
import os
import resource
import subprocess
import sys
import threading

import pytest

from vershina import AuthenticationError, sealed

HEADER = 2 * 4096  # of a Writer by default
KEY = sealed.Key(bytes(range(32)))
ROWS = [f"row {i}\n" for i in range(3000)]  # more than the buffers of TextIOWrapper and BufferedWriter hold
TEXT = "".join(ROWS)
UNFINISHED = "without finish"

pytestmark = pytest.mark.filterwarnings("error")


class Stop(Exception):
    pass


def content(sink):
    opened = io.BytesIO()
    sealed.open(io.BytesIO(sink.getvalue()), opened, [KEY])
    return opened.getvalue().decode()


def opens(sink):
    try:
        content(sink)
        return True
    except AuthenticationError:
        return False


def writer(sink):
    return sealed.Writer(sink, [KEY], chunk_len=4096)


def text_over(raw):
    return io.TextIOWrapper(raw, encoding="utf-8", newline="")


def text_over_buffer(raw):
    return text_over(io.BufferedWriter(raw))


class Bytes:
    """Writes text into a binary file object, as the wrappers above do."""

    def __init__(self, raw):
        self.raw = raw

    def write(self, text):
        self.raw.write(text.encode())

    def flush(self):
        self.raw.flush()

    def __enter__(self):
        self.raw.__enter__()
        return self

    def __exit__(self, *error):
        return self.raw.__exit__(*error)


LAYERS = {
    "text": text_over,
    "text over buffer": text_over_buffer,
    "buffer": lambda raw: Bytes(io.BufferedWriter(raw)),
}
layers = pytest.mark.parametrize("over", LAYERS.values(), ids=LAYERS)


def write_rows(file, fail_at=None):
    for i, row in enumerate(ROWS):
        if i == fail_at:
            raise Stop
        file.write(row)


def test_alone():
    sink = io.BytesIO()
    with writer(sink) as file:
        write_rows(Bytes(file))
        assert not opens(sink)
    assert content(sink) == TEXT and file.closed and not sink.closed


@layers
def test_layers_in_the_block(over):
    sink = io.BytesIO()
    with writer(sink) as file, over(file) as text:
        write_rows(text)
    assert content(sink) == TEXT

    for flushed in (False, True):
        sink = io.BytesIO()
        with writer(sink) as file:
            text = over(file)
            write_rows(text)
            if flushed:
                text.flush()
                file.finish()
            del text  # collected: flushes, and closes the writer
        assert content(sink) == TEXT


@layers
@pytest.mark.parametrize("fail_at", [0, 1, 2999])
def test_an_exception_in_the_block(over, fail_at):
    sink = io.BytesIO()
    with pytest.raises(Stop), writer(sink) as file, over(file) as text:
        write_rows(text, fail_at)
    assert not opens(sink) and file.closed

    sink = io.BytesIO()
    with pytest.raises(Stop), writer(sink) as file:
        write_rows(over(file), fail_at)
    assert not opens(sink)
    del file
    gc.collect()
    assert not opens(sink)


@layers
def test_an_explicit_end(over):
    sink = io.BytesIO()
    file = writer(sink)
    with over(file) as text:
        write_rows(text)
        text.flush()
        file.finish()
        assert content(sink) == TEXT
    before = sink.getvalue()
    file.finish()
    file.close()
    file.close()
    file.abandon()
    del file, text
    gc.collect()
    assert sink.getvalue() == before


@layers
def test_a_forgotten_end_is_an_error(over):
    sink = io.BytesIO()
    file = writer(sink)
    with pytest.raises(RuntimeError, match=UNFINISHED), over(file) as text:
        write_rows(text)
    file.close()  # twice: as of all files
    with pytest.raises(ValueError, match=UNFINISHED):
        file.finish()
    with pytest.warns(RuntimeWarning, match=UNFINISHED):
        del file, text
        gc.collect()
    assert not opens(sink)


@layers
def test_an_exception_with_a_block_of_the_layer_alone(over):
    """The usual way to write text; the exception is the user's own, not one about finish()."""
    sink = io.BytesIO()
    file = writer(sink)
    with pytest.raises(Stop), over(file) as text:
        write_rows(text, 2000)
    del file, text
    gc.collect()
    assert not opens(sink)


def test_in_a_handler_of_another_exception():
    for finished in (False, True):
        sink = io.BytesIO()
        try:
            raise Stop
        except Stop:
            file = writer(sink)
            file.write(b"x")
            if finished:
                file.finish()
                file.close()
            else:
                with pytest.raises(RuntimeError, match=UNFINISHED):
                    file.close()
        assert opens(sink) == finished
        with contextlib.nullcontext() if finished else pytest.warns(RuntimeWarning, match=UNFINISHED):
            del file
            gc.collect()


@pytest.mark.parametrize("over", [lambda raw: raw, *LAYERS.values()], ids=["alone", *LAYERS])
@pytest.mark.parametrize("cycle", [False, True])
def test_collected(over, cycle, monkeypatch):
    # From 3.13 on Python shows what close() raises below the finalizers of TextIOWrapper and BufferedWriter.
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: None)
    sink = io.BytesIO()
    file = over(writer(sink))
    file.write("row 1\n" if hasattr(file, "encoding") or isinstance(file, Bytes) else b"row 1\n")
    if cycle:
        ring = [file]
        ring.append(ring)
        del ring
    with pytest.warns(RuntimeWarning, match=UNFINISHED):
        del file
        gc.collect()
    assert len(sink.getvalue()) >= HEADER and not opens(sink)


def test_what_comes_after_the_end_is_told():
    sink = io.BytesIO()
    file = writer(sink)
    text = text_over(file)
    text.write("late")
    file.finish()
    with pytest.warns(RuntimeWarning, match="4 bytes came after the end"), pytest.raises(ValueError, match="finished"):
        text.close()
    assert content(sink) == ""


def test_generators():
    def rows(sink, over):
        with writer(sink) as file, over(file) as text:
            for row in ROWS:
                text.write(row)
                yield

    for over in LAYERS.values():
        sink = io.BytesIO()
        assert len(list(rows(sink, over))) == 3000 and content(sink) == TEXT
        for end in ("close", "del", "throw"):
            sink = io.BytesIO()
            generator = rows(sink, over)
            next(generator)
            if end == "close":
                generator.close()
            elif end == "throw":
                with pytest.raises(Stop):
                    generator.throw(Stop())
            del generator
            gc.collect()
            assert not opens(sink), end


def test_cancelled_tasks():
    sink = io.BytesIO()

    async def write():
        with writer(sink) as file, text_over(file) as text:
            text.write("row 1\n")
            await asyncio.sleep(3600)

    async def main():
        task = asyncio.create_task(write())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert not opens(sink)


def test_threads():
    sink = io.BytesIO()
    piece = bytes(range(256)) * 64
    with writer(sink) as file:
        threads = [threading.Thread(target=lambda: [file.write(piece) for _ in range(40)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    opened = io.BytesIO()
    sealed.open(io.BytesIO(sink.getvalue()), opened, [KEY])  # chunks are in order
    assert opened.getvalue() == piece * 320

    sink, seen = io.BytesIO(), []

    def die():
        try:
            with writer(sink) as file, text_over(file) as text:
                write_rows(text, 10)
        except Stop as error:
            seen.append(error)

    thread = threading.Thread(target=die)
    thread.start()
    thread.join()
    assert len(seen) == 1 and not opens(sink)


@pytest.mark.parametrize("body, whole, message", [
    ("file.write(b'row'); file.finish()", True, ""),
    ("file.write(b'row')", False, UNFINISHED),
    ("text = io.TextIOWrapper(file); text.write('row')", False, UNFINISHED),
    ("text = io.TextIOWrapper(io.BufferedWriter(file)); text.write('row'); text.me = text", False, UNFINISHED),
    ("file.write(b'row'); sys.exit(3)", False, UNFINISHED),
    ("file.__enter__(); file.write(b'row'); raise KeyError", False, "KeyError"),
])  # fmt: skip
def test_the_end_of_the_interpreter(tmp_path, body, whole, message):
    program = (
        "import io, sys; from vershina import sealed\n"
        "sink = open(sys.argv[1], 'wb', buffering=0)\n"
        f"file = sealed.Writer(sink, [sealed.Key(bytes(range(32)))])\n{body}\n"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "out"], capture_output=True, text=True)
    assert message in done.stderr and bool(message) == bool(done.stderr)
    sink = io.BytesIO((tmp_path / "out").read_bytes())
    assert len(sink.getvalue()) >= HEADER and opens(sink) == whole


class Sink(io.RawIOBase):
    """Takes `most` bytes at a time; from `limit` on it answers `answer`, or raises it."""

    def __init__(self, most=1000, limit=1 << 30, answer=None):
        self.bytes, self.most, self.limit, self.answer = bytearray(), most, limit, answer

    def writable(self):
        return True

    def write(self, data):
        taken = bytes(data[: min(self.most, self.limit - len(self.bytes))])
        if not taken and isinstance(self.answer, BaseException):
            raise self.answer
        self.bytes += taken
        return len(taken) or self.answer

    def getvalue(self):
        return bytes(self.bytes)


ANSWERS = {"none": None, "zero": 0, "more": 1 << 40, "negative": -1, "error": OSError(28, "full"), "stop": Stop()}
answers = pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)


def test_a_sink_that_takes_a_part():
    sink = Sink()
    with writer(sink) as file, text_over_buffer(file) as text:
        write_rows(text)
    assert content(sink) == TEXT
    opened = Sink(most=7)
    sealed.open(io.BytesIO(sink.getvalue()), opened, [KEY])
    assert opened.getvalue() == TEXT.encode()
    sink = Sink(most=4095)
    sealed.seal(io.BytesIO(TEXT.encode()), sink, [KEY])
    assert content(sink) == TEXT


@answers
@pytest.mark.parametrize("limit", [0, 5000, 8192, 9000, 31000])
def test_a_sink_that_fails(limit, answer):
    def sink():
        return Sink(limit=limit, answer=answer)

    with pytest.raises((OSError, Stop)):
        sealed.seal(io.BytesIO(TEXT.encode()), sink(), [KEY])
    whole = io.BytesIO()
    sealed.seal(io.BytesIO(TEXT.encode()), whole, [KEY])
    if limit < len(TEXT):
        with pytest.raises((OSError, Stop)):
            sealed.open(io.BytesIO(whole.getvalue()), sink(), [KEY])
    failing = sink()
    with pytest.raises((OSError, Stop)), writer(failing) as file, text_over(file) as text:
        write_rows(text)
    assert not failing.getvalue() or not opens(failing)


@answers
def test_after_an_error_of_the_sink(answer):
    sink = Sink(limit=9000, answer=answer)
    file = writer(sink)
    with pytest.raises((OSError, Stop)):
        file.write(bytes(20_000))
    sink.limit = 1 << 30  # there is room again: lost bytes stay lost
    for again in (lambda: file.write(b"more"), file.finish):
        with pytest.raises(ValueError, match="a write has failed"):
            again()
    file.close()
    assert not opens(sink)

    sink = Sink(limit=9000, answer=answer)
    with pytest.raises(ValueError, match="a write has failed"), writer(sink) as file:
        with contextlib.suppress(OSError, Stop):
            file.write(bytes(20_000))
        sink.limit = 1 << 30
    assert not opens(sink)


def test_the_end_does_not_fit():
    sink = Sink()
    file = writer(sink)
    file.write(bytes(10_000))
    sink.limit = len(sink.bytes) + 100
    with pytest.raises(OSError, match="returned None"):
        file.finish()
    sink.limit = 1 << 30
    with pytest.raises(ValueError, match="a write has failed"):
        file.finish()
    file.close()
    assert not opens(sink)


def test_a_call_within_a_call():
    """As from a signal handler, in the middle of a write."""

    class Nested(io.BytesIO):
        def write(self, data):
            if len(self.getvalue()) > HEADER:
                file.write(b"nested")
            return super().write(data)

    file = writer(sink := Nested())
    file.write(bytes(8192))
    with pytest.raises(RuntimeError, match="a call within a call"):
        file.write(bytes(8192))
    with pytest.raises(ValueError, match="a write has failed"):
        file.finish()
    assert not opens(sink)


def test_abandon():
    sink = io.BytesIO()
    file = writer(sink)
    file.write(bytes(20_000))
    file.abandon()
    file.close()
    with pytest.raises(ValueError, match="abandoned"):
        file.finish()
    assert file.closed and not opens(sink)
    sink = io.BytesIO()
    with writer(sink) as file:
        file.abandon()
    assert not opens(sink)


def test_bad_arguments_are_no_failed_write():
    sink = io.BytesIO()
    with writer(sink) as file:
        with pytest.raises(TypeError):
            file.write("text")
        file.write(b"row")
    assert content(sink) == "row"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is not here")
def test_a_full_disk():
    whole = io.BytesIO()
    sealed.seal(io.BytesIO(b"text"), whole, [KEY])
    with open("/dev/full", "wb", buffering=0) as full:
        for call in (
            lambda: sealed.seal(io.BytesIO(b"text"), full, [KEY]),
            lambda: sealed.open(io.BytesIO(whole.getvalue()), full, [KEY]),
            lambda: writer(full),
        ):
            with pytest.raises(OSError, match="No space left"):
                call()


def test_a_limit_of_the_files_size(tmp_path):
    """A raw file takes what fits, and says so by the number that write() returns."""
    program = (
        "import io, resource, signal, sys; from vershina import sealed\n"
        "keys = [sealed.Key(bytes(32))]\n"
        "whole = io.BytesIO(); sealed.seal(io.BytesIO(bytes(300_000)), whole, keys)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (137_856, resource.RLIM_INFINITY))\n"
        "for call in (\n"
        "    lambda sink: sealed.open(io.BytesIO(whole.getvalue()), sink, keys),\n"
        "    lambda sink: sealed.seal(io.BytesIO(bytes(300_000)), sink, keys),\n"
        "):\n"
        "    with open(sys.argv[1], 'wb', buffering=0) as sink:\n"
        "        try:\n"
        "            call(sink)\n"
        "        except OSError as error:\n"
        "            print(error.strerror)\n"
    )
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "out"], capture_output=True, text=True, check=True)
    assert done.stdout == "File too large\n" * 2


def test_a_source_that_has_nothing_yet():
    """None of a read() that does not block is not the end of the source."""

    class Source(io.RawIOBase):
        pieces = [bytes(100), None, bytes(100)]

        def readable(self):
            return True

        def read(self, length=-1):
            return self.pieces.pop(0) if self.pieces else b""

    sink = io.BytesIO()
    with pytest.raises(BlockingIOError):
        sealed.seal(Source(), sink, [KEY])
    assert not opens(sink)
