// Generates docs/man/waybill.1 from the commands.
import type { Command } from 'commander';
import { commandLine, exitMeanings, visibleCommands } from './cli-page.ts';

export async function manPage(): Promise<string> {
  const program = commandLine();
  return `${[
    '.TH WAYBILL 1 "" "Waybill" "User Commands"',
    '.SH NAME',
    'waybill \\- send files that are too big or too sensitive for e\\-mail',
    '.SH SYNOPSIS',
    '.B waybill',
    '.I command',
    '[\\fIflags\\fR] [\\fIarguments\\fR]',
    '.SH DESCRIPTION',
    'Sends, requests and receives files through a server of the Waybill API. Data goes to stdout, everything else to stderr.',
    'After Ctrl\\-C, a lost connection or a kill, run the same command again: it resumes where it stopped, and sends once.',
    '.SH COMMANDS',
    ...visibleCommands(program).flatMap((command) => commandLines(command, 'waybill')),
    '.SH FLAGS OF EVERY COMMAND',
    ...optionLines(program),
    '.SH EXIT STATUS',
    ...exitMeanings().flatMap(([code, meaning]) => ['.TP', `.B ${code}`, escaped(meaning)]),
    '.SH FILES',
    '.TP',
    '.I ~/.config/waybill/config.toml',
    'Profiles and defaults. Another place: \\fBWAYBILL_CONFIG\\fR.',
    '.TP',
    '.I ~/.local/state/waybill/',
    'State of unfinished commands, for a week.',
    '.SH ENVIRONMENT',
    'WAYBILL_SERVER, WAYBILL_API_KEY, WAYBILL_API_KEY_FILE, WAYBILL_PROFILE, WAYBILL_NO_INPUT, WAYBILL_CHUNK_SIZE,',
    'WAYBILL_PARALLEL, NO_COLOR, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS',
  ].join('\n')}\n`;
}

function commandLines(command: Command, before: string): string[] {
  const name = `${before} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((inner) => commandLines(inner, name));
  const args = command.registeredArguments.map((argument) => {
    const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `\\fI${text}\\fR` : `[\\fI${text}\\fR]`;
  });
  return [
    `.SS ${[`\\fB${escaped(name)}\\fR`, ...args].join(' ')}`,
    `${escaped(command.description())}.`,
    ...optionLines(command),
  ];
}

function optionLines(command: Command): string[] {
  return command.options.flatMap(({ flags, description }) => ['.TP', `.B ${escaped(flags)}`, escaped(description)]);
}

/** Dashes that can be copied, literal backslashes, and no line that starts like a roff request. */
export function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
