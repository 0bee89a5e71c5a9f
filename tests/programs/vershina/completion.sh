# shellcheck shell=bash
# `vershina completion`: candidates of the program, and of real shells.

# offered WORDS...: the candidates for the last word, on one line.
offered() {
  "$VERSHINA" completion --candidates -- "$@" | cut -f 1 | paste -sd ' '
}

expect_offered() {
  local want=$1 got
  shift
  got=$(offered "$@")
  [ "$got" = "$want" ] || fail "vershina $*: offered '$got', not '$want'"
}

test_commands() {
  local command
  for command in $("$VERSHINA" --help | sed -n '/^[A-Z]*[Ss]ubcommands:/,/^$/p' | awk '/^  [a-z]/ {print $1}'); do
    [[ " $(offered '') " = *" $command "* ]] || fail "not offered: $command"
  done
  [[ " $(offered '') " = *" encrypt "* ]] || fail "encrypt is not offered"
  expect_offered encrypt enc
  expect_offered "" nonsense
  expect_offered "" nonsense ''
  expect_offered "--version" --vers
}

# Every option that a command's help shows, long and short, is offered; and nothing that the command refuses.
test_every_option_of_every_command() {
  local command option num=0
  for command in $(offered ''); do
    "$VERSHINA" "$command" --help > help
    for option in $(grep -oE '^  (-[a-zA-Z],)?--[a-z0-9-]+' help | tr ',' '\n' | tr -d ' '); do
      [[ " $(offered "$command" -) " = *" $option "* ]] || fail "$command: $option is not offered"
      num=$((num + 1))
    done
    for option in $(offered "$command" --); do
      case $option in --version) continue ;; esac
      grep -qE -- "(^|[ ,])$option( |$)" help || fail "$command: $option is offered, but the help lacks it"
    done
  done
  [ $num -gt 60 ] || fail "only $num options"
}

test_values() {
  expect_offered "kuznyechik-xts" encrypt -c kuznyechik-x
  local ciphers
  ciphers=$(offered encrypt --cipher '')
  for cipher in kuznyechik-ecb magma-cbc gost28147-cnt kuznyechik-xts; do
    [[ " $ciphers " = *" $cipher "* ]] || fail "not offered: $cipher"
  done
  expect_offered "$ciphers" decrypt --cipher = ''
  expect_offered "$ciphers" decrypt --cipher =
  expect_offered "--cipher=magma-ofb" encrypt --cipher=magma-o
  expect_offered "streebog256 streebog512" hash -a streebog
  expect_offered "magma-mac" mac -a magma-m
  expect_offered "tc26-z" encrypt --sbox tc
  expect_offered "2 1 pkcs7 none" encrypt --padding ''
  expect_offered "md_gost12_512 md_gost12_256 sha256" decrypt --md ''
  expect_offered "raw" encrypt -c magma-ecb --key-format r
  expect_offered "bash fish zsh" completion ''
  expect_offered "" encrypt --threads ''
  expect_offered "" encrypt --iv-hex 12
  local kernels
  kernels=$(offered mac --kernel '')
  [ -n "$kernels" ] || fail "no kernels"
  local kernel
  for kernel in $kernels; do grep -qw -- "$kernel" <("$VERSHINA" kernels) || fail "no such kernel: $kernel"; done
}

test_files() {
  expect_offered ":files" encrypt --key-file ''
  expect_offered ":files" encrypt -c magma-ecb -o x
  expect_offered ":files" encrypt -c magma-ecb ''
  expect_offered ":files" hash --quiet some
  expect_offered ":files" hash -- -
}

test_unknown_shell() {
  vershina completion tcsh && expect_status 2 && expect_error tcsh "bash, fish and zsh"
  vershina completion && expect_status 2 && expect_error "name a shell: bash"
  vershina completion bash zsh && expect_status 2
}

# complete_in_bash WORDS...: bash's own replacement of the last one.
complete_in_bash() {
  bash --norc -c '
    PATH=$(dirname "$VERSHINA"):$PATH
    source <(vershina completion bash)
    complete -p vershina > /dev/null || exit 1
    COMP_WORDS=(vershina "$@") COMP_CWORD=$#
    _vershina
    printf "%s " "${COMPREPLY[@]}"' bash "$@"
}

test_bash() {
  [ "$(complete_in_bash enc)" = "encrypt " ] || fail "enc: $(complete_in_bash enc)"
  [ "$(complete_in_bash encrypt -c magma-o)" = "magma-ofb " ] || fail "magma-o: $(complete_in_bash encrypt -c magma-o)"
  [ "$(complete_in_bash encrypt --cipher = kuznyechik-x)" = "kuznyechik-xts " ] || fail "--cipher=kuznyechik-x"
  [ "$(complete_in_bash encrypt --first)" = "--first-sector " ] || fail "--first"
  [ -z "$(complete_in_bash encrypt --key-file x | tr -d ' ')" ] || fail "files are bash's own business"
}

# expect_completed FUNCTION LINE WANT: a shell's completion of the last word of a command line.
expect_completed() {
  local got
  got=$($1 "$2")
  [ "$got" = "$3" ] || fail "$1: '$2' became '$got', not '$3'"
}

# All kinds of completion: names, values with and without "=", files with and without "=".
expect_all_completed() {
  touch some.key other.txt
  expect_completed "$1" "vershina enc" encrypt
  expect_completed "$1" "vershina encrypt -c magma-o" magma-ofb
  expect_completed "$1" "vershina encrypt --cipher=magma-o" --cipher=magma-ofb
  expect_completed "$1" "vershina encrypt --first" --first-sector
  expect_completed "$1" "vershina encrypt --key-file som" some.key
  expect_completed "$1" "vershina encrypt --key-file=som" --key-file=some.key
  expect_completed "$1" "vershina hash o" other.txt
  expect_completed "$1" "vershina encrypt --threads o" "$2"
}

# In fish no candidates give no output; a description follows a tab.
# shellcheck disable=SC2016 # for fish
complete_in_fish() {
  HOME=$PWD PATH=$(dirname "$VERSHINA"):$PATH fish --no-config -c '
    vershina completion fish | source
    complete -C "$argv[1]"' "$1" | cut -f 1
}

test_fish() {
  need fish
  expect_all_completed complete_in_fish ""
}

# In zsh the command line itself changes, and is unchanged without candidates. $load loads the script.
complete_in_zsh() {
  PATH=$(dirname "$VERSHINA"):$PATH zsh -f "$TESTS/support/complete.zsh" "$load" "$1"
}

test_zsh() {
  need zsh
  need_terminal # zpty
  mkdir functions
  "$VERSHINA" completion zsh > functions/_vershina
  local load="fpath=($PWD/functions \$fpath); autoload -U compinit; compinit -u -d $PWD/dump"
  expect_all_completed complete_in_zsh o
  load="autoload -U compinit; compinit -u -D; source <(vershina completion zsh)"
  expect_completed complete_in_zsh "vershina encrypt -c magma-o" magma-ofb
}

# Scripts of missing shells are at least printed; installed shells must read them.
test_scripts_are_read() {
  local shell num=0
  for shell in bash fish zsh; do
    vershina completion $shell && expect_status 0 && expect_silent
    expect_stdout_has "completion --candidates --"
    command -v $shell > /dev/null || { echo "no $shell here: its script was not read"; continue; }
    case $shell in fish) fish --no-execute .out ;; *) $shell -n .out ;; esac || fail "$shell does not read its script"
    num=$((num + 1))
  done
  [ $num -gt 0 ] || fail "no shell at all"
}
