#!/usr/bin/env python3
"""What the models are held against: reads counters and times of the launches of tests/models on a real GPU.

    tools/golden/models.py --ptx                     compiles them (nvcc) and writes tests/models/ptx
    tools/golden/models.py --out tests/models/golden/h200.json [--work DIR] [--seconds N] [--only ID]...
    tools/golden/models.py --out tests/models/golden/h100.json --times
    tools/golden/models.py --out tests/models/golden/h100_states.json --states --repeats 5
    tools/golden/models.py --out tests/models/golden/h100_sectors.json --sectors --repeats 2

Needs nvcc, ncu and the right to read hardware counters. ncu writes caches back and empties them before each of its passes
(--cache-control all); clocks are left alone. What is counted in one pass belongs together, so what the warps did in their
cycles (STATES) is read apart from the memory's counters, several times, and the median is kept. Times are the runner's own,
without a profiler: medians behind a flushed and behind a warm L2.
"""

import argparse
import csv
import datetime
import json
import pathlib
import statistics
import subprocess
import tempfile
import time
import tomllib

from common import ROOT, entries_of, resolve
from golden import number, shell, version
from make_ptx import strip

SUITE = ROOT / "tests" / "models"
NCU = ["ncu", "--clock-control", "none", "--cache-control", "all"]
STALLS = ("barrier branch_resolving dispatch_stall drain imc_miss lg_throttle long_scoreboard math_pipe_throttle membar "
          "mio_throttle misc no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait").split()
PIPES = "alu fma fmaheavy fp64 fp16 xu lsu adu cbu uniform tensor uniform tex".split()
METRICS = (
    ["gpu__time_duration.sum", "sm__cycles_elapsed.max"]
    + [f"l1tex__t_sectors_pipe_lsu_mem_{space}_op_ld{which}.sum" for space in ("global", "local")
       for which in ("", "_lookup_hit", "_lookup_miss")]
    + [f"l1tex__t_sectors_pipe_lsu_mem_global_op_st{which}.sum" for which in ("", "_lookup_hit")]
    + ["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"]
    + [f"lts__t_sectors_op_{op}.sum" for op in ("read", "write", "atom", "red")]
    + [f"lts__t_sectors_srcunit_tex{which}.sum" for which in
       ("", "_op_read", "_op_write", "_lookup_hit", "_lookup_miss", "_op_read_lookup_hit", "_op_read_lookup_miss",
        "_op_write_lookup_hit")]
    + ["lts__t_sectors_srcunit_ltcfabric.sum", "lts__t_requests_srcunit_tex.sum", "lts__t_requests_srcunit_tex_op_read.sum"]
    + ["l1tex__m_xbar2l1tex_read_sectors.sum", "l1tex__m_l1tex2xbar_write_sectors.sum", "dram__bytes_read.sum",
       "dram__bytes_write.sum"]
    + ["smsp__inst_executed.sum", "l1tex__data_pipe_lsu_wavefronts.sum",
       "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "launch__waves_per_multiprocessor", "launch__registers_per_thread"]
    + [f"sm__inst_executed_pipe_{pipe}.sum" for pipe in PIPES]
)
STATES = (
    ["smsp__issue_active.avg.pct_of_peak_sustained_active", "smsp__cycles_active.avg", "smsp__cycles_active.max",
     "sm__cycles_active.avg", "smsp__inst_issued.sum", "smsp__warps_active.avg.per_cycle_active"]
    + [f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS]
)
SECTORS = [f"lts__t_{what}_srcunit_tex_op_read.sum" for what in ("sectors", "requests")] + [
    "l1tex__m_xbar2l1tex_read_sectors.sum", "lts__t_sectors_srcunit_tex_op_write.sum", "dram__bytes_read.sum"]
CHUNK = 120


def launches():
    with open(SUITE / "launches.toml", "rb") as stream:
        entries = tomllib.load(stream)["launch"]
    for entry in entries:
        entry.setdefault("shared", 0)
        entry["grid"] = (entry["grid"] + [1, 1])[:3]
        entry["block"] = (entry["block"] + [1, 1])[:3]
    return entries


def folder(entry):
    return ROOT / "tests" / entry["suite"]


def write_ptx():
    (SUITE / "ptx").mkdir(exist_ok=True)
    for source in sorted((SUITE / "kernels").glob("*.cu")):
        with tempfile.TemporaryDirectory() as work:
            target = pathlib.Path(work) / "out.ptx"
            subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", "-ptx", str(source.relative_to(ROOT)), "-o", str(target)],
                           cwd=ROOT, check=True)
            (SUITE / "ptx" / (source.stem + ".ptx")).write_text(strip(target.read_text()))


def build(work, entries):
    (work / "cubin").mkdir(parents=True, exist_ok=True)
    jobs = [subprocess.Popen(["nvcc", "-arch=sm_90", "-std=c++17", "-o", str(work / "runner"),
                              str(ROOT / "tools/golden/runner.cu")])]
    cubin_of = lambda e: work / "cubin" / f"{e['suite']}_{e['file']}.cubin"
    for suite, file in sorted({(e["suite"], e["file"]) for e in entries}):
        entry = {"suite": suite, "file": file}
        jobs.append(subprocess.Popen(["nvcc", "-arch=sm_90", "-lineinfo", "-cubin",
                                      str(folder(entry) / "kernels" / f"{file}.cu"), "-o", str(cubin_of(entry))]))
    if any(job.wait() for job in jobs):
        raise SystemExit("a file does not compile")
    names, plan = {}, []
    for entry in entries:
        key = entry["suite"], entry["file"]
        if key not in names:
            names[key] = entries_of((folder(entry) / "ptx" / f"{entry['file']}.ptx").read_text())
        plan.append("\t".join([entry["id"], str(cubin_of(entry)), resolve(entry, names[key]),
                               *map(str, entry["grid"] + entry["block"]), str(entry["shared"]), *entry["args"]]))
    (work / "plan.txt").write_text("\n".join(plan) + "\n")


