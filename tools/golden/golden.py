#!/usr/bin/env python3
"""Reads counters, resources and outputs of every launch of the suite on a real GPU and writes the golden file.

    tools/golden/golden.py --out tests/conformance/golden/h200.json [--work DIR] [--only ID]... [--file NAME]...
                           [--merge] [--seconds N]

--only and --file choose launches; --merge puts their rows into an existing golden file and keeps its others.

Needs nvcc, cuobjdump, ncu and the right to read hardware counters. What happens:
  1. every .cu is compiled with `nvcc -arch=sm_90 -lineinfo -cubin`; its SASS is summarised a kernel;
  2. the runner executes all launches three times without a profiler: output checksums (and whether they repeat),
     registers, shared and local bytes, blocks an SM;
  3. ncu executes all launches with the metrics below (kernel replay; clocks and caches are left alone).
Metrics that this ncu does not know are named in the result and left out.
"""

import argparse
import collections
import csv
import datetime
import json
import pathlib
import re
import subprocess
import sys
import time

from common import ROOT, SUITE, entries_of, launches, resolve

ACCESS = ["ld", "st", "atom", "red"]
METRICS = (
    [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for op in ACCESS
     for what in ("requests", "sectors", "set_accesses")]
    + [f"l1tex__t_{what}_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st") for what in ("requests", "sectors")]
    + [f"l1tex__data_{what}_pipe_lsu{rest}_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")
       for what, rest in (("bank_conflicts", ""),)]
    + [f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")]
    + ["smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum",
       "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
       "l1tex__data_bank_conflicts_type_arbitration.sum",
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
       "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"]
    + [f"smsp__inst_executed_op_{s}_{o}{tail}.sum" for s in ("global", "shared", "local") for o in ("ld", "st")
       for tail in ("", "_pred_off_all")]
    + ["smsp__inst_executed_op_shared_atom.sum", "smsp__inst_executed_op_shared_atom_dot_alu.sum",
       "smsp__inst_executed_op_shared_atom_dot_cas.sum", "smsp__inst_executed_op_ldsm.sum",
       "smsp__inst_executed_op_shared_stsm.sum", "smsp__inst_executed_op_generic_ld.sum",
       "smsp__sass_inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red.sum", "smsp__inst_executed_op_ldgsts.sum", "smsp__inst_executed_op_ldc.sum",
       "idc__requests.sum", "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum",
       "smsp__thread_inst_executed_pred_on.sum", "smsp__inst_executed_op_branch.sum"]
    + ["smsp__sass_branch_targets.sum", "smsp__sass_branch_targets_threads_divergent.sum",
       "smsp__sass_branch_targets_threads_uniform.sum", "memory_l2_theoretical_sectors_global",
       "memory_l2_theoretical_sectors_global_ideal", "memory_l2_theoretical_sectors_local",
       "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal", "memory_l1_tag_requests_global",
       "smsp__sass_data_bytes_mem_global_op_ld.sum", "smsp__sass_data_bytes_mem_global_op_st.sum"]
    + ["launch__registers_per_thread", "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem",
       "launch__occupancy_limit_warps", "launch__occupancy_limit_blocks", "launch__occupancy_limit_barriers",
       "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic",
       "sm__maximum_warps_per_active_cycle_pct"]
)
# Per-instruction values for finding out why a number differs; not part of the golden file.
SOURCE = ["inst_executed", "thread_inst_executed", "thread_inst_executed_true"]
SASS_LINE = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)\b")
MEMORY = ("LD", "ST", "ATOM", "RED", "BRA", "BRX", "CALL", "BAR", "SYNC", "WARPSYNC")
NCU = ["ncu", "--clock-control", "none", "--cache-control", "none"]


def shell(command, **options):
    print("+", " ".join(map(str, command))[:300], flush=True)
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)


