#!/usr/bin/env python3
"""Checks that every source includes the standard header of each name that it uses, for the names of a table.

Usage: includes.py SOURCE_DIRECTORY

Which standard headers another one includes differs between libraries and their versions. So a source, or one of
our headers that it includes, names the header itself; algorithms, which no interface brings along, are named by the
source or by the header of its own name (sort.hpp for sort.cpp and sort_test.cpp).
"""
import functools
import os
import re
import sys

from folders import DATA, find, folders_of

# The standard has the names in each of the headers on the left.
TABLE = {
    "algorithm": """adjacent_find all_of any_of binary_search clamp copy copy_backward copy_if copy_n count count_if
        equal equal_range fill fill_n find find_if find_if_not for_each generate generate_n includes is_sorted
        lexicographical_compare lower_bound max max_element merge min min_element minmax minmax_element mismatch
        next_permutation none_of nth_element partial_sort partition remove_if replace reverse rotate search
        set_difference set_intersection shuffle sort
        stable_partition stable_sort swap_ranges transform unique upper_bound""",
    "array": "array to_array",
    "atomic": "atomic atomic_ref",
    "bit": "bit_cast bit_ceil bit_width countl_zero countr_zero endian has_single_bit popcount rotl rotr",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "cos exp floor fma hypot isfinite isnan lround nearbyint pow sin sqrt tan",
    "complex": "complex",
    "condition_variable": "condition_variable",
    "cstdlib": "abort exit free getenv malloc strtod strtol strtoul strtoull system",
    "cstring": "memchr memcmp memcpy memmove memset strchr strcmp strlen strncmp strstr",
    "exception": "current_exception exception_ptr rethrow_exception",
    "filesystem": "filesystem",
    "fstream": "fstream ifstream ofstream",
    "functional": "function",
    "iterator": "advance back_inserter distance inserter istreambuf_iterator next prev",
    "iterator array list map set span string string_view unordered_map vector": "begin data empty end rbegin rend size",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "enable_shared_from_this make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock unique_lock",
    "numbers": "numbers",
    "numeric": "accumulate exclusive_scan gcd inner_product iota lcm partial_sum reduce",
    "optional": "nullopt optional",
    "random": "mt19937 mt19937_64 random_device uniform_int_distribution uniform_real_distribution normal_distribution",
    "set": "multiset set",
    "span": "as_bytes as_writable_bytes span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error",
    "string": "stod stoi stol stoul stoull string to_string",
    "string_view": "string_view",
    "system_error": "error_code system_category system_error",
    "thread": "jthread thread",
    "tuple": "make_tuple tie tuple",
    "unordered_map": "unordered_map",
    "utility": "exchange",
    "variant": "holds_alternative variant visit",
    "vector": "vector",
}
HEADER = {name: headers for headers, names in TABLE.items() for name in names.split()}
DIRECTLY = (["algorithm"], ["numeric"])
SOURCES = (".cpp", ".hpp")
NAME = re.compile(r"\bstd::(?:ranges::)?(\w+)")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)
NOT_CODE = re.compile(r"""//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""")


def read(top, path):
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return file.read()


@functools.cache
def includes(top, path):
    """Returns (the standard headers, the paths of our headers) that a source includes."""
    standard, ours = set(), set()
    for bracketed, quoted in INCLUDE.findall(read(top, path)):
        found = find(top, os.path.dirname(path), quoted or bracketed)
        if found:
            ours.add(found)
        else:
            standard.add(bracketed)
    return standard, ours


def all_includes(top, path):
    """Returns the standard headers that a source and all of our headers below it include."""
    standard, seen, left = set(), set(), [path]
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            more, ours = includes(top, one)
            standard |= more
            left.extend(ours)
    return standard


def missing(top, path):
    """Yields (name, header) of what a source uses and does not include, each header once."""
    directly, ours = includes(top, path)
    own = re.sub(r"(_test)?\.cpp$", ".hpp", os.path.basename(path))
    for header in ours:
        if os.path.basename(header) == own:
            directly = directly | includes(top, header)[0]
    indirectly = all_includes(top, path)
    seen = set()
    for name in NAME.findall(NOT_CODE.sub("", read(top, path))):
        headers = HEADER.get(name, "").split()
        included = directly if headers[:1] in DIRECTLY else indirectly
        if headers and headers[0] not in seen and included.isdisjoint(headers):
            seen.add(headers[0])
            yield name, headers[0]


def main(arguments):
    top, faults = arguments[0], 0
    for folder, files in folders_of(top):
        for name in files:
            if name.endswith(SOURCES) and not DATA.search(folder):
                path = os.path.normpath(os.path.join(folder, name))
                for used, header in missing(top, path):
                    print(f"{path}: std::{used} needs <{header}>", file=sys.stderr)
                    faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
