#!/usr/bin/env python3
"""Prints src/core/invisible.def: the characters that show nothing of themselves or turn the text around them.

Usage: invisible.py > src/core/invisible.def     (needs regex from PyPI, which brings the data of Unicode)

They are Default_Ignorable_Code_Point (DerivedCoreProperties.txt) and the general categories Cf, Zl and Zp
(UnicodeData.txt), with U+2800, a braille pattern of no dots, and without the joiners U+200C and U+200D, which Persian
and Indic words are written with.
"""
import re
from importlib import metadata

import regex

INVISIBLE = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800--\u200c\u200d]", regex.V1)


def ranges():
    first = None
    for code in range(0x110001):
        is_invisible = code < 0x110000 and not 0xD800 <= code < 0xE000 and INVISIBLE.match(chr(code))
        if is_invisible and first is None:
            first = code
        elif not is_invisible and first is not None:
            yield first, code - 1
            first = None


def main():
    version = re.search(r"Unicode (\d+\.\d+\.\d+)", metadata.metadata("regex").get_payload()).group(1)
    print(f"// Characters that show nothing of themselves or turn the text around them, of Unicode {version}:\n"
          "// Default_Ignorable_Code_Point of DerivedCoreProperties.txt, Cf, Zl and Zp of UnicodeData.txt, and\n"
          "// U+2800, but for U+200C and U+200D. Written by tools/invisible.py. VSH_INVISIBLE(first, last).")
    for first, last in ranges():
        print(f"VSH_INVISIBLE({first:#x}, {last:#x})")


main()
