"""Runs a check of the sources over a small tree with planted faults: folders_test.py and others."""
import contextlib
import io
import os
import tempfile


def run_on(main, tree):
    """Returns the exit status and the standard error of main([top]). tree: names to texts; None: no such file."""
    with tempfile.TemporaryDirectory() as top:
        for name, text in tree.items():
            if text is None:
                continue
            os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
            with open(os.path.join(top, name), "w", encoding="utf-8") as file:
                file.write(text)
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            status = main([top])
        return status, said.getvalue()
