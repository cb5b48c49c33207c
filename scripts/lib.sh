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

# True where the driver of a real GPU answers.
have_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }
