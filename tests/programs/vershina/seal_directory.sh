# shellcheck shell=bash
# Directories: round trips, and refusal of hostile content.

# Names, types, permissions, times (to the second), link targets and contents of a tree.
listing() {
  (cd "$1" && find . -printf '%p %y %m %l ' \( -type l -printf '\n' -o -printf '%Ts\n' \) | sort &&
    find . -type f -exec md5sum {} + | sort)
}

make_tree() {
  mkdir -p "$1/a/b/c" "$1/empty" "$1/with space" "$1/$(printf 'n%.0s' {1..120})/$(printf 'm%.0s' {1..120})"
  make_data 200000 "$1/a/data"
  : > "$1/a/nothing"
  echo text > "$1/with space/"$'two\nlines'
  echo bytes > "$1/"$'\xff\xfe'
  echo long > "$1/$(printf 'n%.0s' {1..120})/$(printf 'm%.0s' {1..120})/file"
  ln -s ../data "$1/a/b/up"
  ln -s nothing "$1/dangling"
  ln "$1/a/data" "$1/hard"
  echo run > "$1/a/run"
  chmod 750 "$1/a/run"
  chmod 555 "$1/a/b"
  chmod 400 "$1/a/nothing"
  touch -d '2001-02-03 04:05:06' "$1/a/data" "$1/empty"
  touch -d '1910-02-03 04:05:06 UTC' "$1/a/b"
  touch -h -d '1969-12-31 23:59:59 UTC' "$1/dangling"
  touch -d '1970-01-01 00:00:00 UTC' "$1/a/run"
  touch -d '2242-03-16 12:56:31 UTC' "$1/with space"
  touch -d '2242-03-16 12:56:32 UTC' "$1/a/nothing"
  touch -d '2400-01-01 00:00:00 UTC' "$1/"$'\xff\xfe'
  chmod 711 "$1"
  touch -d '1956-07-08 09:10:11 UTC' "$1"
}

test_a_tree_comes_back() {
  need_directories
  make_tree tree
  listing tree > before
  seal -k k tree && expect_status 0 && expect_silent
  vershina inspect tree.sealed && expect_stdout_has directory
  listing tree | cmp - before # the original stays
  mv tree gone
  unseal -k k tree.sealed && expect_status 0 && expect_silent && expect_stdout ''
  listing tree > after
  cmp before after || fail "$(diff before after)"
  [ tree/hard -ef tree/a/data ] || fail "the hard link is a copy"
  expect_no_temporary
  # The same with a slash, another name, and from a stream.
  seal -k k gone/ -o other && expect_status 0
  "$VERSHINA" open -k k - -o again < other
  listing again | cmp - before
  seal -k k gone/ && expect_status 0 && [ -f gone.sealed ]
}

# The directory's own time, of the beginning of 1970, too.
test_own_time() {
  need_directories
  mkdir tree
  local time
  for time in '1970-01-01 00:00:00' '1969-12-31 23:59:59' '2300-01-01 00:00:00'; do
    touch -d "$time UTC" tree
    seal -k k tree -o c -f && expect_status 0
    unseal -k k c -o back && expect_status 0
    [ "$(stat -c %Y tree)" = "$(stat -c %Y back)" ] || fail "$time: $(stat -c %y tree back)"
    rmdir back
  done
}

