#!/usr/bin/env python3
"""Reads what a GPU's warps wait for in the launches of throttled.cu: on a GPU, with nvcc and ncu.

    tools/golden/throttled.py --out tests/models/golden/throttled_h200.txt [--work DIR] [--sms 132]

A line a launch: its kind and row, words from a lane to the next, warps of each SM, turns, microseconds, and the
shares of the reasons that warps waited for.
"""

import argparse
import pathlib

REASONS = "selected not_selected long_scoreboard lg_throttle mio_throttle wait drain".split()
KINDS = ("loads", "loads of eight lanes", "chain", "loads of four words", "stores", "both")


def launches(sms):
    """Such as give L1 some 50,000 cycles of work, or L2 stores for as long."""
    for kind, name in enumerate(KINDS):
        stores = name in ("stores", "both")
        for row in (1, 2, 4, 8, 16) if name in ("loads", "stores") else (1, 4, 16):
            aparts = (1, 2, 8, 16, 32) if name == "loads" else (4, 32) if name == "loads of four words" else (1, 8, 32)
            for apart in aparts:
                for warps in (4, 8, 16, 32, 64) if name == "loads" else (8, 16, 32, 64):
                    lines = max(1, min(8, apart // 4)) if name == "loads of eight lanes" else apart
                    if name == "loads of four words":
                        lines = max(lines, 4)
                    turns = max(6, min(200, (30000 if stores else 50000) // (warps * row * lines)))
                    out = sms * warps * row * 32 * apart if stores else 64
                    if out > 40_000_000:
                        continue
                    block = 128 if warps == 4 else 256
                    text = f"{name}, row {row}, {apart} words apart, {warps} warps, {turns} turns"
                    yield text, (f"throttled.cu --kernel throttled<{kind},{row}> --grid {sms * warps * 32 // block} --block {block} "
                                 f"--arg buf:f32:{row * 32 * apart + 64}:zero --arg buf:f32:{out}:zero --arg i32:{apart} --arg i32:{turns}")


def line(text, counters, reason, stalls):
    whole = sum(counters.get(reason.format(stall), 0) for stall in stalls) or 1
    shares = ", ".join(f"{name} {counters.get(reason.format(name), 0) / whole:.3f}" for name in REASONS)
    return f"{text}: {counters['gpu__time_duration.sum'] / 1000:.1f} us; {shares}"


def main():
    import public
    from models import STALLS  # it needs what is on a GPU's machine alone

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/throttled"))
    parser.add_argument("--sms", type=int, default=132)
    parser.add_argument("--seconds", type=float, default=400)
    options = parser.parse_args()
    texts, commands = zip(*launches(options.sms))
    metrics = [public.REASONS.format(stall) for stall in STALLS] + ["gpu__time_duration.sum"]
    counted = public.counters_of(commands, options.work, metrics, options.seconds, "throttled")
    options.out.write_text("\n".join(line(text, counters, public.REASONS, STALLS)
                                     for text, counters in zip(texts, counted) if counters) + "\n")


if __name__ == "__main__":
    main()
