// The exact output of commands, in test/golden/cli, with ids, addresses and times replaced. `--write` renews the files.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from './app.ts';
import { type CommandLine, finalScreen, type Ran } from './command-line.ts';

const folder = join(import.meta.dirname, '../golden/cli');

/** `columns`: of a terminal; a pipe when left out. */
export function assertTranscript(
  name: string,
  ran: Ran,
  { app, line, columns }: { app: TestApp; line: CommandLine; columns: number | undefined },
): void {
  const plain = (text: string) =>
    text
      .replaceAll(app.url, 'https://files.example')
      .replaceAll(line.home, 'HOME')
      .replace(/^[A-Za-z0-9]{22}(?= {2})/gm, 'ID'.padEnd(22))
      .replace(/\b[A-Za-z0-9]{22}\b/g, 'ID')
      .replace(/\b[0-9a-f-]{36}\b/g, 'UUID')
      .replace(/request [\w-]+\)/g, 'request ID)')
      .replace(/"request_id": ?"[^"]*"/g, '"request_id": "ID"')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
      .replace(/"(html|html_64|plain|plain_64)": ?"(?:[^"\\]|\\.)*"/g, '"$1": "TEXT"');
  const screen = columns === undefined ? ran.err : finalScreen(ran.err);
  const text = [`exit ${ran.code}`, '--- stdout', plain(ran.out), '--- stderr', plain(screen)].join('\n');
  const path = join(folder, `${name}.txt`);
  if (process.argv.includes('--write')) writeFileSync(path, text);
  assert.equal(text, readFileSync(path, 'utf8'));
}
