# shellcheck shell=bash
# `vershina hash`: digests, formats, many files, streams.

M1=012345678901234567890123456789012345678901234567890123456789012 # RFC 6986, 10.1
M1_256=9d151eefd8590b89daa6ba6cb74af9275dd051026bb149a452fd84e5e57b5500
M1_512=1b54d01a4af5b9d5cc3d86d68d285462b19abc2475222f35c085122be4ba1ffa00ad30f8767b3a82384c6574f024c311e2a481332b08ef7f41797891c1646f48

test_digests_of_rfc_6986() {
  printf %s "$M1" > m1
  vershina hash m1 && expect_status 0 && expect_stdout "$M1_256  m1"
  vershina hash -a streebog256 m1 && expect_stdout "$M1_256  m1"
  vershina hash -a streebog512 m1 && expect_stdout "$M1_512  m1"
  vershina hash --algorithm=streebog512 m1 && expect_stdout "$M1_512  m1"
}

test_standard_input() {
  printf %s "$M1" > m1
  run "$VERSHINA" hash < m1
  expect_status 0 && expect_stdout "$M1_256  -"
  run "$VERSHINA" hash - < m1
  expect_stdout "$M1_256  -"
}

test_standard_input_twice_is_empty_the_second_time() {
  printf %s "$M1" > m1
  run "$VERSHINA" hash - - < m1
  vershina_lines=$(cut -c1-64 .out | tr '\n' ' ')
  : > empty
  run "$VERSHINA" hash empty
  [ "$vershina_lines" = "$M1_256 $(cut -c1-64 .out) " ] || fail "$vershina_lines"
}

test_formats() {
  printf %s "$M1" > m1
  vershina hash -b m1 && expect_stdout "$M1_256 *m1"
  vershina hash -t m1 && expect_stdout "$M1_256  m1"
  vershina hash -b -t m1 && expect_stdout "$M1_256  m1"
  vershina hash -t -b m1 && expect_stdout "$M1_256 *m1"
  vershina hash --tag m1 && expect_stdout "Streebog-256 (m1) = $M1_256"
  vershina hash --tag -a streebog512 m1 && expect_stdout "Streebog-512 (m1) = $M1_512"
  vershina hash -z m1
  [ "$(tr '\0' '!' < .out)" = "$M1_256  m1!" ] || fail "-z: $(tr '\0' '!' < .out)"
}

test_odd_names_are_escaped() {
  local name
  for name in $'new\nline' 'back\slash' $'carriage\rreturn'; do printf %s "$M1" > "$name"; done
  vershina hash $'new\nline' 'back\slash' $'carriage\rreturn'
  expect_stdout "\\$M1_256  new\\nline
\\$M1_256  back\\\\slash
\\$M1_256  carriage\\rreturn"
  vershina hash --tag $'new\nline' && expect_stdout "\\Streebog-256 (new\\nline) = $M1_256"
  vershina hash -z 'back\slash'
  [ "$(tr '\0' '!' < .out)" = "$M1_256  back\\slash!" ] || fail "with -z names stand as they are"
}

test_names_that_a_command_line_parser_might_misread() {
  local name
  for name in '[a,b]' '[]' '{}' '%%' mac encrypt ' ' 'a b' -x $'\001[a]' '--' "it's"; do
    printf %s "$M1" > "./$name"
    vershina hash -- "$name"
    expect_status 0 && expect_stdout "$M1_256  $name"
  done
  vershina hash '[a,b]' '{}' mac && expect_stdout "$M1_256  [a,b]
$M1_256  {}
$M1_256  mac"
}

test_many_files_in_order_with_any_number_of_threads() {
  local i
  for i in $(seq 1 300); do printf '%s' "$i" > "f$i"; done
  vershina hash --threads 1 f* && cp .out one
  vershina hash --threads 7 f* && cmp .out one
  vershina hash f* && cmp .out one
  [ "$(wc -l < one)" -eq 300 ] || fail "lines are missing"
}

test_an_unreadable_file_does_not_stop_the_others() {
  printf %s "$M1" > a
  cp a b
  mkdir dir
  vershina hash a missing dir b
  expect_status 1
  expect_stdout "$M1_256  a
$M1_256  b"
  expect_stderr_has "vershina: missing: No such file or directory"
  expect_stderr_has "vershina: dir: Is a directory"
}

test_read_error() {
  [ -r /proc/self/mem ] || skip "no /proc/self/mem"
  [ "$(id -u)" -eq 0 ] || skip "only root may open the program's memory"
  vershina hash /proc/self/mem
  expect_status 1 && expect_error "/proc/self/mem: Input/output error"
}

