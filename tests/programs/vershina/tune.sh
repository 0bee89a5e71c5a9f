# shellcheck shell=bash
# tune, and its effect on the library. Costs are measured here, without expected values.

# The shortest possible measurement.
tune() { vershina tune --min-time 0.001 "$@"; }

tuning() { VERSHINA_TUNE=$1 "$VERSHINA" kernels | tail -n 1; }

test_tune_writes_what_the_library_reads() {
  export XDG_CACHE_HOME=$PWD/cache
  unset VERSHINA_TUNE # run.sh says `off`
  tune && expect_status 0 && expect_silent
  expect_stdout_has "DEFAULT" && expect_stdout_has "TUNED" && expect_stdout_has "written: $PWD/cache/vershina/tune-"
  local files=(cache/vershina/*)
  [ ${#files[@]} -eq 1 ] || fail "not one file: ${files[*]}"
  [[ $(head -n 1 "${files[0]}") == "vershina-tune 3" ]] || fail "first line"
  grep -Eq "^magma portable [0-9]+ [0-9]+ request [0-9]+ chain [0-9]+ .* lane-keys [0-9]+$" "${files[0]}" ||
    fail "no figures of lanes: $(cat "${files[0]}")"
  vershina kernels && expect_status 0 && expect_stdout_has "tuned: $PWD/${files[0]}"
  # Again, over the existing file.
  tune && expect_status 0
  vershina selftest && expect_status 0
  vershina tune --reset && expect_status 0 && [ ! -e "${files[0]}" ] || fail "still there"
  vershina kernels && expect_stdout_has "not tuned: there is no $PWD/${files[0]}"
  vershina tune --reset && expect_status 0
}

test_tune_dry_run_writes_nothing() {
  export XDG_CACHE_HOME=$PWD/cache
  unset VERSHINA_TUNE
  tune --dry-run && expect_status 0 && expect_silent && [ ! -e cache ] || fail "written"
}

# The tables of all kernels come with --all, below the same summary.
test_tune_prints_a_summary() {
  tune --dry-run && expect_status 0
  [ "$(wc -l < .out)" -le 20 ] || fail "$(cat .out)"
  grep -q "^--all prints the tables$" .out && ! grep -q "CYCLES A PASS" .out || fail "$(cat .out)"
  tune --dry-run --all && expect_status 0
  [ "$(grep -c "CYCLES A PASS" .out)" -eq 5 ] || fail "not five tables: $(cat .out)"
  grep -n "TUNED\|CYCLES A PASS" .out | head -n 1 | grep -q TUNED || fail "the summary is not above: $(cat .out)"
  vershina tune --all --json && expect_status 2
  vershina tune --all --reset && expect_status 2
}

test_tune_check_prints_a_line_for_each_cipher() {
  export VERSHINA_TUNE=off
  tune --check # which may find a size beyond 1.3 on a busy machine
  [ "$(wc -l < .out)" -le 20 ] && [ "$(grep -c ": worst [0-9.]* times the best row" .out)" -eq 3 ] ||
    fail "$(cat .out)"
}

test_tune_as_json() {
  need python3
  VERSHINA_TUNE=$PWD/costs "$VERSHINA" tune --min-time 0.001 --json > json
  [ -s costs ] || fail "no file"
  python3 - <<'PY'
import json
report = json.load(open("json"))
assert [f["name"] for f in report["families"]] == [
    "kuznyechik", "magma, gost28147", "gost28147 with own S-boxes", "streebog", "streebog, many messages"]
for family in report["families"]:
    assert family["kernels"] and family["choices"]
    for kernel in family["kernels"]:
        assert kernel["pass_cycles"] >= 1 and len(kernel["cycles_per_byte"]) == len(report["blocks"])
    for choice in family["choices"]:
        assert choice["default"] and choice["tuned"] and len(choice["tuned_cycles_per_byte"]) == len(report["blocks"])
PY
}

test_tune_costs_decide() {
  VERSHINA_TUNE=$PWD/costs vershina tune --min-time 0.001 && expect_status 0
  # Portable kernels at almost no cost: they are used for everything; tables still not for secrets.
  sed -E 's/^([a-z]+) (portable|tables) .*/\1 \2 1/' costs > cheap
  VERSHINA_TUNE=$PWD/cheap "$VERSHINA" kernels > table
  grep -q "^tuned: " table || fail "$(tail -n 1 table)"
  # (The products of MGM are chosen only by CPU.)
  awk '$1 == "gf2n" {next} $2 == "portable" && $7 != "yes" {bad = 1} $2 == "tables" && NF > 6 {bad = 1}
    END {exit bad}' table || fail "$(cat table)"
  # A forced kernel stays forced.
  VERSHINA_KERNEL=kuznyechik:serial VERSHINA_TUNE=$PWD/cheap "$VERSHINA" kernels > table
  awk '$1 == "kuznyechik" && $2 == "serial" && $7 == "yes" {found = 1} END {exit !found}' table || fail "$(cat table)"
}

test_tune_ignores_other_files_and_says_why() {
  VERSHINA_TUNE=$PWD/costs vershina tune --min-time 0.001 && expect_status 0
  [ "$(tuning "$PWD/costs")" = "tuned: $PWD/costs" ] || fail "$(tuning "$PWD/costs")"
  sed 's/^cpu .*/cpu Another Processor/' costs > other
  [ "$(tuning "$PWD/other")" = "not tuned: $PWD/other: it was measured on another CPU model" ] ||
    fail "$(tuning "$PWD/other")"
  sed 's/^build .*/build 0/' costs > other
  [ "$(tuning "$PWD/other")" = "not tuned: $PWD/other: it was measured with another build of Vershina" ] || fail "build"
  head -c 100 costs > shortened
  [[ $(tuning "$PWD/shortened") == "not tuned: $PWD/shortened: "* ]] || fail "shortened"
  [ "$(tuning "$PWD/none")" = "not tuned: there is no $PWD/none" ] || fail "none"
  [ "$(tuning off)" = "not tuned: VERSHINA_TUNE=off" ] || fail "off"
  [[ $(tuning costs) == "not tuned: VERSHINA_TUNE is neither"* ]] || fail "relative"
  mkdir directory && [[ $(tuning "$PWD/directory") == "not tuned: $PWD/directory: "* ]] || fail "directory"
  mkfifo pipe && [[ $(tuning "$PWD/pipe") == "not tuned: $PWD/pipe: "* ]] || fail "pipe"
  [[ $(tuning /dev/zero) == "not tuned: /dev/zero: "* ]] || fail "device"
}

test_tune_refuses_what_makes_no_sense() {
  VERSHINA_TUNE=off vershina tune && expect_status 2
  VERSHINA_TUNE=off vershina tune --reset && expect_status 2
  run env -u HOME -u XDG_CACHE_HOME -u VERSHINA_TUNE "$VERSHINA" tune && expect_status 2 &&
    expect_error "not tuned: no directory for caches is known: set HOME or XDG_CACHE_HOME"
  vershina tune --reset --dry-run && expect_status 2
  vershina tune --min-time 0 && expect_status 2
  vershina tune --device cpu --dry-run && expect_status 2 && expect_stderr_has "all, cuda:N or opencl:P.D"
  vershina tune --device cuda:4000 --dry-run && expect_status 12 &&
    expect_stderr_has "cuda:4000: there is no such device"
  vershina tune --device all --algorithm aes --dry-run && expect_status 2 && expect_stderr_has "unknown algorithm aes"
  vershina tune --algorithm magma --dry-run && expect_status 2
  vershina tune --device all --json && expect_status 2
  VERSHINA_KERNEL=kuznyechik:nonsense vershina tune --dry-run && expect_status 5
}

test_tune_failures_of_files() {
  touch file
  VERSHINA_TUNE=$PWD/file/costs tune && expect_status 4
}

test_tune_writes_nothing_behind_a_link() {
  mkdir cache
  echo precious > target
  ln -s ../target cache/costs
  VERSHINA_TUNE=$PWD/cache/costs tune
  expect_status 4 && expect_error "cache/costs: is a symbolic link" && [ "$(cat target)" = precious ]
  [ "$(id -u)" -eq 0 ] || skip "only root gives files to others"
  rm cache/costs
  chown 65534 cache
  VERSHINA_TUNE=$PWD/cache/costs tune
  expect_status 4 && expect_error "others may change $PWD/cache" && expect_no_file cache/costs
  # Nor if the path leads through such a directory.
  mkdir own
  ln -s ../own cache/link
  VERSHINA_TUNE=$PWD/cache/link/costs tune
  expect_status 4 && expect_no_file own/costs
}

test_tune_leaves_other_files() {
  echo precious > thesis
  for words in "--min-time 0.001" --reset; do
    # shellcheck disable=SC2086 # two words
    VERSHINA_TUNE=$PWD/thesis vershina tune $words
    expect_status 4 && expect_error "thesis: is not a file of measured costs" && [ "$(cat thesis)" = precious ] ||
      fail "tune $words"
  done
}

# The user's own file, which the user may remove, but not read.
test_tune_leaves_files_that_it_cannot_read() {
  cp "$(dirname "$VERSHINA")/vershina-bench" .
  echo precious > diary
  for words in "--min-time 0.001" --reset; do
    as_user "chmod 0 diary && VERSHINA_TUNE=$PWD/diary ./vershina tune $words; rc=\$?; chmod 600 diary; exit \$rc"
    expect_status 4 && expect_error "diary: Permission denied" && [ "$(cat diary)" = precious ] || fail "tune $words"
  done
}

test_costs_that_others_may_write_are_not_read() {
  (umask 002; VERSHINA_TUNE=$PWD/costs vershina tune --min-time 0.001 && expect_status 0)
  [[ $(tuning "$PWD/costs") == "tuned: "* ]] || fail "$(tuning "$PWD/costs")"
  chmod 666 costs
  [[ $(tuning "$PWD/costs") == *"users other than you and root"* ]] || fail "$(tuning "$PWD/costs")"
  chmod 664 costs
  [[ $(tuning "$PWD/costs") == *"users other than you and root"* ]] || fail "$(tuning "$PWD/costs")"
  chmod 644 costs
  [ "$(id -u)" -eq 0 ] || skip "only root gives files to others"
  as_user "VERSHINA_TUNE=$PWD/costs ./vershina kernels" && expect_stdout_has "tuned: "
  [[ $(tuning "$PWD/costs") == *"users other than you and root"* ]] || fail "$(tuning "$PWD/costs")"
}
