# shellcheck shell=bash
# kernels, selftest, --version, --help, and the manual pages.

test_kernels() {
  vershina kernels && expect_status 0 && expect_silent
  expect_stdout_has "FAMILY" && expect_stdout_has "portable" && expect_stdout_has "processor:"
  grep -qE '^streebog +lanes_portable +any +8 +yes +yes( |$)' .out || fail "kernels for many messages are not listed"
  local family
  for family in kuznyechik magma streebog gf2n; do
    awk -v f=$family '$1 == f && NF > 6 && /(yes|and more)$/ {found = 1} END {exit !found}' .out ||
      fail "nothing is chosen for $family"
  done
}

test_kernels_as_json() {
  need python3
  "$VERSHINA" kernels --json > json
  python3 - <<'PY'
import json
report = json.load(open("json"))
assert isinstance(report["version"], str) and isinstance(report["cpu_features"], list)
kernels = report["kernels"]
assert {k["family"] for k in kernels} == {"kuznyechik", "magma", "streebog", "gf2n"}
for k in kernels:
    assert set(k) == {"family", "kernel", "isa", "lanes", "constant_time", "runnable", "chosen", "chosen_one_block",
                      "chosen_min_blocks"}
    assert (k["chosen"] or k["chosen_one_block"]) <= (k["chosen_min_blocks"] > 0)
    assert isinstance(k["lanes"], int) and isinstance(k["runnable"], bool)
for family in ("kuznyechik", "magma", "streebog", "gf2n"):
    chosen = [k for k in kernels if k["family"] == family and k["chosen"] and not k["kernel"].startswith("lanes_")]
    assert len(chosen) == 1 and chosen[0]["constant_time"] and chosen[0]["runnable"], family
PY
}

test_selftest() {
  vershina selftest && expect_status 0 && expect_silent && expect_stdout "selftest: OK"
}

test_version() {
  vershina --version && expect_status 0 && expect_silent
  grep -qE '^vershina [0-9]+\.[0-9]+\.[0-9]+$' .out || fail "version"
  expect_stdout_has "compiler: " && expect_stdout_has "features: "
}

COMMANDS=(hash mac encrypt decrypt keygen kernels devices selftest tune seal open rekey inspect)

test_help() {
  local command
  vershina --help && expect_status 0 && expect_silent
  for command in "${COMMANDS[@]}"; do
    grep -qE "^  $command " .out || fail "--help lacks $command"
  done
  for command in "${COMMANDS[@]}"; do
    vershina "$command" --help && expect_status 0 && expect_silent && expect_stdout_has "Usage: vershina $command"
    vershina "$command" -h && expect_status 0
    ! grep -nE '.{111}' .out || fail "a line of $command --help is too long"
  done
  for command in hash mac encrypt decrypt; do
    vershina "$command" --help && expect_stdout_has "Examples:"
  done
}

manual() {
  MAN=$(dirname "$VERSHINA")/man1
  [ -d "$MAN" ] || skip "the manual pages are not in the build folder"
}

test_manual_pages_are_well_formed() {
  manual
  need mandoc
  local page
  for page in "$MAN"/*.1; do
    ! grep -q '^\.so ' "$page" || continue  # another name of a page
    mandoc -T lint -W warning "$page" || fail "$page"
  done
}

# Every option of --help is in the manual page, and the other way round.
test_manual_pages_name_every_option() {
  manual
  need mandoc
  local command option page
  for command in hash mac encrypt keygen kernels devices tune seal open rekey inspect; do
    page=$(mandoc -T utf8 "$MAN/vershina-$command.1" | sed 's/.\x08//g')
    cat <("$VERSHINA" $command --help) <([ $command != encrypt ] || "$VERSHINA" decrypt --help) > help
    for option in $(grep -oE '^  (-[a-z],)?--[a-z-]+' help | grep -oE -- '--[a-z-]+'); do
      [ "$option" = --help ] || grep -q -- "$option" <<< "$page" || fail "vershina-$command(1) lacks $option"
    done
    for option in $(sed -nE '/^\.It Fl/s/Fl /\n/gp' "$MAN/vershina-$command.1" | sed -nE 's/^(-[a-z-]+).*/-\1/p'); do
      grep -q -- "$option" help || fail "vershina $command --help lacks $option"
    done
  done
}

# `man vershina-COMMAND` works for every command: its own page, or a line that names another one.
test_every_command_has_a_manual_page() {
  manual
  local command page
  for command in "${COMMANDS[@]}" bench; do
    page=$MAN/vershina-$command.1
    [ -f "$page" ] || fail "no vershina-$command.1"
    [ -z "$(sed -n 's/^\.so man1\///p' "$page")" ] || [ -f "$MAN/$(sed -n 's/^\.so man1\///p' "$page")" ] ||
      fail "$page"
  done
  grep -qF '.Xr vershina-bench 1' "$MAN/vershina.1" && grep -q vershina-bench "$TESTS/../../../docs/cli.md"
}

test_exit_codes_are_the_documented_ones() {
  manual
  local code num=0
  for code in $(sed -nE 's/^  [a-z_]+ = ([0-9]+).*/\1/p' "$TESTS/../../../programs/common/text/exit_code.hpp"); do
    grep -q "^\.It $code\$" "$MAN/vershina.1" || fail "vershina(1) lacks exit code $code"
    grep -q "^| $code |" "$TESTS/../../../docs/cli.md" || fail "docs/cli.md lacks exit code $code"
    num=$((num + 1))
  done
  [ $num -ge 15 ] || fail "only $num exit codes"
}