test_file_without_a_size() {
  cat /proc/version > copy
  local want
  want=$("$VERSHINA" hash copy | cut -c1-64)
  vershina hash /proc/version && expect_stdout "$want  /proc/version"
}

test_pipe_equals_file() {
  make_data 3000001 data
  local want
  want=$("$VERSHINA" hash data | cut -c1-64)
  run "$VERSHINA" hash < <(head -c 1000 data && sleep 0.2 && tail -c +1001 data)
  expect_stdout "$want  -"
}

test_kernels_and_constant_time() {
  local kernel want
  make_data 100000 data
  want=$("$VERSHINA" hash data)
  for kernel in $("$VERSHINA" kernels | awk '$1 == "streebog" && $6 == "yes" {print $2}'); do
    vershina hash --kernel "$kernel" data && expect_status 0 && expect_stdout "$want"
  done
  vershina hash --constant-time data && expect_status 0 && expect_stdout "$want"
  vershina hash --constant-time --kernel tables data
  expect_status 1 && expect_error "leave out --constant-time"
  vershina hash --kernel nonsense data
  expect_status 1 && expect_error nonsense
}

test_usage_errors_have_status_1() {
  vershina hash --nonsense && expect_status 1 && expect_error --nonsense "vershina hash --help"
  vershina hash -a md5 x && expect_status 1 && expect_error md5 streebog256 streebog512
}

test_full_disk_and_closed_output() {
  printf %s "$M1" > m1
  status=0
  "$VERSHINA" hash m1 > /dev/full 2> .err || status=$?
  : > .out
  expect_status 1 && expect_error "write error: No space left on device"
  status=0
  "$VERSHINA" hash m1 >&- 2> .err || status=$?
  expect_status 1 && expect_error "Bad file descriptor"
  status=0
  "$VERSHINA" hash <&- 2> .err || status=$?
  expect_status 1 && expect_error "standard input: Bad file descriptor"
}

test_closed_pipe_is_quiet() {
  local files
  echo x > x
  mapfile -t files < <(yes x | head -n 3000)
  set +e
  "$VERSHINA" hash "${files[@]}" 2> .err | head -n 1 > .out
  status=${PIPESTATUS[0]}
  set -e
  expect_status 141 && expect_silent
}

test_file_that_shrinks_while_it_is_read() {
  truncate -s 40G sparse 2> /dev/null || skip "no large sparse files here"
  "$VERSHINA" hash sparse > .out 2> .err &
  local pid=$!
  has_read() { [ "$(sed -n 's/^rchar: //p' "/proc/$pid/io")" -gt 10000000 ]; }
  wait_for has_read
  : > sparse
  status=0
  wait "$pid" || status=$?
  expect_status 1 && expect_error "sparse: the file became shorter while it was read"
}

test_gost_r_34_11_94() {
  printf %s "message digest" > m
  local cp=bc6041dd2aa401ebfa6e9886734174febdb4729aa972d60f549ac39b29721ba0
  vershina hash -a gost94-cryptopro m && expect_status 0 && expect_stdout "$cp  m"
  vershina hash -a gost94-test --tag m && expect_stdout "GOST94-Test (m) = ad4434ecb18f2c99b60cbe59ec3d2469582b65273f48de72db2fde16a4889a4d"
  # Without a tag or -a, 64 digits are Streebog's.
  echo "$cp  m" > SUMS
  vershina hash --check -a gost94-cryptopro SUMS && expect_status 0 && expect_stdout "m: OK"
  vershina hash --check SUMS && expect_status 1
  vershina hash -a gost94-cryptopro --tag m > /dev/null && cp .out TAGGED
  vershina hash --check TAGGED && expect_status 0 && expect_stdout "m: OK"
  vershina hash --check -a gost94-test TAGGED && expect_status 1
}

# `hash --recursive` and `hash --json`.

make_tree() {
  local name
  mkdir -p d/a d/a-b d/a.b/c d/empty
  for name in d/a/x d/a-b/y d/a-c d/a.b/c/z d/a.b/file d/.hidden d/-r 'd/ blank ' d/Z; do echo "$name" > "$name"; done
}

# expect_same_as_find DIR: lines as of find and sort, and the list checks.
expect_same_as_find() {
  find "$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 "$VERSHINA" hash -- > .expected
  vershina hash -r "$1" && expect_status 0 && expect_silent
  cmp .expected .out || fail "$1: not as of find"
  cp .out .list
  vershina hash --check --strict .list && expect_status 0 && expect_silent
}

