// Photographs screens of a sample organisation: `node gallery/pictures.ts --out FOLDER [words]`. Without --out it renews
// docs/pictures: those of the README and, in each language, those of the pages for people.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { repositoryRoot } from '#scripts/source-files.ts';
import { browserProving } from '#test/kit/messages.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { launchBrowser, openVisit } from '#web/pages/e2e/browser.fixture.ts';
import { type Organisation, password, startOrganisation } from './organisation.ts';

interface Shot {
  name: string;
  path(organisation: Organisation): string;
  as: 'sender' | 'administrator' | 'recipient';
  width?: number;
  height?: number;
  prepare?(page: Page): Promise<void>;
}

const shots: Shot[] = [
  { name: 'send', as: 'sender', path: () => '/app/send', prepare: writeMessage },
  { name: 'sent', as: 'sender', path: () => '/app/sent' },
  { name: 'tracker', as: 'sender', path: ({ shown }) => `/app/sent/${shown.id}` },
  { name: 'account', as: 'sender', path: () => '/app/account' },
  { name: 'links', as: 'sender', path: () => '/app/links' },
  { name: 'requests', as: 'sender', path: () => '/app/requests' },
  { name: 'received', as: 'sender', path: () => '/app/received' },
  { name: 'log', as: 'sender', path: () => '/app/log' },
  { name: 'console', as: 'administrator', path: () => '/app/admin' },
  { name: 'transfers', as: 'administrator', path: () => '/app/admin/transfers' },
  { name: 'people', as: 'administrator', path: () => '/app/admin/people' },
  { name: 'groups', as: 'administrator', path: () => '/app/admin/groups' },
  { name: 'mail', as: 'administrator', path: () => '/app/admin/mail' },
  { name: 'branding', as: 'administrator', path: () => '/app/admin/branding' },
  { name: 'activity', as: 'administrator', path: () => '/app/admin/activity' },
  { name: 'storage', as: 'administrator', path: () => '/app/admin/storage' },
  { name: 'security', as: 'administrator', path: () => '/app/admin/security' },
  { name: 'evidence', as: 'administrator', path: () => '/app/admin/evidence' },
  { name: 'system', as: 'administrator', path: () => '/app/admin/system' },
  { name: 'message-page', as: 'recipient', width: 640, height: 810, path: ({ shown }) => `/message/${shown.id}` },
];
const phone = { ...shots.at(-1)!, name: 'phone', width: 390, height: 780 };
/** On the pages for people, which exist in these languages too. */
const ofPeople = ['send', 'tracker', 'message-page'];
const languages = ['de', 'es', 'fr', 'sv'];
const ofReadme = ['send', 'tracker', 'console', 'transfers', 'message-page'];

const { values, positionals } = parseArgs({
  options: {
    out: { type: 'string' },
    full: { type: 'boolean', default: false },
    width: { type: 'string', default: '1440' },
    scheme: { type: 'string', default: 'light' },
    locale: { type: 'string', default: 'en-GB' },
  },
  allowPositionals: true,
});
const folder = values.out ?? join(repositoryRoot, 'docs', 'pictures');
const chosen = shots.filter(({ name }) =>
  positionals.length > 0 ? positionals.includes(name) : values.out !== undefined || ofReadme.includes(name),
);
mkdirSync(folder, { recursive: true });
const organisation = await startOrganisation();
const browser = await launchBrowser();
try {
  for (const width of values.width.split(',').map(Number))
    for (const scheme of values.scheme.split(',') as ('light' | 'dark')[])
      for (const shot of chosen) await take(shot, width, scheme);
  if (values.out === undefined) {
    for (const locale of languages)
      for (const shot of chosen.filter(({ name }) => ofPeople.includes(name)))
        await take(shot, 1280, 'light', { locale, to: join(folder, locale) });
    await compose();
  }
} finally {
  await browser.close();
  await organisation.close();
}

