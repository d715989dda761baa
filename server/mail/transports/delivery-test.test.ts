import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import { type Check, smtpSteps } from '#server/domain/checks.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { startBadRelay, startRelay } from '#test/kit/smtp-relay.ts';
import type { SmtpSettings } from '../smtp.ts';
import { sampleMail } from '../transport.suite.ts';
import { testDelivery } from './delivery-test.ts';

const certificate = makeCertificate();
const withTls: SMTPServerOptions = {
  disabledCommands: [],
  key: certificate.keyPem,
  cert: certificate.certificatePem,
};
const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function relayWith(options: SMTPServerOptions = {}) {
  const relay = await startRelay(options);
  cleanups.push(relay.close);
  return relay;
}

const talk = (settings: SmtpSettings) => testDelivery(settings, sampleMail());

/** Earlier steps passed or were not needed, later ones were skipped. */
function failureOf(steps: Check[]): [string, string] {
  assert.deepEqual(
    steps.map(({ check }) => check),
    smtpSteps.filter((step) => step !== 'token'),
  );
  const at = steps.findIndex(({ state }) => state === 'failed');
  assert.notEqual(at, -1, 'nothing failed');
  for (const { state, code } of steps.slice(0, at)) assert.ok(state === 'passed' || code === 'smtp.no_sign_in');
  for (const { state, code } of steps.slice(at + 1)) assert.deepEqual([state, code], ['skipped', 'smtp.not_reached']);
  return [steps[at]!.check, steps[at]!.code];
}

const refuse = (text: string, responseCode: number) => Object.assign(new Error(text), { responseCode });

