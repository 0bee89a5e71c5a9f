# Completion of the vershina command line for fish: the program itself says what is possible.
function __vershina_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l answer ($words[1] completion --candidates -- $words[2..-1] 2> /dev/null)
    if test "$answer" = :files
        set -l option (string match -r -- '^--[^=]+=' $words[-1])
        set -l path (string replace -- "$option" '' $words[-1])
        string join \n -- "$option"(__fish_complete_path $path)
    else
        printf '%s\n' $answer
    end
end
complete -c vershina -f -a '(__vershina_candidates)'
