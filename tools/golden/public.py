#!/usr/bin/env python3
"""Kernels of public repositories: reads what a GPU says of a set of launches, and holds the program's models against it.

    tools/golden/public.py read SET.txt FOLDER --out READ.txt [--work DIR] [--repeats N]        on a GPU, with nvcc and ncu
    tools/golden/public.py hold READ.txt FOLDER --out MODELLED.json [--only PART]... [--before OTHER.json]

SET.txt has launches as `warplens trace` takes them, one a line ("file.cu --kernel NAME --grid X --block X --arg A ..."),
and lines with "#" that say where each file is from. FOLDER has the files; they are not kept in this repository, only what
was read is (tests/models/golden/unseen_public*_h200.txt). `read` writes the same lines with what the GPU said behind
each; of several readings of its counters the medians, and how often one reading alone agrees with them. `hold` runs
`warplens trace --json` a line, keeps what it models and prints how far off it is, worst first.
"""

import argparse
import json
import math
import pathlib
import re
import shlex
import statistics
import subprocess
import sys

from common import ROOT, plain_names

REASONS = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
MEMORY = [SECTORS + ".sum", SECTORS + "_lookup_hit.sum", "lts__t_sectors_srcunit_tex_op_read.sum", "dram__bytes_read.sum",
          "smsp__inst_executed.sum"]
READING = re.compile(r": ([\d.]+), ([\d.]+) us; (\w+) ([\d.]+)(?:, (\w+) ([\d.]+))?(?:; L1 ([\d.]+) %)?(?:; L2 ([\d.]+))?"
                     r"(?:; DRAM ([\d.]+))?(?:; instructions ([\d.]+))?$")


