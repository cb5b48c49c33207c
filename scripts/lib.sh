# What every script here shares: strict mode, the project's root, short progress lines on stderr, --help.
# Sourced, never run. A script's --help is its opening comment.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scripts=$root/scripts
cache=$root/.cache
self=$(basename "$0")

say() { printf '%s: %s\n' "$self" "$*" >&2; }
die() { say "$*"; exit 1; }
usage_error() { say "$*"; say "try '$self --help'"; exit 2; }

# Prints the comment block that opens the script, without its '#'.
help() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# For scripts without arguments: --help, or a complaint.
no_arguments() {
  case ${1-} in
    '') ;;
    -h | --help) help; exit 0 ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
}

# Runs a noisy command; shows what it said only when it fails.
quietly() {
  local output
  if ! output=$("$@" 2>&1); then
    printf '%s\n' "$output" >&2
    die "failed: $*"
  fi
}

# Makes .venv, an environment of our own: Debian's Python has no pip.
make_venv() {
  [[ ! -x $root/.venv/bin/pip ]] || return 0
  say "making .venv"
  quietly python3 -m venv "$root/.venv"
}

pip() {
  make_venv
  quietly "$root/.venv/bin/python" -m pip --disable-pip-version-check "$@"
}

# How many GPUs a real driver answers for, and what the first is.
gpu_names() { command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null || true; }
gpu_count() { gpu_names | grep -c . || true; }
gpu_name() { gpu_names | head -n 1; }

# Runs a command with a CUDA toolkit's libraries within reach of the loader.
with_toolkit_libraries() {
  local toolkit=${CUDA_HOME-/usr/local/cuda}
  LD_LIBRARY_PATH=$toolkit/lib64:$toolkit/extras/CUPTI/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}

# True where the test programs of build folder $1 can run on a real GPU: nvcc compiled them and the loader finds the
# vendor's libraries.
gpu_ready() {
  (($(gpu_count) > 0)) &&
    ! grep -q '^MFUSHIM_NVCC:.*NOTFOUND$' "$1/CMakeCache.txt" &&
    ! with_toolkit_libraries ldd "$1/programs/train_gpt" | grep -q 'not found'
}
