// The exact output of commands, in test/golden/cli, with ids, addresses and times replaced. `--write` renews the files.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, finalScreen, type Ran, useCommandLine } from '#test/kit/command-line.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const folder = join(import.meta.dirname, '../golden/cli');

onOneEngine('transcripts of the command line', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  before(() => {
    writeFileSync(join(line.home, 'plan.bin'), Buffer.alloc(2_500_000, 'plan'));
    writeFileSync(join(line.home, 'note.txt'), 'hello');
    writeFileSync(join(line.home, 'tool.exe'), 'MZ');
  });

  const plain = (text: string) =>
    text
      .replaceAll(app.url, 'https://files.example')
      .replaceAll(line.home, 'HOME')
      .replace(/\b[A-Za-z0-9]{22}\b/g, 'ID')
      .replace(/\b[0-9a-f-]{36}\b/g, 'UUID')
      .replace(/request [\w-]+\)/g, 'request ID)')
      .replace(/"request_id": ?"[^"]*"/g, '"request_id": "ID"')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
      .replace(/"(html|html_64|plain|plain_64)": ?"(?:[^"\\]|\\.)*"/g, '"$1": "TEXT"');
  const written = ({ code, out, err }: Ran, isTerminal: boolean) =>
    [`exit ${code}`, '--- stdout', plain(out), '--- stderr', plain(isTerminal ? finalScreen(err) : err)].join('\n');

  const send = ['send', 'plan.bin', 'note.txt', '--to', 'ben@x.example', '-s', 'Plans', '--expires', '14d'];
  const cases: Record<string, { args: string[]; columns?: number }> = {
    'send-terminal': { args: send, columns: 80 },
    'send-narrow-terminal': { args: send, columns: 44 },
    // One file, because the order of two varies.
    'send-pipe': { args: send.filter((arg) => arg !== 'plan.bin') },
    'send-json': { args: ['--json', ...send] },
    'send-quiet': { args: ['-q', ...send] },
    'send-refused-terminal': { args: ['send', 'tool.exe', '--to', 'ben@x.example'], columns: 80 },
    'send-refused-pipe': { args: ['send', 'tool.exe', '--to', 'ben@x.example'] },
    'show-missing-json': { args: ['--json', 'show', 'A'.repeat(22)] },
    'show-missing-events': { args: ['--events=json', 'show', 'A'.repeat(22)] },
    'show-missing-quiet': { args: ['-q', 'show', 'A'.repeat(22)] },
    'link-pipe': { args: ['link', 'note.txt'] },
    'link-quiet': { args: ['-q', 'link', 'note.txt'] },
    'whoami-pipe': { args: ['whoami'] },
    'unknown-command': { args: ['sned'] },
    help: { args: ['--help'] },
  };
  for (const [name, { args, columns }] of Object.entries(cases)) {
    test(name, async () => {
      const env = { ...asPerson(app, ann), NO_COLOR: '1' };
      const ran = await line.run(args, { env, ...(columns === undefined ? {} : { columns }) });
      const text = written(ran, columns !== undefined);
      const path = join(folder, `${name}.txt`);
      if (process.argv.includes('--write')) writeFileSync(path, text);
      assert.equal(text, readFileSync(path, 'utf8'));
    });
  }
});
