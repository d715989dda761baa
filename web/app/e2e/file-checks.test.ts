import { after, before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { infectedText, type ScriptedScanner, startScriptedScanner } from '#test/kit/scripted-scanner.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

describe('files that wait for the virus scanner', { skip: skipWithoutBrowser }, () => {
  let scanner: ScriptedScanner;
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web' };
  before(async () => {
    scanner = await startScriptedScanner();
    environment.WAYBILL_SCANNER = scanner.address;
  });
  after(() => scanner.close());
  const fixture = useAppFixture({ environment });

  for (const width of ['wide', 'narrow'] as const)
    it(`are shown to their sender with the reason when they are held, without a reload: ${width}`, async () => {
      const { alice } = fixture.people;
      const files = [await alice.upload('bad.txt', `${width} ${infectedText}`), await alice.upload('plan.txt', width)];
      const attachments = files.map(({ id }) => id);
      const { id } = await sendMessage(alice, { recipients: ['ben@example.com'], subject: 'Plans', attachments });
      const visit = await fixture.open(`/sent/${id}`, 'alice', { width, scheme: width === 'wide' ? 'light' : 'dark' });
      const { page } = visit;
      await page.getByText('2 files are being checked for viruses').waitFor();
      await visit.assertAccessible();
      await fixture.app.app.jobs.runOnce('scan-files');
      await page.getByText('bad.txt: the virus scanner found Eicar-Test-Signature.').waitFor();
      await visit.assertAccessible();
      if (width === 'wide') {
        await page.getByRole('tab', { name: 'Files' }).click();
        await page.getByText(/held, no recipient gets it: the virus scanner found Eicar-Test-Signature/).waitFor();
        await visit.assertAccessible();
      }
      await visit.close();
    });
});