# More directories, one in the other, than descriptors may be open, and longer paths than the system takes.
test_a_deep_tree() {
  need_directories
  need python3
  mkdir tree
  (cd tree && python3 -c '
import os
for i in range(300):
    os.mkdir("n" * 20)
    os.chdir("n" * 20)
with open("file", "w") as file:
    file.write("deep")
os.utime(".", (981173106, 981173106))
os.chmod(".", 0o570)') || fail "no tree"
  (ulimit -Sn 200 && exec "$VERSHINA" seal -q -k k tree) || fail "not sealed"
  (ulimit -Sn 200 && exec "$VERSHINA" open -q -k k tree.sealed -o back) || fail "not opened"
  (cd back && python3 -c '
import os
for i in range(300):
    os.chdir("n" * 20)
status = os.stat(".")
assert (oct(status.st_mode), status.st_mtime) == ("0o40570", 981173106), status
assert open("file").read() == "deep"') || fail "another tree"
}

test_the_tar_stream_itself() {
  need_directories
  need tar
  make_tree tree
  listing tree > before
  seal -k k tree && expect_status 0
  mkdir by_tar
  "$VERSHINA" open -k k tree.sealed -o - | tar xp -C by_tar
  listing by_tar | cmp - before
  tar c -C tree . | "$VERSHINA" seal --tar -k k - -o made_by_tar
  unseal -k k made_by_tar -o back && expect_status 0
  listing back | cmp - before
  seal --tar -k k tree -o x && expect_status 2 && expect_error "leave out --tar"
  unseal -k k tree.sealed --verify && expect_status 0
  unseal -k k tree.sealed --range 0-9 -o range && expect_status 0 && [ "$(tr -d "\0" < range)" = ./ ]
}

test_directories_are_never_replaced() {
  need_directories
  make_tree tree
  seal -k k tree && expect_status 0
  listing tree > before
  unseal -k k tree.sealed && expect_status 4 && expect_error "tree: exists already" "remove it first"
  unseal -k k tree.sealed -f && expect_status 4
  listing tree | cmp - before
  echo file > there
  unseal -k k tree.sealed -o there -f && expect_status 4 && [ "$(cat there)" = file ]
  ln -s nowhere link
  unseal -k k tree.sealed -o link && expect_status 4 && [ -L link ]
  unseal -k k tree.sealed -o missing/dir && expect_status 4 && expect_error "missing/dir: No such file"
  unseal -k k tree.sealed -o . && expect_status 4
  unseal -k k tree.sealed -o / && expect_status 4
  expect_no_temporary
}

test_what_is_left_out_is_said() {
  need_directories
  mkdir tree
  echo text > tree/file
  mkfifo tree/pipe
  seal -k k tree && expect_status 0 && expect_error "tree/pipe: is left out"
  unseal -k k tree.sealed -o back && expect_status 0 && [ "$(ls back)" = file ]
}

test_links_that_lead_out() {
  need_directories
  mkdir tree
  ln -s /etc/passwd tree/link
  ln -s ../../x tree/up
  seal -k k tree && expect_status 0 && expect_stderr_has "tree/link: leads out of the directory, to /etc/passwd" &&
    expect_stderr_has "tree/up: leads out of the directory"
  unseal -k k tree.sealed -o x && expect_status 1 && expect_error "refused to unpack ./link" "--outside-links"
  expect_no_file x
  unseal -k k tree.sealed -o x --outside-links && expect_status 0
  [ "$(readlink x/link)" = /etc/passwd ] && [ "$(readlink x/up)" = ../../x ]
}

test_output_inside_the_directory() {
  need_directories
  mkdir -p tree/sub
  echo text > tree/file
  local name
  for name in tree/x tree/sub/x "$PWD/tree/x" tree/sub/../x; do
    seal -k k tree -o "$name" && expect_status 4 && expect_error "inside the directory that is sealed"
  done
  (cd tree && seal -k ../k . -o x && expect_status 4)
  (cd tree && seal -k ../k . -o ../outside && expect_status 0)
  rm tree/.out tree/.err
  [ "$(find tree | wc -l)" -eq 3 ] || fail "$(find tree)"
  unseal -k k outside -o back && expect_status 0 && [ "$(cat back/file)" = text ]
}

test_a_directory_that_changes() {
  need_directories
  mkdir tree
  make_data 20000000 tree/a
  echo text > tree/b
  mkfifo fifo
  "$VERSHINA" seal -k k tree -o fifo 2> .err &
  local pid=$!
  exec 9< fifo
  head -c 100000 <&9 > c
  rm tree/b
  cat <&9 >> c
  exec 9<&-
  : > .out
  status=0
  wait $pid || status=$?
  expect_status 3 && expect_error "changed while it was read"
  unseal -k k c -o x && expect_status 9 && expect_no_file x
}

test_unreadable_entry() {
  need_directories
  [ "$(id -u)" -ne 0 ] || skip "root can read everything"
  mkdir tree
  echo text > tree/locked
  chmod 000 tree/locked
  seal -k k tree && expect_status 3 && expect_error "tree/locked: Permission denied" && expect_no_file tree.sealed
}

test_hostile_streams() {
  need_directories
  need python3
  local kind count=0
  mkdir outside
  cd outside || fail "no directory"
  python3 "$TESTS/support/hostile_tar.py" good | "$VERSHINA" seal --tar -k ../k - -o good.sealed
  unseal -k ../k good.sealed && expect_status 0
  [ "$(cat good/d/up good/d/e/f good/d/hard good/again good/implied/parents/g)" = firstffirstfirstg ] ||
    fail "$(find good)"
  rm -r good good.sealed
  for kind in $(python3 "$TESTS/support/hostile_tar.py" --list); do
    python3 "$TESTS/support/hostile_tar.py" "$kind" | "$VERSHINA" seal --tar -k ../k - -o sealed
    unseal -k ../k sealed -o "$kind"
    [ "$status" -eq 1 ] || { explain; fail "$kind: status $status"; }
    expect_error "refused to unpack"
    [ "$(find .. -name "*escaped*")" = '' ] && [ ! -e /tmp/vershina-escaped ] || fail "$kind: it escaped"
    rm sealed
    [ "$(ls -A)" = $'.err\n.out' ] || fail "$kind left behind: $(ls -A)"
    count=$((count + 1))
  done
  [ "$count" -gt 20 ] || fail "only $count kinds"
  echo "counted: $count hostile streams refused"
}

test_dangerous_bits() {
  need_directories
  need python3
  python3 "$TESTS/support/hostile_tar.py" setuid | "$VERSHINA" seal --tar -k k - -o c
  unseal -k k c -o x && expect_status 0
  [ "$(stat -c %a x/s x/t | tr '\n' ' ')" = '755 777 ' ] || fail "$(stat -c %a x/s x/t)"
}

# The file's maker does not decide who may write its content.
test_umask() {
  need_directories
  mkdir tree tree/open
  echo text > tree/open/file
  chmod 777 tree tree/open
  chmod 666 tree/open/file
  seal -k k tree -o c && expect_status 0
  local modes="stat -c %a x x/open x/open/file | tr '\n' ' '; rm -r x"
  as_user "umask 077; ./vershina open -k k c -o x && $modes" && expect_stdout '700 700 600 '
  as_user "umask 022; ./vershina open -k k c -o x && $modes" && expect_stdout '755 755 644 '
  as_user "umask 077; ./vershina open --preserve-permissions -k k c -o x && $modes" && expect_stdout '777 777 666 '
  [ "$(id -u)" -eq 0 ] || return 0
  run bash -c "umask 077; ./vershina open -k k c -o x && $modes" && expect_stdout '777 777 666 '
}

test_no_tar_stream() {
  need_directories
  make_data 100000 p
  seal --tar -k k p -o c && expect_status 0
  unseal -k k c -o x && expect_status 1 && expect_error "the tar stream in it is wrong" && expect_no_file x
  : > empty
  seal --tar -k k empty -o c -f && expect_status 0
  unseal -k k c -o x && [ "$status" -eq 1 ] && expect_no_file x
  need tar
  make_tree tree
  tar c -C tree . | head -c 100000 | "$VERSHINA" seal --tar -k k - -o c -f
  unseal -k k c -o x && expect_status 1 && expect_no_file x
}

test_damage_leaves_nothing() {
  need_directories
  make_tree tree
  seal -k k tree -o c && expect_status 0
  local size
  size=$(stat -c %s c)
  head -c $((size - 30)) c > d
  unseal -k k d -o x && expect_status 9 && expect_no_file x
  damage c $((size - 40))
  unseal -k k c -o x && expect_status 8 && expect_no_file x
}

# The second signal comes during the first one's clean-up.
test_pairs_of_signals() {
  need_directories
  env --default-signal=INT true 2> /dev/null || skip "env lacks --default-signal"
  local round size pid first second signals=(INT 130 TERM 143 HUP 129 INT 130 INT 130)
  mkdir tree
  for ((round = 0; round < 1000; round++)); do echo $round > tree/$round; done
  seal -k k tree -o c && expect_status 0
  size=$(stat -c %s c)
  mkfifo fifo
  for ((round = 0; round < 50; round++)); do
    first=$((round % 4 * 2)) second=$((round % 4 * 2 + 2))
    env --default-signal=INT,TERM,HUP "$VERSHINA" open -k k - -o x < fifo 2> .err &
    pid=$!
    exec 9> fifo
    head -c $((size - 100)) c >&9
    wait_for compgen -G '.vershina-*.tmp/*'
    kill "-${signals[first]}" $pid
    sleep "0.00$((round / 4 % 10))"
    kill "-${signals[second]}" $pid 2> /dev/null || true
    status=0
    wait $pid 2> /dev/null || status=$?
    exec 9>&-
    : > .out
    # If both are pending, the system delivers the lower number first.
    [ "$status" -eq "${signals[first + 1]}" ] || expect_status "${signals[second + 1]}"
    expect_error "interrupted: x was not written" && expect_no_file x
  done
}

test_interrupted() {
  need_directories
  env --default-signal=INT true 2> /dev/null || skip "env lacks --default-signal"
  make_tree tree
  chmod 755 tree/a/b
  seal -k k tree -o c && expect_status 0
  mkfifo fifo
  env --default-signal=INT "$VERSHINA" open -k k - -o x < fifo 2> .err &
  local pid=$!
  exec 9> fifo
  head -c 150000 c >&9
  wait_for compgen -G '.vershina-*.tmp/a/*'
  kill -INT $pid
  status=0
  wait $pid || status=$?
  exec 9>&-
  : > .out
  expect_status 130 && expect_error "interrupted: x was not written" && expect_no_file x
}

test_power_failure() {
  need_recorder
  need_directories
  mkdir -p tree/a/b
  make_data 300000 tree/a/data
  echo text > tree/a/b/text
  recorded "$VERSHINA" seal -k k tree && expect_whole tree.sealed
  recorded "$VERSHINA" open -k k tree.sealed -o back && expect_whole back
}
