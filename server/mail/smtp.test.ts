import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import type { MailResult, MailTransport } from '#server/domain/ports.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { type Misbehaviour, startBadRelay, startRelay, type TestRelay } from '#test/kit/smtp-relay.ts';
import { parseSmtpUrl } from '../lib/smtp-url.ts';
import { openSmtpTransport, type SmtpSettings, smtpProtection } from './smtp.ts';
import { sampleMail, transportSuite } from './transport.suite.ts';

const certificate = makeCertificate();
const tlsOptions: SMTPServerOptions = {
  disabledCommands: [],
  key: certificate.keyPem,
  cert: certificate.certificatePem,
};
const shortTimeouts = { connectMs: 2_000, greetingMs: 150, silenceMs: 150 };

transportSuite('SMTP', async () => {
  const relay = await startRelay();
  const transport = openSmtpTransport({ url: `smtp://127.0.0.1:${relay.port}` });
  return {
    transport,
    received: async () => relay.received.map((mail) => mail.mime),
    dispose: async () => {
      await transport.close();
      await relay.close();
    },
  };
});

const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function relayWith(options: SMTPServerOptions = {}): Promise<TestRelay> {
  const relay = await startRelay(options);
  cleanups.push(relay.close);
  return relay;
}

function transportTo(settings: SmtpSettings): MailTransport {
  const transport = openSmtpTransport(settings);
  // Before the relay it talks to, which was pushed earlier.
  cleanups.unshift(() => transport.close());
  return transport;
}

function reasonOf(result: MailResult): string {
  return result.outcome === 'accepted' ? result.serverText : result.reason;
}

describe('the URL of a mail server', () => {
  it('is refused if it is invalid, without revealing the password', () => {
    for (const url of [
      '',
      'relay.example',
      'http://u:s3cret@relay.example',
      'smtp://u:s3cret@relay.example/?tls=no',
      'smtp://u:s3cret%@h',
    ]) {
      assert.throws(
        () => parseSmtpUrl(url),
        (error: Error) => error instanceof TypeError && !error.message.includes('s3cret'),
      );
    }
  });

  it('is refused with a sentence that says what is wrong with it', () => {
    for (const [url, sentence] of [
      ['relay.example', /is not a URL/],
      ['http://relay.example', /must begin with smtp:/],
      ['smtp://', /names no host/],
      ['smtps:///', /names no host/],
      ['smtp://relay.example/mail', /must end after the host and port/],
      ['smtp://relay.example?tls=no', /must end after the host and port/],
      ['smtp://relay.example#tls', /must end after the host and port/],
      ['smtp://u%:p@relay.example', /is not percent-encoded/],
      ['smtp://u:p%@relay.example', /is not percent-encoded/],
    ] as const)
      assert.throws(() => parseSmtpUrl(url), sentence, url);
    assert.equal(parseSmtpUrl('smtp://relay.example/').host, 'relay.example');
  });

  it('names host, port, user and password', () => {
    assert.deepEqual(parseSmtpUrl('smtps://files%40northlight:p%3Aw@relay.example'), {
      host: 'relay.example',
      port: 465,
      isImplicitTls: true,
      user: 'files@northlight',
      password: 'p:w',
    });
    assert.equal(parseSmtpUrl('smtp://relay.example').port, 587);
    assert.equal(parseSmtpUrl('smtp://[::1]:25').host, '::1');
  });

  it('decides about protection: only a loopback relay may lack it', () => {
    assert.equal(smtpProtection({ url: 'smtp://relay.example' }), 'STARTTLS');
    assert.equal(smtpProtection({ url: 'smtps://relay.example' }), 'TLS');
    assert.equal(smtpProtection({ url: 'smtp://localhost.evil.example' }), 'STARTTLS');
    assert.equal(smtpProtection({ url: 'smtp://10.0.0.1' }), 'STARTTLS');
    assert.equal(smtpProtection({ url: 'smtp://127.0.0.1' }), 'loopback');
    assert.equal(smtpProtection({ url: 'smtp://127.0.0.1', isTlsAlwaysRequired: true }), 'STARTTLS');
  });
});

