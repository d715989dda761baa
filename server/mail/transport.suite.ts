// Nothing in a mail may change its structure or route.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ParsedMail, simpleParser } from 'mailparser';
import type { MailTransport, OutgoingMail } from '#server/domain/ports.ts';

export interface TransportUnderTest {
  transport: MailTransport;
  /** Mails delivered so far, in any order. */
  received(): Promise<Buffer[]>;
  dispose(): Promise<void>;
}

let lastNumber = 0;

export function sampleMail(changes: Partial<OutgoingMail> = {}): OutgoingMail {
  lastNumber += 1;
  return {
    messageId: `<mail-${lastNumber}@northlight.example>`,
    from: { name: 'Alice Smith via Northlight', address: 'files@northlight.example' },
    to: 'ben@harbour.example',
    replyTo: 'alice@northlight.example',
    envelopeFrom: 'bounces@northlight.example',
    subject: 'Drawings for the Harbour tender',
    text: 'Alice Smith sent you 3 files\n\n-- \nwhy you got this\n',
    html: '<!doctype html><html lang="en"><body><h1>Alice Smith sent you 3 files</h1></body></html>',
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...changes,
  };
}

/** The only headers a mail may have, besides those of its `headers`. */
const ownHeaders = ['from', 'to', 'reply-to', 'subject', 'message-id', 'date', 'mime-version', 'content-type'];

export function assertSameMail(parsed: ParsedMail, mail: OutgoingMail): void {
  assert.equal(parsed.subject ?? '', mail.subject);
  assert.equal(parsed.messageId, mail.messageId);
  assert.deepEqual(parsed.from?.value, [{ name: mail.from.name, address: mail.from.address }]);
  assert.deepEqual(addressesOf(parsed.to), [mail.to]);
  assert.deepEqual(addressesOf(parsed.replyTo), mail.replyTo === null ? [] : [mail.replyTo]);
  assert.equal(parsed.text, mail.text);
  assert.equal(parsed.html, mail.html);
  assert.deepEqual(
    parsed.attachments.map(({ cid, contentType, content, related }) => ({ cid, contentType, content, related })),
    (mail.pictures ?? []).map(({ name, bytes }) => ({
      cid: name,
      contentType: 'image/png',
      content: bytes,
      related: true,
    })),
  );
  const expected = [...ownHeaders, ...Object.keys(mail.headers).map((name) => name.toLowerCase())];
  const transit = ['received'];
  const names = parsed.headerLines.map((line) => line.key).filter((name) => !transit.includes(name));
  const absent = mail.replyTo === null ? ['reply-to'] : [];
  assert.deepEqual(names.toSorted(), expected.filter((name) => !absent.includes(name)).toSorted());
  for (const [name, value] of Object.entries(mail.headers)) {
    const line = parsed.headerLines.find((candidate) => candidate.key === name.toLowerCase());
    assert.equal(line?.line.replace(/\r?\n\s+/g, ' '), `${name}: ${value}`);
  }
}

export function transportSuite(name: string, open: () => Promise<TransportUnderTest>): void {
  describe(`${name} as a mail transport`, () => {
    let place: TransportUnderTest;
    before(async () => {
      place = await open();
    });
    after(() => place.dispose());

    const arrival = async (mail: OutgoingMail): Promise<ParsedMail> => {
      const result = await place.transport.send(mail);
      assert.equal(result.outcome, 'accepted', JSON.stringify(result));
      const parsed = await Promise.all((await place.received()).map((mime) => simpleParser(mime)));
      const found = parsed.filter((candidate) => candidate.messageId === mail.messageId);
      assert.equal(found.length, 1, 'exactly one such mail arrived');
      return found[0]!;
    };
    refusals(() => place);
    faithfulness(arrival);

    it('delivers mails that are sent in parallel, each once', async () => {
      const mails = Array.from({ length: 8 }, () => sampleMail());
      const results = await Promise.all(mails.map((mail) => place.transport.send(mail)));
      assert.deepEqual(new Set(results.map((result) => result.outcome)), new Set(['accepted']));
      const ids = (await Promise.all((await place.received()).map((mime) => simpleParser(mime)))).map(
        (mail) => mail.messageId,
      );
      for (const mail of mails) assert.equal(ids.filter((id) => id === mail.messageId).length, 1);
    });
  });
}