def times(work, entries):
    """Microseconds (flushed, warm) by id, "(empty)" among them; one that fails is left out, and the rest goes on."""
    found, first = {}, 0
    while first < len(entries):
        shell(["timeout", "120", work / "runner", work / "plan.txt", work / "times.txt", first, len(entries), 15])
        rows = [line.split("\t") for line in (work / "times.txt").read_text().splitlines()]
        for name, *values in rows:
            found.setdefault(name, list(map(float, values)))
        first += len(rows) - 1 if rows else 0
        if first < len(entries):
            print("no time:", entries[first]["id"], flush=True)
            first += 1
    return found


def profile(work, entries, metrics, seconds, name):
    """Counters by id, in chunks so that a late end loses little; a launch that fails is left out, and the rest goes on."""
    counters, started, first = {}, time.time(), 0
    while first < len(entries):
        if time.time() - started > seconds:
            print("out of time at launch", first)
            break
        report = work / f"{name}{first}"
        count = min(CHUNK, len(entries) - first)
        done = shell(["timeout", "200"] + NCU + ["-f", "-o", report, "--metrics", ",".join(metrics), work / "runner",
                                                 work / "plan.txt", "/dev/null", first, count])
        print(done.stdout[-200:], done.stderr[-300:], f"{time.time() - started:.0f} s", flush=True)
        raw = shell(["ncu", "--import", f"{report}.ncu-rep", "--page", "raw", "--csv", "--print-units", "base"]).stdout
        rows = list(csv.DictReader(line for line in raw.splitlines() if line.startswith('"')))
        rows = [row for row in rows if row.get("ID", "").strip()]
        for row in rows:
            entry = entries[first + int(row["ID"])]
            counters[entry["id"]] = {m: number(row[m]) for m in metrics if row.get(m, "") not in ("", "n/a", "nan")}
        if len(rows) < count:
            print("not counted:", entries[first + len(rows)]["id"], flush=True)
        first += count if len(rows) == count else len(rows) + 1
    return counters


def median_of(reads):
    """By launch and counter, of those reads that have it."""
    out = {}
    for read in reads:
        for entry, values in read.items():
            for name, value in values.items():
                out.setdefault(entry, {}).setdefault(name, []).append(value)
    return {entry: {name: statistics.median(v) for name, v in values.items()} for entry, values in out.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptx", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/golden"))
    parser.add_argument("--seconds", type=float, default=300, help="start no further part of a reading after this time")
    parser.add_argument("--repeats", type=int, default=3, help="readings of what the warps did")
    parser.add_argument("--times", action="store_true", help="times alone, no counters: of another GPU than that of the fit")
    parser.add_argument("--states", action="store_true",
                        help="what the warps did alone: how far another GPU, or the same one again, says the same")
    parser.add_argument("--sectors", action="store_true", help="what memory was asked for alone, in one pass: the same")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    if options.ptx:
        return write_ptx()
    entries = [e for e in launches() if not options.only or e["id"] in options.only]
    build(options.work, entries)
    alone = options.states or options.sectors
    measured = {} if alone else times(options.work, entries)
    print(len(measured), "timed", measured.get("(empty)"), flush=True)
    counters = {}
    if options.times:
        counters = {entry: {} for entry in measured}
    elif not alone:
        counters = profile(options.work, entries, METRICS, options.seconds, "memory")
    states = median_of(profile(options.work, entries, SECTORS if options.sectors else STATES, options.seconds, f"states{n}_")
                       for n in range(0 if options.times else options.repeats))
    for entry, values in states.items():
        counters.setdefault(entry, {}).update(values)
    golden = {
        "schema": "warplens.model-golden/1",
        "device": version(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], r"(.+)"),
        "driver": version(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], r"(.+)"),
        "compiler": "nvcc " + version(["nvcc", "--version"], r"V([\d.]+)"),
        "profiler": "none" if options.times else "ncu " + version(["ncu", "--version"], r"Version ([\d.]+)"),
        "date": datetime.date.today().isoformat(),
        "command": f"tools/golden/models.py{''.join(f' --{name}' for name in ('times', 'states', 'sectors') if getattr(options, name))} "
                   f"--out tests/models/golden/{options.out.name} --repeats {options.repeats}",
        "flags": "nvcc -arch=sm_90 -lineinfo -cubin" + ("" if options.times else "; " + " ".join(NCU)),
        "empty_kernel_us": measured.get("(empty)", [0])[0],
        # Without times they are zero: nobody asked.
        "launches": [{"id": e["id"], "flushed_us": measured.get(e["id"], (0, 0))[0], "warm_us": measured.get(e["id"], (0, 0))[1],
                      "counters": {k: v for k, v in counters[e["id"]].items() if v}}
                     for e in entries if (e["id"] in measured or alone) and e["id"] in counters],
    }
    head, rows = dict(golden), golden.pop("launches")
    del head["launches"]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(head, indent=1)[:-2] + ',\n "launches": [\n' +
                           ",\n".join(json.dumps(r) for r in rows) + "\n ]\n}\n")
    print(f"{len(entries)} launches, {len(rows)} read; missing:",
          [e["id"] for e in entries if (e["id"] not in measured and not alone) or e["id"] not in counters])


if __name__ == "__main__":
    main()