describe('SMTP with TLS', () => {
  it('defers a mail if the relay lacks required TLS, and sends nothing', async () => {
    const relay = await relayWith();
    const transport = transportTo({ url: `smtp://localhost:${relay.port}`, isTlsAlwaysRequired: true });
    const result = await transport.send(sampleMail());
    assert.equal(result.outcome, 'deferred');
    assert.match(reasonOf(result), /^localhost:\d+: no protected connection: /);
    assert.equal(relay.received.length, 0);
  });

  it('defers a mail if the certificate is not trusted', async () => {
    const relay = await relayWith(tlsOptions);
    const transport = transportTo({ url: `smtp://localhost:${relay.port}`, isTlsAlwaysRequired: true });
    const result = await transport.send(sampleMail());
    assert.equal(result.outcome, 'deferred');
    assert.match(reasonOf(result), /certificate/i);
    assert.equal(relay.received.length, 0);
  });

  it('encrypts by STARTTLS with a configured certificate', async () => {
    const relay = await relayWith(tlsOptions);
    const url = `smtp://localhost:${relay.port}`;
    const transport = transportTo({ url, isTlsAlwaysRequired: true, caPem: certificate.certificatePem });
    assert.equal((await transport.send(sampleMail())).outcome, 'accepted');
    assert.equal(relay.received[0]?.isEncrypted, true);
  });

  it('encrypts from the start with smtps://', async () => {
    const relay = await relayWith({ ...tlsOptions, secure: true });
    const url = `smtps://localhost:${relay.port}`;
    const transport = transportTo({ url, isTlsAlwaysRequired: true, caPem: certificate.certificatePem });
    assert.equal((await transport.send(sampleMail())).outcome, 'accepted');
    assert.equal(relay.received[0]?.isEncrypted, true);
  });
});

describe('SMTP with sign-in', () => {
  const signIn: SMTPServerOptions = {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth(auth, _session, callback) {
      if (auth.username === 'files' && auth.password === 'right horse') callback(null, { user: auth.username });
      else callback(Object.assign(new Error('Authentication failed'), { responseCode: 535 }));
    },
  };

  it('defers a mail if the password is wrong, because an administrator can correct it', async () => {
    const relay = await relayWith(signIn);
    const transport = transportTo({ url: `smtp://files:wr0ng-h0rse@127.0.0.1:${relay.port}` });
    const result = await transport.send(sampleMail());
    assert.equal(result.outcome, 'deferred');
    assert.match(reasonOf(result), /535/);
    assert.doesNotMatch(reasonOf(result), /wr0ng/);
    assert.equal(relay.received.length, 0);
  });

  it('defers a mail if the relay requires a sign-in and none is configured', async () => {
    const relay = await relayWith(signIn);
    const transport = transportTo({ url: `smtp://127.0.0.1:${relay.port}` });
    assert.equal((await transport.send(sampleMail())).outcome, 'deferred');
  });

  it('signs in', async () => {
    const relay = await relayWith(signIn);
    const transport = transportTo({ url: `smtp://files:right%20horse@127.0.0.1:${relay.port}` });
    assert.equal((await transport.send(sampleMail())).outcome, 'accepted');
    assert.equal(relay.received[0]?.user, 'files');
  });
});

