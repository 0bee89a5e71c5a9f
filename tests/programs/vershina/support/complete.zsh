# complete.zsh COMMANDS LINE: the last word of LINE as an interactive zsh, after COMMANDS, completes it.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "$1; show() { zle complete-word; print -r -- \"\$BUFFER\" > $PWD/line.tmp; mv $PWD/line.tmp $PWD/line }"
zpty -w shell "zle -N show; bindkey '^X' show"
zpty -w -n shell "$2"$'\x18'
for ((i = 0; i < 1200; ++i)); do
  if [[ -s line ]]; then
    line=$(< line)
    rm line
    print -r -- "${${(z)line}[-1]}"
    exit 0
  fi
  sleep 0.1
done
print -u 2 "zsh did not answer"
exit 1
