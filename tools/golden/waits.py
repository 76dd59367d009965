#!/usr/bin/env python3
"""Reads how long a GPU's warps wait for each reason in the launches of jumps.cu, busy.cu, held.cu, behind.cu, queues.cu or
asides.cu: on a GPU, with nvcc and ncu.

    tools/golden/waits.py jumps --out tests/models/golden/jumps_h200.txt [--work DIR] [--sms 132]
    tools/golden/waits.py busy --out tests/models/golden/busy_h200.txt
    tools/golden/waits.py held --out tests/models/golden/held_h200.txt
    tools/golden/waits.py behind --out tests/models/golden/behind_h200.txt
    tools/golden/waits.py queues --out tests/models/golden/queues_h200.txt
    tools/golden/waits.py asides --out tests/models/golden/asides_h200.txt

A line a launch: what it is, the profiler's microseconds, percent of cycles in which a scheduler issues, instructions of a
warp, and the cycles that it spends in each reason: of a turn (jumps, held, queues, asides), or in all (busy, behind).
"""

import argparse
import pathlib

REASONS = ("selected wait branch_resolving no_instruction long_scoreboard short_scoreboard not_selected math_pipe_throttle "
           "dispatch_stall mio_throttle drain imc_miss lg_throttle").split()


def jumps(sms):
    """(text, command, warps, turns)"""
    for block in (32, 128, 512):
        for kernel, flag, turns in (("ahead", 0, 200), ("ahead", 1, 200), ("back", 0, 2000)):
            yield (f"{kernel}, {block // 32} warps, flag {flag}",
                   f"jumps.cu --kernel {kernel} --grid {sms} --block {block} --arg buf:i32:{sms * block}:zero "
                   f"--arg i32:{turns} --arg i32:{flag}", sms * block // 32, turns)


def busy(sms):
    threads = sms * 2048 * 6
    for kernel, loads in (("one", 1), ("four", 4)):
        for again in ("", "_again"):
            for block in (64, 256, 1024):
                for turns in (2, 12, 40, 120):
                    grid = threads // block // 8 * 8
                    apart = grid * block // (8 if again else 1)
                    yield (f"{kernel}{again}, blocks of {block}, {turns} turns",
                           f"busy.cu --kernel {kernel}{again} --grid {grid} --block {block} --arg buf:f32:{apart * loads}:hash "
                           f"--arg buf:f32:{grid * block}:zero --arg i32:{turns} --arg i64:{apart}", grid * block // 32, 1)


def held(sms):
    for kernel in ("floats", "beside_products"):
        for block in (128, 256, 512, 1024):
            yield (f"{kernel}, {block // 128} warps a scheduler",
                   f"held.cu --kernel {kernel} --grid {sms} --block {block} --arg buf:f32:{sms * block}:zero "
                   f"--arg buf:u32:{sms * block}:zero --arg i32:1000 --arg f32:0.5 --arg u32:123456789", sms * block // 32, 1000)


def behind(sms):
    for kernel in ("add_once", "add_four", "store_once", "store_four"):
        for block in (128, 512):
            grid = 24 * sms * 512 // block
            yield (f"{kernel}, blocks of {block}",
                   f"behind.cu --kernel {kernel} --grid {grid} --block {block} --arg buf:f32:{grid * block}:hash "
                   f"--arg buf:f32:2097152:zero --arg u32:2097152", grid * block // 32, 1)


def queues(sms):
    for number, name in enumerate(("stores", "reductions", "loads")):
        for beside, of, each in (("nothing", 0, 0), ("shuffles", 1, 1), ("shuffles", 1, 4), ("shared", 2, 1), ("shared", 2, 4)):
            for warps in (4, 16, 32, 64):
                yield (f"{name} and {each} {beside}, {warps} warps",
                       f"queues.cu --kernel queues<{number},{of},{each}> --grid {sms * max(1, warps // 8)} --block {min(256, warps * 32)} "
                       f"--arg buf:f32:{sms * warps * 4 * 32 * 8 if name != 'loads' else 4 * 32 * 32}:zero --arg i32:{768 // warps}",
                       sms * warps, 768 // warps)


def asides(sms):
    for number, name in enumerate(("constants", "registers of the SM", "registers of the warp")):
        for each in (1, 2, 4, 8):
            for warps in (4, 8, 16, 32):
                yield (f"{each} {name}, {warps} warps",
                       f"asides.cu --kernel asides<{number},{each}> --grid {sms} --block {warps * 32} --arg buf:i32:32:zero --arg i32:500",
                       sms * warps, 500)


LAUNCHES = {which.__name__: which for which in (jumps, busy, held, behind, queues, asides)}


def line(text, counters, reason, warps, turns):
    each = counters["smsp__inst_executed.sum"] / warps / turns
    waits = ", ".join(f"{name} {counters.get(reason.format(name), 0) * each:.2f}" for name in REASONS)
    return (f"{text}: {counters['gpu__time_duration.sum'] / 1000:.1f} us, "
            f"{counters['smsp__issue_active.avg.pct_of_peak_sustained_active']:.0f} %, {each:.2f} instructions; {waits}")


def main():
    import public
    from models import STALLS  # it needs what is on a GPU's machine alone

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=LAUNCHES)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/waits"))
    parser.add_argument("--sms", type=int, default=132)
    parser.add_argument("--seconds", type=float, default=400)
    options = parser.parse_args()
    launches = list(LAUNCHES[options.which](options.sms))
    metrics = [public.REASONS.format(stall) for stall in STALLS] + [
        "gpu__time_duration.sum", "smsp__inst_executed.sum", "smsp__issue_active.avg.pct_of_peak_sustained_active"]
    counted = public.counters_of([launch[1] for launch in launches], options.work, metrics, options.seconds, options.which)
    options.out.write_text("\n".join(line(text, counters, public.REASONS, warps, turns)
                                     for (text, _, warps, turns), counters in zip(launches, counted) if counters) + "\n")


if __name__ == "__main__":
    main()
