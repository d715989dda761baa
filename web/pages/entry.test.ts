import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sampleDelivered, sampleDrop, sampleRequest } from '#test/pages/delivery-samples.ts';
import { readMarkup, select } from '#test/pages/markup.ts';
import { sampleMessage } from '#test/pages/message-samples.ts';
import { frameOf, hostileNames, sampleFrame, samplePages } from '#test/pages/samples.ts';
import { loadPages } from './load.ts';
import type { Page } from './page.ts';
import type { Frame, LinkPage, SetupPage } from './props.ts';

const pages = await loadPages();

const render = (page: Page, frame: Partial<Frame> = {}) => pages.renderPage(page, { ...frameOf(page), ...frame });
const link = samplePages.link as LinkPage;

it('the summary of errors shows a sentence once', () => {
  const sentence = 'Use fewer characters.';
  const fields = ['name', 'message'] as const;
  const page = { ...sampleDrop, problems: fields.map((field) => ({ field, sentence })) } as Page;
  const html = render(page);
  assert.match(html, /1 thing needs attention/);
  assert.ok(html.includes(`<a href="#name">${sentence}`));
  assert.ok(!html.includes(`<a href="#message">${sentence}`));
});

for (const [name, page] of Object.entries(samplePages)) {
  describe(`the page "${name}"`, () => {
    it('has no inline style, no inline script and no foreign URL', () => {
      const html = render(page);
      const markup = readMarkup(html);
      const names = new Set(markup.elements.map((element) => element.name));
      for (const forbidden of ['style', 'iframe', 'object', 'embed', 'base', 'img']) {
        assert.equal(names.has(forbidden), false, forbidden);
      }
      const scripts = select(markup, 'script').map(({ attributes }) => attributes);
      assert.deepEqual(
        scripts,
        pages.pageScripts(page).map((src) => ({ type: 'module', src })),
      );
      assert.equal(html.match(/<script[^>]*><\/script>/g)?.length ?? 0, scripts.length);
      for (const { attributes } of markup.elements) {
        const inline = Object.keys(attributes).filter(
          (attribute) => attribute === 'style' || attribute.startsWith('on'),
        );
        assert.deepEqual(inline, []);
        assert.doesNotMatch(attributes.href ?? '', /^\s*(javascript|data|vbscript):/i);
      }
      const fetched = select(markup, 'link', 'href').map((element) => element.attributes.href);
      const always = pages.assets.map((asset) => asset.path).filter((path) => !/\.(js|woff2)$|\/fonts\./.test(path));
      assert.deepEqual(fetched.sort(), always.sort());
    });

    it('has landmarks, one h1, a language, a direction and a title with the organisation', () => {
      const html = render(page);
      const markup = readMarkup(html);
      assert.match(html, /^<!doctype html><html lang="en" dir="ltr">/);
      for (const landmark of ['header', 'main', 'footer', 'h1', 'title']) {
        assert.equal(select(markup, landmark).length, 1, landmark);
      }
      assert.match(html, / · (Northlight Architects|Waybill)<\/title>/);
      assert.match(html, /<meta name="robots" content="noindex/);
    });

    it('connects labels, help and errors to their fields, and in-page links to their targets', () => {
      const markup = readMarkup(render(page));
      const ids = markup.elements.flatMap(({ attributes }) => (attributes.id === undefined ? [] : [attributes.id]));
      assert.equal(new Set(ids).size, ids.length, 'ids are unique');
      const labels = new Set(select(markup, 'label').map((label) => label.attributes.for));
      for (const { attributes } of [...select(markup, 'input'), ...select(markup, 'textarea')]) {
        if (attributes.type !== 'hidden') assert.ok(labels.has(attributes.id), `label of ${attributes.name}`);
      }
      for (const { attributes } of markup.elements) {
        const named = `${attributes['aria-describedby'] ?? ''} ${attributes['aria-labelledby'] ?? ''}`.split(' ');
        const targets = attributes.href?.startsWith('#') ? [attributes.href.slice(1)] : [];
        for (const id of [...named.filter((part) => part !== ''), ...targets]) assert.ok(ids.includes(id), id);
      }
    });

    it('posts its forms and sends at most 14 KB', () => {
      const html = render(page);
      for (const { attributes } of select(readMarkup(html), 'form')) assert.equal(attributes.method, 'post');
      assert.ok(gzipSync(html).length <= 14 * 1024);
    });
  });
}

describe('hostile text', () => {
  const tame = () => shape(render({ ...link, file: { ...link.file, name: 'tame.pdf' } }));

  for (const [what, name] of Object.entries(hostileNames)) {
    it(`creates no element or attribute from a file name: ${what}`, () => {
      assert.deepEqual(shape(render({ ...link, file: { ...link.file, name } })), tame());
    });
  }

  it('is inert in every place where people type', () => {
    const evil = '"><script>alert(1)</script><p style="color:red" onclick=\'x\'>\u202E&amp;';
    const person = { name: evil, address: evil };
    const hostile: Page[] = [
      { ...link, sharedBy: person, notices: [{ is: 'sentence', tone: 'danger', sentence: evil, requestId: evil }] },
      { ...link, owner: { linkUrl: evil, downloadCount: 1, settingsUrl: null } },
      { kind: 'not-available', about: evil, reason: { is: 'expired', until: null, fileCount: 1, sender: person } },
      {
        ...(samplePages.setup as SetupPage),
        values: { token: evil, name: evil, email: evil, organisation: evil, public_address: evil },
      },
      { kind: 'problem', status: 422, sentence: evil, backUrl: null, requestId: evil },
      {
        ...sampleMessage,
        sender: person,
        subject: evil,
        body: { is: 'text', text: `${evil}\n\n${evil}` },
        files: sampleMessage.files.map((file) => ({
          ...file,
          name: evil,
          state: { is: 'removed' as const, sentence: evil },
        })),
        otherRecipients: { to: [person], cc: [person] },
      },
      { kind: 'sign-in', step: { is: 'signed-in', person, continueUrl: '/', signOutForm: { action: evil } } },
      { kind: 'forgot', signInUrl: '/', state: { is: 'sent', email: evil, validMinutes: 5 } },
      {
        ...sampleRequest,
        asker: person,
        subject: evil,
        text: evil,
        address: evil,
        values: { note: evil },
        received: [{ id: evil, name: evil, sizeText: evil }],
        limits: { ...sampleRequest.limits, permittedExtensions: [evil] },
        problems: [{ field: 'files', sentence: evil }],
      },
      { ...sampleDrop, title: evil, intro: evil, values: { email: evil, name: evil, subject: evil, message: evil } },
      {
        ...sampleDelivered,
        recipient: person,
        reference: evil,
        files: [{ name: evil, sizeText: evil, sha256: null, check: null }],
      },
      { kind: 'home', setupUrl: null, signInUrl: '/sign-in', apiUrl: evil },
    ];
    for (const page of hostile) {
      const html = render(page, { organisationName: evil, contactAddress: evil, reference: evil, productName: evil });
      const markup = readMarkup(html);
      assert.equal(select(markup, 'script').length, pages.pageScripts(page).length);
      assert.ok(markup.elements.every(({ attributes }) => !('style' in attributes) && !('onclick' in attributes)));
    }
  });

  it('shows the full name and marks characters that would reorder it', () => {
    const html = render({ ...link, file: { ...link.file, name: hostileNames['right-to-left override'] ?? '' } });
    assert.match(
      html,
      /<bdi dir="ltr"><bdi class="user-text">invoice-<span class="mark">U\+202E<\/span>fdp<\/bdi>\.exe<\/bdi>/,
    );
    assert.equal(html.includes('\u202E'), false);
    const long = hostileNames.unbroken ?? '';
    assert.ok(readMarkup(render({ ...link, file: { ...link.file, name: long } })).text.includes(long));
  });
});

describe('particular pages', () => {
  it('a link page downloads by a post with the token, and names the file on the button', () => {
    const markup = readMarkup(render(link));
    const form = select(markup, 'form')[0];
    assert.equal(form?.attributes.action, '/link/Zk3hT9QmW2xY7LpR4vNc8B');
    assert.deepEqual(select(markup, 'input')[0]?.attributes, { type: 'hidden', name: 'csrf', value: 'bTz0tXc1V9' });
    assert.equal(select(markup, 'button')[0]?.attributes['aria-label'], 'Download Harbour-sections-rev-C.pdf, 48.2 MB');
    assert.match(markup.text, /Available until Monday 30 November 2026, in 15 days/);
    assert.match(markup.text, /Shared by Alice Smith · alice@northlight\.example/);
  });

  it('a link page warns from three days before the end', () => {
    const daysLeft = (count: number) => render({ ...link, until: { date: '2026-11-30', daysLeft: count } });
    assert.equal(daysLeft(4).includes('fact-warning'), false);
    assert.equal(daysLeft(3).includes('fact-warning'), true);
  });

  it('a password page does not mention the file and focuses the emptied field', () => {
    const html = render(samplePages['link-password, wrong'] as Page);
    const field = select(readMarkup(html), 'input').find(({ attributes }) => attributes.type === 'password');
    assert.ok(field && 'autofocus' in field.attributes && !('value' in field.attributes));
    assert.match(readMarkup(html).text, /4 tries left before a 10-minute pause/);
    assert.match(html, /<title>Error: /);
  });

  it('the setup page keeps typed values, but never the password', () => {
    const markup = readMarkup(render(samplePages['setup, wrong'] as Page));
    const values = select(markup, 'input').map(({ attributes }) => [attributes.name, attributes.value]);
    assert.deepEqual(Object.fromEntries(values), {
      token: 'Kq3vT9mRzX7bLw2NcY5hPd',
      name: 'Alice Smith',
      email: 'alice@northlight',
      password: undefined,
      organisation: 'Northlight Architects',
      public_address: 'https://files.northlight.example',
    });
  });

  it('the setup page lists its problems on top, in the order of the fields, and at each field', () => {
    const page = samplePages['setup, wrong'] as SetupPage;
    const markup = readMarkup(render({ ...page, problems: page.problems.toReversed() }));
    const links = select(markup, 'a').map(({ attributes }) => attributes.href);
    assert.deepEqual(
      links.filter((href) => href?.startsWith('#')),
      ['#content', '#token', '#email', '#password'],
    );
    assert.equal(select(markup, 'input', 'aria-invalid').length, 3);
    assert.match(markup.text, /3 things need attention/);
  });

  it('a message with nothing left says so once and whom to ask, before and after a click', () => {
    const files = sampleMessage.files.map((file) => ({ ...file, state: { is: 'used-up' as const } }));
    const usedUp = { ...sampleMessage, files, downloadAll: null, downloadsLeft: 0 };
    const pressed = { is: 'limit-reached', what: 'downloads', sender: sampleMessage.sender } as const;
    for (const notices of [[], [pressed]]) {
      const markup = readMarkup(render({ ...usedUp, notices }));
      assert.equal(markup.text.match(/All permitted downloads have been used/g)?.length, 1);
      assert.match(markup.text, /Ask Alice Smith to allow more\./);
      const [mail] = select(markup, 'a', 'href').filter(({ attributes }) =>
        attributes.href!.startsWith('mailto:alice@'),
      );
      assert.match(decodeURIComponent(mail!.attributes.href!), /subject=Drawings for the Harbour tender \(reference /);
    }
  });

  it('the title of a message has subject and sender, and each button names its file', () => {
    const markup = readMarkup(render(sampleMessage));
    assert.match(markup.text, /^Drawings for the Harbour tender, from Alice Smith · Northlight Architects/);
    assert.deepEqual(
      select(markup, 'button', 'aria-label').map(({ attributes }) => attributes['aria-label']),
      [
        'Download all, 1.2 GB',
        'Download Harbour-sections-rev-C.pdf, 48.2 MB',
        'Download Cost-sheet-2026-11.xlsx, 310 KB',
        'Download Model-and-textures.zip, 1.1 GB',
        'Download all, 1.2 GB',
      ],
      'above the files and, for phones, below them: the styles show one of both',
    );
    assert.match(markup.text, /Downloaded 12 Nov, 14:02/);
    assert.match(markup.text, /3 files · 1\.2 GB.*Counts as one download of each file\./);
  });

  it('a message hides its text before the click on Read message, and says that the sender is notified', () => {
    const markup = readMarkup(render(samplePages['message, private, unread'] as Page));
    assert.match(markup.text, /Alice Smith is told when you open this\./);
    assert.doesNotMatch(markup.text, /Hi Ben/);
    assert.ok(select(markup, 'form').some(({ attributes }) => attributes.action?.endsWith('/read')));
  });

  it('a file that is no longer available has no button and no checksum', () => {
    const html = render(samplePages['message, removed'] as Page);
    assert.equal(html.match(/<s>/g)?.length, 2);
    assert.equal(select(readMarkup(html), 'form').length, 1);
    assert.equal(html.includes('fd61a03af4f77d87'), false);
  });

  it('a message keeps line breaks and inserts only the sanitised text as markup', () => {
    const text = 'one\r\ntwo\n\n<b>three</b>';
    assert.match(
      render({ ...sampleMessage, body: { is: 'text', text } }),
      /<p dir="auto"><bdi class="user-text">one<\/bdi><br\/><bdi class="user-text">two<\/bdi><\/p><p dir="auto"><bdi class="user-text">&lt;b&gt;three/,
    );
    const html = render(samplePages['message, sanitised HTML'] as Page);
    assert.match(html, /<strong>revised sections<\/strong>/);
  });

  it('a wrong sign-in gives one sentence, keeps the address and never the password', () => {
    const markup = readMarkup(render(samplePages['sign-in, wrong pair'] as Page));
    const values = select(markup, 'input').map(({ attributes }) => [attributes.name, attributes.value]);
    assert.deepEqual(Object.fromEntries(values), {
      csrf: 'bTz0tXc1V9',
      return_to: '/app',
      email: 'alice@northlight.example',
      password: undefined,
      credential: undefined,
      keep: '1',
      shared_computer: '1',
    });
    assert.match(markup.text, /That address and password don’t match\./);
  });

  it('the answer to a forgotten password is the same for every address', () => {
    const sent = (email: string) =>
      render({ kind: 'forgot', signInUrl: '/', state: { is: 'sent', email, validMinutes: 60 } }).replaceAll(email, '');
    assert.equal(sent('alice@northlight.example'), sent('nobody@nowhere.example'));
  });

  it('the key of the second factor is shown in groups of four, and as a link for apps', () => {
    const markup = readMarkup(render(samplePages['totp-setup'] as Page));
    assert.match(markup.text, /JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP/);
    assert.ok(select(markup, 'a').some(({ attributes }) => attributes.href?.startsWith('otpauth://totp/')));
  });

  it('files that were received before an error stay in the form', () => {
    const markup = readMarkup(render(samplePages['request, refused file'] as Page));
    const attachments = select(markup, 'input').filter(({ attributes }) => attributes.name === 'attachments');
    assert.deepEqual(
      attachments.map(({ attributes }) => [attributes.value, 'checked' in attributes]),
      [
        ['r1Wm3xY7LpR4vNc8BhT9Qk', true],
        ['r2Wm3xY7LpR4vNc8BhT9Qk', true],
      ],
    );
    assert.equal(select(markup, 'form')[0]?.attributes.enctype, 'multipart/form-data');
    assert.match(markup.text, /The photos are from Monday\./);
  });

  it('a drop page lists its problems in the order of its fields', () => {
    const markup = readMarkup(render(samplePages['drop, nothing typed'] as Page));
    const links = select(markup, 'a').map(({ attributes }) => attributes.href);
    assert.deepEqual(
      links.filter((href) => href?.startsWith('#')),
      ['#content', '#files', '#email', '#subject'],
    );
  });

  it('a page without an organisation has the product name', () => {
    assert.match(readMarkup(render(samplePages.setup as Page, { productName: 'Ferry' })).text, /Set up Ferry · Ferry/);
  });

  it('a logo is not read out before the name; the dark one is used only if there is one', () => {
    const logo = { url: '/brand/a.svg', darkUrl: null, width: 300, height: 100 };
    const one = readMarkup(render(link, { logo }));
    assert.deepEqual(select(one, 'img')[0]?.attributes, { src: logo.url, alt: '', width: '96', height: '32' });
    assert.equal(select(one, 'source').length, 0);
    assert.match(one.text, /Northlight Architects/);
    const both = readMarkup(render(link, { logo: { ...logo, darkUrl: '/brand/b.svg' } }));
    assert.match(select(both, 'source')[0]?.attributes.media ?? '', /dark/);
  });

  it('the footer text of the organisation is on every page, escaped', () => {
    const markup = readMarkup(render(link, { footerText: 'Reg. 123 <b>\nMalmö' }));
    assert.match(markup.text, /Reg\. 123 <b>\s*Malmö/);
    assert.equal(select(markup, 'b').length, 0);
  });

  it('the base path precedes every URL that the pages create', () => {
    const markup = readMarkup(render(link, { basePath: '/files' }));
    for (const element of [...select(markup, 'link', 'href'), ...select(markup, 'a', 'class')]) {
      assert.match(element.attributes.href ?? '', /^(\/files\/|#)/);
    }
  });

  it('the page after set-up names no command that the server does not have', () => {
    const html = render(samplePages['setup-done']!);
    assert.match(html, /href="\/app\/send"[^>]*>Send a first file</);
    const known = [
      ...readFileSync(new URL('../../server/main.ts', import.meta.url), 'utf8').matchAll(/^ {2}waybill-server (\w+)/gm),
    ].map(([, name]) => name);
    const named = [...html.matchAll(/waybill-server (\w+)/g)].map(([, name]) => name);
    assert.deepEqual(
      named.filter((name) => !known.includes(name)),
      [],
    );
  });

  it('a right-to-left language sets the direction of the page', () => {
    assert.match(render(link, { locale: 'ar' }), /^<!doctype html><html lang="ar" dir="rtl">/);
  });

  it('the language switch posts the chosen one', () => {
    const languageSwitch = { form: { action: '/language', hidden: { back: '/link/x' } }, locales: ['en', 'sv'] };
    const markup = readMarkup(render(link, { ...sampleFrame, languageSwitch }));
    const offered = select(markup, 'button', 'value').map(({ attributes }) => [attributes.name, attributes.value]);
    assert.deepEqual(offered, [
      ['lang', 'en'],
      ['lang', 'sv'],
    ]);
  });
});

describe('assets and statuses', () => {
  it('each of the ten reasons has its status', () => {
    const statuses = Object.entries(samplePages)
      .filter(([, page]) => page.kind === 'not-available')
      .map(([name, page]) => [name.split(', ')[1], pages.pageStatus(page)]);
    const expected = { expired: 410, 'download limit': 410, stopped: 410, removed: 410, 'request answered': 410 };
    const others = {
      'request closed': 410,
      'drop moved': 410,
      unknown: 404,
      'not allowed': 403,
      'too many tries': 429,
      maintenance: 503,
    };
    for (const [reason, status] of Object.entries({ ...expected, ...others })) {
      assert.deepEqual(
        new Set(statuses.filter(([name]) => name === reason).map(([, code]) => code)),
        new Set([status]),
        reason,
      );
    }
  });

  it('only the maintenance page refreshes automatically', () => {
    const again = Object.entries(samplePages).filter(([, page]) => pages.refreshSeconds(page) !== null);
    assert.deepEqual(
      again.map(([name]) => name),
      ['not-available, maintenance'],
    );
  });

  it('a request page on a shared browser first removes what was stored there', () => {
    const page = Object.values(samplePages).find(({ kind }) => kind === 'request')!;
    const [first, ...others] = pages.pageScripts(page, true);
    assert.match(first!, /shared-browser/);
    assert.deepEqual(others, pages.pageScripts(page));
  });

  it('scripts are small, few, and only on the listed pages', () => {
    const sizes = pages.assets
      .filter(({ path }) => path.endsWith('.js'))
      .map(({ path, body }) => [path.split('/')[2]?.split('.')[0], gzipSync(body).length] as const);
    const budgets: Record<string, number> = {
      upload: 17 * 1024,
      download: 4 * 1024,
      password: 1024,
      countdown: 1024,
      passkey: 2 * 1024,
      'hand-over': 512,
      'shared-browser': 1024,
    };
    assert.deepEqual(sizes.map(([name]) => name).sort(), Object.keys(budgets).sort());
    for (const [name, size] of sizes) assert.ok(size <= (budgets[name ?? ''] ?? 0), `${name} has ${size} bytes`);
    const withScript = Object.values(samplePages).filter((page) => pages.pageScripts(page).length > 0);
    assert.deepEqual([...new Set(withScript.map(({ kind }) => kind))].sort(), [
      'confirm-address',
      'delivered',
      'drop',
      'invitation',
      'link',
      'link-password',
      'message',
      'new-password',
      'pairing',
      'passkey-setup',
      'recipient-passkeys',
      'request',
      'reset',
      'setup',
      'setup-done',
      'setup-mail',
      'sign-in',
      'signed-out',
      'totp-setup',
      'wait',
    ]);
  });

  it('the styles are one file of at most 9 KB under a hashed path, and load only our own fonts', () => {
    const styles = pages.assets.filter((asset) => asset.path.endsWith('.css') && !asset.path.includes('/fonts.'));
    assert.equal(styles.length, 1);
    assert.match(styles[0]?.path ?? '', /^\/assets\/pages\.[\w-]{12}\.css$/);
    assert.ok(gzipSync(styles[0]?.body ?? '').length <= 9 * 1024);
    const text = String(styles[0]?.body);
    assert.doesNotMatch(text, /@import|https?:/);
    const fetched = [...text.matchAll(/url\(([^)]*)\)/g)].map(([, file]) => `/assets/${file}`);
    const fonts = pages.assets.filter(({ path }) => path.endsWith('.woff2'));
    assert.deepEqual(fetched.sort(), fonts.map(({ path }) => path).sort());
    assert.equal(text.match(/font-display:swap/g)?.length, fonts.length);
    for (const { path, body } of fonts)
      assert.equal(String.fromCharCode(...(body.slice(0, 4) as Uint8Array)), 'wOF2', path);
    assert.ok(fonts.find(({ path }) => path.includes('latin.'))!.body.length <= 48 * 1024);
  });
});

/** Excludes elements that wrap user text, whose number depends on its length. */
function shape(html: string): string[] {
  return readMarkup(html)
    .elements.filter(({ name, attributes }) => name !== 'bdi' && attributes.class !== 'mark' && !isTile(name))
    .map(({ name, attributes }) => [name, ...Object.keys(attributes)].join(' '));
}

function isTile(name: string): boolean {
  return name === 'svg' || name === 'path';
}
