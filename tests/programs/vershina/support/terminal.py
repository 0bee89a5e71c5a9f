"""terminal.py ANSWERS COMMAND...: runs a command on a new terminal. Types a line of ANSWERS at each question (a text
that ends with ": "). Prints the terminal's content; ends with the command's status."""
import os
import pty
import select
import sys
import time

answers = sys.argv[1].encode().splitlines(keepends=True)
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
deadline = time.monotonic() + 60
asked = 0  # length of the output already answered
while time.monotonic() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.2)
    if not ready:
        continue
    try:
        data = os.read(terminal, 4096)
    except OSError:  # the other side is closed
        break
    if not data:
        break
    shown += data
    if answers and shown[asked:].endswith(b": "):
        asked = len(shown)
        os.write(terminal, answers.pop(0))
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
