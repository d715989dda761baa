// Repeats a command that was killed while the server's answer was on its way.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { useCommandLine } from '#test/kit/command-line.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

onOneEngine('the same command again', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  let wire: LossyWire;
  before(async () => {
    wire = await openLossyWire(app.url);
    writeFileSync(join(line.home, 'plan.bin'), randomBytes(1_000_000));
  });
  after(() => wire.close());

  const waybill = (args: string[], more: Parameters<typeof line.run>[1] = {}) =>
    line.run(args, { ...more, env: { WAYBILL_SERVER: wire.url, WAYBILL_API_KEY: ann.key! } });
  /** The server has created it, but the program did not receive the answer. */
  const killed = async (path: string, args: string[], more: Parameters<typeof line.run>[1] = {}) => {
    const stopping = new AbortController();
    wire.loseAnswer(path, () => stopping.abort('SIGTERM'));
    const ran = await waybill(args, { ...more, signal: stopping.signal });
    assert.notEqual(ran.code, 0, ran.out);
    return ran;
  };
  const sentMessages = async () => {
    const { body } = await ann.expect(200, 'listSent', {});
    return (body as { sent: { id: string; message: string }[] }).sent;
  };

  test('sends a message once', async () => {
    const args = ['-q', 'send', 'plan.bin', '--to', 'ben@outside.example', '-m', 'once'];
    await killed('/message', args);
    assert.equal((await waybill(args)).code, 0);
    assert.equal((await sentMessages()).filter(({ message }) => message === 'once').length, 1);
  });

  test('sends a changed text from a pipe or a file', async () => {
    const args = ['-q', 'send', 'plan.bin', '--to', 'ben@outside.example', '-m', '-'];
    await killed('/message', args, { stdin: 'the first' });
    const ran = await waybill(args, { stdin: 'the second' });
    assert.equal(ran.code, 0, ran.err);
    const texts = (await sentMessages()).map(({ message }) => message);
    assert.deepEqual(texts.filter((text) => text.startsWith('the ')).toSorted(), ['the first', 'the second']);
  });

  test('prints the password of the link, even one that the killed run generated', async () => {
    const args = ['link', 'plan.bin', '--generate-password'];
    await killed('/link', args);
    const ran = await waybill(args);
    assert.equal(ran.code, 0, ran.err);
    assert.ok(await opens(ran.out.trim(), /^Password: (\S+)$/m.exec(ran.err)![1]!));
  });

  test('creates a link with the last given password', async () => {
    const args = ['-q', 'link', 'plan.bin', '--password-stdin'];
    await killed('/link', args, { stdin: 'quiet river\n' });
    const ran = await waybill(args, { stdin: 'seven lamps\n' });
    assert.equal(ran.code, 0, ran.err);
    assert.ok(await opens(ran.out.trim(), 'seven lamps'));
  });

  test('delivers once to a file request, and another file not at all', async () => {
    const asked = await waybill(['-q', 'request', '--from', 'carl@outside.example', '-s', 'Papers']);
    const { pathname } = new URL(asked.out.trim());
    const args = ['drop', `${wire.url}${pathname}`, 'plan.bin', '-m', 'Here'];
    await killed(`${pathname}/deliveries`, args);
    const ran = await waybill(args);
    assert.equal(ran.code, 0, ran.err);
    writeFileSync(join(line.home, 'other.bin'), 'another file');
    assert.equal((await waybill(['drop', `${wire.url}${pathname}`, 'other.bin'])).code, 5);
    const { body } = await ann.expect(200, 'listInbox', {});
    const deliveries = (body as { messages: { subject: string }[] }).messages.filter(({ subject }) =>
      /Papers/.test(subject),
    );
    assert.equal(deliveries.length, 1);
  });

  test('delivers once to a drop page', async () => {
    const { body } = await ann.expect(200, 'getAccount', {});
    const { pathname } = new URL((body as { user: { filedrop_url: string } }).user.filedrop_url);
    const args = ['drop', `${wire.url}${pathname}`, 'plan.bin', '--from', 'dora@outside.example', '-s', 'For you'];
    await killed(pathname, args);
    const ran = await waybill(args);
    assert.equal(ran.code, 0, ran.err);
    const inbox = await ann.expect(200, 'listInbox', {});
    const here = (inbox.body as { messages: { subject: string }[] }).messages.filter(
      ({ subject }) => subject === 'For you',
    );
    assert.equal(here.length, 1);
  });

  test('starts over when a delivery cannot be resumed, instead of failing for a day', async () => {
    const { body } = await ann.expect(200, 'getAccount', {});
    const { pathname } = new URL((body as { user: { filedrop_url: string } }).user.filedrop_url);
    const path = join(line.home, 'list.txt');
    const args = ['drop', `${wire.url}${pathname}`, 'list.txt', '--from', 'dora@outside.example', '-s', 'List'];
    writeFileSync(path, 'the list');
    await killed(pathname, args);
    writeFileSync(path, 'the longer list');
    const refused = await waybill(args);
    assert.equal(refused.code, 6, refused.err);
    assert.match(refused.err, /delivery before it has ended.*\n.*Run the same command again/);
    assert.equal((await waybill(args)).code, 0);
    const inbox = await ann.expect(200, 'listInbox', {});
    const lists = (inbox.body as { messages: { subject: string }[] }).messages.filter(
      ({ subject }) => subject === 'List',
    );
    assert.equal(lists.length, 2);
  });

  test('with --again repeats it with the uploaded files', async () => {
    const args = ['-v', 'send', 'plan.bin', '--to', 'ben@outside.example', '-m', 'twice'];
    await killed('/message', args);
    const ran = await waybill([...args, '--again']);
    assert.equal(ran.code, 0, ran.err);
    assert.doesNotMatch(ran.err, /attachments\/upload/);
    assert.equal((await sentMessages()).filter(({ message }) => message === 'twice').length, 2);
  });

  async function opens(url: string, password: string): Promise<boolean> {
    const { pathname } = new URL(url);
    const reply = await new Browser(app.url).send(`${pathname}/password`, { password });
    return reply.text.includes(`${pathname}/download`);
  }
});

interface LossyWire {
  url: string;
  /** The next POST to this path reaches the server; then `then` is called and the connection cut. */
  loseAnswer(path: string, then: () => void): void;
  close(): void;
}

async function openLossyWire(target: string): Promise<LossyWire> {
  let lost: { path: string; then: () => void } | null = null;
  const server: Server = createServer((near, reply) => {
    const { method, url, headers } = near;
    const far = request(new URL(url!, target), {
      method: method!,
      headers: { ...headers, host: new URL(target).host },
    });
    let isDryRun = false;
    near.on('data', (part: Buffer) => (isDryRun ||= part.includes('"dry_run":true')));
    far.on('response', (answer) => {
      if (lost === null || method !== 'POST' || url !== lost.path || isDryRun) {
        reply.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(reply);
        return;
      }
      lost.then();
      lost = null;
      near.socket.destroy();
    });
    near.pipe(far);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswer(path, then) {
      lost = { path, then };
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