def build(work, entries):
    """Compiles; returns the plan's path and the SASS summary of each launch."""
    (work / "cubin").mkdir(parents=True, exist_ok=True)
    compiler = [subprocess.Popen(["nvcc", "-arch=sm_90", "-std=c++17", "-o", str(work / "runner"),
                                  str(ROOT / "tools/golden/runner.cu")])]
    files = sorted({entry["file"] for entry in entries})
    for file in files:
        source = str((SUITE / "kernels" / (file + ".cu")).relative_to(ROOT))
        compiler.append(subprocess.Popen(["nvcc", "-arch=sm_90", "-lineinfo", "-cubin", source, "-o",
                                          str(work / "cubin" / (file + ".cubin"))], cwd=ROOT))
    if any(process.wait() for process in compiler):
        raise SystemExit("a file does not compile")
    summary, names = {}, {}
    for file in files:
        names[file] = entries_of((SUITE / "ptx" / (file + ".ptx")).read_text())
        sass = shell(["cuobjdump", "-sass", work / "cubin" / (file + ".cubin")]).stdout
        (work / "cubin" / (file + ".sass")).write_text(sass)
        function = ""
        for line in sass.splitlines():
            if "Function :" in line:
                function = line.split(":", 1)[1].strip()
                summary[file, function] = collections.Counter()
            found = SASS_LINE.match(line)
            if found and function and found.group(1).startswith(MEMORY):
                summary[file, function][found.group(1)] += 1
    plan, sass_of = [], {}
    for entry in entries:
        mangled = resolve(entry, names[entry["file"]])
        sass_of[entry["id"]] = dict(sorted(summary.get((entry["file"], mangled), {}).items()))
        args = [re.sub(r":file:", f":file:{SUITE}/", arg) for arg in entry["args"]]
        plan.append("\t".join([entry["id"], str(work / "cubin" / (entry["file"] + ".cubin")), mangled,
                               *map(str, entry["grid"] + entry["block"]), str(entry["shared"]), *args]))
    (work / "plan.txt").write_text("\n".join(plan) + "\n")
    return sass_of


def outputs(work):
    """Three runs without a profiler."""
    runs = []
    for number in range(3):
        target = work / f"results{number}.txt"
        done = shell([work / "runner", work / "plan.txt", target])
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        runs.append([line.split("\t") for line in target.read_text().splitlines()])
    result = {}
    for rows in zip(*runs):
        sums = [list(map(float, row[5:])) for row in rows]
        result[rows[0][0]] = {
            "resources": dict(zip(("registers", "static_shared", "local_bytes", "blocks_per_sm"), map(int, rows[0][1:5]))),
            "checksums": sums[0],
            "repeats": [all(s[k] == sums[0][k] for s in sums) for k in range(len(sums[0]))],
        }
    return result


def known_metrics(work):
    """METRICS and SOURCE without those that this ncu refuses, and the refused ones."""
    metrics, refused = list(METRICS) + SOURCE, []
    for _ in range(8):
        done = shell(NCU + ["-f", "--metrics", ",".join(metrics), work / "runner", work / "plan.txt", "/dev/null", 0, 1],
                     timeout=120)
        text = done.stdout + done.stderr
        bad = [m for m in metrics if re.search(r"(?i)(failed to find|no such|unknown|invalid|not (?:found|available|supported))"
                                               r"[^\n]*" + re.escape(m.removesuffix(".sum")) + r"(?![\w])", text)]
        if not bad:
            print(text[-1500:])
            break
        refused += bad
        metrics = [m for m in metrics if m not in bad]
    return [m for m in metrics if m not in SOURCE], [m for m in metrics if m in SOURCE], refused


def number(text):
    value = float(text.replace(",", ""))
    return int(value) if value == int(value) else value


def profile(work, metrics, source_metrics, entries, seconds):
    """Counters by launch id, in chunks so that a late end loses little."""
    counters, started, chunk = {}, time.time(), 36
    for first in range(0, len(entries), chunk):
        if time.time() - started > seconds:
            print("out of time at launch", first)
            break
        report = work / f"part{first}"
        done = shell(NCU + ["-f", "-o", report, "--metrics", ",".join(metrics + source_metrics), work / "runner", work / "plan.txt",
                            "/dev/null", first, chunk])
        print(done.stdout[-200:], done.stderr[-300:], f"{time.time() - started:.0f} s", flush=True)
        raw = shell(["ncu", "--import", f"{report}.ncu-rep", "--page", "raw", "--csv", "--print-units", "base"]).stdout
        rows = list(csv.DictReader(line for line in raw.splitlines() if line.startswith('"')))
        rows = [row for row in rows if row.get("ID", "").strip()]
        if len(rows) != min(chunk, len(entries) - first):
            print(f"expected {chunk} kernels, ncu reported {len(rows)}", raw[:500])
        for row in rows:
            entry = entries[first + int(row["ID"])]
            counters[entry["id"]] = {m: number(row[m]) for m in metrics if row.get(m, "") not in ("", "n/a")}
        source = shell(["ncu", "--import", f"{report}.ncu-rep", "--page", "source", "--csv"]).stdout
        (work / f"source{first}.csv").write_text(source)
    return counters


