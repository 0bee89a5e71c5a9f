#!/usr/bin/env bash
# The main job on real data: encrypts, decrypts and verifies a file with each cipher, and hashes it.
#   tools/run-main-job.sh VERSHINA [FILE]
# Without FILE it uses build/input.bin, 256 MiB made once from this machine's own programs and libraries.
set -euo pipefail
export LC_ALL=C

vershina=$1
input=${2:-}
default_input=build/input.bin
default_size=$((256 * 1024 * 1024))

fail() { printf 'make run: %s\n' "$*" >&2; exit 1; }

work=$(mktemp -d build/run.XXXXXX)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

need_space() { # bytes
  local free
  free=$(($(df -Pk build | awk 'NR == 2 { print $4 }') * 1024))
  local needed="$(($1 / 1000000)) MB are needed under $PWD/build, $((free / 1000000)) MB are free"
  ((free > $1)) || fail "$needed: make room, or give a smaller FILE=…"
}

# In the order of names, so that the file is reproducible on a machine. `head` ends tar early: its SIGPIPE is not an
# error.
make_input() {
  need_space "$((default_size * 3))"
  printf 'make run: making %s from /usr/lib, /usr/share and /usr/bin\n' "$default_input" >&2
  { tar --create --sort=name --ignore-failed-read --warning=none -C / -f - usr/lib usr/share usr/bin 2> /dev/null ||
      true; } |
    head -c "$default_size" > "$work/input"
  local size
  size=$(stat -c %s "$work/input")
  ((size == default_size)) || fail "only $size bytes under /usr: give a file with FILE=…"
  mv "$work/input" "$default_input"
}

if [[ -z $input ]]; then
  input=$default_input
  [[ -f $input && $(stat -c %s "$input") == "$default_size" ]] || make_input
fi
[[ -f $input && -r $input ]] || fail "$input: not a file that can be read"
size=$(stat -L -c %s "$input")
need_space "$((size * 2 + 16 * 1024 * 1024))"

timed() { # label, command …: prints wall time and speed of one step
  local label=$1 start end micros
  shift
  start=${EPOCHREALTIME/./}
  "$@" || fail "$label failed"
  end=${EPOCHREALTIME/./}
  micros=$((end - start > 0 ? end - start : 1))
  printf '  %-34s %8d.%02d s %9d MB/s\n' "$label" $((micros / 1000000)) $((micros / 10000 % 100)) $((size / micros))
}

(umask 077 && head -c 32 /dev/urandom > "$work/key")

printf '\n%s, %d bytes (wall time, files read and written)\n' "$input" "$size"
# IV lengths: half a block for the CTR of GOST R 34.13-2015, a block for GOST 28147-89.
for job in kuznyechik-ctr:8 magma-ctr:4 gost28147-cnt:8; do
  cipher=${job%:*}
  iv=$(head -c "${job#*:}" /dev/urandom | od -An -v -tx1 | tr -d ' \n')
  timed "$cipher encrypt" \
    "$vershina" encrypt -c "$cipher" --key-file "$work/key" --iv-hex "$iv" --threads 0 "$input" -o "$work/encrypted"
  timed "$cipher decrypt" \
    "$vershina" decrypt -c "$cipher" --key-file "$work/key" --iv-hex "$iv" --threads 0 "$work/encrypted" \
    -o "$work/decrypted"
  if ((size > 0)) && cmp -s "$input" "$work/encrypted"; then fail "$cipher: the encrypted file equals the plain one"; fi
  cmp "$input" "$work/decrypted" || fail "$cipher: the decrypted file differs from the original"
  printf '  %-34s identical to the original\n' "$cipher decrypted"
  rm -f "$work/encrypted" "$work/decrypted"
done
for hash in streebog256 streebog512; do
  timed "$hash" "$vershina" hash -a "$hash" "$input" > "$work/step"
  tail -n 1 "$work/step"
  head -n 1 "$work/step" | sed 's/^/    /'
done
