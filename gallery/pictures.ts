// Photographs screens of a sample organisation: `node gallery/pictures.ts --out FOLDER [words]`. Without --out it renews
// docs/pictures.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { repositoryRoot } from '#scripts/source-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { launchBrowser, openVisit } from '#web/pages/e2e/browser.fixture.ts';
import { type Organisation, password, startOrganisation } from './organisation.ts';

interface Shot {
  name: string;
  path(organisation: Organisation): string;
  as: 'sender' | 'administrator' | 'nobody';
  width?: number;
  height?: number;
}

const tracked = ({ sent }: Organisation) =>
  sent.filter(({ recipients }, index) => index % 5 === 0 && index % 6 !== 0 && recipients.length > 2).at(-1)!;

const shots: Shot[] = [
  { name: 'send', as: 'sender', path: () => '/app/send' },
  { name: 'sent', as: 'sender', path: () => '/app/sent' },
  { name: 'tracker', as: 'sender', path: (organisation) => `/app/sent/${tracked(organisation).id}` },
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
  { name: 'message-page', as: 'nobody', width: 390, height: 780, path: ({ sent }) => `/message/${sent.at(-6)!.id}` },
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
  await organisation.app.close();
}

async function take(shot: Shot, usualWidth: number, colorScheme: 'light' | 'dark'): Promise<void> {
  const { app } = organisation;
  const width = shot.width ?? usualWidth;
  const viewport = { width, height: shot.height ?? (width < 600 ? 740 : 900) };
  const options = { viewport, colorScheme, locale: values.locale, timezoneId: 'Europe/Stockholm' };
  const { page, context } = await openVisit(browser, app.url, options);
  await page.clock.setFixedTime(app.clock.now());
  if (shot.as !== 'nobody') await addSession(page, shot.as);
  await page.goto(app.url + shot.path(organisation));
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => document.fonts.ready);
  const marks = values.out === undefined ? '' : `-${width}-${colorScheme}-${values.locale.slice(0, 2)}`;
  await page.screenshot({ path: join(folder, `${shot.name}${marks}.png`), fullPage: values.full });
  await context.close();
}

async function addSession(page: Page, as: 'sender' | 'administrator'): Promise<void> {
  const { app, people } = organisation;
  const isSender = as === 'sender';
  const email = isSender ? people[0]!.client.email : 'sofia.ek@northlight.example';
  const { session } = await signIn(app, email, isSender ? password : 'quiet river under seven lamps');
  await page.context().addCookies([{ name: 'local-sid', value: session, url: app.url }]);
}
