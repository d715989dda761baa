// Completion scripts for four shells, made from the commands themselves, so that they never know other flags than the
// program does.
import type { Command } from 'commander';
import { usageFailure } from './failures.ts';

interface Words {
  command: string;
  description: string;
  flags: string[];
}

function wordsOf(program: Command): Words[] {
  return program.commands.flatMap((command) => {
    const own = {
      command: command.name(),
      description: command.description(),
      flags: command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long])),
    };
    return [own];
  });
}

export function completionScript(program: Command, shell: string): string {
  const words = wordsOf(program);
  const global = program.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  const make = { bash, zsh, fish, powershell }[shell];
  if (make === undefined)
    throw usageFailure(`there is no completion for “${shell}”`, 'Known: bash, zsh, fish, powershell.');
  return make(words, global);
}

function bash(words: Words[], global: string[]): string {
  const cases = words.map(({ command, flags }) => `    ${command}) flags="${[...flags, ...global].join(' ')}" ;;`);
  return `_waybill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" flags="${global.join(' ')}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(({ command }) => command).join(' ')} ${global.join(' ')}" -- "$current"))
    return
  fi
  case "$command" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _waybill waybill
`;
}

function zsh(words: Words[], global: string[]): string {
  const commands = words.map(({ command, description }) => `    '${command}:${quoted(description)}'`);
  const cases = words.map(({ command, flags }) => `    ${command}) flags=(${[...flags, ...global].join(' ')}) ;;`);
  return `#compdef waybill
_waybill() {
  local -a commands flags
  commands=(
${commands.join('\n')}
  )
  flags=(${global.join(' ')})
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "\${words[2]}" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    compadd -- $flags
  else
    _files
  fi
}
compdef _waybill waybill
`;
}

function fish(words: Words[], global: string[]): string {
  const lines = words.flatMap(({ command, description, flags }) => [
    `complete -c waybill -n __fish_use_subcommand -a ${command} -d '${quoted(description)}'`,
    ...flags.map((flag) => `complete -c waybill -n '__fish_seen_subcommand_from ${command}' -l ${flag.slice(2)}`),
  ]);
  return `${[...lines, ...global.map((flag) => `complete -c waybill -l ${flag.slice(2)}`)].join('\n')}\n`;
}

function powershell(words: Words[], global: string[]): string {
  const cases = words.map(
    ({ command, flags }) => `    '${command}' = @(${[...flags, ...global].map((flag) => `'${flag}'`).join(', ')})`,
  );
  return `Register-ArgumentCompleter -Native -CommandName waybill -ScriptBlock {
  param($word, $tree, $position)
  $flags = @{
${cases.join('\n')}
  }
  $parts = $tree.CommandElements | ForEach-Object { $_.ToString() }
  $known = if ($parts.Count -gt 1 -and $flags.ContainsKey($parts[1])) { $flags[$parts[1]] } else { $flags.Keys }
  $known | Where-Object { $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -');
}
