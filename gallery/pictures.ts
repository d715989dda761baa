// Photographs screens of a sample organisation: `node gallery/pictures.ts --out FOLDER [words]`. Without --out it renews
// docs/pictures.
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
} finally {
  await browser.close();
  await organisation.close();
}

async function take(shot: Shot, usualWidth: number, colorScheme: 'light' | 'dark'): Promise<void> {
  const { app } = organisation;
  const width = shot.width ?? usualWidth;
  const viewport = { width, height: shot.height ?? (width < 600 ? 740 : 900) };
  const deviceScaleFactor = values.out === undefined && width < 700 ? 2 : 1;
  const options = { viewport, deviceScaleFactor, colorScheme, locale: values.locale, timezoneId: 'Europe/Stockholm' };
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
  const marks = values.out === undefined ? '' : `-${width}-${colorScheme}-${values.locale.slice(0, 2)}`;
  await page.screenshot({ path: join(folder, `${shot.name}${marks}.png`), fullPage: values.full });
  await context.close();
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
