#!/usr/bin/env python3
"""What warps wait for behind instructions after which ptxas has them yield, and behind others: on a GPU, with nvcc and ncu.

    tools/golden/yields.py --out tests/models/golden/yields_h200.txt [--work DIR]

Reads some launches of tests/models that keep their schedulers busy, sampled by instruction (SourceCounters). A line a
launch, of instructions that wait for no scoreboard and stand behind one that runs as often: how many of all issues are
behind one that yields and the cycles that a warp is not selected there, and the same behind others. Cycles are samples
for each sample that issues. What ptxas's control bits say is in the machine code that is kept with the launches.
"""

import argparse
import csv
import pathlib
import re

LAUNCHES = ("black_scholes_x1024 gcd_pairs_x1024 reduce_modulo_x256 lu_tile_x1024 pi_xorshift_x512 norm_squared_200_x1024 "
            "radix_pass_x512 find_shared_x512 polynomial_x1024 threshold_otsu_x256 stockham_radix2_x2048 kogge_stone_x1024").split()
SECTIONS = ["--section", "SourceCounters", "--section", "WarpStateStats", "--warp-sampling-interval", "0"]


def controls(listing, kernel):
    """Of each instruction of a kernel, in order: whether it yields, and the scoreboards that it waits for, bit by bit."""
    words = next(text.split() for text in listing.read_text().splitlines() if text.split()[0] == kernel)
    parts = [re.search(r"\+\d+(y?)(?:m(\d+))?", word) for word in words[1:] if not word.startswith("#")]
    return [(part[1] == "y", int(part[2] or 0)) for part in parts]


def tables(text):
    """The rows of each kernel of ncu's source page, in the order of the launches."""
    out = []
    for line in text.splitlines():
        if line.startswith('"Kernel Name"'):
            out.append([])
        elif out and line.strip():
            out[-1].append(line)
    return [list(csv.DictReader(rows)) for rows in out]


def line(name, rows, control):
    number = lambda row, key: float(row[key] or 0)
    run = [number(row, "Instructions Executed") for row in rows]
    behind = {True: [0, 0.0, 0.0], False: [0, 0.0, 0.0]}
    for k in range(1, min(len(rows), len(control))):  # behind it ptxas's routines stand
        if run[k] == 0 or control[k][1] or abs(run[k - 1] / run[k] - 1) > 0.02:
            continue
        tally = behind[control[k - 1][0]]
        tally[0] += run[k]
        tally[1] += number(rows[k], "stall_not_selected")
        tally[2] += number(rows[k], "stall_selected")
    part = lambda t: f"{100 * t[0] / sum(run):.0f} %, {t[1] / max(1, t[2]):.2f}"
    return f"{name}: behind instructions that yield {part(behind[True])}; behind others {part(behind[False])}"


def main():
    import models  # it needs what is on a GPU's machine alone

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/yields"))
    options = parser.parse_args()
    known = {entry["id"]: entry for entry in models.launches()}
    entries = [known[name] for name in LAUNCHES]
    models.build(options.work, entries)
    report = options.work / "sampled"
    models.shell(models.NCU + SECTIONS + ["-f", "-o", report, options.work / "runner", options.work / "plan.txt", "/dev/null",
                                          0, len(entries)])
    text = models.shell(["ncu", "--import", f"{report}.ncu-rep", "--page", "source", "--csv", "--print-units", "base"]).stdout
    plan = [row.split("\t") for row in (options.work / "plan.txt").read_text().splitlines()]
    listing = lambda entry: models.folder(entry) / "machine" / f"{entry['file']}.txt"
    options.out.write_text("\n".join(line(row[0], rows, controls(listing(entry), row[2]))
                                     for entry, row, rows in zip(entries, plan, tables(text), strict=True)) + "\n")


if __name__ == "__main__":
    main()
