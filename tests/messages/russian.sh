# shellcheck shell=bash
# Messages in Russian: help, errors, plurals; what programs read stays English. The locales are made here.

# Makes the locale ru_RU.CHARSET, and lets programs find it.
russian() {
  [ -f "$(dirname "$VERSHINA")/share/locale/ru/LC_MESSAGES/vershina.mo" ] || skip "this build has no gettext"
  need localedef
  localedef -i ru_RU -f "$1" "$PWD/ru_RU.$1" 2> localedef.log ||
    skip "no locale ru_RU.$1 can be made: $(head -n 1 localedef.log)"
  export LOCPATH=$PWD
  export LC_ALL=ru_RU.$1 2> /dev/null # this shell has no such locale itself
}

# Three words in small letters one after the other are English text. Examples of commands are none, nor is what stands
# in quotes: the text whose HMAC is a key's check value.
english_text() {
  grep -vE '^  +(vershina|\(?umask|tar|pg_dump|python3|source) ' "$1" | sed 's/"[^"]*"//g' |
    grep -E '\b[a-z]{2,} +[a-z]{2,} +[a-z]{2,}\b'
}

test_help() {
  russian UTF-8
  local command num=0
  "$VERSHINA" --help > all && grep -qF 'Вызов: vershina [ПАРАМЕТРЫ]' all
  ! english_text all || fail "--help"
  for command in $(sed -n '/^Команды:/,/^$/s/^  \([a-z]*\) .*/\1/p' all); do
    # test_disk, test_tunnel and test_tomo have their commands.
    case $command in disk | tunnel | tomo) continue ;; esac
    vershina "$command" --help && expect_status 0 && expect_silent && expect_stdout_has "Вызов: vershina $command"
    ! english_text .out || fail "$command --help"
    ! grep -nE '.{111}' .out || fail "a line of $command --help is too long"
    num=$((num + 1))
  done
  [ $num -ge 17 ] || fail "only $num commands"
  ! grep -E '\{[0-9]\}' .out || fail "a placeholder is shown"
}

# Checks the help of the commands of a program that `vershina NAME` starts.
check_help() {
  local command name=$1
  shift
  vershina "$name" --help && expect_status 0 && expect_silent && expect_stdout_has "Вызов: vershina $name"
  for command; do
    vershina "$name" "$command" --help && expect_status 0 && expect_silent &&
      expect_stdout_has "Вызов: vershina $name $command"
    sed "s/vershina $name [a-z]*//" .out > shown
    ! english_text shown || fail "$name $command --help"
    ! grep -nE '.{111}' .out || fail "a line of $name $command --help is too long"
    ! grep -E '\{[0-9]\}' .out || fail "a placeholder is shown"
  done
}

test_disk() {
  russian UTF-8
  [ -x "$(dirname "$VERSHINA")/vershina-disk" ] || skip "needs a build with libcryptsetup"
  check_help disk create info serve copy
  head -c 1M /dev/zero > image
  vershina disk info image && expect_status 7 && expect_error "нет верного заголовка LUKS2"
  vershina disk copy image && expect_status 2 && expect_error "не задан ни --from, ни --to"
}

# The contents of a key file are the same in every language.
test_tunnel() {
  russian UTF-8
  [ -x "$(dirname "$VERSHINA")/vershina-tunnel" ] || skip "needs Linux"
  check_help tunnel keygen run
  vershina tunnel keygen left.key left.key && expect_status 2 && expect_error "двум сторонам нужны два файла"
  vershina tunnel keygen -t x left.key right.key && expect_status 2 && expect_error "преобразование x не поддерживается"
  vershina tunnel keygen left.key right.key && expect_status 0 && expect_silent
  ! LC_ALL=C grep -q '[^ -~]' left.key
  vershina tunnel run -k left.key -l nowhere && expect_status 2 && expect_error "--listen: не адрес и порт: nowhere"
  rm left.key.state
  vershina tunnel run -k left.key -l 127.0.0.1:4500 && expect_status 3 &&
    expect_error "left.key.state: состояние номеров пакетов потеряно" && expect_error "номера пакетов повторились бы"
  sed 's/^receive/recieve/' right.key > wrong.key && chmod 600 wrong.key
  vershina tunnel run -k wrong.key -l 127.0.0.1:4500 && expect_status 2 &&
    expect_error "wrong.key, строка 5: неизвестное имя"
}

