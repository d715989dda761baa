// `--dry-run` changes nothing: every command that changes something says what it would do, or refuses the flag.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, useCommandLine } from '#test/kit/command-line.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

onOneEngine('--dry-run', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  const waybill = (args: string[], more: Parameters<typeof line.run>[1] = {}) =>
    line.run(args, { env: asPerson(app, ann), ...more });
  let link = '';
  let message = '';
  before(async () => {
    writeFileSync(join(line.home, 'note.txt'), 'hello');
    writeFileSync(join(line.home, 'tool.exe'), 'MZ');
    link = (await waybill(['-q', 'link', 'note.txt'])).out.trim();
    message = (await waybill(['-q', 'send', 'note.txt', '--to', 'ben@x.example', '-s', 'Plans'])).out.trim();
  });

  for (const [name, args] of [
    ['login', () => ['login', app.url, '--api-key-stdin']],
    ['logout', () => ['logout']],
    ['upload', () => ['upload', 'note.txt']],
    ['drop', () => ['drop', `${app.url}/filedrop/ann`, 'note.txt', '--from', 'ben@x.example']],
    ['links set', () => ['links', 'set', link, '--receipt']],
    ['admin api-key', () => ['admin', 'api-key', 'ann@x.example', '--reason', 'move']],
  ] as const)
    test(`is refused by ${name}`, async () => {
      const ran = await waybill(['--dry-run', ...args()], { stdin: `${ann.key}\n` });
      assert.equal(ran.code, 2, ran.err);
      assert.match(ran.err, new RegExp(`\`${name}\` has no dry run; nothing was done`));
      assert.ok(!existsSync(join(line.home, '.config', 'waybill')));
    });

  test('of revoke and links rm names what would be withdrawn and removed', async () => {
    const revoked = await waybill(['revoke', message, '--dry-run']);
    assert.equal(revoked.code, 0, revoked.err);
    assert.equal(revoked.out, 'Would withdraw “Plans” to ben@x.example. Nothing was done.\n');
    const removed = await waybill(['links', 'rm', link, '--dry-run']);
    assert.equal(removed.out, 'Would remove the link to note.txt (5 B). Nothing was done.\n');
    assert.equal((await waybill(['get', link, '-o', 'got'])).code, 0);
    assert.doesNotMatch((await waybill(['show', message])).out, /withdrawn/);
  });

  test('of get names the files and writes none', async () => {
    const ran = await waybill(['get', link, '-o', 'nowhere', '--dry-run']);
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, /^Would download note\.txt \(5 B\) to .*nowhere\. Nothing was downloaded\.\n$/);
    assert.ok(!existsSync(join(line.home, 'nowhere')));
  });

  test('of config set changes no file', async () => {
    const ran = await waybill(['config', 'set', 'send.expires', '14d', '--dry-run']);
    assert.equal(ran.out, 'send.expires would be 14d. Nothing was changed.\n');
    assert.equal((await waybill(['config', 'get', 'send.expires'])).code, 5);
  });

  test('of link asks about every kind of file', async () => {
    assert.equal((await waybill(['link', 'note.txt', '--dry-run'])).code, 0);
    const ran = await waybill(['link', 'note.txt', 'tool.exe', '--dry-run']);
    assert.equal(ran.code, 4, ran.out);
    assert.match(ran.out, /✗ .*\(attachment\.extension_not_permitted\)/);
  });
});
