# Completion of the vershina command line for bash: the program itself says what is possible.
_vershina() {
  local word=${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  [[ $word == = ]] && word=
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o default 2> /dev/null
      COMPREPLY=()
      return
    fi
    line=${line%%$'\t'*}
    [[ $line == "$word"* ]] && COMPREPLY+=("$line")
  done < <("${COMP_WORDS[0]}" completion --candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -F _vershina vershina
