"""Optional parts of the package: NumPy, and the library of tomography."""

import subprocess
import sys

import pytest

OBSTACLES = {
    "library": "import ctypes\ndef no(*_): raise OSError('cannot open it')\nctypes.CDLL = no",
    "function": "import ctypes\nctypes.CDLL = lambda _: object()",
    "numpy": "import sys; sys.modules['numpy'] = None",
}


@pytest.mark.parametrize(
    "without, message",
    [
        ("library", "vershina.tomography needs the library libvershina-tomography: cannot open it"),
        ("function", "vershina.tomography needs the library libvershina-tomography: .* 'vsh_tomo_status_message'"),
        ("numpy", "(?i).*numpy.*"),
    ],
)
def test_ciphers_work_without(without, message):
    code = (
        f"{OBSTACLES[without]}\nimport re, vershina; vershina.selftest()\ntry: import vershina.tomography\n"
        f"except ImportError as error: print(bool(re.fullmatch({message!r}, str(error))))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert (result.returncode, result.stdout) == (0, "True\n"), result.stderr
