#compdef vershina
# Completion of the vershina command line for zsh: the program itself says what is possible.
_vershina() {
  local -a answer
  answer=("${(@f)$("${words[1]}" completion --candidates -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ $answer[1] == :files ]]; then
    compset -P '--*='
    _files
  elif [[ -n $answer[1] ]]; then
    answer=("${(@)answer//:/\\:}")
    answer=("${(@)answer/$'\t'/:}")
    _describe vershina answer
  fi
}
if [[ $funcstack[1] == _vershina ]]; then
  _vershina "$@"
else
  compdef _vershina vershina
fi
