#!/usr/bin/env python3
"""Proves on a real GPU that both back ends agree: runs every conformance launch and every gallery kernel on the GPU
and in the emulator, and writes what agreed. Needs Python 3.11, a driver, and a bundle made by tools/gpu/bundle.

    tools/gpu/check.py BUNDLE OUT [--only conformance|gallery|time|faults]
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUITE = ROOT / "tests" / "conformance"


def run(bundle, *arguments, limit=180):
    start = time.time()
    try:
        done = subprocess.run(
            [str(bundle / "warplens"), *arguments], capture_output=True, text=True, timeout=limit, cwd=SUITE
        )
    except subprocess.TimeoutExpired:
        return {"code": "timeout", "seconds": limit, "stderr": ""}
    out = {"code": done.returncode, "seconds": round(time.time() - start, 2), "stderr": done.stderr.strip()[-600:]}
    try:
        out["answer"] = json.loads(done.stdout)
    except json.JSONDecodeError:
        out["stdout"] = done.stdout[-300:]
    return out


def launch_arguments(launch):
    extent = lambda e: ",".join(map(str, e))
    out = [f"ptx/{launch['file']}.ptx", "--kernel", launch["kernel"]]
    out += ["--grid", extent(launch["grid"]), "--block", extent(launch["block"])]
    if launch.get("shared"):
        out += ["--shared", str(launch["shared"])]
    for argument in launch["args"]:
        out += ["--arg", argument]
    return out


def compare_all(bundle, named):
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        jobs = {pool.submit(run, bundle, "compare", *args, "--json", "-"): name for name, args in named.items()}
        for job in concurrent.futures.as_completed(jobs):
            rows[jobs[job]] = job.result()
    return {name: rows[name] for name in named}


def verdict(row):
    answer = row.get("answer")
    if answer is None:
        return "failed"
    warps = answer["warps"]
    if warps["different"]:
        return "different"
    if not answer["agrees"]:
        return "outputs differ"
    if warps["identical"] == warps["total"]:
        return "identical"
    return "other groups" if warps["other_groups"] else "other order"


def summarise(title, rows):
    counts = {}
    for name, row in rows.items():
        counts.setdefault(verdict(row), []).append(name)
    print(f"{title}: {len(rows)} launches; " + ", ".join(f"{len(v)} {k}" for k, v in counts.items()))
    for kind in ("failed", "different", "outputs differ"):
        for name in counts.get(kind, [])[:25]:
            row = rows[name]
            answer = row.get("answer", {})
            first = (answer.get("differences") or [{}])[0].get("what", "")
            outputs = [o for o in answer.get("outputs", []) if not o["equal"]]
            print(f"  {kind}: {name}: {first or [(o['name'], o['largest_relative_error']) for o in outputs]} {row['stderr'][-160:]}")


FAULTY = {
    "illegal_address": "__global__ void k(float* p, int n) { p[threadIdx.x + (1ll << 36)] = 1.0f; }",
    "misaligned": "__global__ void k(float* p, int n) { *(float4*)(p + 1 + threadIdx.x) = make_float4(1, 2, 3, 4); }",
    "endless": "__global__ void k(float* p, int n) { volatile float* q = p; while (q[0] < 1e9f) {} }",
}


def faults(bundle, out):
    rows = {}
    for name, text in FAULTY.items():
        file = out / f"{name}.cu"
        file.write_text(text)
        launch = ["--kernel", "k", "--grid", "4", "--block", "64", "--arg", "buf:f32:1024:zero", "--arg", "i32:1024"]
        rows[name] = run(bundle, "time", str(file), *launch, "--json", "-", limit=120)
        print(f"  {name}: exit {rows[name]['code']} in {rows[name]['seconds']} s: {rows[name]['stderr'][-200:]}")
    return rows


def times(bundle, out):
    """Measured time and the cost of the instrumented run, in one run of this script."""
    rows = {}
    for name in ("copy_strided", "transpose_tile", "matmul_tiled", "mandelbrot", "histogram"):
        timed = run(bundle, "time", name, "--json", "-")
        start = time.time()
        traced = run(bundle, "trace", name, "--on", "gpu", "--json", "-")
        rows[name] = {"time": timed, "trace_code": traced["code"], "trace_seconds": round(time.time() - start, 2)}
        answer = timed.get("answer", {})
        notes = traced.get("answer", {}).get("notes", [])
        rows[name]["notes"] = notes
        print(
            f"  {name}: median {answer.get('median_ms')} ms, p5 {answer.get('p5_ms')}, p95 {answer.get('p95_ms')}, "
            f"{(answer.get('bytes_per_second') or 0) / 1e9:.0f} GB/s of {(answer.get('peak_bytes_per_second') or 0) / 1e9:.0f}, "
            f"{notes}, warnings {[w['key'] for w in answer.get('warnings', [])]} {timed['stderr'][-200:]}"
        )
    return rows


def main():
    bundle, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    out.mkdir(parents=True, exist_ok=True)
    result = {"date": time.strftime("%Y-%m-%d"), "doctor": run(bundle, "doctor", "--json", "-").get("answer")}
    if only in ("", "time"):
        print("times")
        result["times"] = times(bundle, out)
    if only in ("", "faults"):
        print("faults")
        result["faults"] = faults(bundle, out)
    if only in ("", "gallery"):
        names = sorted(f.stem for f in (ROOT / "kernels").glob("*/*.toml"))
        result["gallery"] = compare_all(bundle, {name: [name] for name in names})
        summarise("gallery", result["gallery"])
    if only in ("", "conformance"):
        launches = tomllib.loads((SUITE / "launches.toml").read_text())["launch"]
        result["conformance"] = compare_all(bundle, {l["id"]: launch_arguments(l) for l in launches})
        summarise("conformance", result["conformance"])
    (out / "gpu_check.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
