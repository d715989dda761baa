import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandingAnswer } from '#contract/admin/branding.ts';
import { changeSettings } from '#server/actions/settings.ts';
import { samplePng } from '#server/lib/png.fixture.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { openDistantMailbox } from '#test/kit/distant-browser.ts';
import { until } from '#test/kit/eventually.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20"><path d="M0 0h60v20z"/></svg>';
const bytesOf = (buffer: Buffer) => new Uint8Array(buffer);

onEachDatabase('branding', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice');

  const change = (branding: Record<string, unknown>) => ({ body: { branding } }) as const;
  const read = async () => wireForm(brandingAnswer, (await app.admin.expect(200, 'getBranding')).body).branding;
  const put = (bytes: Uint8Array<ArrayBuffer> | string, variant?: string) =>
    ({ bytes, ...(variant === undefined ? {} : { query: { variant } }) }) as const;
  const page = async () => (await new Browser(app.url).get('/')).text;
  /** Other processes read a change within two seconds. */
  const pageWith = (part: string) =>
    until(async () => {
      const text = await page();
      return text.includes(part) && text;
    });
  const pageLacks = (part: string) => until(async () => !(await page()).includes(part));
  const nextMail = async () => {
    await mailbox.post(app);
    await sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      subject: 'Plans',
      message: 'text',
      send_email: true,
      bcc_myself: true,
    });
    const mails = await mailbox.post(app);
    return {
      toBen: mails.find(({ to }) => to === 'ben@harbour.example')!,
      copy: mails.find(({ to }) => to === alice.email)!,
    };
  };

  test('is refused to users and callers without an account', async () => {
    for (const [who, status] of [
      [alice, 403],
      [app.anonymous, 401],
    ] as const) {
      await who.expect(status, 'getBranding');
      await who.expect(status, 'changeBranding', change({ organisation_name: 'Mine' }));
      await who.expect(status, 'changeLogo', put(svg));
      await who.expect(status, 'deleteLogo');
    }
    assert.deepEqual((await read()).logo, { light: null, dark: null });
  });

  test('refuses an invalid name, colour, address, web address or footer, and then changes nothing', async () => {
    const before = await read();
    for (const [code, branding] of [
      ['organisation.bad_name', { organisation_name: '  ' }],
      ['organisation.bad_name', { organisation_name: 'x'.repeat(101) }],
      ['branding.bad_colour', { colour: 'red' }],
      ['branding.bad_colour', { colour: '#0e5a6b;}body{display:none' }],
      ['branding.bad_contact', { contact_address: 'no-address' }],
      ['branding.bad_contact', { contact_address: 'a@b.example, c@d.example' }],
      ['branding.bad_privacy_url', { privacy_url: 'javascript:alert(1)' }],
      ['branding.bad_privacy_url', { privacy_url: 'https://user:secret@x.example/' }],
      ['branding.bad_footer', { page_footer: 'x'.repeat(301) }],
      ['branding.bad_footer', { mail_footer: 'a\u0007b' }],
    ] as const) {
      await app.admin.refused(422, code, 'changeBranding', change({ colour: '#123456', ...branding }));
    }
    assert.deepEqual(await read(), before);
  });

  test('refuses logos that are no image, run scripts, load other files or are too large', async () => {
    for (const bytes of ['hello', '<svg viewBox="0 0 1 1" onload="x"/>', bytesOf(samplePng(2, 2).subarray(0, 40))]) {
      await app.admin.refused(422, 'logo.not_usable', 'changeLogo', put(bytes));
    }
    await app.admin.refused(422, 'logo.not_usable', 'changeLogo', put(new Uint8Array([0xff, 0xd8, 0xff])));
    await app.admin.refused(422, 'logo.missing', 'changeLogo', put(''));
    await app.admin.refused(422, 'request.invalid', 'changeLogo', put(svg, 'sideways'));
    await app.admin.expect(413, 'changeLogo', put(svg.padEnd(300 * 1024)));
    assert.deepEqual((await read()).logo, { light: null, dark: null });
  });

  test('applies immediately to all pages and mails, and loads from our own address', async () => {
    const administrator = await app.person('adam', { group: 'administrators' });
    await administrator.expect(
      200,
      'changeBranding',
      change({
        organisation_name: 'Northlight <b>',
        colour: 'FFCC00',
        contact_address: 'IT@northlight.example',
        privacy_url: 'https://northlight.example/privacy',
        page_footer: 'Line one\nLine <two>',
        mail_footer: 'Registered in Malmö',
      }),
    );
    const { colour, tones, is_tone_changed } = await read();
    assert.deepEqual([colour, is_tone_changed], ['#ffcc00', true]);
    const html = await pageWith('Northlight &lt;b&gt;');
    assert.match(html, /mailto:it@northlight\.example/);
    assert.match(html, /href="https:\/\/northlight\.example\/privacy"/);
    assert.match(html, /Line &lt;two&gt;/);
    const sheet = /href="(\/brand\/[^"]+)"/.exec(html)![1]!;
    const styles = await app.anonymous.fetch(sheet);
    assert.equal(styles.headers.get('content-type'), 'text/css; charset=utf-8');
    assert.match(styles.headers.get('cache-control')!, /immutable/);
    assert.ok(styles.text.includes(`--color-primary:${tones.light.primary};`));
    assert.ok(styles.text.includes('--color-brand:#ffcc00'));
    const other = await app.anonymous.fetch(sheet.replace('.ffcc00.', '.ffcc01.'));
    assert.equal(other.status, 404, 'other colours than those of the address');
    const { toBen, copy } = await nextMail();
    assert.ok(toBen.html.includes(tones.light.primary) && toBen.html.includes('#ffcc00'));
    assert.match(toBen.text, /Registered in Malmö/);
    assert.equal(copy.replyTo, 'it@northlight.example');
  });

  test('keeps omitted fields, and removes those that are null', async () => {
    await app.admin.expect(200, 'changeBranding', change({ colour: null, privacy_url: '' }));
    const left = await read();
    assert.deepEqual([left.colour, left.privacy_url], [null, null]);
    assert.equal(left.contact_address, 'it@northlight.example');
    await pageLacks('/brand/');
  });

  test('serves a logo that can run nothing, under an address that changes with it', async () => {
    await app.admin.expect(200, 'changeLogo', put(svg));
    const first = (await read()).logo.light!;
    assert.deepEqual([first.type, first.width, first.height, first.is_in_mails], ['image/svg+xml', 60, 20, false]);
    const path = new URL(first.url).pathname;
    await pageWith(`<img src="${path}" alt="" width="96" height="32"/>`);
    const picture = await until(async () => {
      const reply = await app.anonymous.fetch(path);
      return reply.status === 200 && reply;
    });
    assert.equal(
      picture.text,
      svg.replace(/ xmlns="[^"]+"/, '').replace('20">', '20" xmlns="http://www.w3.org/2000/svg">'),
    );
    assert.match(picture.headers.get('content-security-policy')!, /default-src 'none'.*sandbox/);
    assert.equal(picture.headers.get('x-content-type-options'), 'nosniff');
    assert.deepEqual((await nextMail()).toBen.pictures, [], 'mail programs do not show SVG');
    for (const other of [
      path.replace('.svg', '.png'),
      path.replace('light', 'dark'),
      path.replace(/\.[\w-]{16}/, `.${'A'.repeat(16)}`),
    ]) {
      assert.equal((await app.anonymous.fetch(other)).status, 404, other);
    }
    const png = samplePng(64, 32);
    await app.admin.expect(200, 'changeLogo', put(bytesOf(png)));
    await app.admin.expect(200, 'changeLogo', put(bytesOf(samplePng(32, 32)), 'dark'));
    await until(async () => (await app.anonymous.fetch(path)).status === 404);
    await app.restart();
    const { light, dark } = (await read()).logo;
    assert.match(await page(), /<source srcSet="\/brand\/logo-dark/i);
    assert.ok(light!.is_in_mails && dark !== null);
    const { toBen } = await nextMail();
    assert.deepEqual(
      toBen.pictures?.map(({ name }) => name),
      ['logo-light', 'logo-dark'],
    );
    assert.ok(toBen.pictures![0]!.bytes.equals(png));
    assert.match(toBen.html, /<img class="lgl" src="cid:logo-light" width="64" height="32"/);
  });

  test('removes a logo, and records who did what', async () => {
    await app.admin.expect(200, 'deleteLogo');
    await app.admin.expect(200, 'deleteLogo', { query: { variant: 'dark' } });
    await app.admin.expect(200, 'deleteLogo');
    assert.deepEqual((await read()).logo, { light: null, dark: null });
    await pageLacks('<img');
    const events = await app.app.ctx.db.read.selectFrom('events').select('action').orderBy('at').execute();
    const own = events.map(({ action }) => action).filter((action) => action.startsWith('branding.'));
    assert.deepEqual([...new Set(own)], ['branding.changed', 'branding.logo_changed', 'branding.logo_removed']);
  });

  test('shows administrators what another process has changed', async () => {
    const { ctx } = app.app;
    const elsewhere = { ...ctx, settings: { ...ctx.settings, refresh: async () => {} } };
    await changeSettings(elsewhere, async (_, settings) => ({ ...settings, organisationName: 'Elsewhere' }));
    assert.equal((await read()).organisation_name, 'Elsewhere');
  });

  test('keeps both of two concurrent changes', async () => {
    await Promise.all([
      app.admin.expect(200, 'changeBranding', change({ colour: '#123456' })),
      app.admin.expect(200, 'changeBranding', change({ page_footer: 'Both' })),
      app.admin.expect(200, 'changeLogo', put(svg, 'dark')),
    ]);
    const { colour, page_footer, logo } = await read();
    assert.deepEqual([colour, page_footer, logo.dark?.width], ['#123456', 'Both', 60]);
  });

  test('is previewed on a page and in a mail, light and dark; nothing is saved', async () => {
    const before = await read();
    const values = {
      organisation_name: 'Preview & Sons',
      colour: '#b45309',
      page_footer: 'Foot',
      mail_footer: 'Mailfoot',
    };
    const show = async (query: Record<string, string>, who = app.admin) => {
      const { text, headers } = await who.expect(200, 'showBranding', { query });
      assert.match(headers.get('content-security-policy') ?? '', /sandbox.*default-src 'none'.*frame-ancestors 'self'/);
      assert.doesNotMatch(text, /<script/);
      return text;
    };
    for (const [view, footer] of [
      ['page', 'Foot'],
      ['mail', 'Mailfoot'],
    ] as const) {
      const [light, dark] = [await show({ view, ...values }), await show({ view, ...values, scheme: 'dark' })];
      assert.ok(light.includes('Preview &amp; Sons') && light.includes(footer) && light.includes('#b45309'), view);
      assert.ok(light.includes('@media not all') && dark.includes('@media all'), view);
    }
    const half = await show({ view: 'page', ...values, colour: '#b4', contact_address: 'it@' });
    assert.ok(half.includes('Preview &amp; Sons') && !half.includes('#b45309'), 'invalid values have no effect');
    await app.admin.expect(422, 'showBranding', { query: { view: 'card' } });
    await alice.expect(403, 'showBranding', { query: { view: 'page' } });
    assert.deepEqual(await read(), before);
  });
});
