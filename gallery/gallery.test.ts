import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { mailKinds } from '#server/mail/kinds/all.ts';
import { loadPages } from '#web/pages/load.ts';
import type { Page } from '#web/pages/page.ts';
import { sampleBrands } from './brands.ts';
import { galleryLocales } from './samples.ts';
import { type Gallery, startGallery } from './server.ts';

/** A new kind of page does not compile until it is listed here. */
const pageKinds: Record<Page['kind'], true> = {
  message: true,
  mail: true,
  'sign-in': true,
  'signed-out': true,
  forgot: true,
  reset: true,
  invitation: true,
  'new-password': true,
  'totp-setup': true,
  'recovery-codes': true,
  'passkey-setup': true,
  'recipient-passkeys': true,
  pairing: true,
  request: true,
  drop: true,
  delivered: true,
  link: true,
  'link-password': true,
  'confirm-address': true,
  'not-available': true,
  setup: true,
  'setup-mail': true,
  'setup-done': true,
  home: true,
  error: true,
  wait: true,
  problem: true,
  'api-docs': true,
};

describe('the gallery', () => {
  let gallery: Gallery;
  before(async () => {
    gallery = await startGallery(await loadPages());
  });
  after(() => gallery?.close());

  const kindsIn = (group: string) =>
    new Set(gallery.samples.filter((sample) => sample.group === group).map(({ kind }) => kind));

  it('shows every kind of page and mail, and the embeddable block', () => {
    assert.deepEqual([...kindsIn('pages')].toSorted(), Object.keys(pageKinds).toSorted());
    assert.deepEqual([...kindsIn('mails')].toSorted(), Object.keys(mailKinds).toSorted());
    assert.ok(kindsIn('blocks').size > 0);
  });

  it('renders every sample in every language and brand within the size limits', () => {
    const views = [
      ...galleryLocales.map((locale) => ({ locale, brand: 'none' })),
      ...Object.keys(sampleBrands).map((brand) => ({ locale: 'en', brand })),
    ];
    for (const view of views) {
      for (const { group, path, render } of gallery.samples) {
        const { html } = render(view);
        const where = `${path} ${view.locale} ${view.brand}`;
        if (group === 'pages') assert.ok(gzipSync(html).length <= 14 * 1024, where);
        // In a mail, pictures are separate parts.
        const text = html.replace(/data:image\/png;base64,[\w+/=]*/g, '');
        if (group === 'mails') assert.ok(Buffer.byteLength(text) <= 40 * 1024, where);
        assert.match(html, /^<!doctype html><html lang="/, where);
      }
    }
  });

  it('returns its list with the chosen switches, and 404 for unknown paths', async () => {
    const list = await (await fetch(`${gallery.origin}/?show=/mails/code&scheme=dark&width=360&brand=%22%3E`)).text();
    assert.match(list, /<iframe title="code" src="\/mails\/code\?locale=en&#38;brand=none">/);
    assert.match(list, /iframe\{width:360px;color-scheme:dark\}/);
    assert.equal((await fetch(`${gallery.origin}/link/x`)).status, 404);
  });
});
