// Generates docs/man/waybill-server.8 from the output of `waybill-server help`.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { configEntries } from '#server/config-entries.ts';
import type { ConfigEntry } from '#server/config-entry.ts';
import { escaped } from './man-page.ts';
import { repositoryRoot } from './source-files.ts';

export async function serverManPage(): Promise<string> {
  const usage = execFileSync(process.execPath, [join(repositoryRoot, 'server', 'main.ts'), 'help'], {
    encoding: 'utf8',
  });
  return `${[
    '.TH WAYBILL\\-SERVER 8 "" "Waybill" "System Administration"',
    '.SH NAME',
    'waybill\\-server \\- the server of Waybill, secure file transfer',
    '.SH SYNOPSIS',
    '.B waybill\\-server',
    '.I command',
    '.SH DESCRIPTION',
    'Serves messages, links and file requests over HTTP from one port and one data folder. Settings come from the',
    'environment or from the file that \\fB\\-\\-env\\-file\\fR names. Without either, commands use the settings of the installed',
    'service. The server does not start with wrong settings; it reports all of them and changes nothing.',
    'The same file called \\fBwaybill\\fR is the command line, see \\fBwaybill\\fR(1).',
    '.SH COMMANDS',
    ...commandsIn(usage).flatMap(([command, meaning]) => ['.TP', `.B ${escaped(command)}`, escaped(meaning)]),
    '.SH EXIT STATUS',
    '0 for success, 1 for a failure, 2 for an unknown command.',
    '.SH FILES',
    '.TP',
    '.I /etc/waybill/waybill.env',
    'Settings of the service that the package installs.',
    '.TP',
    '.I /var/lib/waybill/',
    'Its data folder: database, files, and \\fImaster.key\\fR, without which no file can be read. Keep a copy of the key in',
    'another place.',
    '.SH ENVIRONMENT',
    ...(Object.values(configEntries) as ConfigEntry<unknown>[]).flatMap(({ name, meaning }) => [
      '.TP',
      `.B ${escaped(name)}`,
      escaped(`${meaning.replaceAll('`', '')}.`),
    ]),
    '.SH SEE ALSO',
    '.BR waybill (1)',
  ].join('\n')}\n`;
}

/** Parses lines such as `  waybill-server gc [--dry-run]     meaning`; after a long command, the meaning is on the next line. */
function commandsIn(usage: string): [command: string, meaning: string][] {
  return [...usage.matchAll(/^ {2}waybill-server (.+?)(?: {2,}|\n {20,})(\S.*)$/gm)].map(([, command, meaning]) => [
    command!,
    `${meaning}.`,
  ]);
}