def executed(work, entries):
    """Warp-level executions of each memory and control opcode by launch id, from ncu's source page. LDC is split:
    the program's own constants (bank 3), and parameters, block sizes and addresses of variables (other banks)."""
    result = {}
    for path in work.glob("source*.csv"):
        first, index, header = int(path.stem.removeprefix("source")), -1, None
        with open(path, newline="") as stream:
            for row in csv.reader(stream):
                if row and row[0] == "Kernel Name":
                    index, header = index + 1, None
                    counts = result.setdefault(entries[first + index]["id"], collections.Counter())
                elif row and row[0] == "Address":
                    header = row
                elif row and header:
                    fields = dict(zip(header, row))
                    found = re.match(r"\s*(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*)", fields["Source"])
                    if not found or not found.group(1).startswith(MEMORY):
                        continue
                    name = found.group(1)
                    if name.startswith("LDC"):
                        name = "LDC.constant" if "c[0x3]" in found.group(2) else "LDC.parameter"
                    counts[name] += int(fields["inst_executed"])
    return result


def version(command, pattern):
    try:
        found = re.search(pattern, shell(command).stdout)
    except OSError:
        return "unknown"
    return found.group(1) if found else "unknown"


def merged(old, new):
    """Rows of both in the order of launches.toml; a new row takes the place of an old one."""
    rows = {row["id"]: row for row in old} | {row["id"]: row for row in new}
    return [rows[e["id"]] for e in launches() if e["id"] in rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/golden"))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--file", action="append", default=[], help="all launches of kernels/NAME.cu")
    parser.add_argument("--merge", action="store_true", help="replace or add rows of an existing --out, keep the rest")
    parser.add_argument("--seconds", type=float, default=400, help="start no further part of the profile after this time")
    options = parser.parse_args()
    chosen = lambda e: e["id"] in options.only or e["file"] in options.file or not options.only + options.file
    entries = [e for e in launches() if chosen(e)]
    sass_of = build(options.work, entries)
    result = outputs(options.work)
    metrics, source_metrics, refused = known_metrics(options.work)
    counters = profile(options.work, metrics, source_metrics, entries, options.seconds)
    executions = executed(options.work, entries)
    device = version(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], r"(.+)")
    golden = {
        "schema": "warplens.golden/1",
        "device": device,
        "driver": version(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], r"(.+)"),
        "compiler": "nvcc " + version(["nvcc", "--version"], r"V([\d.]+)"),
        "profiler": "ncu " + version(["ncu", "--version"], r"Version ([\d.]+)"),
        "date": datetime.date.today().isoformat(),
        "command": "tools/golden/golden.py --out tests/conformance/golden/h200.json",
        "flags": "nvcc -arch=sm_90 -lineinfo -cubin; ncu --clock-control none --cache-control none",
        "metrics": metrics,
        "refused_metrics": refused,
        "launches": [{"id": e["id"], "file": e["file"], "kernel": e["kernel"], **result[e["id"]], "sass": sass_of[e["id"]],
                      "executed": dict(sorted(executions.get(e["id"], {}).items())),
                      "counters": {k: v for k, v in counters.get(e["id"], {}).items() if v}} for e in entries],
    }
    head, rows = dict(golden), golden["launches"]
    if options.merge and options.out.exists():
        rows = merged(json.loads(options.out.read_text())["launches"], rows)
    del head["launches"]
    text = json.dumps(head, indent=1)[:-2] + ',\n "launches": [\n' + ",\n".join(json.dumps(r) for r in rows) + "\n ]\n}\n"
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text)
    missing = [e["id"] for e in entries if e["id"] not in counters]
    print(f"{len(entries)} launches, {len(counters)} profiled, refused metrics: {refused}, missing: {missing}")
    unsteady = [i for i, r in result.items() if not all(r["repeats"])]
    print("outputs that differ between runs:", unsteady)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
