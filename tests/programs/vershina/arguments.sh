# shellcheck shell=bash
# Parsing of the command line: like getopt in sha256sum, with errors in plain words.

CTR=(-c kuznyechik-ctr --iv-hex 1234567890abcef0)

test_operands_around_the_double_dash() {
  echo a > a && echo b > b && echo lead > ' lead' && echo dash > -dash && echo mac > mac
  vershina hash a b && cp .out want
  vershina hash a -- b && expect_status 0 && expect_silent && cmp .out want
  vershina hash ' lead' -- -dash && expect_status 0 && expect_silent && [ "$(wc -l < .out)" -eq 2 ]
  vershina hash -- -- 2> /dev/null && expect_status 1 && expect_error "--: No such file"
  vershina hash a mac ++ && expect_status 1 && expect_error "++: No such file" && [ "$(wc -l < .out)" -eq 2 ]
  vershina mac -a magma-mac --key-hex "$KEY" a -- b && expect_status 0 && [ "$(wc -l < .out)" -eq 2 ]
  vershina mac a -a magma-mac -- -dash && expect_status 2 && expect_error "no key"
  encrypt "${CTR[@]}" -o x -- -dash && expect_status 0
  encrypt "${CTR[@]}" a -o y -- b && expect_status 2 && expect_error "unexpected argument b"
}

test_unknown_options_are_named() {
  echo a > a
  encrypt --bogus && expect_status 2 && expect_error "unknown option --bogus" "vershina encrypt --help"
  encrypt --bogus=1 && expect_status 2 && expect_error "unknown option --bogus"
  encrypt -weird -o x && expect_status 2 && expect_error "unknown option -weird"
  vershina hash --bogus a && expect_status 1 && expect_error "unknown option --bogus"
  vershina kernels -x && expect_status 2 && expect_error "unknown option -x"
  vershina --bogus && expect_status 2 && expect_error "unknown option --bogus" "vershina --help"
  encrypt "${CTR[@]}" --force=no a -o x && expect_status 2 && expect_error "--force takes no value"
  encrypt "${CTR[@]}" a -o && expect_status 2 && expect_error "--output needs a value"
  expect_no_file x
}

test_repeated_options_are_refused() {
  echo a > a
  raw_key k
  local c=("${CTR[@]}" --key-file k)
  vershina encrypt "${c[@]}" a -o x -o y && expect_status 2 &&
    expect_error "vershina: --output is given twice: give it once"
  vershina encrypt "${c[@]}" a -ox --output=y && expect_status 2 && expect_error "--output is given twice"
  vershina encrypt "${c[@]}" a -o x --iv-hex "$IV8" && expect_status 2 && expect_error "--iv-hex is given twice"
  vershina encrypt "${c[@]}" a -o x --key-file k && expect_status 2 && expect_error "--key-file is given twice"
  vershina mac -a magma-mac -a magma-mac --key-file k a && expect_status 2 && expect_error "--algorithm is given twice"
  vershina hash --threads 1 --threads 2 a && expect_status 1 && expect_error "--threads is given twice"
  vershina hash --kernel x --kernel y a && expect_status 1 && expect_error "--kernel is given twice"
  vershina hash --binary --binary a && expect_status 0
  expect_no_file x y
}

test_version_of_every_command() {
  vershina --version && cp .out want
  local command
  for command in hash mac encrypt decrypt kernels selftest; do
    vershina $command --version && expect_status 0 && expect_silent && cmp .out want
  done
  vershina encrypt --bogus --version && expect_status 2 && expect_error "unknown option --bogus"
}

test_an_empty_kernel_is_refused() {
  echo a > a
  vershina hash --kernel '' a && expect_status 1 && expect_error "kernel"
  vershina hash --kernel= a && expect_status 1 && expect_error "kernel"
  encrypt "${CTR[@]}" --kernel '' a -o x && expect_status 2 && expect_error "--kernel is empty" && expect_no_file x
}

test_standard_output_by_other_names() {
  [ -e /dev/fd/1 ] || skip "no /dev/fd"
  echo a > a
  encrypt "${CTR[@]}" a -o - && expect_status 0 && cp .out want
  local name
  for name in /dev/stdout /dev/fd/1; do
    encrypt "${CTR[@]}" a -o $name && expect_status 0 && expect_silent && cmp .out want
  done
}

test_advice() {
  echo a > a
  ln -s one two && ln -s two one
  encrypt "${CTR[@]}" one -o x && expect_status 3 &&
    expect_error "one: Too many levels of symbolic links: " "name the file itself"
  encrypt "${CTR[@]}" a -o one && expect_status 4 && expect_error "one: Too many levels of symbolic links: "
  encrypt "${CTR[@]}" a -o '' && expect_status 2 && expect_error "--output is empty"
  run "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" - -o x <&-
  expect_status 3 && expect_error "standard input: Bad file descriptor: " "redirect it"
  echo "${KEY:1}x" > kg
  vershina encrypt "${CTR[@]}" --key-file kg a -o x && expect_status 2 && expect_error "kg: " "use only 0-9 and a-f"
  encrypt -c kuznyechik-ctr --iv-hex "g${IV8:1}" a -o x && expect_status 2 &&
    expect_error --iv-hex "use only 0-9 and a-f"
  expect_no_file x
}

test_output_directory_removed_meanwhile() {
  mkdir d
  mkfifo fifo
  "$VERSHINA" encrypt "${CTR[@]}" --key-hex "$KEY" fifo -o d/x > .out 2> .err &
  local pid=$!
  exec 9> fifo
  wait_for compgen -G 'd/.vershina-*.tmp'
  rm -r d
  exec 9>&-
  status=0
  wait $pid || status=$?
  expect_status 4 && expect_error "d/x: its directory was removed while the output was written: make it again"
}

# VERSHINA_KERNEL is checked by the commands that only inform, too.
test_kernels_of_the_environment() {
  local command value
  for command in kernels selftest; do
    for value in nonsense kuznyechik:nonsense magma:portable,streebog:nonsense; do
      run env VERSHINA_KERNEL=$value "$VERSHINA" $command
      expect_status 5 && expect_error VERSHINA_KERNEL "$value" && [ ! -s .out ]
    done
    run env VERSHINA_KERNEL=kuznyechik:portable "$VERSHINA" $command
    expect_status 0 && expect_silent
  done
  run env VERSHINA_KERNEL=kuznyechik:tables "$VERSHINA" kernels
  expect_status 0 && expect_error "kuznyechik:tables" VERSHINA_KERNEL --allow-tables && expect_stdout_has FAMILY
}

test_lists_that_cannot_be_read() {
  mkdir dir
  vershina hash -c dir && expect_status 1 && [ "$(cat .err)" = "vershina: dir: read error" ]
  run "$VERSHINA" hash -c < /dev/null
  expect_status 1 && [ "$(cat .err)" = "vershina: 'standard input': no properly formatted checksum lines found" ]
  run "$VERSHINA" hash -c < dir
  expect_status 1 && [ "$(cat .err)" = "vershina: 'standard input': read error" ]
}
