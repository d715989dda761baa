// Checks the virus scanner with harmless files, as its self-test does.
import type { Config } from '../../config.ts';
import type { LockedDb } from '../../db/schema/schema.ts';
import { findSettings } from '../../db/system/settings.ts';
import { openScanner } from '../../lib/scanners/address.ts';
import { type Scanner, ScannerSilent, type ScannerStep } from '../../lib/scanners/scanner.ts';
import { reportsExceededLimits, testScanner } from '../../lib/scanners/self-test.ts';
import { scannerOf } from '../settings.ts';
import { type Finding, fault, ok, warn } from './findings.ts';

const look = 'virus scanner';
/** Each answer; the check has several. */
const answerMs = 4000;

const steps: Record<ScannerStep, { sentence: string; cure: string }> = {
  connection: {
    sentence: 'The virus scanner cannot be reached, so new files wait.',
    cure: 'Start it, and check its address (WAYBILL_SCANNER, or Virus scanner in the console) and the firewall; for a socket also its permissions, for icaps its certificate authority.',
  },
  answer: {
    sentence: 'The virus scanner gives no verdict, so new files wait.',
    cure: 'Look at the log of the scanner, and restart it.',
  },
  service: {
    sentence: 'At the address of the virus scanner answers something else.',
    cure: 'Check WAYBILL_SCANNER or the address in the console: its port, and for ICAP the name of the service.',
  },
  'clean file': {
    sentence: 'The virus scanner reports a clean file, so its verdicts do not count and new files wait.',
    cure: 'Check the settings and local signatures of the scanner.',
  },
  EICAR: {
    sentence: 'The virus scanner does not find the EICAR test file, so its verdicts do not count and new files wait.',
    cure: 'Load its signatures (freshclam), and restart it.',
  },
};

/** The scanner of the environment, or of the console if the database can be read. */
export async function checkScanner(config: Config, db: LockedDb | null): Promise<Finding[]> {
  const saved = db === null ? undefined : (await findSettings(db.read))?.settings;
  const setup = scannerOf(config) ?? saved?.scanner ?? null;
  if (setup === null) return [];
  const timeoutMs = Math.min(setup.timeoutMs, answerMs);
  try {
    return await examine(openScanner(setup.address, { timeoutMs, authorities: setup.certificates }));
  } catch (error) {
    if (!(error instanceof ScannerSilent)) throw error;
    const { sentence, cure } = steps[error.step];
    return [fault(look, sentence, cure, error.message)];
  }
}

async function examine(scanner: Scanner): Promise<Finding[]> {
  const { version, reportsEncrypted } = await testScanner(scanner);
  const gaps: Finding[] = [];
  if (!reportsEncrypted)
    gaps.push(
      warn(
        look,
        'The virus scanner passes encrypted archives as clean, also inside other archives.',
        'Set "AlertEncrypted yes" in clamd.conf, and restart clamd.',
      ),
    );
  if (!(await reportsExceededLimits(scanner)))
    gaps.push(
      warn(
        look,
        'The virus scanner passes files that exceed its limits as clean.',
        'Set "AlertExceedsMax yes" in clamd.conf, and restart clamd.',
      ),
    );
  return [ok(look, `${scanner.place} finds the EICAR test file (${version}).`), ...gaps];
}
