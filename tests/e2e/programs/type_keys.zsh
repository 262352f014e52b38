# type_keys.zsh SHELL KEYS - types KEYS and Tab in an interactive shell, and prints the line that the shell has then, after
# "=42=". The completion of rfsup is in the working directory: _rfsup for zsh, rfsup.bash for bash.
zmodload zsh/zpty
typeset -A start=(
	zsh 'TERM=dumb zsh -f -i'
	bash 'TERM=dumb bash --norc -i')
typeset -A prepare=(
	zsh "PS1='> '; fpath=(\$PWD \$fpath); autoload -U compinit; compinit -u -D; echo rea''dy"
	bash "PS1='> '; bind 'set enable-bracketed-paste off'; source ./rfsup.bash; echo rea''dy")

# waits until the shell has written what matches the pattern
wait_for() {
	zpty -r -m shell text "*$1*" || exit 1
}

zpty shell $start[$1]
zpty -w shell $prepare[$1]
wait_for ready
# Tab; then Ctrl-A and Ctrl-E put the line into an argument of echo
zpty -w -n shell $2$'\t'
zpty -w -n shell $'\x01echo "=$((6 * 7))=\x05"\n'
wait_for $'=42=*\n'
print -r -- ${text//$'\r'/}
zpty -d shell