test_recursive_names_and_order_are_those_of_find() {
  local dir
  make_tree
  for dir in d d/ ./d d/../d "$PWD/d"; do expect_same_as_find "$dir"; done
  cd d || exit
  vershina hash --recursive && expect_status 0 && cp .out ../without
  rm .out .err
  vershina hash --recursive . && expect_stdout_has "  ./a.b/c/z" && cmp ../without .out
}

test_recursive_threads_and_formats() {
  make_tree
  "$VERSHINA" hash -r --threads 1 d > one
  vershina hash -r --threads 7 d && cmp one .out
  vershina hash -r --tag -a streebog512 d/a && expect_stdout_has "Streebog-512 (d/a/x) = "
  vershina hash -rz d/a && [ "$(tr '\0' '!' < .out | cut -d' ' -f3)" = "d/a/x!" ] || fail "-z"
}

test_recursive_files_and_directories_in_the_order_given() {
  make_tree
  run "$VERSHINA" hash -r d/Z d/a missing - d/a-b < d/a-c
  expect_status 1 && expect_error "missing: No such file or directory"
  [ "$(cut -c67- .out | tr '\n' ' ')" = "d/Z d/a/x - d/a-b/y " ] || fail "$(cat .out)"
  vershina hash -r d/empty && expect_status 0 && expect_stdout "" && expect_silent
  vershina hash d && expect_status 1 && expect_error "d: Is a directory"
}

test_recursive_odd_names() {
  local name
  mkdir $'new\nline'
  for name in $'new\nline/new\nline' $'new\nline/back\\slash' $'new\nline/\xff\xfe' $'new\nline/\e[31m'; do
    echo "$name" > "$name"
  done
  vershina hash -r $'new\nline' && expect_status 0 && expect_stdout_has '  new\nline/new\nline'
  [ "$(grep -c '^[\]' .out)" -eq 4 ] || fail "four names should be escaped"
  cp .out list
  vershina hash --check list && expect_status 0 && [ "$(grep -c ': OK$' .out)" -eq 4 ] || fail "$(cat .out)"
}

test_recursive_links_and_special_files_are_left_out() {
  make_tree
  ln -s / d/root
  ln -s . d/loop
  ln -s a/x d/link
  ln -s nowhere d/dangling
  mkfifo d/fifo
  vershina hash -r d && expect_status 0
  [ "$(wc -l < .out)" -eq 9 ] || fail "$(cat .out)"
  expect_stderr_has "vershina: 4 symbolic links were not followed"
  expect_stderr_has "vershina: 1 FIFO, socket or device was left out"
  # A link that was named is followed.
  ln -s d named
  vershina hash -r named && expect_status 0 && expect_stdout_has "  named/a/x"
}

test_recursive_the_list_itself_is_left_out() {
  make_tree
  "$VERSHINA" hash -r d > d/SUMS 2> .err
  : > .out
  expect_error "d/SUMS: is the output, and was left out"
  vershina hash --check d/SUMS && expect_status 0 && expect_silent
}

test_recursive_unreadable_files_do_not_stop_the_others() {
  make_tree
  chmod 0 d/a/x d/a-b
  as_user './vershina hash -r d'
  expect_status 1 && expect_stderr_has "d/a/x: Permission denied" && expect_stderr_has "d/a-b: Permission denied"
  [ "$(wc -l < .out)" -eq 7 ] || fail "the others are missing: $(cat .out)"
}

# Deeper than there are descriptors, and than a name may be long.
test_recursive_deep_directories() {
  local depth=1500
  need python3
  python3 - $depth <<'PY' # which changes directories faster than a shell
import os, sys
os.mkdir("deep")
os.chdir("deep")
for level in range(int(sys.argv[1])):
    open("z", "w").write(str(level))
    os.mkdir("d")
    os.chdir("d")
PY
  (ulimit -n 64 && run "$VERSHINA" hash -r deep && expect_status 0 && expect_silent)
  [ "$(wc -l < .out)" -eq $depth ] || fail "$(wc -l < .out) lines"
  [ "$(tail -n 1 .out | cut -c67-)" = deep/z ] && head -n 1 .out | grep -q '/d/d/z$' || fail "order"
  local name
  name=$(printf '%0200d' 0)
  (
    mkdir long && cd long || exit
    for ((i = 0; i < 30; i++)); do mkdir "$name" && cd "$name"; done
    echo unreachable > file
  )
  echo reachable > long/file
  vershina hash -r long && expect_status 1 && expect_stdout_has "  long/file"
  [ "$(wc -l < .err)" -eq 1 ] && grep -q ': File name too long$' .err || fail "$(wc .err)"
}

