// Commands for several ids or addresses.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, finalScreen, type Ran, useCommandLine } from '#test/kit/command-line.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

function assertEnds(ran: Ran, code: number, words: RegExp): void {
  assert.equal(ran.code, code, `${ran.out}${ran.err}`);
  assert.match(ran.err, words);
}

onOneEngine('several ids', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  const waybill = (args: string[], more: Parameters<typeof line.run>[1] = {}) =>
    line.run(args, { env: asPerson(app, ann), ...more });
  const idOf = (address: string) => address.trim().split('/').at(-1)!;
  const send = async (subject: string) =>
    idOf((await waybill(['-q', 'send', 'note.txt', '--to', 'ben@x.example', '-s', subject])).out);
  const link = async () => (await waybill(['-q', 'link', 'note.txt', '--again'])).out.trim();
  const unknown = 'A'.repeat(22);
  before(() => writeFileSync(join(line.home, 'note.txt'), 'hello'));

  test('revoke names the unknown one, withdraws the rest and ends with 8', async () => {
    const [one, other] = [await send('One'), await send('Other')];
    const ran = await waybill(['revoke', one, unknown, other]);
    assertEnds(ran, 8, new RegExp(`waybill: ${unknown}: .*\nwaybill: could not withdraw 1 of 3 messages`));
    assert.equal(ran.out, `${one}: it can no longer be downloaded\n${other}: it can no longer be downloaded\n`);
  });

  test('of which all are unknown end with 5', async () => {
    assertEnds(await waybill(['revoke', unknown]), 5, new RegExp(`^waybill: ${unknown}: `));
    assertEnds(await waybill(['links', 'rm', unknown, 'B'.repeat(22)]), 5, /could not remove 2 of 2 links/);
  });

  test('revoke says that a message was withdrawn before', async () => {
    const id = await send('Once');
    await waybill(['revoke', id]);
    const again = await waybill(['revoke', id]);
    assert.equal(again.code, 0, again.err);
    assert.equal(again.out, `${id}: it was already withdrawn\n`);
  });

  test('links rm removes the rest and reports both in JSON', async () => {
    const one = idOf(await link());
    const ran = await waybill(['--json', 'links', 'rm', unknown, one]);
    assert.equal(ran.code, 8);
    const { removed, failed } = JSON.parse(ran.out);
    assert.deepEqual([removed, failed.length, failed[0].code], [[one], 1, 'link.not_found']);
    assert.equal(JSON.parse(ran.err).error.exit_code, 8);
  });

  test('at a terminal the question names what it is about', async () => {
    const [one, other] = [await send('Plans'), await send('Other')];
    assertEnds(await waybill(['revoke', one], { typed: 'n\n' }), 1, /^Withdraw “Plans” to ben@x\.example\? \[y\/N\]/);
    assertEnds(
      await waybill(['revoke', one, other], { typed: 'n\n' }),
      1,
      /^ {2}“Plans” to ben@x\.example\n {2}“Other” to ben@x\.example\nWithdraw these 2 messages\? \[y\/N\]/,
    );
  });

  test('get at a terminal prints the paths below the progress, not into it', async () => {
    const links = [await link(), await link()];
    const order: string[] = [];
    const options = { columns: 80, onError: () => order.push('progress'), onOutput: () => order.push('path') };
    const ran = await line.run(['get', ...links, '-o', 'drawn'], options);
    assert.equal(ran.code, 0, ran.err);
    assert.deepEqual(ran.out.match(/note.*\.txt$/gm)?.length, 2);
    assert.ok(order.lastIndexOf('progress') < order.indexOf('path'), order.join());
    assert.match(finalScreen(ran.err), /note\.txt .*✓\n.*note.*\.txt .*✓\n.*Total .*✓\n$/);
  });

  test('get downloads the rest', async () => {
    const ran = await waybill(['get', `${app.url}/link/${unknown}`, await link(), '-o', 'got']);
    assertEnds(ran, 8, new RegExp(`waybill: ${app.url}/link/${unknown}: .*\nwaybill: one download failed`));
    assert.ok(existsSync(join(line.home, 'got', 'note.txt')));
  });

  test('get with the id of a link says what is needed', async () => {
    const id = idOf(await link());
    assertEnds(
      await waybill(['get', id]),
      5,
      new RegExp(`there is no message ${id} .*\nFor a link, give its whole address, such as ${app.url}/link/${id}`),
    );
    assertEnds(await line.run(['get', id]), 3, /the id \w+ alone is enough .*\nGive the whole address/);
  });

  test('a generated password is part of the JSON', async () => {
    const ran = await waybill(['--json', 'link', 'note.txt', '--generate-password', '--again']);
    assert.match(JSON.parse(ran.out).links[0].password, /^\w{16}$/);
    assert.equal(ran.err, '');
  });
});
