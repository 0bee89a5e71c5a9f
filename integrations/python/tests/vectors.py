"""Reads tests/vectors/*.vec; tests/vectors/SOURCES.md has the format and says where each vector comes from."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "tests" / "vectors"


def records(file: str, section: str) -> list[dict[str, str]]:
    """The records of a section, field by field, as they stand."""
    found: list[dict[str, str]] = []
    current: dict[str, str] = {}
    here = False
    for line in (FOLDER / file).read_text().splitlines() + [""]:
        if line.startswith("#"):
            continue
        if line.startswith("["):
            here = line == f"[{section}]"
        elif line and here:
            key, _, value = line.partition(" =")
            current[key] = value.strip()
        elif not line and current:
            found.append(current)
            current = {}
    assert found, f"{file} has no section [{section}]"
    return found