test_tomo() {
  russian UTF-8
  [ -x "$(dirname "$VERSHINA")/vershina-tomo" ] || skip "needs a build with nlohmann-json"
  check_help tomo phantom info centre reconstruct monitor segment compare view bench tune
  head -c 256 /dev/zero > scan.raw
  echo '{"shape": [4, 2, 8], "type": "float32", "whites": "scan.raw"}' > scan.raw.json
  vershina tomo info scan.raw && expect_status 0 && expect_stdout_has "scan.raw: просто числа" &&
    expect_stdout_has "  проекции     4 по 2 x 8 (строки x элементы), float32"
  vershina tomo info --json scan.raw && cp .out json
  LC_ALL=C vershina tomo info --json scan.raw && expect_status 0 && cmp .out json
  vershina tomo reconstruct --angle-step 45 scan.raw -o volume && expect_status 2 &&
    expect_error "по имени не определить формат"
  vershina tomo reconstruct scan.raw -o volume.npy && expect_status 2 && expect_error "scan.raw: углы не указаны"
  if "$VERSHINA" bench --help > .help; then
    vershina tomo bench --size 32 --projections 8 --slices 1 --min-time 0.001 -a fbp && expect_status 0 &&
      expect_stdout_has "МС НА СРЕЗ"
  fi
}

test_picture() {
  russian UTF-8
  "$VERSHINA" bench --help > .help || skip "this build has no benchmark"
  vershina bench --bars "$TESTS/../../../programs/bench/baselines/cpus/granite-rapids.json" && expect_status 0 &&
    cmp .out "$TESTS/../../../docs/ru/speed.svg"
}

test_errors() {
  russian UTF-8
  vershina seal nowhere && expect_status 3 && expect_error "проверьте имя"
  vershina seal --passphrase-fle x nowhere && expect_status 2 &&
    expect_error "неизвестный параметр --passphrase-fle: возможно, имелось в виду --passphrase-file?"
  vershina encrypt -c kuznechik-ctr --key-hex $KEY --iv-hex $IV8 p -o - && expect_status 2
  expect_error "--cipher: шифр kuznechik-ctr не поддерживается: возможно, имелось в виду kuznyechik-ctr?"
  vershina encrypt -c magma-ctr --key-hex $KEY --iv-hex 00000000 --device cuda:4000 /dev/null -o q && expect_status 12
  expect_error "--device cuda:4000: такого устройства нет"
  vershina tune --min-time 0,5 && expect_status 2 && expect_error "задайте число от 0.001 до 60"
}

test_plurals() {
  russian UTF-8
  local num
  for num in 1:'1 строка' 2:'2 строки' 5:'5 строк' 11:'11 строк' 21:'21 строка'; do
    seq "${num%%:*}" > list
    echo "3f539a213e97c802cc229d474c6aa32a825a360b2a933a949fd925208d9ce1bb  /dev/null" >> list
    vershina hash -c list && expect_status 0 && expect_stdout "/dev/null: OK"
    expect_error "ПРЕДУПРЕЖДЕНИЕ: ${num#*:} неверного формата"
  done
}

# Prints what programs read, and the exit codes.
machine_read() {
  local words
  while read -r words; do
    # shellcheck disable=SC2086  # words are meant
    "$VERSHINA" $words 2> err || echo "status $?"
  done <<'END'
kernels --json
inspect --json p.sealed
devices --json
hash p
hash -c list
hash --json p nowhere
hash -c --json list
mac -a kuznyechik-mac -k key --json p nowhere
hash --tag -a streebog512 p
open --verify -k key p.sealed
open -k wrong p.sealed -o none
completion bash
completion --candidates -- enc
completion --candidates -- seal --pass
completion --candidates -- tune --
--version
selftest
END
}

