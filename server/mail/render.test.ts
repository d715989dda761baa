import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simpleParser } from 'mailparser';
import {
  type AnyPayload,
  frame,
  kindNames,
  makeFiles,
  outgoing,
  renderAny,
  replaceWords,
  sampleOf,
  skeleton,
  textOfHtml,
  textOfPlain,
  withFiles,
} from '#test/kit/mail-payloads.ts';
import { samplePng } from '../lib/png.fixture.ts';
import type { Block } from './blocks.ts';
import { mailColours } from './colours.ts';
import { htmlMail } from './html.ts';
import { isMailKind, mailKinds } from './kinds/all.ts';
import { problemFrom } from './kinds/delivery-problem.ts';
import { renderEmbeddable, renderMail } from './render.ts';
import { textsFor } from './text.ts';
import { assertSameMail } from './transport.suite.ts';
import { composeMime } from './transports/compose.ts';
import { visibleLine, visibleText, withoutIsolates } from './visible.ts';

const maxHtmlBytes = 40 * 1024;
const fileCounts = [0, 1, 2, 50];

const hostileLines: Record<string, string> = {
  markup:
    '<script>alert(1)</script><img src=http://evil.example/x.png onerror="x()">\'"><a href="http://evil.example">',
  'a broken line': 'Hello\r\nBcc: eve@evil.example\r\n\r\n<b>body</b>',
  'directions of writing': 'invoice\u202Efdp.exe \u2066x\u2069 \u200b\u0007',
  'a template': "{{ 7*7 }} {% include 'secrets' %} {{ organisation }} {%raw%} {{",
  'a message of the catalogue': '{sender} {n, plural, other {#}}',
  'entities and encoded words': '&lt;b&gt; &amp;amp; =?utf-8?Q?x=0D=0ABcc:_e?= =0D=0A',
  'other scripts': 'Ünïcödé 図面 📐 \ud800 שלום עולם',
  'a very long word': 'W'.repeat(200),
};

describe('a mail that cannot be rendered', () => {
  it('is refused if a link is invalid', () => {
    for (const url of [
      'javascript:alert(1)',
      'files.example',
      'https://a.example/"onclick=x',
      'https://a.example/\n',
    ]) {
      assert.throws(() => renderMail('message', { ...mailKinds.message.sample, url }, frame), TypeError);
    }
  });
});

describe('every mail', () => {
  it('is known by its name, and nothing else is', () => {
    assert.ok(kindNames.every(isMailKind));
    assert.ok(!['', 'toString', '__proto__', 'Message'].some(isMailKind));
  });

  for (const kind of kindNames) {
    it(`${kind}: arrives unchanged and within its size limit with any number of files`, async () => {
      for (const count of fileCounts) {
        const rendered = renderAny(kind, withFiles(kind, count));
        const mail = outgoing(rendered);
        assertSameMail(await simpleParser(await composeMime(mail)), mail);
        assert.ok(Buffer.byteLength(rendered.html) <= maxHtmlBytes);
        assert.deepEqual(rendered.templateProblems, []);
        assertSound(rendered.html);
      }
    });

    it(`${kind}: shows the same hostile text in plain text and HTML, without effect on structure`, async () => {
      for (const hostile of Object.values(hostileLines)) await assertHarmless(kind, hostile);
    });

    it(`${kind}: stays within its size limit when every text has its maximum length`, () => {
      const fill = (length: number) => (field: string) =>
        /body|note/.test(field) ? '<&"\n'.repeat(25_000) : `${'&'.repeat(length - 4)}.pdf`;
      for (const count of [10, 50]) {
        const rendered = renderAny(kind, replaceWords(withFiles(kind, count), fill(255)));
        assert.ok(Buffer.byteLength(rendered.html) <= maxHtmlBytes, `${Buffer.byteLength(rendered.html)} bytes`);
        assert.ok(Buffer.byteLength(rendered.subject) <= 998);
      }
    });

    it(`${kind}: ends with reason, organisation, contact and id, unless it is the id of an account`, () => {
      const payload = { ...sampleOf(kind), otherLanguageUrl: `${frame.baseUrl}/mail/x` };
      const { html, text } = renderAny(kind, payload);
      const ending = text.slice(text.indexOf('\n-- \n'));
      assert.match(ending, /You got this because/);
      const id = mailKinds[kind].refersTo === 'account' ? [] : [payload.reference];
      for (const part of [frame.organisationName, frame.contactAddress!, ...id, payload.otherLanguageUrl]) {
        assert.ok(ending.includes(part), part);
        assert.ok(html.includes(part), part);
      }
      assert.ok(html.includes('Read this in another language'));
    });
  }
});

