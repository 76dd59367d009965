#!/usr/bin/env python3
"""Proves on a real GPU that both back ends agree: runs every conformance launch and every gallery kernel on the GPU
and in the emulator, and writes what agreed. Needs Python 3.11, a driver, and a bundle made by tools/gpu/bundle.

    tools/gpu/check.py BUNDLE OUT [--only conformance|fragments|gallery|compare|totals|cost|gallery-cost|time|faults]...

totals is gallery and conformance; fragments the part of conformance that loads or stores matrices by wmma; compare is tests/app/compare: waiting, clusters, grids that wait, mistakes; cost needs compute-sanitizer for its last column; gallery-cost is the same for every
kernel of the gallery at its largest sizes.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUITE = ROOT / "tests" / "conformance"
COMPARE = ROOT / "tests" / "app" / "compare"


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


def launch_arguments(launch, folder=SUITE):
    extent = lambda e: ",".join(map(str, e))
    out = [f"{folder}/ptx/{launch['file']}.ptx", "--kernel", launch["kernel"]]
    out += ["--grid", extent(launch["grid"]), "--block", extent(launch["block"])]
    if launch.get("shared"):
        out += ["--shared", str(launch["shared"])]
    for argument in launch["args"]:
        out += ["--arg", argument]
    return out


def run_all(bundle, command, named, *options):
    """command: "compare", "time" or "trace"; several at once, so times are not to be believed."""
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(run, bundle, command, *args, *options, "--json", "-"): name for name, args in named.items()}
        for job in concurrent.futures.as_completed(jobs):
            rows[jobs[job]] = job.result()
    return {name: rows[name] for name in named}


def verdict(row):
    answer = row.get("answer")
    if answer is None:
        return "failed"
    warps = answer["warps"]
    if answer["verdict"] == "depends on order or time":
        return "order or time"
    if warps["different"] > warps["different_by_order"]:
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
    answers = {name: row["answer"] for name, row in rows.items() if "answer" in row}
    unequal = {name: a["totals"]["differences"] for name, a in answers.items() if not a["totals"]["equal"]}
    instructions = [n for n, a in answers.items() if len(set(a["instructions"]["thread"].values())) > 1]
    print(f"  totals equal in {len(answers) - len(unequal)} of {len(answers)}, instructions in {len(answers) - len(instructions)}")
    for name, found in unequal.items():
        print(f"  totals: {name}: " + "; ".join(f"{d['field']} {d['emulator']} {d['gpu']}" for d in found[:4]))
    print(f"  instructions: {instructions}")
    for kind in ("failed", "different", "outputs differ"):
        for name in counts.get(kind, [])[:25]:
            row = rows[name]
            answer = row.get("answer", {})
            first = (answer.get("differences") or [{}])[0].get("what", "")
            outputs = [o for o in answer.get("outputs", []) if not o["equal"]]
            print(f"  {kind}: {name}: {first or [(o['name'], o['largest_relative_error']) for o in outputs]} {row['stderr'][-160:]}")


def moves_fragments(launch):
    """Whether the launch's kernel loads or stores a matrix by wmma."""
    text = (SUITE / "ptx" / f"{launch['file']}.ptx").read_text()
    entries = re.split(r"^\.visible \.entry ", text, flags=re.MULTILINE)[1:]
    plain = launch["kernel"].split("<")[0].split("::")[-1]
    return any(re.search(r"wmma\.(load|store)", e) for e in entries if plain in e.split("(")[0])


