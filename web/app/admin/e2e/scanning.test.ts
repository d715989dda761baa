import { after, before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { infectedText, type ScriptedScanner, startScriptedScanner } from '#test/kit/scripted-scanner.ts';
import { passwordOf, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('the quarantine', { skip: skipWithoutBrowser }, () => {
  let scanner: ScriptedScanner;
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web' };
  before(async () => {
    scanner = await startScriptedScanner();
    environment.WAYBILL_SCANNER = scanner.address;
  });
  after(() => scanner.close());
  const fixture = useAppFixture({ environment });
  const scan = () => fixture.app.app.jobs.runOnce('scan-files');

  it('says so while no file is held', async () => {
    const visit = await fixture.show('/admin/quarantine', 'admin', { width: 'narrow', scheme: 'dark' });
    await visit.page.getByText('No file is held.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('opens from the overview, and releases a file with a reason and the own password, by keyboard', async () => {
    const { id } = await fixture.people.alice.upload('macro tool.xls', infectedText);
    await sendMessage(fixture.people.alice, { recipients: ['ben@example.com'], subject: 'Tool', attachments: [id] });
    await scan();
    const visit = await fixture.open('/admin/overview', 'admin');
    const { page } = visit;
    await page.getByText('1 file is held in quarantine').waitFor();
    await page.locator('main').getByRole('link', { name: 'Quarantine' }).click();
    await page.getByText('Infected').waitFor();
    await page.getByText('Eicar-Test-Signature').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Actions for macro tool.xls' }).click();
    await page.getByRole('menuitem', { name: 'Release' }).click();
    const dialog = page.getByRole('dialog', { name: 'Release “macro tool.xls”?' });
    visit.expectStatus(422);
    await page.keyboard.press('Enter');
    await dialog.getByRole('textbox', { name: 'Reason' }).and(page.locator('[aria-invalid="true"]')).waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('A false alarm');
    await dialog.getByRole('textbox', { name: 'Your own password' }).fill('wrong');
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-invalid="true"]').and(dialog.getByLabel('Your own password')).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('textbox', { name: 'Your own password' }).fill(passwordOf('admin'));
    await page.keyboard.press('Enter');
    await page.getByText('No file is held.').waitFor();
    await visit.close();
  });

  it('shows the scanner of the environment read-only, with a test', async () => {
    const visit = await fixture.open('/admin/virus-scanner', 'admin');
    const { page } = visit;
    await page.getByText('Set by WAYBILL_SCANNER in the environment. Change it there.').waitFor();
    await page.getByText('Works', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The EICAR test file is reported as infected.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('deletes several files at once after a confirmation', async () => {
    for (const name of ['one.txt', 'two.txt']) await fixture.people.alice.upload(name, `${name} ${infectedText}`);
    await scan();
    const visit = await fixture.open('/admin/quarantine', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    for (const name of ['one.txt', 'two.txt']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await visit.assertAccessible();
    await page.getByRole('region', { name: /2 / }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete 2 files?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No file is held.').waitFor();
    await visit.close();
  });
});

describe('the virus scanner', { skip: skipWithoutBrowser }, () => {
  let scanner: ScriptedScanner;
  before(async () => {
    scanner = await startScriptedScanner();
  });
  after(() => scanner.close());
  const fixture = useAppFixture({ environment: { WAYBILL_ROLE: 'web' } });

  it('is tested, saved only if it passes, and removed, on a phone in dark mode', async () => {
    const visit = await fixture.open('/admin/virus-scanner', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByText('New files are not checked for viruses.').waitFor();
    await visit.assertAccessible();
    visit.expectStatus(422);
    const address = page.getByRole('textbox', { name: 'Address of the scanner' });
    await address.fill('scanner.example');
    await page.getByRole('button', { name: 'Test and save' }).click();
    await address.and(page.locator('[aria-invalid="true"]')).waitFor();
    await address.fill(scanner.address);
    scanner.isDown = true;
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('The scanner failed the test, so nothing was saved.').waitFor();
    await page.getByText(/does not answer as a virus scanner does/).waitFor();
    await visit.assertAccessible();
    scanner.isDown = false;
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('An archive with a password is passed as clean.').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Test and save' }).click();
    await page.locator('main').getByText('The scanner is in use.').waitFor();
    await page.getByText('Not used yet').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('New files are not checked for viruses.').waitFor();
    await visit.close();
  });
});
