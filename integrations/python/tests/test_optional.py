"""Optional parts of the package: NumPy, and its part for tomography."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("without", ["vershina._tomography", "numpy"])
def test_ciphers_work_without(without):
    code = (
        f"import sys; sys.modules[{without!r}] = None\nimport vershina; vershina.selftest()\n"
        f"try: import vershina.tomography\nexcept ImportError as error: print(error.name)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert (result.returncode, result.stdout) == (0, f"{without}\n"), result.stderr