function refusals(place: () => TransportUnderTest): void {
  const unsound: [string, Partial<OutgoingMail>][] = [
    ['a recipient with a line break', { to: 'ben@harbour.example\r\nBcc: eve@evil.example' }],
    ['two recipients in one', { to: 'ben@harbour.example, eve@evil.example' }],
    ['a recipient with a display name', { to: 'Ben <ben@harbour.example>' }],
    ['a recipient with a comment', { to: 'ben@harbour.example(eve@evil.example)' }],
    ['a recipient with SMTP parameters', { to: 'ben@harbour.example> NOTIFY=NEVER' }],
    ['an envelope sender with a line break', { envelopeFrom: 'a@b.example>\r\nRCPT TO:<eve@evil.example' }],
    ['an answer address with a group', { replyTo: 'all:eve@evil.example;' }],
    ['a sender address with a space', { from: { name: 'A', address: 'a b@northlight.example' } }],
    ['a sender name with a line break', { from: { name: 'A\r\nBcc: eve@evil.example', address: 'a@b.example' } }],
    ['a subject with a line break', { subject: 'Hello\r\nBcc: eve@evil.example' }],
    ['a subject with a bare line feed', { subject: 'Hello\nBcc: eve@evil.example' }],
    ['a subject with a null character', { subject: 'Hello\u0000' }],
    ['a message id without angle brackets', { messageId: 'mail@northlight.example' }],
    ['a message id with a line break', { messageId: '<mail@northlight.example>\r\nBcc: eve@evil.example' }],
    ['a header that is not on the list', { headers: { Bcc: 'eve@evil.example' } }],
    ['a header name with a line break', { headers: { 'Auto-Submitted: no\r\nBcc': 'eve@evil.example' } }],
    ['a header value with a line break', { headers: { 'Auto-Submitted': 'no\r\nBcc: eve@evil.example' } }],
  ];
  for (const [what, changes] of unsound) {
    it(`refuses ${what} permanently and sends nothing`, async () => {
      const countBefore = (await place().received()).length;
      const result = await place().transport.send(sampleMail(changes));
      assert.equal(result.outcome, 'refused');
      assert.equal((await place().received()).length, countBefore);
    });
  }
}

function faithfulness(arrival: (mail: OutgoingMail) => Promise<ParsedMail>): void {
  const cases: [string, Partial<OutgoingMail>][] = [
    ['a plain mail', {}],
    ['a mail without an answer address', { replyTo: null }],
    ['letters beyond ASCII', { subject: 'Zeichnungen für Göteborg – 図面 📐', text: 'Grüße 図面 📐\n' }],
    ['a long subject', { subject: 'Drawings '.repeat(100).trim() }],
    ['a long subject without a space', { subject: 'ä'.repeat(450) }],
    ['a subject that looks encoded', { subject: '=?utf-8?Q?Hello=0D=0ABcc:_eve@evil.example?=' }],
    ['a sender name full of syntax', { from: { name: '"A" <eve@evil.example>, B; (c)', address: 'a@b.example' } }],
    ['a long subject that looks encoded', { subject: `=?utf-8?B?${'QUJD'.repeat(60)}?= ÄÖ` }],
    ['lines that begin with dots', { text: '.\n..\n.hidden\nend\n' }],
    ['lines that look like headers', { text: 'From eve\nBcc: eve@evil.example\n\n--x\nContent-Type: text/html\n' }],
    ['a line of 5,000 characters', { text: `${'x'.repeat(5_000)}\n`, html: `<p>${'y'.repeat(5_000)}</p>` }],
    ['spaces at ends of lines', { text: 'a \n-- \nb\t\nc\n' }],
    [
      'every header of the list',
      {
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          'List-Unsubscribe': `<https://files.northlight.example/notices/${'x'.repeat(80)}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          References: '<copy-1@northlight.example>',
        },
      },
    ],
  ];
  it('shows a sender name that looks encoded undecoded', async () => {
    const parsed = await arrival(sampleMail({ from: { name: '=?utf-8?Q?Eve=0D=0A?=', address: 'a@b.example' } }));
    assert.deepEqual(parsed.from?.value, [{ name: '= ?utf-8?Q?Eve=0D=0A?=', address: 'a@b.example' }]);
  });

  for (const [what, changes] of cases) {
    it(`keeps ${what} as it was`, async () => {
      const mail = sampleMail(changes);
      assertSameMail(await arrival(mail), mail);
    });
  }
}

function addressesOf(field: ParsedMail['to']): (string | undefined)[] {
  const objects = field === undefined ? [] : Array.isArray(field) ? field : [field];
  return objects.flatMap((object) => object.value.map((value) => value.address));
}
