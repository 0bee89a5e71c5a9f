#!/usr/bin/env python3
"""Draws README's picture: bars of a report's rates beside the best other library of each, as an SVG.

Usage: picture.py [--machine NAME] [--language en|ru] REPORT.json PICTURE.svg

The report is one of `vershina bench --peers --json`: its rows of 16 KiB on one thread. NAME stands in place of the
report's processor, where that is the name of a virtual one. The picture follows a light or dark scheme by itself.
"""
import argparse
import json
import math
import os
import sys
import tempfile
from xml.sax.saxutils import escape

BYTES = 16384
WORKS = (("kuznyechik", "ctr", "encrypt", "Kuznyechik CTR", "«Кузнечик», CTR"),
         ("kuznyechik", "mgm", "encrypt", "Kuznyechik MGM", "«Кузнечик», MGM"),
         ("magma", "ctr", "encrypt", "Magma CTR", "«Магма», CTR"),
         ("magma", "mgm", "encrypt", "Magma MGM", "«Магма», MGM"),
         ("streebog256", "hash", "hash", "Streebog-256", "«Стрибог»-256"))
YARDSTICK = ("aes256", "ctr", "encrypt", "AES-256 CTR, a yardstick", "AES-256, CTR, для сравнения")


def times_in_russian(ratio):
    """Returns the form of «раз» after a number: a fraction and 2, 3, 4 (but 12, 13, 14) have another one."""
    return "раза" if "." in ratio or ratio[-1] in "234" and ratio[-2:-1] != "1" else "раз"


WORDS = {
    "en": {"title": "MB/s on one core: longer is faster", "own": "Vershina, constant-time",
           "peer": "best other library", "times": lambda ratio: f"{ratio} times as fast", "aes": "AES-NI",
           "where": "{machine}, {ghz} GHz, {date}; 16 KiB, one thread, {compiler}"},
    "ru": {"title": "МБ/с на одном ядре: длиннее — быстрее", "own": "«Вершина», постоянное время",
           "peer": "лучшая из других библиотек", "aes": "AES-NI",
           "times": lambda ratio: f"в {ratio.replace('.', ',')} {times_in_russian(ratio)} быстрее",
           "where": "{machine}, {ghz} ГГц, {date}; 16 КиБ, один поток, {compiler}"},
}
STYLE = """
svg { color-scheme: light dark; font-family: system-ui, "DejaVu Sans", sans-serif; }
.paper { fill: #fcfcfa; } text { fill: #1d1f21; font-size: 14px; } .title { font-size: 17px; font-weight: 600; }
.soft { fill: #62666a; font-size: 12px; } .grid { stroke: #dddcd6; } .own { fill: #0067a8; } .peer { fill: #a9a79e; }
.times { font-weight: 600; fill: #0067a8; }
@media (prefers-color-scheme: dark) {
  .paper { fill: #16181a; } text { fill: #e6e4de; } .soft { fill: #9a9c9e; } .grid { stroke: #36393c; }
  .own { fill: #4aa8e0; } .peer { fill: #74777a; } .times { fill: #4aa8e0; }
}
"""
WIDTH, LEFT, BARS, TOP, BAR, GROUP, FOOT = 880, 250, 380, 92, 17, 58, 64


def short(value):
    return f"{value:.{3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0}f}"


def rows_of(report, work):
    """Returns the library's choice and the best other library; None for what is not in the report."""
    rows = [row for row in report["results"]
            if (row["algorithm"], row["mode"], row["operation"]) == work[:3] and row["bytes"] == BYTES
            and row["threads"] == 1 and row["alignment"] == 0 and not row["in_place"]]
    own = next((row for row in rows if row["chosen"]), None)
    peers = sorted((row for row in rows if row["peer"]), key=lambda row: row["cpb"])
    return own, peers[0] if peers else None


def read_groups(report):
    groups = []
    for work in (*WORKS, YARDSTICK):
        own, peer = rows_of(report, work)
        if peer is None or (own is None and work is not YARDSTICK):
            sys.exit(f"picture.py: the report has no {work[3]} of {BYTES} bytes beside another library")
        groups.append((work, own, peer))
    return groups


def tick_step(most):
    decade = 10 ** math.floor(math.log10(most / 3))
    return next(step * decade for step in (5, 2, 1) if step * decade <= most / 3)


def draw(report, machine, language):
    words, groups = WORDS[language], read_groups(report)
    name = 4 if language == "ru" else 3
    most = max(row["mbps"] for _, own, peer in groups for row in (own, peer) if row)
    height = TOP + GROUP * len(groups) - BAR + FOOT

    def number(text):
        return text.replace(".", ",") if language == "ru" else text

    def text(x, y, what, kind="", anchor="start"):
        kind = f' class="{kind}"' if kind else ""
        lines.append(f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{kind}>{escape(what)}</text>')

    where = words["where"].format(machine=machine or report["machine"]["cpu"], date=report["machine"]["date"][:10],
                                  ghz=number(f"{report['machine']['clocks']['core']['hz'] / 1e9:.1f}"),
                                  compiler=report["machine"]["compiler"].split(",")[0])
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{height}" '
             f'viewBox="0 0 {WIDTH} {height}">', f"<title>{escape(words['title'])}</title>", f"<style>{STYLE}</style>",
             f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>']
    text(24, 34, words["title"], "title")
    lines.append('<rect class="own" x="24" y="52" width="13" height="13"/>')
    text(44, 63, words["own"])
    lines.append(f'<rect class="peer" x="{LEFT + 40}" y="52" width="13" height="13"/>')
    text(LEFT + 60, 63, words["peer"])
    bottom = height - FOOT
    step = tick_step(most)
    for i in range(int(most / step) + 1):
        x = LEFT + BARS * i * step / most
        lines.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}"/>')
        text(x, bottom + 17, f"{i * step:.0f}", "soft", "middle")
    for at, (work, own, peer) in enumerate(groups):
        y = TOP + GROUP * at
        text(LEFT - 14, y + (27 if own else 16), work[name], anchor="end")
        if own:
            width = max(1, BARS * own["mbps"] / most)
            lines.append(f'<rect class="own" x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}"/>')
            text(LEFT + width + 8, y + 14, number(short(own["mbps"])))
            ratio = peer["cpb"] / own["cpb"]
            text(LEFT + width + 56, y + 14, words["times"](f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"), "times")
            y += BAR + 3
        width = max(1, BARS * peer["mbps"] / most)
        lines.append(f'<rect class="peer" x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}"/>')
        note = "" if own else f", {words['aes']}"
        text(LEFT + width + 8, y + 14, f"{number(short(peer['mbps']))}  {peer['peer']['name']}{note}")
    text(24, height - 20, where, "soft")
    return "\n".join(lines) + "\n</svg>\n"


def write_whole(path, content):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path) or ".", delete=False) as file:
        file.write(content)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", metavar="NAME")
    parser.add_argument("--language", choices=sorted(WORDS), default="en")
    parser.add_argument("report")
    parser.add_argument("picture")
    options = parser.parse_args()
    with open(options.report, encoding="utf-8") as file:
        write_whole(options.picture, draw(json.load(file), options.machine, options.language))


if __name__ == "__main__":
    main()