def lines_of(path):
    """The set's lines: (comment, None) or (launch, its fields)."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            yield line, None
            continue
        reading = READING.search(line)
        entry = {"id": f"l{number}", "args": [], "shared": 0, "line": line, "reading": reading,
                 "command": line[:reading.start()] if reading else line}
        entry["words"] = shlex.split(entry["command"])
        entry["file"] = entry["words"][0]
        for name, value in zip(entry["words"][1::2], entry["words"][2::2]):
            name = name.removeprefix("--")
            if name == "arg":
                entry["args"].append(value)
            elif name in ("grid", "block"):
                entry[name] = (list(map(int, value.split(","))) + [1, 1])[:3]
            else:
                entry[name] = int(value) if name == "shared" else value
        yield line, entry


def entries_of(path):
    return [entry for _, entry in lines_of(path) if entry]


# Reading ------------------------------------------------------------------------------------------------------------------


def kernels_of(cubin):
    """Plain name without spaces -> mangled name, of the functions that a cubin has."""
    table = subprocess.run(["readelf", "-sW", str(cubin)], capture_output=True, text=True, check=True).stdout
    mangled = [line.split()[-1] for line in table.splitlines() if " FUNC " in line and " GLOBAL " in line]
    return {plain.replace(" ", ""): raw for raw, plain in plain_names(mangled).items()}


def build(work, entries, folder):
    (work / "cubin").mkdir(parents=True, exist_ok=True)
    cubin_of = lambda file: work / "cubin" / (pathlib.Path(file).stem + ".cubin")
    jobs = [subprocess.Popen(["nvcc", "-arch=sm_90", "-std=c++17", "-o", str(work / "runner"),
                              str(ROOT / "tools/golden/runner.cu")])]
    for file in sorted({entry["file"] for entry in entries}):
        jobs.append(subprocess.Popen(["nvcc", "-arch=sm_90", "-lineinfo", "-cubin", str(folder / file), "-o",
                                      str(cubin_of(file))]))
    if any([job.wait() for job in jobs]):
        raise SystemExit("a file does not compile")
    plan, names = [], {}
    for entry in entries:
        file = entry["file"]
        if file not in names:
            names[file] = kernels_of(cubin_of(file))
        kernel = names[file].get(entry["kernel"].replace(" ", ""))
        if kernel is None:
            raise SystemExit(f"{file}: no kernel {entry['kernel']}, but {sorted(names[file])}")
        plan.append("\t".join([entry["id"], str(cubin_of(file)), kernel, *map(str, entry["grid"] + entry["block"]),
                               str(entry["shared"]), *entry["args"]]))
    (work / "plan.txt").write_text("\n".join(plan) + "\n")


def counters_of(commands, work, metrics, seconds, name):
    """Of launches of programs in this folder, a command each: what was counted of each in their order, None of those that failed."""
    from models import profile  # it needs what is on a GPU's machine alone
    work.mkdir(parents=True, exist_ok=True)
    plan = work / "launches.txt"
    plan.write_text("\n".join(commands) + "\n")
    entries = entries_of(plan)
    build(work, entries, ROOT / "tools/golden")
    counters = profile(work, entries, metrics, seconds, name)
    return [counters.get(entry["id"]) for entry in entries]


def reasons_of(counters, stalls):
    """(share, reason) of the counters of a launch, the largest first."""
    cycles = {stall: counters.get(REASONS.format(stall), 0) for stall in stalls}
    whole = sum(cycles.values()) or 1
    return sorted(((value / whole, stall) for stall, value in cycles.items()), reverse=True)


def l1_of(counters):
    return 100 * counters.get(SECTORS + "_lookup_hit.sum", 0) / max(1, counters.get(SECTORS + ".sum", 0))


def repeats_text(entries, reads, counters, stalls):
    """How often one reading alone says what the medians say."""
    near = lambda a, b: abs(a - b) <= 0.1 * max(a, b)
    agree = {"top reason": 0, "L1 within a point": 0, "L2 within 10 %": 0, "DRAM within 10 %": 0}
    compared = 0
    for read in reads:
        for entry in entries:
            one, all_of = read.get(entry["id"]), counters.get(entry["id"])
            if not one or not all_of:
                continue
            compared += 1
            agree["top reason"] += reasons_of(one, stalls)[0][1] == reasons_of(all_of, stalls)[0][1]
            agree["L1 within a point"] += abs(l1_of(one) - l1_of(all_of)) <= 1
            agree["L2 within 10 %"] += near(one.get(MEMORY[2], 0), all_of.get(MEMORY[2], 0))
            agree["DRAM within 10 %"] += near(one.get(MEMORY[3], 0), all_of.get(MEMORY[3], 0))
    return f"of {compared} single readings agree with the medians: " + ", ".join(f"{n} {v}" for n, v in agree.items())


def read(options):
    from models import STALLS, median_of, profile, times  # they need what is on a GPU's machine alone
    entries = entries_of(options.set)
    build(options.work, entries, options.folder)
    measured = times(options.work, entries)
    metrics = MEMORY + [REASONS.format(stall) for stall in STALLS]
    reads = [profile(options.work, entries, metrics, options.seconds, f"read{n}_") for n in range(options.repeats)]
    counters = median_of(reads)
    out = [f"# {repeats_text(entries, reads, counters, STALLS)}"]
    for line, entry in lines_of(options.set):
        said, us = (counters.get(entry["id"]), measured.get(entry["id"])) if entry else (None, None)
        if entry is None:
            out.append(line)
        elif said and us:
            first, second = reasons_of(said, STALLS)[:2]
            l1 = f"{l1_of(said):.2f} %" if said.get(SECTORS + ".sum", 0) else "0.00 %"
            out.append(f"{entry['command']}: {us[0]:.1f}, {us[1]:.1f} us; {first[1]} {first[0]:.2f}, {second[1]} {second[0]:.2f}; "
                       f"L1 {l1}; L2 {said.get(MEMORY[2], 0):.0f}; DRAM {said.get(MEMORY[3], 0):.0f}; "
                       f"instructions {said.get(MEMORY[4], 0):.0f}")
        else:
            out.append(f"# not read: {line}")
    options.out.write_text("\n".join(out) + "\n")
    print(out[0])


# Holding ------------------------------------------------------------------------------------------------------------------


def modelled(options, entry):
    command = [str(options.program), "trace", str(options.folder / entry["file"]), *entry["words"][1:]]
    done = subprocess.run(command + ["--device", options.device, "--json", "-"], capture_output=True, text=True)
    try:
        model = json.loads(done.stdout)["modelled"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return {"error": (done.stderr or done.stdout)[-300:]}
    caches = model.get("caches") or {}
    return {"us": model["time_us"], "stalls": model["stalls"], "instructions": model.get("machine_instructions"),
            "l1": None if caches.get("l1_hit_rate") is None else 100 * caches["l1_hit_rate"],
            "l2": caches.get("l2_read_sectors"), "least": caches.get("l2_read_sectors_least"),
            "most": caches.get("l2_read_sectors_most"), "dram": caches.get("dram_read_bytes"),
            "verdict": model.get("verdict")}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


def compare(entry, model):
    """A launch's figures: what was read, what is modelled, and whether it holds."""
    us, _, first, share, _, _, l1, l2, dram, instructions = entry["reading"].groups()
    number = lambda text: None if text is None else float(text)
    off = lambda mine, theirs: None if mine is None or not theirs else mine / theirs - 1
    top = sorted(((v, k) for k, v in (model["stalls"] or {}).items()), reverse=True)
    out = {"us": float(us), "time": off(model["us"], float(us)), "first": first, "share": float(share),
           "top": top[0][1] if top else "", "top_share": top[0][0] if top else 0,
           "same_share": (model["stalls"] or {}).get(first, 0),
           "l1": None if l1 is None else (model["l1"] or 0) - float(l1), "l2": off(model["l2"], number(l2)),
           "dram": off(model["dram"], number(dram)), "instructions": off(model["instructions"], number(instructions))}
    if l2 and model["least"] is not None:
        out["l2_inside"] = 0.9 * model["least"] <= float(l2) <= 1.1 * model["most"]
    if dram:
        out["dram_bytes"] = model["dram"] - float(dram)
    return out


