#!/usr/bin/env python3
"""Compiles tests/conformance/kernels/*.cu with nvcc for sm_90 and writes tests/conformance/ptx/*.ptx.

The suite reads these files, so that it needs no compiler. Debug sections are left out (but for the strings that .loc
names) and paths are made relative to the repository; line numbers stay.

    tools/golden/make_ptx.py            all files
    tools/golden/make_ptx.py copy scan  these
    tools/golden/make_ptx.py --check    writes nothing; fails when a file would change
"""

import os
import re
import subprocess
import sys
import tempfile

from common import ROOT, SUITE, entries_of, launches, resolve


def strip(text):
    kept, depth, inside = [], 0, False
    for line in text.splitlines():
        if not inside and re.match(r"\s*\.section\s+\.debug(?!_str\b)", line):
            inside, depth = True, 0
        if inside:
            depth += line.count("{") - line.count("}")
            if depth == 0 and "}" in line:
                inside = False
            continue
        kept.append(line)
    text = "\n".join(kept).strip() + "\n"
    text = text.replace(str(ROOT) + "/", "")
    # The toolkit's own headers: wherever it is installed.
    text = re.sub(r'"[^"\n]*/(include|targets/[\w-]+/include)/([^"\n]+)"', r'"cuda/include/\2"', text)
    return text


def compile_one(source):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.ptx")
        subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", "-ptx", str(source.relative_to(ROOT)), "-o", out], cwd=ROOT,
                       check=True)
        with open(out, encoding="utf-8") as stream:
            return strip(stream.read())


def main():
    check = "--check" in sys.argv
    wanted = [a for a in sys.argv[1:] if not a.startswith("-")]
    stale, names = [], {}
    for source in sorted((SUITE / "kernels").glob("*.cu")):
        if wanted and source.stem not in wanted:
            continue
        text = compile_one(source)
        names[source.stem] = entries_of(text)
        target = SUITE / "ptx" / (source.stem + ".ptx")
        old = target.read_text() if target.exists() else ""
        if text != old:
            stale.append(source.stem)
            if not check:
                target.write_text(text)
    for entry in launches():
        if entry["file"] in names:
            resolve(entry, names[entry["file"]])
    print("changed:", " ".join(stale) or "nothing")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