# Entries that appear, vanish, and change places with links to a secret, while the program reads them.
test_recursive_links_that_appear_meanwhile() {
  local i secret
  mkdir -p d out
  echo secret > out/file
  secret=$("$VERSHINA" hash out/file | cut -c1-64)
  for i in $(seq 40); do mkdir "d/$i" && echo public > "d/$i/file"; done
  (
    while :; do
      for i in 7 23 40; do
        mv "d/$i" "moved" && ln -s ../out "d/$i" && rm "d/$i" && mv moved "d/$i"
        mv "d/$i/file" moved && ln -s ../../out/file "d/$i/file" && rm "d/$i/file" && mkfifo "d/$i/file" &&
          rm "d/$i/file" && mv moved "d/$i/file"
      done
    done
  ) 2> /dev/null &
  local pid=$!
  for i in $(seq 60); do
    "$VERSHINA" hash -r d > .out 2> .err || true
    if grep -q "$secret" .out; then kill $pid; fail "a link was followed"; fi
  done
  kill $pid
  wait $pid 2> /dev/null || true
  grep -q '  d/1/file$' .out || fail "$(cat .err)"
}

test_json() {
  need python3
  make_tree
  echo odd > $'d/\xff\n"'
  mkfifo d/fifo
  "$VERSHINA" hash -r --json d missing > json 2> .err && fail "status"
  python3 - "$VERSHINA" <<'PY'
import json, os, subprocess, sys
rows = json.load(open("json", encoding="utf-8"))
assert rows[-1] == {"file": "missing", "algorithm": "streebog256", "error": "No such file or directory"}, rows[-1]
assert len(rows) == 11, rows
names = []
for row in rows[:-1]:
    assert set(row) - {"file_hex"} == {"file", "algorithm", "digest", "bytes"}, row
    name = bytes.fromhex(row["file_hex"]) if "file_hex" in row else row["file"].encode()
    names.append(name)
    assert row["bytes"] == os.stat(name).st_size
    line = subprocess.run([sys.argv[1], "hash", "-z", "--", name], stdout=subprocess.PIPE, check=True).stdout
    assert line == row["digest"].encode() + b"  " + name + b"\0", (line, row)
    assert ("file_hex" in row) == (b"\xff" in name) and b"fifo" not in name
assert names == sorted(names)
PY
  vershina hash --json d/Z && [ "$(wc -l < .out)" -eq 3 ] || fail "a line for each object"
  vershina hash -r --json d/empty && expect_status 0 && expect_stdout "[]"
  vershina hash --json --tag d/Z && expect_status 1 && expect_error "--json is a format of its own"
  vershina hash -c -r d && expect_status 1 && expect_error "--recursive option is meaningless"
}

test_json_is_not_translated() {
  local locale
  locale=$(locale -a 2> /dev/null | grep -iE '^ru_RU\.utf-?8$') || true
  LC_ALL=${locale:-C} LANGUAGE=ru vershina hash --json missing
  expect_stdout_has '"error": "No such file or directory"'
}

test_json_of_a_check() {
  need python3
  make_tree
  "$VERSHINA" hash d/Z d/a-c d/a/x > SUMS
  { echo nonsense && "$VERSHINA" hash --tag -a streebog512 d/-r; } >> SUMS
  echo changed > d/Z
  rm d/a-c
  vershina hash --check --json SUMS && expect_status 1
  expect_stderr_has "d/a-c: No such file or directory"
  python3 - <<'PY'
import json
rows = json.load(open(".out"))
(odd,) = [row for row in rows if "file" not in row]
assert odd == {"list": "SUMS", "line": 4, "result": "misformatted"}, odd
results = {row["file"]: row for row in rows if row is not odd}
assert {name: row["result"] for name, row in results.items()} == {
    "d/Z": "FAILED", "d/a-c": "missing", "d/a/x": "OK", "d/-r": "OK"}
assert results["d/Z"]["digest"] != results["d/Z"]["expected"] and results["d/Z"]["bytes"] == 8
assert results["d/-r"]["algorithm"] == "streebog512" and results["d/-r"]["list"] == "SUMS"
assert results["d/a-c"]["error"] == "No such file or directory" and "digest" not in results["d/a-c"]
PY
  vershina hash --check --json --quiet SUMS && ! grep -q '"OK"' .out || fail "--quiet"
  vershina hash --check --json --status SUMS && expect_status 1 && expect_stdout ""
}

test_recursive_a_device_gets_them_in_batches() {
  fake_cuda
  local i
  mkdir -p d/deep
  for i in $(seq 70); do echo "$i" > "d/deep/$i"; done
  head -c 1100000 /dev/zero > d/long
  "$VERSHINA" hash -r d > expected
  vershina hash -r --device cuda:0 d missing && expect_status 1 && expect_error "missing: No such file"
  cmp expected .out
}