async function take(
  shot: Shot,
  usualWidth: number,
  colorScheme: 'light' | 'dark',
  { locale = values.locale, to = folder }: { locale?: string; to?: string | null } = {},
): Promise<Buffer> {
  const { app } = organisation;
  const width = shot.width ?? usualWidth;
  const viewport = { width, height: shot.height ?? (width < 600 ? 740 : 900) };
  const deviceScaleFactor = values.out === undefined && width < 700 ? 2 : 1;
  const options = { viewport, deviceScaleFactor, colorScheme, locale, timezoneId: 'Europe/Stockholm' };
  const { page, context } = await openVisit(browser, app.url, options);
  await page.clock.setFixedTime(app.clock.now());
  await identify(page, shot.as);
  // The console checks the public address; the pages are served on loopback.
  const baseUrl = shot.as === 'administrator' ? 'https://files.northlight.example' : app.url;
  Object.assign(app.app.ctx.settings.surroundings, { baseUrl });
  await page.goto(app.url + shot.path(organisation));
  await page.waitForLoadState('networkidle');
  await shot.prepare?.(page);
  await page.evaluate(() => document.fonts.ready);
  const marks = values.out === undefined ? '' : `-${width}-${colorScheme}-${locale.slice(0, 2)}`;
  const place = to === null ? {} : { path: join(to, `${shot.name}${marks}.png`) };
  const picture = await page.screenshot({ ...place, fullPage: values.full });
  await context.close();
  return picture;
}

/** One picture for the README: form, tracker, and the message page on a phone. */
async function compose(): Promise<void> {
  const image = (picture: Buffer, style: string) => {
    const source = `data:image/png;base64,${picture.toString('base64')}`;
    return `<img src="${source}" style="position:absolute;border:1px solid #b6bec9;border-radius:10px;${style}">`;
  };
  const [form, tracker] = ['send', 'tracker'].map((name) => shots.find((shot) => shot.name === name)!);
  const images = [
    image(await take(form!, 1440, 'light', { to: null }), 'left:30px;top:30px;width:800px'),
    image(await take(tracker!, 1440, 'light', { to: null }), 'left:270px;top:250px;width:860px'),
    image(
      await take(phone, 390, 'light', { to: null }),
      'left:1100px;top:60px;width:290px;border-radius:26px;border:6px solid #1d2733',
    ),
  ];
  const page = await browser.newPage({ viewport: { width: 1440, height: 800 } });
  await page.setContent(`<body style="margin:0;background:#e8edf3">${images.join('')}`);
  await page.screenshot({ path: join(folder, 'overview.png') });
  await page.close();
}

async function identify(page: Page, as: Shot['as']): Promise<void> {
  const { app, people, shown } = organisation;
  if (as === 'recipient') {
    const { cookies } = await browserProving(app, shown.recipient);
    return page.context().addCookies(Array.from(cookies, ([name, value]) => ({ name, value, url: app.url })));
  }
  const isSender = as === 'sender';
  const email = isSender ? people[0]!.client.email : 'sofia.ek@northlight.example';
  const { session } = await signIn(app, email, isSender ? password : 'quiet river under seven lamps');
  await page.context().addCookies([{ name: 'local-sid', value: session, url: app.url }]);
}

async function writeMessage(page: Page): Promise<void> {
  await page.locator('#send-to').pressSequentially('ben@harbour.example maria.keller@harbour.example ');
  await page.locator('#send-subject').fill('Drawings for the Harbour tender');
  await page.locator('#send-text').fill('Here are the drawings we spoke about. The deadline is Friday.');
  const chosen = [
    { name: 'Harbour plan, level 2.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(1_900_000, 1) },
    { name: 'Photos of the quay.zip', mimeType: 'application/zip', buffer: Buffer.alloc(700_000, 2) },
  ];
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('#send-files').click()]);
  await chooser.setFiles(chosen);
  await page
    .locator('[data-tone="success"]')
    .nth(chosen.length - 1)
    .waitFor();
  await page.mouse.move(0, 0);
}
