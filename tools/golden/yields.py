#!/usr/bin/env python3
"""What warps wait for behind instructions after which ptxas has them yield, and behind others: on a GPU, with nvcc and ncu.

    tools/golden/yields.py --out tests/models/golden/yields_h200.txt [--work DIR]

Reads some launches of tests/models that keep their schedulers busy, sampled by instruction (SourceCounters). A line a
launch, of instructions that wait for no scoreboard and stand behind one that runs as often: how many of all issues are
behind one that yields and the cycles that a warp is not selected there, and the same behind others. Cycles are samples
for each sample that issues.
"""

import argparse
import csv
import pathlib
import struct
from dataclasses import dataclass

LAUNCHES = ("black_scholes_x1024 gcd_pairs_x1024 reduce_modulo_x256 lu_tile_x1024 pi_xorshift_x512 norm_squared_200_x1024 "
            "radix_pass_x512 find_shared_x512 polynomial_x1024 threshold_otsu_x256 stockham_radix2_x2048 kogge_stone_x1024").split()
SECTIONS = ["--section", "SourceCounters", "--section", "WarpStateStats", "--warp-sampling-interval", "0"]


@dataclass
class Control:  # ptxas's, of an instruction: bits 105 on of its 128
    yields: bool
    waits: int


def controls(cubin, kernel):
    image = cubin.read_bytes()
    (headers,) = struct.unpack_from("<Q", image, 40)
    count, names = struct.unpack_from("<HH", image, 60)
    sections = [struct.unpack_from("<IIQQQQ", image, headers + 64 * k) for k in range(count)]
    for name, _, _, _, begin, size in sections:
        at = sections[names][4] + name
        if image[at:image.index(b"\0", at)].decode() == ".text." + kernel:
            words = [struct.unpack_from("<Q", image, begin + k + 8)[0] for k in range(0, size, 16)]
            return [Control(not w >> 45 & 1, w >> 52 & 63) for w in words]
    raise SystemExit(f"{cubin}: no text of {kernel}")


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
    for k in range(1, len(rows)):
        if run[k] == 0 or control[k].waits or abs(run[k - 1] / run[k] - 1) > 0.02:
            continue
        tally = behind[control[k - 1].yields]
        tally[0] += run[k]
        tally[1] += number(rows[k], "stall_not_selected")
        tally[2] += number(rows[k], "stall_selected")
    part = lambda t: f"{100 * t[0] / sum(run):.0f} %, {t[1] / max(1, t[2]):.2f}"
    return (f"{name}: behind instructions that yield {part(behind[True])}; behind others {part(behind[False])}")


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
    options.out.write_text("\n".join(line(row[0], rows, controls(pathlib.Path(row[1]), row[2]))
                                     for row, rows in zip(plan, tables(text), strict=True)) + "\n")


if __name__ == "__main__":
    main()
