// Lists on terminals of two widths, in a pipe and for scripts; see test/kit/transcripts.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, useCommandLine } from '#test/kit/command-line.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { assertTranscript } from '#test/kit/transcripts.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const hourMs = 3_600_000;

onOneEngine('transcripts of lists', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const ben = usePerson(app, 'ben');
  const line = useCommandLine(() => app.clock.now());
  const run = (args: string[], columns?: number, person = ann) =>
    line.run(args, { env: { ...asPerson(app, person), NO_COLOR: '1' }, ...(columns === undefined ? {} : { columns }) });

  before(async () => {
    writeFileSync(join(line.home, 'plan.bin'), Buffer.alloc(2_500_000, 'plan'));
    writeFileSync(join(line.home, 'A drawing with a long name, version 12.txt'), 'hello');
    const send = async (...flags: string[]) => (await run(['-q', 'send', '--to', ben.email, ...flags])).out.trim();
    await send('plan.bin', '-s', 'Offer for the harbour', '--expires', '1d');
    await run(['-q', 'link', 'plan.bin', '--expires', '1d']);
    app.clock.advance(50 * hourMs);
    const sent = await send('plan.bin', '-s', 'Sent to the wrong person');
    await run(['revoke', sent]);
    app.clock.advance(hourMs);
    await send(
      'plan.bin',
      'A drawing with a long name, version 12.txt',
      '-s',
      'Drawings, with all that was changed since May',
    );
    const link = (await run(['-q', 'link', 'A drawing with a long name, version 12.txt'])).out.trim();
    await line.run(['get', link, '-o', 'got']);
    await untilDownloadsEnd(app);
  });

  const lists = {
    list: ['list'],
    received: ['list', '--received'],
    links: ['links', 'ls'],
    log: ['log'],
  };
  for (const [name, args] of Object.entries(lists)) {
    const person = name === 'received' ? () => ben : () => ann;
    for (const columns of [80, 120])
      test(`${name} at ${columns} columns`, async () => {
        assertTranscript(`${name}-${columns}`, await run(args, columns, person()), { app, line, columns });
      });
    test(`${name} in a pipe`, async () => {
      assertTranscript(`${name}-pipe`, await run(args, undefined, person()), { app, line, columns: undefined });
    });
  }
  for (const [format, flags] of [
    ['json', ['--json']],
    ['events', ['--events=json']],
  ] as const)
    test(`links with --${format}`, async () => {
      assertTranscript(`links-${format}`, await run([...flags, 'links', 'ls']), { app, line, columns: undefined });
    });
});
