/** What makes each shell ask `async-music complete` for words. Where that has none, the shell offers files. */
export const SCRIPTS = {
  bash: String.raw`_async_music() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${"$"}{line%%$'\t'*}")
  done < <(async-music complete -- "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _async_music async-music
`,
  zsh: String.raw`#compdef async-music
_async_music() {
  local line
  local -a candidates
  async-music complete -- "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null | while IFS= read -r line; do
    candidates+=("${"$"}{${"$"}{line%%$'\t'*}//:/\\:}:${"$"}{line#*$'\t'}")
  done
  if (( ${"$"}{#candidates} )); then
    _describe async-music candidates
  else
    _files
  fi
}
if (( ! ${"$"}{+functions[compdef]} )); then
  autoload -Uz compinit && compinit
fi
compdef _async_music async-music
`,
  fish: String.raw`function __async_music_complete
  set -l words (commandline -opc)[2..] (commandline -ct)
  set -l candidates (async-music complete -- $words 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c async-music -f -a '(__async_music_complete)'
`,
} as const;
