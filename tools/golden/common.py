"""What the golden-data scripts share: the list of launches, and names of kernels inside a PTX file."""

import os
import pathlib
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Another folder with launches.toml, kernels/ and ptx/ may be read instead of the suite.
SUITE = pathlib.Path(os.environ.get("WARPLENS_SUITE", ROOT / "tests" / "conformance")).resolve()


def launches(manifest=SUITE / "launches.toml"):
    """The launches in order; every entry has id, file, kernel, grid, block, shared, args."""
    with open(manifest, "rb") as stream:
        entries = tomllib.load(stream)["launch"]
    for entry in entries:
        entry.setdefault("shared", 0)
        entry["grid"] = (entry["grid"] + [1, 1])[:3]
        entry["block"] = (entry["block"] + [1, 1])[:3]
    return entries


def entries_of(ptx_text):
    """Mangled names of the kernels in a PTX text -> plain name with template arguments ("scale<int, 4>")."""
    mangled = re.findall(r"^\.(?:visible|weak)?\s*\.?entry\s+([\w$]+)", ptx_text, re.M)
    if not mangled:
        mangled = re.findall(r"\.entry\s+([\w$]+)", ptx_text)
    return plain_names(mangled)


def plain_names(mangled):
    """The same of a list of mangled names."""
    plain = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True)
    return {raw: plain_name(text) for raw, text in zip(mangled, plain.stdout.splitlines())}


def plain_name(demangled):
    """"void scale<(int)4>(float*)" -> "scale<4>"."""
    text = re.sub(r"\((?:int|unsigned int|bool|unsigned)\)", "", demangled)
    depth, end = 0, len(text)
    for position, letter in enumerate(text):
        if letter == "<":
            depth += 1
        elif letter == ">":
            depth -= 1
        elif letter == "(" and depth == 0:
            end = position
            break
    text = re.sub(r"(\d)ul?\b", r"\1", text[:end].strip())
    return re.sub(r"^void\s+", "", text)


def resolve(entry, names):
    """The mangled name of a launch's kernel."""
    wanted = entry["kernel"].replace(" ", "")
    found = [raw for raw, plain in names.items() if plain.replace(" ", "") == wanted]
    if len(found) != 1:
        raise SystemExit(f"{entry['id']}: kernel {entry['kernel']} is not in {entry['file']}: {sorted(names.values())}")
    return found[0]