describe('a delivery test', () => {
  it('that succeeds returns each step, the encryption, the user and the relay’s reply', async () => {
    const relay = await relayWith({
      ...withTls,
      onAuth: ({ username, password }, _session, done) =>
        done(null, { user: password === 'pass word' ? username : undefined }),
    });
    const steps = await talk({
      url: `smtp://files:pass%20word@localhost:${relay.port}`,
      caPem: certificate.certificatePem,
      isTlsAlwaysRequired: true,
    });
    assert.deepEqual(
      steps.map(({ check, state, code }) => [check, state, code]),
      [
        ['resolve', 'passed', 'smtp.resolved'],
        ['connect', 'passed', 'smtp.connected'],
        ['encrypt', 'passed', 'smtp.encrypted'],
        ['sign_in', 'passed', 'smtp.signed_in'],
        ['sender', 'passed', 'smtp.sender_accepted'],
        ['recipient', 'passed', 'smtp.recipient_accepted'],
        ['queued', 'passed', 'smtp.queued'],
      ],
    );
    assert.equal(steps[2]!.values!.protocol, 'TLSv1.3');
    assert.match(steps.at(-1)!.said!, /queued as 1/);
    assert.equal(relay.received.length, 1);
    assert.equal(relay.received[0]!.user, 'files');
    assert.doesNotMatch(JSON.stringify(steps), /pass.?word"?:|pass word/);
  });

  it('with a relay on this machine needs neither encryption nor a user', async () => {
    const relay = await relayWith();
    const steps = await talk({ url: `smtp://127.0.0.1:${relay.port}` });
    assert.deepEqual([steps[2]!.code, steps[3]!.code, steps[6]!.state], ['smtp.local', 'smtp.no_sign_in', 'passed']);
  });

  it('names a host that does not exist', async () => {
    assert.deepEqual(failureOf(await talk({ url: 'smtp://no-such-host.invalid' })), ['resolve', 'smtp.host_unknown']);
  });

  it('names a closed port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual(failureOf(await talk({ url: `smtp://127.0.0.1:${port}` })), ['connect', 'smtp.refused']);
  });

  it('names a relay that closes the connection immediately', async () => {
    const relay = await startBadRelay('cuts-at-greeting');
    cleanups.push(relay.close);
    assert.deepEqual(failureOf(await talk({ url: `smtp://127.0.0.1:${relay.port}` })), ['connect', 'smtp.closed']);
  });

  it('names a relay that rejects our EHLO', async () => {
    for (const refusal of ['421 Not now', '550 Not you']) {
      const server = createServer((socket) => {
        socket.on('error', () => {}).on('data', () => socket.write(`${refusal}\r\n`));
        socket.write('220 relay.example ESMTP\r\n');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      cleanups.push(() => new Promise((resolve) => void server.close(() => resolve())));
      const { port } = server.address() as AddressInfo;
      assert.deepEqual(failureOf(await talk({ url: `smtp://127.0.0.1:${port}` })), ['connect', 'smtp.turned_away']);
    }
  });

  it('names a relay that stays silent', async () => {
    const relay = await startBadRelay('says-nothing');
    cleanups.push(relay.close);
    const timeouts = { connectMs: 60_000, greetingMs: 150, silenceMs: 60_000 };
    assert.deepEqual(failureOf(await talk({ url: `smtp://127.0.0.1:${relay.port}`, timeouts })), [
      'connect',
      'smtp.silent',
    ]);
  });

  it('names a relay that rejects this machine', async () => {
    const relay = await relayWith({ onConnect: (_session, done) => done(refuse('not you', 554)) });
    const steps = await talk({ url: `smtp://127.0.0.1:${relay.port}` });
    assert.deepEqual(failureOf(steps), ['connect', 'smtp.turned_away']);
    assert.match(steps[1]!.said!, /not you/);
  });

  it('names a relay without required encryption', async () => {
    const relay = await relayWith();
    assert.deepEqual(failureOf(await talk({ url: `smtp://127.0.0.1:${relay.port}`, isTlsAlwaysRequired: true })), [
      'encrypt',
      'smtp.tls_not_offered',
    ]);
  });

  it('names a certificate of an unknown authority, and an expired one', async () => {
    const expired = makeCertificate(new Date(Date.UTC(2020, 0, 1)));
    const other = (await relayWith(withTls)).port;
    const old = (await relayWith({ ...withTls, key: expired.keyPem, cert: expired.certificatePem })).port;
    const required = (port: number) => ({ url: `smtp://localhost:${port}`, isTlsAlwaysRequired: true });
    assert.deepEqual(failureOf(await talk(required(other))), ['encrypt', 'smtp.unknown_authority']);
    const trusting = { ...required(old), caPem: expired.certificatePem };
    assert.deepEqual(failureOf(await talk(trusting)), ['encrypt', 'smtp.expired_certificate']);
  });

  it('names smtps:// at a port that starts without encryption', async () => {
    const relay = await relayWith();
    assert.deepEqual(failureOf(await talk({ url: `smtps://127.0.0.1:${relay.port}` })), ['encrypt', 'smtp.tls_failed']);
  });

  it('names a wrong password without revealing it', async () => {
    const relay = await relayWith({
      ...withTls,
      onAuth: (_auth, _session, done) => done(refuse('5.7.8 wrong', 535)),
    });
    const steps = await talk({
      url: `smtp://files:s3cret@localhost:${relay.port}`,
      caPem: certificate.certificatePem,
      isTlsAlwaysRequired: true,
    });
    assert.deepEqual(failureOf(steps), ['sign_in', 'smtp.wrong_password']);
    assert.doesNotMatch(JSON.stringify(steps), /s3cret/);
  });

  for (const [status, code] of [
    [530, 'smtp.sign_in_needed'],
    [550, 'smtp.sender_refused'],
    [451, 'smtp.try_later'],
  ] as const) {
    it(`names a sender refused with ${status}`, async () => {
      const relay = await relayWith({ onMailFrom: (_address, _session, done) => done(refuse('no', status)) });
      assert.deepEqual(failureOf(await talk({ url: `smtp://127.0.0.1:${relay.port}` })), ['sender', code]);
    });
  }

  for (const [status, code] of [
    [550, 'smtp.recipient_refused'],
    [554, 'smtp.relay_denied'],
    [450, 'smtp.try_later'],
  ] as const) {
    it(`names a recipient refused with ${status}`, async () => {
      const relay = await relayWith({ onRcptTo: (_address, _session, done) => done(refuse('no', status)) });
      assert.deepEqual(failureOf(await talk({ url: `smtp://127.0.0.1:${relay.port}` })), ['recipient', code]);
    });
  }

  it('names a mail that the relay refuses for its content', async () => {
    const relay = await relayWith({
      onData: (stream, _session, done) => stream.on('end', () => done(refuse('spam', 554))).resume(),
    });
    const steps = await talk({ url: `smtp://127.0.0.1:${relay.port}` });
    assert.deepEqual(failureOf(steps), ['queued', 'smtp.text_refused']);
    assert.match(steps[6]!.said!, /spam/);
  });
});
