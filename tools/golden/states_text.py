#!/usr/bin/env python3
"""What warps of small kernels wait for, as a text: medians of several ncu reports.

    tools/golden/states_text.py NAME DEVICE-LINE REPORT.csv [REPORT.csv ...] > tests/models/golden/NAME_h200.txt

A report is what `ncu --csv --page raw --print-units base` prints of tools/golden/NAME.cu with the STATES of
tools/golden/models.py. A line: the kernel, blocks, threads of a block, instructions a warp, cycles a warp by reason.
"""

import csv
import re
import statistics
import sys

STALL = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active.ratio")


def launches(path):
    with open(path) as stream:
        rows = list(csv.DictReader(line for line in stream if line.startswith('"')))
    return [row for row in rows if row["ID"].strip()]


def number(text):
    return float(text.replace(",", "")) if text not in ("", "n/a", "nan") else 0.0


def shape(text):
    product = 1
    for part in text.strip("()").split(","):
        product *= int(part)
    return product


def main():
    name, device, *paths = sys.argv[1:]
    print(f"# tools/golden/{name}.cu: nvcc -arch=sm_90 -std=c++17 -O3, CUDA 13.0; {device};")
    print(f"# ncu 2025.3.1 --clock-control none --cache-control all, median of {len(paths)}. Cycles a warp.")
    for same in zip(*map(launches, paths)):
        blocks, threads = shape(same[0]["Grid Size"]), shape(same[0]["Block Size"])
        warps = blocks * ((threads + 31) // 32)
        states = {}
        for key in same[0]:
            if found := STALL.match(key):
                states[found[1]] = statistics.median(
                    number(row[key]) * number(row["smsp__inst_issued.sum"]) / warps for row in same)
        kernel = re.sub(r"^void |\(.*$", "", same[0]["Kernel Name"])
        executed = number(same[0]["smsp__inst_executed.sum"]) / warps
        print(f"{kernel}, {blocks} x {threads}: {executed:.1f} instructions; "
              + ", ".join(f"{state} {cycles:.0f}" for state, cycles in sorted(states.items()) if cycles >= 0.5))


if __name__ == "__main__":
    main()
