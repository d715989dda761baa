// A virus scanner inside the test, and the job that asks it.
import { createScanFiles } from '#server/jobs/scan-files.ts';
import { clean, infected, type Scanner, ScannerSilent, type ScanResult } from '#server/lib/scanners/scanner.ts';
import { eicar } from '#server/lib/scanners/self-test.ts';
import type { TestApp } from './app.ts';

/** For the service, whose own connection to a scanner is not used. */
export const fakeScannerEnvironment = { WAYBILL_ROLE: 'web', WAYBILL_SCANNER: 'clamd://127.0.0.1:1' };

export interface FakeScanner extends Scanner {
  signatures: number;
  isDown: boolean;
  /** Files except those of the self-test. */
  scanned: number;
  judge(content: string): ScanResult | Promise<ScanResult>;
}

const ofSelfTest = ['This file is clean.\n', eicar.toString()];

export function createFakeScanner(): FakeScanner {
  const assertUp = () => {
    if (fake.isDown) throw new ScannerSilent('the scanner of the test is away');
  };
  const fake: FakeScanner = {
    place: 'test',
    signatures: 1,
    isDown: false,
    scanned: 0,
    judge: () => clean,
    async version() {
      assertUp();
      return `Fake ${fake.signatures}`;
    },
    async scan(input) {
      assertUp();
      const bytes: Buffer[] = [];
      for await (const chunk of input.read()) bytes.push(Buffer.from(chunk));
      const content = Buffer.concat(bytes).toString('latin1');
      if (ofSelfTest.includes(content)) return content === ofSelfTest[0] ? clean : infected('EICAR');
      fake.scanned += 1;
      return fake.judge(content);
    },
  };
  return fake;
}

/** The job of one process: a new one is a restart. Returns what the job says. */
export function scanJob(app: TestApp, scanner: Scanner | null): () => Promise<string> {
  const job = createScanFiles(() => ({ scanner, timeoutMs: 60_000 }));
  return () => job.run(app.app.ctx, { isConfirmed: false });
}

export async function scanStateOf(app: TestApp, attachmentId: string): Promise<string | undefined> {
  const row = await app.app.ctx.db.read
    .selectFrom('attachments')
    .select('scan_state')
    .where('id', '=', attachmentId)
    .executeTakeFirst();
  return row?.scan_state;
}
