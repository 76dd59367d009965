#!/usr/bin/env python3
"""Draws what docs/TIME-MODEL.md shows: modelled against measured time of the launches of tests/models.

    tools/golden/time_scatter.py build/release/models.txt docs/pictures/time-model.svg

Reads the lines that test_models writes ("time  ID  MODELLED  MEASURED ... fitted|held-out ...") and prints the ten worst of
the launches that were held out.
"""

import argparse
import math
import pathlib
from xml.sax.saxutils import escape

WIDE, HIGH, LEFT, BOTTOM, EDGE = 760, 620, 64, 52, 20
LOW, TOP = 3.0, 300.0  # microseconds
TICKS = (3, 5, 10, 20, 50, 100, 200)
COLOURS = {"fitted": "#8a93a6", "held-out": "#1f6feb"}


def rows(path):
    for line in path.read_text().splitlines():
        fields = line.split()
        if fields and fields[0] == "time":
            yield fields[1], float(fields[2]), float(fields[3]), "held-out" if "held-out" in fields else "fitted"


def x_of(us):
    return LEFT + (WIDE - LEFT - EDGE) * math.log(us / LOW) / math.log(TOP / LOW)


def y_of(us):
    return HIGH - BOTTOM - (HIGH - BOTTOM - EDGE) * math.log(us / LOW) / math.log(TOP / LOW)


def inside(us):
    return min(max(us, LOW), TOP)


def text(x, y, words, anchor="middle", size=12, colour="#3b4252", more=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}" {more}>'
            f'{escape(words)}</text>')


def line(x0, y0, x1, y1, colour, more=""):
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" {more}/>'


def frame():
    out = []
    for us in TICKS:
        out.append(line(x_of(us), y_of(LOW), x_of(us), y_of(TOP), "#e5e9f0"))
        out.append(line(x_of(LOW), y_of(us), x_of(TOP), y_of(us), "#e5e9f0"))
        out.append(text(x_of(us), y_of(LOW) + 18, f"{us}"))
        out.append(text(x_of(LOW) - 8, y_of(us) + 4, f"{us}", "end"))
    # Those that lie outside stand at the edge.
    for factor, dashes in ((1, ""), (1.25, 'stroke-dasharray="4 4"'), (0.8, 'stroke-dasharray="4 4"')):
        a, b = max(LOW, LOW / factor), min(TOP, TOP / factor)
        out.append(line(x_of(a), y_of(a * factor), x_of(b), y_of(b * factor), "#7b8494", dashes))
    out.append(text((x_of(LOW) + x_of(TOP)) / 2, HIGH - 12, "measured on an H200, behind a flushed L2 (µs)", size=13))
    out.append(text(18, (y_of(LOW) + y_of(TOP)) / 2, "modelled (µs)", size=13,
                    more=f'transform="rotate(-90 18 {(y_of(LOW) + y_of(TOP)) / 2:.1f})"'))
    return out


def legend(all_rows):
    out = []
    for i, (part, colour) in enumerate(COLOURS.items()):
        errors = sorted(abs(m / t - 1) for _, m, t, p in all_rows if p == part)
        words = (f"{part}: {len(errors)} launches, median error {100 * errors[len(errors) // 2]:.1f} %, "
                 f"90th percentile {100 * errors[int(len(errors) * 0.9)]:.1f} %")
        y = EDGE + 20 + 20 * i
        out.append(f'<circle cx="{LEFT + 18}" cy="{y - 4}" r="4" fill="{colour}"/>')
        out.append(text(LEFT + 30, y, words, "start", 13))
    return out


def picture(all_rows, worst):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" '
           f'font-family="sans-serif">', f'<rect width="{WIDE}" height="{HIGH}" fill="white"/>']
    out += frame()
    for _, modelled, measured, part in sorted(all_rows, key=lambda r: r[3]):
        x, y = x_of(inside(measured)), y_of(inside(modelled))
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[part]}" fill-opacity="0.75"/>')
    for rank, (_, modelled, measured, _) in enumerate(worst, 1):
        x, y = x_of(inside(measured)), y_of(inside(modelled))
        above = modelled > measured
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="#d1242f"/>')
        out.append(text(x - 10 if above else x + 10, y + 4, f"{rank}", "end" if above else "start", 12, "#d1242f"))
    out += legend(all_rows)
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("svg", type=pathlib.Path)
    options = parser.parse_args()
    all_rows = list(rows(options.models))
    held_out = [r for r in all_rows if r[3] == "held-out"]
    worst = sorted(held_out, key=lambda r: -abs(math.log(r[1] / r[2])))[:10]
    options.svg.write_text(picture(all_rows, worst))
    for rank, (name, modelled, measured, _) in enumerate(worst, 1):
        print(f"| {rank} | {name} | {modelled:.1f} | {measured:.1f} | {100 * (modelled / measured - 1):+.0f} % |")


if __name__ == "__main__":
    main()