test_machine_read() {
  head -c 100000 /dev/zero > p
  head -c 32 /dev/zero > key
  head -c 32 /dev/urandom > wrong
  printf '%064d  p\n' 0 > list
  "$VERSHINA" seal -q -k key p
  machine_read > english
  russian UTF-8
  vershina --help && grep -q Вызов .out
  machine_read > russian
  cmp english russian
  grep -q FAILED russian && grep -q 'status 6' russian
}

# Tables are laid out by characters, and not by bytes.
test_tables() {
  russian UTF-8
  need python3
  "$VERSHINA" kernels > table
  PYTHONIOENCODING=utf-8 python3 - <<'PY'
lines = open("table", encoding="utf-8").read().splitlines()
column = lines[0].index("ПОСТОЯННОЕ ВРЕМЯ")
rows = [line for line in lines[1:] if line.split()[0] in ("kuznyechik", "magma", "streebog", "gf2n")]
assert len(rows) > 5 and all(row[column:].split()[0] in ("да", "нет") and row[column - 1] == " " for row in rows)
PY
}

# Where the charset is not UTF-8, everything is English.
test_other_charsets() {
  local charset
  for charset in KOI8-R CP1251; do
    (
      russian $charset
      vershina seal nowhere && expect_status 3 && expect_error "nowhere: No such file or directory: check the name"
      vershina --help && expect_status 0 && ! LC_ALL=C grep -q '[^ -~]' .out
    )
  done
}

test_language() {
  russian UTF-8
  LANGUAGE=en vershina seal nowhere && expect_error "check the name"
  LANGUAGE=de:ru vershina seal nowhere && expect_error "проверьте имя"
  LC_ALL='' LC_MESSAGES=C LC_CTYPE=ru_RU.UTF-8 vershina seal nowhere && expect_error "check the name"
  LC_ALL='' LC_MESSAGES=ru_RU.UTF-8 LC_CTYPE=C vershina seal nowhere && expect_error "check the name"
  LC_ALL=C LANGUAGE=ru vershina seal nowhere && expect_error "check the name"
}

# The catalogue is found next to the program, wherever that is, also through a link.
test_moved() {
  russian UTF-8
  local built
  built=$(dirname "$VERSHINA")
  mkdir -p moved/bin links
  cp "$VERSHINA" moved/bin
  run moved/bin/vershina seal nowhere && expect_error "check the name"
  cp -r "$built/share" moved
  ln -s ../moved/bin/vershina links/vershina
  run links/vershina seal nowhere && expect_error "проверьте имя"
  chmod 777 moved/share/locale/ru # where others could put one of theirs
  run links/vershina seal nowhere && expect_error "check the name"
  chmod 755 moved/share/locale/ru
  [ ! -x "$built/vershina-bench" ] || { cp "$built/vershina-bench" moved/bin && mv moved "once more"; }
  [ ! -d "once more" ] || { run "once more/bin/vershina-bench" tune --no && expect_error "неизвестный параметр"; }
}

# On a terminal more is said: nothing of it is English but names and options.
test_on_a_terminal() {
  russian UTF-8
  head -c 100 /dev/zero > p
  (umask 077 && head -c 32 /dev/zero > key)
  expect_on_terminal 0 'p.sealed записан; доступ: 1 ключ' '' "$VERSHINA" seal -k key p
  expect_on_terminal 0 'q записан' '' "$VERSHINA" open -k key p.sealed -o q
  cat .tty > all
  expect_on_terminal 0 'p.sealed: OK, 1 ключ' '' "$VERSHINA" open --verify -k key p.sealed
  cat .tty >> all
  expect_on_terminal 6 'p.sealed' $'123\n' "$VERSHINA" open --verify -p p.sealed
  cat .tty >> all
  sed -E 's/\x1b\[K|`[^`]*`|[a-z]+\.sealed|vershina|Caps Lock//g; s/-[^ ]*//g' all > words
  ! grep -E '[a-z]{2,}' words || fail "English"
}
