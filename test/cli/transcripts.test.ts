// The exact output of commands, in test/golden/cli, with ids, addresses and times replaced. `--write` renews the files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, useCommandLine } from '#test/kit/command-line.ts';
import { assertTranscript } from '#test/kit/transcripts.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

onOneEngine('transcripts of the command line', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  before(() => {
    writeFileSync(join(line.home, 'plan.bin'), Buffer.alloc(2_500_000, 'plan'));
    writeFileSync(join(line.home, 'note.txt'), 'hello');
    writeFileSync(join(line.home, 'tool.exe'), 'MZ');
  });

  const send = ['send', 'plan.bin', 'note.txt', '--to', 'ben@x.example', '-s', 'Plans', '--expires', '14d'];
  const cases: Record<string, { args: string[]; columns?: number; stoppedBy?: string }> = {
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
    'send-wide-terminal': { args: send, columns: 120 },
    'send-events': { args: ['--events', 'json', ...send.filter((arg) => arg !== 'plan.bin')] },
    'link-json': { args: ['--json', 'link', 'note.txt', '--again'] },
    'dry-run-terminal': { args: ['--dry-run', ...send], columns: 80 },
    'verify-no-receipt': { args: ['verify', 'note.txt'], columns: 80 },
    'wrong-limit': { args: ['list', '--limit', 'all'] },
    'wrong-chunk-size': { args: ['--chunk-size', 'big', 'link', 'note.txt'] },
    'unknown-flag-json': { args: ['--json', 'list', '--colour'] },
    'unknown-flag-events': { args: ['--events', 'json', 'list', '--colour'] },
    'unknown-command': { args: ['sned'] },
    'interrupted-terminal': { args: ['link', 'note.txt'], columns: 80, stoppedBy: 'SIGINT' },
    'interrupted-json': { args: ['--json', 'link', 'note.txt'], stoppedBy: 'SIGINT' },
    'terminated-pipe': { args: ['link', 'note.txt'], stoppedBy: 'SIGTERM' },
    'terminated-events': { args: ['--events=json', 'link', 'note.txt'], stoppedBy: 'SIGTERM' },
    help: { args: ['--help'] },
  };
  for (const [name, { args, columns, stoppedBy }] of Object.entries(cases)) {
    test(name, async () => {
      const env = { ...asPerson(app, ann), NO_COLOR: '1' };
      const signal = stoppedBy === undefined ? {} : { signal: AbortSignal.abort(stoppedBy) };
      const ran = await line.run(args, { env, ...signal, ...(columns === undefined ? {} : { columns }) });
      assertTranscript(name, ran, { app, line, columns });
    });
  }
});