describe('SMTP and the replies of the relay', () => {
  const answering = (responseCode: number, text: string): SMTPServerOptions => ({
    onRcptTo: (_address, _session, callback) => callback(Object.assign(new Error(text), { responseCode })),
  });

  it('defers a mail after a 451 reply, and returns the reply', async () => {
    const relay = await relayWith(answering(451, '4.7.1 Greylisted, try again'));
    const result = await transportTo({ url: `smtp://127.0.0.1:${relay.port}` }).send(sampleMail());
    assert.deepEqual(result, { outcome: 'deferred', reason: '451 4.7.1 Greylisted, try again' });
  });

  it('fails a mail after a 550 reply, and returns the reply', async () => {
    const relay = await relayWith(answering(550, '5.1.1 No such user here'));
    const result = await transportTo({ url: `smtp://127.0.0.1:${relay.port}` }).send(sampleMail());
    assert.deepEqual(result, { outcome: 'refused', reason: '550 5.1.1 No such user here' });
  });

  it('keeps one bounded, printable line of the reply', async () => {
    const relay = await relayWith(answering(550, `no\u0007\u202e${'x'.repeat(400)}`));
    const result = await transportTo({ url: `smtp://127.0.0.1:${relay.port}` }).send(sampleMail());
    assert.equal(result.outcome, 'refused');
    assert.match(reasonOf(result), /^550 no x+…$/);
    assert.equal(reasonOf(result).length, 200);
  });

  it('fails a mail that is refused after its content was read', async () => {
    const relay = await relayWith({
      onData(stream, _session, callback) {
        stream.on('end', () => callback(Object.assign(new Error('5.7.1 Spam'), { responseCode: 554 })));
        stream.resume();
      },
    });
    const result = await transportTo({ url: `smtp://127.0.0.1:${relay.port}` }).send(sampleMail());
    assert.deepEqual(result, { outcome: 'refused', reason: '554 5.7.1 Spam' });
  });

  it('continues with the next mail after a refusal', async () => {
    const relay = await relayWith({
      onRcptTo: (address, _session, callback) =>
        address.address.startsWith('bad')
          ? callback(Object.assign(new Error('5.1.1 no'), { responseCode: 550 }))
          : callback(),
    });
    const transport = transportTo({ url: `smtp://127.0.0.1:${relay.port}`, maxConnections: 1 });
    assert.equal((await transport.send(sampleMail({ to: 'bad@harbour.example' }))).outcome, 'refused');
    assert.equal((await transport.send(sampleMail())).outcome, 'accepted');
  });

  it('uses a separate envelope for every mail, and keeps the reply', async () => {
    const relay = await relayWith();
    const transport = transportTo({ url: `smtp://127.0.0.1:${relay.port}`, maxConnections: 1 });
    const first = await transport.send(sampleMail({ to: 'ben@harbour.example' }));
    await transport.send(sampleMail({ to: 'dana@harbour.example' }));
    assert.deepEqual(first, { outcome: 'accepted', serverText: '250 queued as 1' });
    assert.deepEqual(
      relay.received.map((mail) => [mail.envelopeFrom, mail.envelopeTo]),
      [
        ['bounces@northlight.example', ['ben@harbour.example']],
        ['bounces@northlight.example', ['dana@harbour.example']],
      ],
    );
  });
});

describe('SMTP and relays that fail', () => {
  const sendThrough = async (misbehaviour: Misbehaviour) => {
    const relay = await startBadRelay(misbehaviour);
    const transport = openSmtpTransport({ url: `smtp://127.0.0.1:${relay.port}`, timeouts: shortTimeouts });
    try {
      const result = await transport.send(sampleMail());
      return { result, handedOver: relay.handedOver() };
    } finally {
      await transport.close();
      await relay.close();
    }
  };

  it('defers a mail if the port is closed', async () => {
    const relay = await startRelay();
    await relay.close();
    const result = await transportTo({ url: `smtp://127.0.0.1:${relay.port}` }).send(sampleMail());
    assert.equal(result.outcome, 'deferred');
    assert.match(reasonOf(result), /ECONNREFUSED/);
  });

  const failures: [Misbehaviour, RegExp][] = [
    ['cuts-at-greeting', /^127\.0\.0\.1:\d+: the connection was closed$/],
    ['says-nothing', /^127\.0\.0\.1:\d+: no answer in time$/],
    ['stalls', /^127\.0\.0\.1:\d+: no answer in time$/],
  ];
  for (const [misbehaviour, reason] of failures) {
    it(`defers a mail if the relay ${misbehaviour.replaceAll('-', ' ')}`, async () => {
      const { result, handedOver } = await sendThrough(misbehaviour);
      assert.equal(result.outcome, 'deferred');
      assert.match(reasonOf(result), reason);
      assert.equal(handedOver, 0);
    });
  }

  it('defers a mail if the connection is cut before the reply, and does not resend it itself', async () => {
    const { result, handedOver } = await sendThrough('cuts-after-data');
    assert.equal(result.outcome, 'deferred', JSON.stringify(result));
    assert.equal(handedOver, 1);
  });

  it('counts a mail as accepted if the connection is cut right after the reply', async () => {
    const { result, handedOver } = await sendThrough('cuts-after-250');
    assert.deepEqual(result, { outcome: 'accepted', serverText: '250 2.0.0 Ok: queued as 4F2' });
    assert.equal(handedOver, 1);
  });

  it('defers mails that are still waiting when it is closed', async () => {
    const relay = await startBadRelay('stalls');
    const transport = openSmtpTransport({
      url: `smtp://127.0.0.1:${relay.port}`,
      maxConnections: 1,
      timeouts: shortTimeouts,
    });
    const results = [transport.send(sampleMail()), transport.send(sampleMail())];
    await transport.close();
    assert.deepEqual(
      (await Promise.all(results)).map((result) => result.outcome),
      ['deferred', 'deferred'],
    );
    assert.equal((await transport.send(sampleMail())).outcome, 'deferred');
    await relay.close();
  });
});
