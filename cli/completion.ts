// Completion scripts for four shells. They ask the program for candidates each time, so they
// never know other commands and flags than it does, and ids, recipients and profiles are those of the moment.
import { usageFailure } from './failures.ts';

const scripts: Record<string, string> = {
  bash: `_waybill() {
  local line="\${COMP_LINE:0:COMP_POINT}" current reply
  local -a words=()
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  COMPREPLY=()
  while IFS= read -r reply; do
    reply="\${reply%%$'\\t'*}"
    COMPREPLY+=("\${reply#"\${current%"\${current##*[@:=]}"}"}")
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _waybill waybill
`,
  zsh: `#compdef waybill
_waybill() {
  local line value
  local -a found
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    found+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
  done < <(waybill __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe 'waybill' found; else _files; fi
}
# As a file of the shell's own path this is the function itself; read with "source" it only has to be named.
if [[ \${funcstack[1]} == _waybill ]]; then _waybill "$@"; else compdef _waybill waybill; fi
`,
  fish: `function __waybill_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (waybill __complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c waybill -f -a '(__waybill_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName waybill -ScriptBlock {
  param($word, $tree, $position)
  $words = @($tree.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  waybill __complete '--' @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`,
};

export const shells = Object.keys(scripts);

export function completionScript(shell: string): string {
  const script = scripts[shell];
  if (script === undefined) throw usageFailure(`there is no completion for “${shell}”`, `Known: ${shells.join(', ')}.`);
  return script;
}
