# shellcheck shell=bash
# Commands of a companion program: vershina-bench next to this one, or in the directory of programs (the search:
# companion_test), and never one of that name in PATH or in the current directory.

# Copies the program to a new directory, without its neighbours.
make_copy() {
  mkdir programs
  cp "$VERSHINA" programs/vershina
}

# Creates a program that prints its arguments, under the name of the real one.
make_companion() {
  mkdir -p "$1"
  printf '#!/bin/sh\necho "%s:" "$@"\n' "$2" > "$1/vershina-bench"
  chmod 755 "$1/vershina-bench"
}

test_beside_the_program() {
  make_copy
  make_companion programs beside
  run programs/vershina bench --quick "two words" && expect_status 0 && expect_stdout "beside: bench --quick two words"
  run programs/vershina tune --reset && expect_stdout "beside: tune --reset"
  run programs/vershina bench --help && expect_stdout "beside: bench --help"
  run programs/vershina help bench && expect_stdout "beside: bench --help"
  run programs/vershina completion --candidates -- bench --qu && expect_stdout \
    "beside: completion --candidates -- bench --qu"
  # Through a link, next to the program itself.
  mkdir links
  ln -s ../programs/vershina links/vershina
  make_companion links link
  run links/vershina bench && expect_stdout "beside: bench"
}

# Its status and its signals are passed on.
test_status_and_signals() {
  make_copy
  printf '#!/bin/sh\nexit 7\n' > programs/vershina-bench
  chmod 755 programs/vershina-bench
  run programs/vershina bench && expect_status 7
  # shellcheck disable=SC2016 # of that shell
  printf '#!/bin/sh\nkill -TERM $$\n' > programs/vershina-bench
  run programs/vershina bench && expect_status 143
  printf '#!/bin/sh\ngrep -E "^Sig(Ign|Blk)" /proc/self/status\n' > programs/vershina-bench
  grep -E "^Sig(Ign|Blk)" /proc/self/status > before
  run programs/vershina bench && expect_status 0 && cmp before .out || fail "signals are ignored or blocked for it"
}

# Runs the companion that make_companion wrote as $1, or expects the words of the refusal.
starts() {
  run programs/vershina bench && expect_status 0 && expect_stdout "$1: bench"
}

refuses() {
  run programs/vershina bench && expect_status 2 && expect_error "$1"
}

# A folder in which all may make files, as /tmp: what others, or anybody, may have put there is not run.
test_what_others_may_have_put_beside_it() {
  make_copy
  make_companion programs planted
  chmod 1777 programs
  refuses "programs: others may write to it: the program"
  chmod 755 programs
  starts planted
  chmod 777 programs/vershina-bench
  refuses "vershina-bench: others may write to it"
  chmod 755 programs/vershina-bench
  [ "$(id -u)" -eq 0 ] || skip "only root gives files to others"
  chown 65534 programs/vershina-bench
  refuses "vershina-bench: belongs to another user"
  # The owner of the program itself is trusted with the other one.
  chown 65534 programs/vershina
  starts planted
}

# As CMake installs with umask 002: folders are the group's too, files are not. Who may write the folder of vershina can
# replace vershina, so nothing is gained by refusing the companion there, or in other folders of the same group.
test_folders_that_the_group_may_write() {
  make_copy
  make_companion programs beside
  chmod 775 programs
  starts beside
  chmod 777 programs
  starts beside
  chmod 775 programs/vershina-bench
  starts beside
  chmod 755 programs
  refuses "vershina-bench: others may write to it"
  chmod 755 programs/vershina-bench
  chmod 1775 programs # the group adds files, and replaces none
  refuses "programs: others may write to it"
}

test_missing() {
  make_copy
  programs/vershina tune --help > help 2>&1 && skip "vershina-bench is installed on this machine"
  run programs/vershina bench
  expect_status 2 && expect_error "the program vershina-bench" "install the package vershina-bench"
  run programs/vershina tune --dry-run && expect_status 2 && expect_error "install the package vershina-bench"
  run programs/vershina help tune && expect_status 2 && expect_error "install the package vershina-bench"
  # Neither by PATH nor in the current directory.
  make_companion path path
  make_companion . here
  run env PATH="$PWD/path:$PWD:$PATH" programs/vershina bench
  expect_status 2 && expect_error "install the package vershina-bench"
  (cd path && run env PATH=".:$PATH" ../programs/vershina bench && expect_status 2)
  # All other commands work without it.
  run programs/vershina selftest && expect_status 0
  run programs/vershina --help && expect_status 0 && expect_stdout_has "tune"
}

test_what_cannot_be_started() {
  make_copy
  printf 'no program' > programs/vershina-bench
  chmod 755 programs/vershina-bench
  run programs/vershina bench && expect_status 70 && expect_error "programs/vershina-bench: cannot be started"
}