async function assertHarmless(kind: (typeof kindNames)[number], hostile: string): Promise<void> {
  const expected = new Map<string, string>();
  const payload = replaceWords(withFiles(kind, 2), (field) => {
    const isLong = /(^|[a-z])(body|note)$/.test(field);
    const value = isLong ? `(${field}) ${hostile.replace(/[\r\n]+/g, ' ')}\nsecond line` : `(${field}) ${hostile}`;
    expected.set(field, isLong ? visibleText(value) : visibleLine(value));
    return value;
  });
  const calm = replaceWords(withFiles(kind, 2), (field) => (/(body|note)$/.test(field) ? 'calm\nsecond line' : 'calm'));
  const rendered = renderAny(kind, payload);
  const mail = outgoing(rendered);
  assertSameMail(
    await simpleParser(await composeMime(mail)),
    // The composer inserts a space into names that look encoded.
    { ...mail, from: { ...mail.from, name: mail.from.name.replaceAll('=?', '= ?') } },
  );
  assert.deepEqual(skeleton(rendered.html), skeleton(renderAny(kind, calm).html), 'the text changed the structure');
  const [html, plain] = [textOfHtml(rendered.html), textOfPlain(rendered.text)];
  const shown = (texts: string) =>
    [...expected].filter(([, value]) => texts.includes(value.replace(/\s+/g, ' '))).map(([field]) => field);
  assert.deepEqual(shown(html), shown(plain));
  assert.ok(shown(plain).length > 0, 'at least one hostile text is shown');
  assert.doesNotMatch(`${rendered.text}${rendered.html}${rendered.subject}`, /\b49\b|[\u202e\u2066\u0007]/);
  assertSound(rendered.html);
}