def comparisons(bundle):
    """Also times each launch, and traces those that fault: they must end with code 4 and a reason."""
    launches = tomllib.loads((COMPARE / "launches.toml").read_text())["launch"]
    sound = {l["id"]: launch_arguments(l, COMPARE) for l in launches if "faults" not in l}
    rows = run_all(bundle, "compare", sound)
    summarise("compare", rows)
    timed = run_all(bundle, "time", sound, "--runs", "5")
    failed = {name: row["stderr"][-200:] for name, row in timed.items() if row["code"] != 0}
    print(f"  timed: {len(timed) - len(failed)} of {len(timed)}", failed or "")
    faulty = {l["id"]: launch_arguments(l, COMPARE) for l in launches if "faults" in l}
    for name, row in run_all(bundle, "trace", faulty, "--on", "gpu").items():
        print(f"  {name}: exit {row['code']} in {row['seconds']} s: {row['stderr'][-300:]}")
        rows[name] = row
    return rows


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
    """Measured time of a few gallery kernels."""
    rows = {}
    for name in ("copy_strided", "transpose_tile", "matmul_tiled", "mandelbrot", "histogram"):
        rows[name] = timed = run(bundle, "time", name, "--json", "-")
        answer = timed.get("answer", {})
        print(
            f"  {name}: median {answer.get('median_ms')} ms, p5 {answer.get('p5_ms')}, p95 {answer.get('p95_ms')}, "
            f"{(answer.get('bytes_per_second') or 0) / 1e9:.0f} GB/s of {(answer.get('peak_bytes_per_second') or 0) / 1e9:.0f}, "
            f"warnings {[w['key'] for w in answer.get('warnings', [])]} {timed['stderr'][-200:]}"
        )
    return rows


COST_SOURCE = r"""
__global__ void copy(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void strided(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * 8];
}
__global__ void transpose_naive(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[y * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
__global__ void mandelbrot(int* out, int w, int h, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float a = -2.2f + 3.2f * x / w, b = -1.2f + 2.4f * y / h, u = 0, v = 0;
  int i = 0;
  while (i < limit && u * u + v * v < 4) {
    float t = u * u - v * v + a;
    v = 2 * u * v + b;
    u = t;
    ++i;
  }
  out[y * w + x] = i;
}
__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
__global__ void gather(const float* in, const int* at, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[at[i]];
}
"""
MI = 1 << 20
COST_LAUNCHES = {
    "copy": (16384, 256, [f"buf:f32:{4 * MI}:hash", f"buf:f32:{4 * MI}:zero", f"i32:{4 * MI}"]),
    "strided": (16384, 256, [f"buf:f32:{32 * MI}:iota", f"buf:f32:{4 * MI}:zero", f"i32:{4 * MI}"]),
    "gather": (16384, 256, [f"buf:f32:{4 * MI}:hash", f"buf:i32:{4 * MI}:mod:{4 * MI}", f"buf:f32:{4 * MI}:zero", f"i32:{4 * MI}"]),
    "transpose_naive": ("64,256", "32,8", [f"buf:f32:{4 * MI}:hash", f"buf:f32:{4 * MI}:zero", "i32:2048"]),
    "transpose_tile": ("64,64", "32,8", [f"buf:f32:{4 * MI}:hash", f"buf:f32:{4 * MI}:zero", "i32:2048"]),
    "matmul_naive": ("32,32", "16,16", [f"buf:f32:{MI // 4}:hash"] * 2 + [f"buf:f32:{MI // 4}:zero", "i32:512"]),
    "matmul_tiled": ("32,32", "16,16", [f"buf:f32:{MI // 4}:hash"] * 2 + [f"buf:f32:{MI // 4}:zero", "i32:512"]),
    "mandelbrot": ("64,128", "16,8", [f"buf:i32:{MI}:zero", "i32:1024", "i32:1024", "i32:256"]),
    "histogram": (1056, 256, [f"buf:u8:{16 * MI}:hash", "buf:u32:256:zero", f"i32:{16 * MI}"]),
}


