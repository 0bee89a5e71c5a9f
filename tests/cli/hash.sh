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
  expect_status 1 && expect_error "Bad file descriptor"
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