def figures(rows):
    said = []
    for name, chosen in (("all", rows), ("above 10 us", [r for r in rows if r["us"] > 10])):
        errors = [abs(r["time"]) for r in chosen if r["time"] is not None]
        said.append(f"time, {name} ({len(errors)}): median {100 * statistics.median(errors or [math.nan]):.1f} %, "
                    f"90th percentile {100 * percentile(errors, 0.9):.1f} %")
    pairs = right = 0
    for i, a in enumerate(rows):
        for b in rows[:i]:
            if a["time"] is None or b["time"] is None or max(a["us"], b["us"]) <= 1.2 * min(a["us"], b["us"]):
                continue
            pairs += 1
            right += (a["us"] < b["us"]) == (a["us"] * (1 + a["time"]) < b["us"] * (1 + b["time"]))
    said.append(f"pairs that differ by more than 20 %: {100 * right / max(1, pairs):.1f} % in order")
    others = [r for r in rows if r["first"] != "long_scoreboard"]
    ok = lambda some: sum(r["top"] == r["first"] for r in some)
    said.append(f"top reason {ok(rows)} of {len(rows)}, where it is not long_scoreboard {ok(others)} of {len(others)}")
    for key, text, limit in (("l1", "L1 within a point", 1), ("l2", "L2 within 10 %", 0.1), ("dram", "DRAM within 10 %", 0.1),
                             ("instructions", "instructions within 2 %", 0.02)):
        values = [r[key] for r in rows if r[key] is not None]
        said.append(f"{text}: {sum(abs(v) <= limit for v in values)} of {len(values)}")
    inside = [r["l2_inside"] for r in rows if "l2_inside" in r]
    said.append(f"L2 within 10 % of its range: {sum(inside)} of {len(inside)}")
    return said


def percent(value):
    return "-" if value is None else f"{100 * value:+.1f}"


def hold(options):
    entries = [e for e in entries_of(options.set) if e["reading"] and all(p in e["line"] for p in options.only)]
    before = json.loads(options.before.read_text()) if options.before else {}
    found, rows = {}, []
    for entry in entries:
        if not (options.folder / entry["file"]).exists():
            print("no text:", entry["file"], file=sys.stderr)
            continue
        model = found[entry["command"]] = modelled(options, entry)
        if "error" in model:
            print("not modelled:", shlex.quote(entry["command"]), model["error"], file=sys.stderr)
            continue
        row = compare(entry, model)
        old = before.get(entry["command"])
        row["was"] = compare(entry, old) if old and "error" not in old else None
        row["name"] = f"{entry['file']}:{entry['kernel']} {entry['grid'][0] * entry['grid'][1] * entry['grid'][2]}"
        rows.append(row)
        options.out.write_text(json.dumps(found, indent=1))
    print("   time %  (before)  instr. %   L1 pts    L2 %   DRAM %  (bytes)  us    launch, reasons")
    for r in sorted(rows, key=lambda r: -abs(r["time"] or 0)):
        was = percent(r["was"]["time"]) if r["was"] else ""
        l1 = "-" if r["l1"] is None else f"{r['l1']:+.1f}"
        moved = " (was " + r["was"]["top"] + ")" if r["was"] and r["was"]["top"] != r["top"] else ""
        print(f"{percent(r['time']):>8} {was:>9} {percent(r['instructions']):>9} {l1:>8} {percent(r['l2']):>8} "
              f"{percent(r['dram']):>8} {r.get('dram_bytes', 0):>8.0f} {r['us']:>6.1f}  {r['name']}  "
              f"{'ok ' if r['top'] == r['first'] else 'BAD'} {r['first']} {r['share']:.2f} (modelled {r['same_share']:.2f}), "
              f"modelled {r['top']} {r['top_share']:.2f}{moved}")
    print("\n".join(figures(rows)))
    if before:
        print("before, the same launches:\n  " + "\n  ".join(figures([dict(r["was"]) for r in rows if r["was"]])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = parser.add_subparsers(required=True)
    for name, way in (("read", read), ("hold", hold)):
        one = ways.add_parser(name)
        one.set_defaults(way=way)
        one.add_argument("set", type=pathlib.Path)
        one.add_argument("folder", type=pathlib.Path)
        one.add_argument("--out", type=pathlib.Path, required=True)
        if way is read:
            one.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/public"))
            one.add_argument("--repeats", type=int, default=3)
            one.add_argument("--seconds", type=float, default=500)
        else:
            one.add_argument("--only", action="append", default=[], help="launches whose line has this")
            one.add_argument("--before", type=pathlib.Path, help="what `hold` kept of another program")
            one.add_argument("--device", default="H200 SXM")
            one.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/warplens")
    options = parser.parse_args()
    options.way(options)


if __name__ == "__main__":
    main()