def sanitized(bundle, arguments):
    """Median of the same launch under compute-sanitizer's memcheck, in milliseconds."""
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not pathlib.Path(tool).exists():
        return None
    command = [tool, "--tool", "memcheck", "--target-processes", "all", str(bundle / "warplens"), "time"]
    command += [*arguments, "--runs", "8", "--warmup", "2", "--no-count", "--json", "-"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
        return json.loads(done.stdout[done.stdout.index("{") : done.stdout.rindex("}") + 1])["median_ms"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None


def cost_table(bundle, launches, sanitize):
    """What instrumentation costs: plain, counting, recording and memcheck on the same launch, in one run."""
    rows = {}
    print(f"  {'launch':24} {'plain ms':>9} {'totals':>9} {'1 block':>9} {'records':>9} {'memcheck':>9}   totals/plain, default/plain")
    for name, launch in launches.items():
        measured = run(bundle, "time", *launch, "--instrumented", "--no-count", "--runs", "5", "--json", "-")
        cost = measured.get("answer", {}).get("instrumented")
        if not cost:
            print(f"  {name:24} failed: {measured['stderr'][-200:]}")
            rows[name] = measured
            continue
        ratio = cost["totals_ms"] / cost["plain_ms"]
        cost["memcheck_ms"] = sanitized(bundle, launch) if sanitize(ratio) else None
        rows[name] = cost
        memcheck = f"{cost['memcheck_ms']:9.4f}" if cost["memcheck_ms"] else "        -"
        lost = "*" if cost["records_lost"] else " "
        above = [] if ratio <= 10 else ["above ten times"]
        if cost["memcheck_ms"] and cost["totals_ms"] >= cost["memcheck_ms"]:
            above.append("above memcheck")
        print(
            f"  {name:24} {cost['plain_ms']:9.4f} {cost['totals_ms']:9.4f} {cost['one_block_ms']:9.4f} "
            f"{cost['records_ms']:9.4f}{lost}{memcheck}   {ratio:.1f} "
            f"{(cost['totals_ms'] + cost['one_block_ms']) / cost['plain_ms']:.1f} {', '.join(above)}"
        )
    print("  * not all records fitted")
    return rows


def costs(bundle, out):
    source = out / "cost.cu"
    source.write_text(COST_SOURCE)
    launches = {}
    for name, (grid, block, arguments) in COST_LAUNCHES.items():
        launches[name] = [str(source), "--kernel", name, "--grid", str(grid), "--block", str(block)]
        for argument in arguments:
            launches[name] += ["--arg", argument]
    return cost_table(bundle, launches, lambda ratio: True)


SIZES = {"n", "width", "height", "rows", "columns", "words", "nx", "ny", "blocks", "batch"}


def gallery_costs(bundle):
    """Every gallery kernel with its sliders that are sizes at their largest; memcheck where counting is dear."""
    launches = {}
    for file in sorted((ROOT / "kernels").glob("*/*.toml")):
        kernel = tomllib.loads(file.read_text())
        if "kernel" not in kernel or kernel.get("kind"):
            continue
        launches[file.stem] = [file.stem]
        for slider in kernel.get("slider", []):
            if slider["name"] in SIZES and "max" in slider:
                launches[file.stem] += ["--set", f"{slider['name']}={slider['max']}"]
    return cost_table(bundle, launches, lambda ratio: ratio > 4)


def main():
    bundle, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    only = {word for word in sys.argv[3:] if word != "--only"}
    if "totals" in only:
        only |= {"gallery", "conformance"}
    wanted = lambda part: not only or part in only
    out.mkdir(parents=True, exist_ok=True)
    result = {"date": time.strftime("%Y-%m-%d"), "doctor": run(bundle, "doctor", "--json", "-").get("answer")}
    if wanted("time"):
        print("times")
        result["times"] = times(bundle, out)
    if wanted("cost"):
        print("cost of the instrumented run")
        result["cost"] = costs(bundle, out)
    if wanted("gallery-cost"):
        print("cost of the instrumented run, gallery")
        result["gallery_cost"] = gallery_costs(bundle)
    if wanted("faults"):
        print("faults")
        result["faults"] = faults(bundle, out)
    if wanted("gallery"):
        names = sorted(f.stem for f in (ROOT / "kernels").glob("*/*.toml"))
        result["gallery"] = run_all(bundle, "compare", {name: [name] for name in names})
        summarise("gallery", result["gallery"])
    if wanted("compare"):
        result["compare"] = comparisons(bundle)
    if wanted("conformance") or "fragments" in only:
        launches = tomllib.loads((SUITE / "launches.toml").read_text())["launch"]
        if "conformance" not in only and "fragments" in only:
            launches = [launch for launch in launches if moves_fragments(launch)]
        result["conformance"] = run_all(bundle, "compare", {l["id"]: launch_arguments(l) for l in launches})
        summarise("conformance", result["conformance"])
    (out / "gpu_check.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
