# Sourced by ./run and ./test: installs the packages that are missing, configures and builds the release preset.
# Nothing is asked; what is already there is left alone.

say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }

install_missing_packages() {
  command -v dpkg-query >/dev/null || { say "Not a Debian system: see docs/BUILDING.md for the libraries needed."; return 0; }
  local missing=() name _
  while read -r name _; do
    case "$name" in ''|'#'*) continue ;; esac
    dpkg-query -W -f '${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done < tools/packages.txt
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
      say "These packages are missing and need root to install. Run this, then start again:"
      say "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
      return 1
    fi
    as_root=(sudo -n)
  fi
  say "Installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -q >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
}

# build_release [TARGET...]: without one everything, tests included.
build_release() {
  local build=build/release
  if [ ! -f "$build/build.ninja" ]; then
    say "Configuring $build"
    cmake --preset release > "$build.log" 2>&1 || { mkdir -p build; cat "$build.log" >&2; return 1; }
  fi
  # Ninja says "no work to do" on the second start.
  cmake --build "$build" --target "${@:-all}" >&2
}
