// Downloads from links with a password, and from links and messages for people who confirm their address.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, type Ran, useCommandLine } from '#test/kit/command-line.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

function assertEnds(ran: Ran, code: number, words: RegExp): void {
  assert.equal(ran.code, code, `${ran.out}${ran.err}`);
  assert.match(ran.err, words);
}

onOneEngine('get from guarded links and messages', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  const ann = usePerson(app, 'ann');
  const ben = usePerson(app, 'ben');
  const line = useCommandLine(() => app.clock.now());
  const link = async (name: string, flags: string[], stdin?: string) => {
    writeFileSync(join(line.home, name), `content of ${name}`);
    const ran = await line.run(['-q', 'link', name, ...flags], {
      env: asPerson(app, ann),
      ...(stdin === undefined ? {} : { stdin }),
    });
    assert.equal(ran.code, 0, ran.err);
    return ran.out.trim();
  };
  const send = async (flags: string[]) => {
    const ran = await line.run(['-q', 'send', ...flags], { env: asPerson(app, ann) });
    assert.equal(ran.code, 0, ran.err);
    return ran.out.trim();
  };
  const got = (name: string) => readFileSync(join(line.home, 'got', name), 'utf8');
  let secret = '';
  let confirmed = '';
  before(async () => {
    secret = await link('secret.txt', ['--password-stdin'], 'open sesame\n');
    confirmed = await link('confirmed.txt', ['--require-auth']);
  });

  test('without a terminal the sentence says what is needed', async () => {
    assertEnds(await line.run(['get', secret]), 4, /asks for a password \(link\.needs_password\)\n.*--password-stdin/);
    assertEnds(await line.run(['get', confirmed]), 4, /asks for your e-mail address .*\nRun the command at a terminal/);
  });

  test('the password comes from stdin', async () => {
    const wrong = await line.run(['get', secret, '--password-stdin'], { stdin: 'open barley\n' });
    assertEnds(wrong, 4, /not the password of this link.*\(link\.wrong_password\)/);
    const ran = await line.run(['get', secret, '-o', 'got', '--password-stdin'], { stdin: 'open sesame\n' });
    assert.equal(ran.code, 0, ran.err);
    assert.equal(got('secret.txt'), 'content of secret.txt');
  });

  test('or from a prompt, which asks again after a wrong one', async () => {
    const ran = await line.run(['get', secret, '-o', 'got', '--force'], { typed: 'open barley\nopen sesame\n' });
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.err, /^Password of the link: \nThat is not the password .*\nPassword of the link: \n/);
    assert.ok(!ran.err.includes('sesame'));
  });

  test('an address is confirmed by a mailed code', async () => {
    const answer = async (question: string) => {
      if (question.startsWith('Your e-mail')) return 'dora@outside.example';
      const [mail] = await mailbox.postTo(app, 'dora@outside.example');
      if (mail === undefined) return codes.at(-1)!;
      codes.push(codeIn(mail));
      return 'AAAA-AAAA';
    };
    const codes: string[] = [];
    const ran = await line.run(['get', confirmed, '-o', 'got'], { answer });
    assert.equal(ran.code, 0, ran.err);
    assert.match(
      ran.err,
      /^This link asks for an e-mail address.*\nYour e-mail address: A code was sent to dora@outside\.example\.\nCode: That code isn’t right.*\nCode: /,
    );
    assert.equal(got('confirmed.txt'), 'content of confirmed.txt');
  });

  test('so do messages, for people without an account', async () => {
    const message = await send(['secret.txt', 'confirmed.txt', '--to', 'eva@outside.example', '--who', 'recipients']);
    assertEnds(await line.run(['get', message]), 4, /this message asks for your e-mail address .*\nRun the command/);
    const answer = async (question: string) => {
      if (question.startsWith('Your e-mail')) return 'eva@outside.example';
      const mails = await mailbox.postTo(app, 'eva@outside.example');
      return codeIn(mails.find(({ kind }) => kind === 'code')!);
    };
    const ran = await line.run(['get', message, '-o', 'message'], { answer });
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.err, /^This message asks for an e-mail address.*\n.*A code was sent to eva@outside\.example, if/);
    for (const name of ['secret.txt', 'confirmed.txt'])
      assert.equal(readFileSync(join(line.home, 'message', name), 'utf8'), `content of ${name}`);
    // A signed-in person who is not a recipient is asked for an address as well.
    const asBen = await line.run(['get', message], { env: asPerson(app, ben) });
    assertEnds(asBen, 4, /\(message\.needs_address\)/);
  });

  test('an address that a message was not sent to gets no code, and a wrong code no file', async () => {
    const message = await send(['secret.txt', '--to', 'eva@outside.example', '--who', 'recipients', '--again']);
    const ran = await line.run(['get', message], { typed: 'dora@outside.example\nAAAA-AAAA\nBBBB-BBBB\n' });
    assert.match(ran.err, /Code: That code isn’t right/);
    assert.notEqual(ran.code, 0);
    assert.ok((await mailbox.postTo(app, 'dora@outside.example')).every(({ kind }) => kind !== 'code'));
  });

  test('an address that is none, and a stopped question, end the command', async () => {
    assertEnds(await line.run(['get', confirmed], { typed: 'nobody\n' }), 6, /name@example\.com/);
    const stopping = new AbortController();
    const answer = () => {
      stopping.abort('SIGINT');
      return '';
    };
    assertEnds(await line.run(['get', confirmed], { answer, signal: stopping.signal }), 130, /Stopped\./);
  });
});