/** No requests, no scripts, and links lead to the installation only. */
function assertSound(html: string): void {
  assert.match(html, /^<!doctype html><html lang="en" dir="ltr"/);
  const tags = skeleton(html);
  const named = (pattern: RegExp) => tags.filter((tag) => pattern.test(tag));
  assert.deepEqual(named(/^<(script|img|iframe|object|link|form|input|base|svg)\b/i), []);
  assert.deepEqual(named(/\s(on\w+|src|background)=|url\(/i), []);
  assert.doesNotMatch(html.match(/<style.*?<\/style>/gs)?.join('') ?? '', /url\(|@import|expression\(/i);
  for (const link of named(/^<a\b|\shref=/))
    assert.match(link, /^<a [^>]*href="https:\/\/files\.northlight\.example\//);
  assert.ok(named(/class="btn full"/).length <= 1, 'one button');
  assert.equal(named(/^<h1\b/).length, 1);
  assert.deepEqual(
    named(/^<table\b/).filter((tag) => !tag.includes('role="presentation"')),
    [],
    'tables are for layout only',
  );
}

describe('the branding of the organisation', () => {
  const picture = (name: string, width: number, height: number) => ({
    name,
    width,
    height,
    bytes: samplePng(width, height),
  });

  it('a logo is attached to the mail, drawn small, and has no other alternative text than the name', async () => {
    const logo = { light: picture('logo-light', 300, 60), dark: null };
    const rendered = renderAny('message', sampleOf('message'), { logo });
    const mail = outgoing(rendered);
    assertSameMail(await simpleParser(await composeMime(mail), { keepCidLinks: true }), mail);
    assert.match(rendered.html, /<img class="lgp" src="cid:logo-light" width="160" height="32" alt=""/);
    assert.equal(rendered.html.match(/<img/g)?.length, 1);
  });

  it('a dark variant is hidden in programs without dark mode', () => {
    const logo = { light: picture('logo-light', 32, 32), dark: picture('logo-dark', 32, 32) };
    const { html, pictures } = renderAny('code', sampleOf('code'), { logo });
    assert.match(html, /<img class="lgd" src="cid:logo-dark"[^>]*style="display:none/);
    assert.deepEqual(
      pictures.map(({ name }) => name),
      ['logo-light', 'logo-dark'],
    );
  });

  it('a footer text ends the plain text and the HTML', () => {
    const { html, text } = renderAny('code', sampleOf('code'), { footerText: 'Reg. 123\n<b>Malmö</b>' });
    assert.match(text.slice(text.indexOf('\n-- \n')), /\nReg\. 123\n<b>Malmö<\/b>\n/);
    assert.match(html, /<br\/?>Reg\. 123<br\/?>&lt;b&gt;Malmö/);
  });
});

describe('a mail program that drops styles', () => {
  const withoutStyles = (html: string) => html.replace(/<style[\s\S]*?<\/style>/g, '').replace(/ style="[^"]*"/g, '');

  it('keeps the background of the button, so that its label stays readable', () => {
    for (const kind of kindNames) {
      const html = withoutStyles(renderAny(kind, sampleOf(kind)).html);
      const buttons = [...html.matchAll(/<td[^>]*bgcolor="(#[0-9a-f]{6})"[^>]*>([\s\S]*?)<\/td>/gi)].filter(([cell]) =>
        cell.includes('<a '),
      );
      for (const [, ground, inside] of buttons) {
        const label = /<font color="(#[0-9a-f]{6})">/i.exec(inside!)?.[1];
        assert.ok(label !== undefined && label.toLowerCase() !== ground!.toLowerCase(), `${kind}: ${inside}`);
      }
    }
  });

  it('keeps the line height of a long heading, because many drop the styles of the head only', () => {
    assert.match(renderAny('receipt', sampleOf('receipt')).html, /<h1 style="[^"]*line-height:30px/);
  });

  it('still shows the code as the most important thing', () => {
    assert.match(withoutStyles(renderAny('code', sampleOf('code')).html), /<b>K7QM-4XPA<\/b>/);
  });
});

describe('headers by class', () => {
  it('a person writes in their own name and gets the replies', () => {
    const { fromName, replyTo, headers } = renderAny('message', sampleOf('message'));
    assert.equal(fromName, 'Alice Smith via Northlight Architects');
    assert.equal(replyTo, 'person');
    assert.deepEqual(headers, {});
  });

  it('a code comes from the service, suppresses automatic replies, and cannot be unsubscribed', () => {
    const { fromName, replyTo, headers } = renderAny('code', sampleOf('code'));
    assert.equal(fromName, 'Northlight Architects Files');
    assert.equal(replyTo, 'contact');
    assert.deepEqual(headers, { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' });
  });

  it('a receipt can be unsubscribed with one click and belongs below the copy to the sender', () => {
    const { headers } = renderAny('receipt', sampleOf('receipt'));
    assert.deepEqual(headers, {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'List-Unsubscribe': '<https://files.northlight.example/notices/5kXq>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      References: '<copy-Zk3pQ8@northlight.example>',
    });
  });

  it('an invalid thread id reaches no header', () => {
    const payload = { ...sampleOf('receipt'), threadMessageId: '<a@b.example>\r\nBcc: eve@evil.example' };
    assert.equal(renderAny('receipt', payload).headers.References, undefined);
  });

  it('a code mail never links to settings', () => {
    assert.doesNotMatch(renderAny('code', sampleOf('code')).html, /notices/);
  });
});

describe('what a mail shows', () => {
  it('of a private message only the sender', () => {
    const secrets = { subject: 'SECRET-S', body: 'SECRET-B', note: 'SECRET-N', files: makeFiles(2), isPrivate: true };
    const payload = { ...sampleOf('message'), ...secrets } as AnyPayload;
    for (const kind of ['private-message', 'reminder'] as const) {
      const { subject, text, html } = renderAny(kind, { ...sampleOf(kind), ...secrets });
      assert.doesNotMatch(subject + text + html, /SECRET|Drawing-/, kind);
    }
    const copy = renderAny('copy-to-sender', { ...sampleOf('copy-to-sender'), ...secrets });
    assert.doesNotMatch(copy.text + copy.html, /SECRET-B|Drawing-/);
    const embedded = renderEmbeddable(payload as never, frame);
    assert.doesNotMatch(embedded.plain + embedded.html, /SECRET|Drawing-/);
  });

  it('to the only recipient of a message that only they can open it, at each audience that names recipients', () => {
    const sentences = {
      recipientsOnly: ['Only you can open it', 'Only the recipients can open it'],
      recipientsAndLocal: ['Only you and people at Northlight', 'Only the recipients and people at Northlight'],
      recipientsAndDomains: [
        'Only you and people with addresses at your',
        'Only the recipients and people with addresses',
      ],
    };
    for (const kind of ['message', 'private-message', 'reminder'] as const)
      for (const [audience, [alone, together]] of Object.entries(sentences))
        for (const recipientCount of [1, 2, undefined]) {
          const { text } = renderAny(kind, { ...sampleOf(kind), audience, recipientCount });
          assert.ok(textOfPlain(text).includes(recipientCount === 1 ? alone! : together!), text);
        }
  });

  it('of an unproven sender a warning about the address only if it was typed', () => {
    const received = (via: string, isAddressConfirmed = false) =>
      textOfPlain(renderAny('files-received', { ...sampleOf('files-received'), via, isAddressConfirmed }).text);
    assert.match(
      received('drop'),
      /Please note: This person typed the address ben@harbour\.example; we did not check it/,
    );
    assert.match(received('request'), /This came through the link you sent to ben@harbour\.example\. Anyone who has/);
    assert.doesNotMatch(received('request'), /typed|Please note/);
    assert.doesNotMatch(received('request', true) + received('drop', true), /typed|came through/);
  });

  it('to a person who asked for files a copy with a link to the request, and no link to add files', () => {
    const { subject, text, html } = renderAny('request-copy', sampleOf('request-copy'));
    assert.equal(subject, 'Asked: Photos of the east quay');
    assert.equal(
      renderAny('request-copy', { ...sampleOf('request-copy'), subject: '' }).subject,
      'Asked: ben@harbour.example',
    );
    assert.match(text, /^You asked ben@harbour\.example for files\n/);
    assert.match(text, /See your request:\nhttps:\S+\/app\/requests\//);
    assert.doesNotMatch(text + html, /Add files|\.example\/requests\//);
  });

  it('to a new colleague the organisation, who created the account, and one button', () => {
    for (const [hasPassword, label] of [
      [false, 'Choose a password'],
      [true, 'Sign in'],
    ] as const) {
      const { subject, text, html } = renderAny('welcome', { ...sampleOf('welcome'), hasPassword });
      assert.equal(subject, 'You have an account at Northlight Architects');
      assert.match(text, /Alice Smith created it for you/);
      assert.ok(text.includes(`\n${label}:\nhttps://`), text);
      assert.equal(html.split('class="btn full"').length, 2, 'one button');
    }
  });

  it('the id of a message as such, other ids as reference, and ids of accounts never', () => {
    for (const kind of kindNames) {
      const { text, html } = renderAny(kind, { ...sampleOf(kind), reference: 'REFERENCE', url: frame.baseUrl });
      const { refersTo = 'other' } = mailKinds[kind];
      const line = { message: 'Message id REFERENCE', other: 'Reference REFERENCE', account: null }[refersTo];
      for (const shown of [textOfPlain(text), textOfHtml(html)])
        if (line === null) assert.doesNotMatch(shown, /REFERENCE|Message id/, kind);
        else assert.ok(shown.includes(line), `${kind}: ${shown}`);
    }
    for (const kind of ['security-notice', 'reset', 'invitation', 'welcome'] as const)
      assert.equal(mailKinds[kind].refersTo, 'account');
  });

  it('who has not downloaded only where recipients are known', () => {
    const buttonOf = (more: object) => renderAny('receipt', { ...sampleOf('receipt'), ...more }).text;
    assert.match(buttonOf({}), /See who has not:/);
    assert.match(buttonOf({ isOpenToAnyone: true }), /See all downloads:/);
    assert.match(buttonOf({ about: 'link' }), /See all downloads:/);
  });

  it('subjects with the message at the end or in quotation marks, and whom to ask about a read key', () => {
    const waiting = renderAny('expiring', { ...sampleOf('expiring') }).subject;
    assert.match(waiting, /^Not downloaded yet by \d+ (person|people): Drawings/);
    const [one] = sampleOf('receipt').downloads as object[];
    const many = renderAny('receipt', { ...sampleOf('receipt'), downloads: [one, one] }).subject;
    assert.equal(many, '“Drawings for the Harbour tender”: 2 downloads');
    assert.match(renderAny('security-notice', sampleOf('security-notice')).text, /expecting this, ask Sam Rivers\./);
    const html = renderAny('message', { ...sampleOf('message'), files: [] }).html;
    assert.match(html, />Available until Monday 30 November 2026/);
  });

  it('up to 10 files in full, and the first 8 of more', () => {
    assert.match(renderAny('message', withFiles('message', 10)).text, /- Drawing-10\.pdf/);
    const many = renderAny('message', withFiles('message', 22));
    for (const shown of [many.text, textOfHtml(many.html)]) {
      assert.match(shown, /Drawing-8\.pdf/);
      assert.doesNotMatch(shown, /Drawing-9\.pdf/);
      assert.match(shown, /and 14 more/);
    }
  });

  it('where a long text continues', () => {
    const { text, html } = renderAny('message', { ...sampleOf('message'), body: 'word '.repeat(10_000) });
    assert.match(text, /word …\nThe text continues\./);
    assert.match(html, /The text continues\./);
  });

  it('the address of a person without a name', () => {
    const sender = { name: '', address: 'alice@northlight.example' };
    const { subject, text, fromName } = renderAny('private-message', { ...sampleOf('private-message'), sender });
    assert.equal(subject, 'alice@northlight.example sent you a private message');
    assert.equal(fromName, 'alice@northlight.example via Northlight Architects');
    assert.match(text, /^alice@northlight\.example sent you/);
  });

  it('a heading as subject if there is none', () => {
    assert.equal(
      renderAny('message', { ...sampleOf('message'), subject: '  ' }).subject,
      'Alice Smith sent you 3 files',
    );
  });

  it('several downloads in one receipt', () => {
    const one = { who: 'Ben', fileName: 'a.pdf', at: 0, place: null, device: null };
    const downloads = [one, { ...one, who: null }, { ...one, who: 'Dana', place: 'Malmö' }];
    const { subject, text } = renderAny('receipt', { ...sampleOf('receipt'), downloads });
    assert.equal(subject, '“Drawings for the Harbour tender”: 3 downloads');
    assert.match(text, /- Someone downloaded a\.pdf\n {2}1 Jan 1970/);
  });

  it('a right-to-left language in that direction', () => {
    const quote: Block = { type: 'quote', by: 'Dana', address: null, text: 'text' };
    const footer = { why: '', organisation: '', contact: null, note: [], reference: '', links: [] };
    const texts = { ...textsFor('en', 'UTC'), locale: 'ar' };
    const noTexts = { subject: '', preheader: '', organisation: '', heading: '' };
    const html = htmlMail({ ...noTexts, blocks: [quote], footer, colours: mailColours(), logo: null }, texts);
    assert.match(html, /<html lang="ar" dir="rtl"/);
    assert.match(html, /border-right:3px/);
    assert.doesNotMatch(html, /text-align:left|direction:ltr/);
  });

  it('the colour of the organisation on the stripe', () => {
    const { html } = renderAny('message', sampleOf('message'), { brandColour: '#ffcc00' });
    assert.ok(html.includes('#ffcc00'));
  });

  it('the meaning of a mail server’s refusal', () => {
    const meanings = {
      'unknown-address': [
        '550 5.1.1 No such user',
        '550 User unknown',
        '553 5.1.3 Bad address',
        '550 mailbox not found',
      ],
      'mailbox-full': ['552 5.2.2 Over quota', '452 4.2.2 Mailbox full', '552 Mailbox is full'],
      refused: ['554 5.7.1 Spam', '550 Refused by policy', ''],
    } as const;
    for (const [meaning, texts] of Object.entries(meanings)) {
      for (const text of texts) assert.equal(problemFrom(text), meaning, text);
    }
  });

  it('the same every time', () => {
    for (const kind of kindNames) {
      assert.deepEqual(renderAny(kind, sampleOf(kind)), renderAny(kind, sampleOf(kind)));
    }
  });
});

describe('the embeddable block', () => {
  const message = mailKinds.message.sample;

  it('has no document, no style element and no class, and is small', () => {
    const { html } = renderEmbeddable(message, frame);
    assert.match(html, /^<div /);
    assert.doesNotMatch(html, /<(html|head|body|style|script|img|link|meta)\b|\bclass=|\bid=/i);
    assert.ok(Buffer.byteLength(html) <= 6 * 1024);
    assert.ok(Buffer.byteLength(renderEmbeddable({ ...message, files: makeFiles(50) }, frame).html) <= 6 * 1024);
  });

  it('has files with sizes and checksums, the link, who can open it and until when', () => {
    const { plain, html } = renderEmbeddable(message, frame);
    for (const shown of [textOfPlain(plain), textOfHtml(html)]) {
      for (const file of message.files) {
        assert.ok(shown.includes(file.name));
        assert.ok(shown.includes(file.sha256));
      }
      assert.match(shown, /48\.2 MB/);
      assert.ok(shown.includes(message.url));
      assert.match(shown, /Available until Monday 30 November 2026\s?\./);
      assert.match(shown, /Only the recipients can open it/);
      assert.match(shown, /Page 4 is the one to check first/);
    }
  });

  it('keeps hostile text harmless', () => {
    for (const hostile of Object.values(hostileLines)) {
      const payload = replaceWords(withFiles('message', 2), () => hostile);
      const calm = replaceWords(withFiles('message', 2), (field) => (/body$/.test(field) ? lines(hostile) : 'calm'));
      const { html, plain } = renderEmbeddable(payload as never, frame);
      assert.deepEqual(skeleton(html), skeleton(renderEmbeddable(calm as never, frame).html));
      const name = withoutIsolates(visibleLine(hostile)).replace(/\s+/g, ' ');
      assert.ok(withoutIsolates(textOfHtml(html)).includes(name));
      assert.ok(withoutIsolates(textOfPlain(plain)).includes(name));
    }
  });

  /** Harmless text with as many lines. */
  function lines(text: string): string {
    return visibleText(text).replace(/[^\n]+/g, 'calm');
  }
});
