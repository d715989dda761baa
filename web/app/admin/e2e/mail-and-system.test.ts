import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Response } from 'playwright-core';
import { sendMessage } from '#test/kit/messages.ts';
import { type NameTable, startNameServer, type TestNameServer } from '#test/kit/name-server.ts';
import { startRelay, type TestRelay } from '#test/kit/smtp-relay.ts';
import { skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('mail and system in the console', { skip: skipWithoutBrowser }, () => {
  const records: NameTable = { 'TXT _dmarc.northlight.example': 'v=DMARC1; p=reject' };
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web', WAYBILL_MAIL_FROM: 'files@northlight.example' };
  let relay: TestRelay;
  let names: TestNameServer;
  // The fixture reads the environment at start.
  before(async () => {
    relay = await startRelay({
      onRcptTo: ({ address }, _session, done) =>
        done(
          address.endsWith('@quay.example') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null,
        ),
    });
    names = await startNameServer(records);
    environment.WAYBILL_SMTP_URL = `smtp://127.0.0.1:${relay.port}`;
    environment.WAYBILL_NAME_SERVER = names.address;
    environment.WAYBILL_BACKUP_DIR = await mkdtemp(join(tmpdir(), 'waybill-backups-'));
  });
  const fixture = useAppFixture({ environment });
  after(async () => {
    await relay.close();
    names.close();
    await rm(environment.WAYBILL_BACKUP_DIR!, { recursive: true, force: true });
  });

  it('tests mail step by step, by keyboard, and names the step that fails', async () => {
    const visit = await fixture.open('/admin/mail', 'admin');
    const { page } = visit;
    await page.getByRole('heading', { level: 1, name: 'E-mail delivery' }).waitFor();
    const test = page.getByRole('region', { name: 'Send a test' });
    await test.getByRole('button', { name: 'Send test' }).focus();
    await page.keyboard.press('Enter');
    await test.getByText('The mail server has accepted the test e-mail.').first().waitFor();
    assert.equal(await test.getByRole('listitem').count(), 7);
    assert.deepEqual(relay.received.at(-1)!.envelopeTo, ['root@example.com']);
    await test.getByRole('textbox', { name: 'To' }).fill('ben@quay.example');
    await test.getByRole('button', { name: 'Send test' }).click();
    await test.getByText('The mail server refuses the recipient ben@quay.example.').waitFor();
    await test.getByText(/The other side said: 550 no such user/).waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('checks the domain and shows the records to add, at 360 px in dark mode', async () => {
    const visit = await fixture.open('/admin/mail', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByRole('button', { name: 'Check the domain' }).click();
    const found = page.getByRole('list', { name: 'Records of the sender domain' });
    await found.getByText('northlight.example has no SPF record', { exact: false }).waitFor();
    await found.getByText('northlight.example has a DMARC policy: reject.').waitFor();
    assert.equal(await found.getByLabel('Value').first().inputValue(), 'v=spf1 a mx ~all');
    await visit.assertAccessible();
    await visit.close();
  });

  it('lists refused mail, by domain too, and retries one', async () => {
    await sendMessage(fixture.people.alice, { recipients: ['ann@quay.example'], send_email: true, bcc_myself: false });
    await fixture.app.app.jobs.runOnce('send-outbox');
    const visit = await fixture.open('/admin/mail', 'admin');
    const { page } = visit;
    const mails = page.getByRole('region', { name: 'E-mails', exact: true });
    await mails.getByText('Refused', { exact: true }).click();
    await mails.getByRole('rowheader', { name: 'ann@quay.example' }).waitFor();
    await page.getByRole('rowheader', { name: 'quay.example', exact: true }).waitFor();
    await mails.getByRole('button', { name: 'Actions for ann@quay.example' }).click();
    await page.getByRole('menuitem', { name: 'Try now' }).click();
    await mails.getByText('There are none.').waitFor();
    await mails.getByText('Waiting', { exact: true }).click();
    await mails.getByRole('button', { name: 'Actions for ann@quay.example' }).click();
    await page.getByRole('menuitem', { name: 'Drop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await mails.getByRole('rowheader', { name: 'ann@quay.example' }).count(), 0);
    await visit.close();
  });

  it('edits the text of a mail: preview, test, save, compare, restore', async () => {
    const visit = await fixture.open('/admin/templates', 'admin');
    const { page } = visit;
    await page.getByRole('link', { name: 'Reminder' }).click();
    const words = page.getByRole('region', { name: 'Words of Reminder' });
    await words.getByRole('textbox', { name: 'Subject' }).fill('Still waiting: {{ subject }}');
    const preview = page.getByRole('region', { name: 'Preview' });
    const isFrame = (response: Response) =>
      response.url().includes('/admin/mail_templates/reminder/page?') && response.status() === 200;
    await page.waitForFunction(() =>
      [...document.querySelectorAll('input')].some(
        ({ readOnly, value }) => readOnly && /^Still waiting: \w/.test(value),
      ),
    );
    await preview.locator('iframe').waitFor();
    await preview.getByText('Plain text, with sample data').first().click();
    const inTheDark = page.waitForResponse(isFrame);
    await preview.getByRole('radio', { name: 'Dark' }).check({ force: true });
    await inTheDark;
    await preview.getByRole('radio', { name: 'Phone' }).check({ force: true });
    await visit.assertAccessible();
    await preview.getByRole('button', { name: 'Send test to me' }).click();
    await preview.getByText('Test sent.').waitFor();
    assert.match(relay.received.at(-1)!.mime.toString(), /Subject: Still waiting: /);
    await words.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('Saved.').waitFor();
    await visit.assertAccessible();
    await words.getByRole('button', { name: 'Back to the shipped words' }).click();
    await page.getByRole('status').getByText('The shipped words are back.').waitFor();
    await words.getByRole('button', { name: 'All kinds of e-mail' }).click();
    await page.getByRole('link', { name: 'Reminder' }).waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('shows the last backup and its restore test, tests the connection, runs a job, shows sources and a text for support', async () => {
    for (const job of ['back-up', 'restore-drill'])
      assert.match((await fixture.app.app.jobs.runOnce(job)) ?? '', /^\d{8}T\d{9}Z: /);
    const visit = await fixture.open('/admin/system', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    const backups = page.getByRole('region', { name: 'Backups' });
    await backups.getByText(/restored and read/).waitFor();
    const [backup, restoreTest] = await backups.locator('dl > div').allInnerTexts();
    assert.match(backup!, /^Last backup\s+16 Nov.*: \d+ files?, \d/);
    assert.match(restoreTest!, /^Last restore test\s+16 Nov.*: restored and read, \d+ files?$/);
    await page.getByRole('button', { name: 'Run connection test' }).click();
    await page.getByText('7 checks passed, nothing needs attention.').first().waitFor();
    await page.getByRole('region', { name: 'Background jobs' }).getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('button', { name: 'Run Remove old sessions and codes' }).click();
    await page.getByRole('status').getByText('Done: Remove old sessions and codes').waitFor();
    await page.getByRole('button', { name: 'Show the text' }).click();
    assert.match(await page.getByLabel('Text for support').inputValue(), /^Waybill \d/);
    await page.getByText('WAYBILL_SMTP_URL', { exact: true }).waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('starts and ends maintenance; people see the notice', async () => {
    const visit = await fixture.open('/admin/system', 'admin');
    const { page } = visit;
    await page.getByRole('button', { name: 'Begin maintenance' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('New disks. Back at ten.');
    await page.keyboard.press('Enter');
    // The form contains the sentence as well.
    await page.getByRole('button', { name: 'End maintenance' }).waitFor();
    await page.getByText('New disks. Back at ten.').waitFor();
    const reply = await fixture.app.anonymous.fetch('/app', { headers: { accept: 'text/html' } });
    assert.deepEqual([reply.status, /New disks\. Back at ten\./.test(reply.text)], [503, true]);
    await page.getByRole('button', { name: 'End maintenance' }).click();
    await page.getByRole('button', { name: 'Begin maintenance' }).waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('lists locked sign-ins, unlocks one, and refuses networks that would lock the administrator out', async () => {
    for (let attempt = 0; attempt < 5; attempt++)
      await fixture.app.anonymous.expect(401, 'login', {
        body: { user: { email: 'ben@example.com', password: 'wrong' } },
      });
    const visit = await fixture.open('/admin/security', 'admin', { width: 'narrow' });
    const { page } = visit;
    await page.getByRole('button', { name: 'Unlock: ben@example.com' }).click();
    await page.getByText('No one is locked out.').waitFor();
    visit.expectStatus(422);
    const groups = page.getByRole('region', { name: 'Where the people of a group may come from' });
    await groups.getByRole('link', { name: 'System Administrators' }).waitFor();
    await groups.getByText('Everywhere').first().waitFor();
    await page.getByRole('textbox', { name: 'Networks' }).fill('10.0.0.0/8');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/^You would lock yourself out\./)
      .first()
      .waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('changes name and colour, shows the derived tones, and accepts a logo', async () => {
    const visit = await fixture.open('/admin/branding', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    visit.expectStatus(422);
    await page.getByRole('textbox', { name: 'Organisation' }).fill('Northlight');
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('yellow');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Write the colour as # and six digits', { exact: false }).first().waitFor();
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('#ffe600');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Contrast only 1\.\d:1/).waitFor();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>';
    await page.getByLabel('Logo for light pages').setInputFiles({
      name: 'logo.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from(svg),
    });
    await page.getByRole('img', { name: 'Logo for light pages' }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Remove the logo for light pages' }).click();
    await page.getByText('None: pages show the name.').waitFor();
    await visit.close();
  });

  it('shows auditors the same without actions', async () => {
    await fixture.addPerson('ann', { role: 'auditor' });
    for (const path of ['/admin/branding', '/admin/mail', '/admin/templates', '/admin/security', '/admin/system']) {
      const visit = await fixture.show(path, 'ann');
      const { page } = visit;
      await page.getByText('You can look at this but not change it.').waitFor();
      for (const name of ['Send test', 'Save', 'Run connection test', 'Begin maintenance'])
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, `${path} ${name}`);
      await visit.assertAccessible();
      await visit.close();
    }
  });
});
