#!/usr/bin/env python3
"""Reads Nsight Compute's counters of every launch of whole programs, on a GPU, for tests/runtime/golden.

    tools/golden/programs.py --out tests/runtime/golden/h200.json

Needs nvcc and ncu with access to the counters. The programs are those that self-check in tests/runtime/programs; what
they print is looked at, so that counters of a program that failed are never written down."""

import argparse
import csv
import datetime
import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = [  # file, arguments
    ("vector_add.cu", ["100000"]),
    ("matrix_and_transpose.cu", []),
    ("reductions.cu", []),
    ("symbols.cu", []),
    ("public/hotspot.cu", []),
    ("public/bfs.cu", []),
    ("public/nbody.cu", []),
    ("public/conjugate.cu", []),
    ("public/sobel.cu", []),
    ("public/pipeline.cu", []),
    ("public/eliminate.cu", []),
    ("public/quantised.cu", []),
]
METRICS = [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum"
           for op in ("ld", "st", "atom", "red") for what in ("requests", "sectors")]
METRICS += [f"l1tex__data_{what}_mem_shared_op_{op}.sum"
            for op in ("ld", "st", "atom") for what in ("pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu")]
FLAGS = ["-arch=sm_90", "-std=c++17", "--extended-lambda", "-lineinfo"]
NCU = ["ncu", "--clock-control", "none", "--cache-control", "none"]


def output(command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)


def number(text):
    value = float(text.replace(",", ""))
    return int(value) if value == int(value) else value


def profile(program, arguments, report):
    done = output(NCU + ["-f", "-o", report, "--metrics", ",".join(METRICS), program, *arguments])
    if done.returncode:
        raise SystemExit(f"{program}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    raw = output(["ncu", "--import", f"{report}.ncu-rep", "--page", "raw", "--csv", "--print-units", "base",
                  "--print-kernel-base", "mangled"]).stdout
    rows = csv.DictReader(line for line in raw.splitlines() if line.startswith('"'))
    launches = []
    for row in rows:
        if not row.get("ID", "").strip():
            continue
        size = [list(map(int, re.findall(r"\d+", row[column]))) for column in ("Grid Size", "Block Size")]
        launches.append({"kernel": row["Kernel Name"], "grid": size[0], "block": size[1],
                         "counters": [number(row[m]) for m in METRICS]})
    return launches


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    out = parser.parse_args().out
    programs = []
    with tempfile.TemporaryDirectory() as folder:
        builds = []
        for index, (file, _) in enumerate(PROGRAMS):
            source = ROOT / "tests/runtime/programs" / file
            builds.append(subprocess.Popen(["nvcc", *FLAGS, str(source), "-o", f"{folder}/{index}"]))
        if any(build.wait() for build in builds):
            raise SystemExit("a program does not compile")
        for index, (file, arguments) in enumerate(PROGRAMS):
            alone = output([f"{folder}/{index}", *arguments])
            if alone.returncode:
                raise SystemExit(f"{file} fails its own check: {alone.stdout}{alone.stderr}")
            launches = profile(f"{folder}/{index}", arguments, f"{folder}/report{index}")
            print(file, len(launches), "launches", alone.stdout.strip(), flush=True)
            programs.append({"file": file, "arguments": arguments, "launches": launches})
    query = output(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).stdout.split(",")
    version = lambda tool: re.search(r"(\d+\.\d+\.\d+(?:\.\d+)?)", output([tool, "--version"]).stdout).group(1)
    head = {"schema": "warplens.golden_programs/1", "device": query[0].strip(), "driver": query[1].strip(),
            "compiler": "nvcc " + version("nvcc"), "profiler": "ncu " + version("ncu"),
            "date": datetime.date.today().isoformat(),
            "command": "tools/golden/programs.py --out tests/runtime/golden/h200.json",
            "flags": "nvcc " + " ".join(FLAGS) + "; " + " ".join(NCU), "metrics": METRICS}
    lines = ["{" + ",\n ".join(json.dumps(key) + ": " + json.dumps(value) for key, value in head.items())]
    body = []
    for program in programs:
        rows = ",\n  ".join(json.dumps(launch) for launch in program["launches"])
        body.append(f' {{"file": {json.dumps(program["file"])}, "arguments": {json.dumps(program["arguments"])}, '
                    f'"launches": [\n  {rows}]}}')
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(lines[0] + ',\n "programs": [\n' + ",\n".join(body) + "\n]}\n")


if __name__ == "__main__":
    main()
