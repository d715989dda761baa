// The virus scanner of the console: saved only after it has passed its self-test.
import type { UserCaller } from '../../domain/caller.ts';
import type { Check } from '../../domain/checks.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { defaultScannerTimeoutMs, scannerInForce, scannerVariables } from '../../domain/scanner-settings.ts';
import type { ScannerSetup } from '../../domain/settings.ts';
import { areCertificates, certificatesIn } from '../../lib/outbound-tls.ts';
import {
  openScanner,
  readScannerAddress,
  type ScannerAddress,
  writeScannerAddress,
} from '../../lib/scanners/address.ts';
import { type Scanner, ScannerSilent } from '../../lib/scanners/scanner.ts';
import { testScanner } from '../../lib/scanners/self-test.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { changeSettings } from '../settings.ts';

export interface ScannerInput {
  address: string;
  certificates?: string | undefined;
  timeoutSeconds?: number | undefined;
}

export interface ScannerSettingsView {
  source: 'environment' | 'console' | 'none';
  /** The variable of each field that the environment fixes. */
  fixed: Record<string, string>;
  address: string;
  certificates: string;
  timeoutSeconds: number;
}

export function describeScannerSettings(ctx: Ctx): ScannerSettingsView {
  const { setup, source } = scannerInForce(ctx.settings);
  return {
    source,
    fixed: source === 'environment' ? { ...scannerVariables } : {},
    address: setup === null ? '' : writeScannerAddress(setup.address),
    certificates: setup === null ? '' : setup.certificates.join('\n'),
    timeoutSeconds: Math.round((setup?.timeoutMs ?? defaultScannerTimeoutMs) / 1000),
  };
}

/** Changes nothing. Without input the scanner in force is tested. */
export async function testScannerSettings(
  ctx: Ctx,
  caller: UserCaller,
  input: ScannerInput | undefined,
): Promise<{ version: string; steps: Check[] }> {
  requireRight(caller, 'system.change');
  const setup = input === undefined ? scannerInForce(ctx.settings).setup : readSetup(input);
  if (setup === null) throw invalid('scanner.not_set_up', 'No virus scanner is set up.');
  return testSetup(setup);
}

/** Saves nothing unless the scanner passes its self-test. Every process uses it from then on. */
export async function changeScannerSettings(ctx: Ctx, caller: UserCaller, input: ScannerInput): Promise<void> {
  requireRight(caller, 'system.change');
  requireConsole(ctx);
  const setup = readSetup(input);
  const { steps } = await testSetup(setup);
  if (steps.some(({ state }) => state === 'failed'))
    throw new Problem('invalid', 'scanner.test_failed', 'The scanner failed the test, so nothing was saved.', {
      checks: steps,
    });
  await saveSetup(ctx, caller, setup);
}

/** New files are not scanned from then on. */
export async function removeScannerSettings(ctx: Ctx, caller: UserCaller): Promise<void> {
  requireRight(caller, 'system.change');
  requireConsole(ctx);
  await saveSetup(ctx, caller, null);
}

function requireConsole(ctx: Ctx): void {
  if (scannerInForce(ctx.settings).source !== 'environment') return;
  const variable = scannerVariables.address;
  throw new Problem(
    'conflict',
    'scanner.from_environment',
    `The virus scanner comes from the environment (${variable}). Change it there.`,
  ).withValues({ variable });
}

function readSetup(input: ScannerInput): ScannerSetup {
  const certificates = input.certificates?.trim() ?? '';
  if (certificates !== '' && !areCertificates(certificates))
    throw new Problem('invalid', 'scanner.bad_certificates', 'Paste certificates in PEM format.', {
      field: 'certificates',
    });
  return {
    address: readAddress(input.address.trim()),
    certificates: certificatesIn(certificates),
    timeoutMs: (input.timeoutSeconds ?? defaultScannerTimeoutMs / 1000) * 1000,
  };
}

function readAddress(text: string): ScannerAddress {
  try {
    return readScannerAddress(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Problem(
      'invalid',
      'scanner.bad_address',
      'Enter an address such as clamd://host:port, clamd:/path/to/socket or icap://host:port/service.',
      { field: 'address' },
    );
  }
}

async function saveSetup(ctx: Ctx, caller: UserCaller, setup: ScannerSetup | null): Promise<void> {
  await changeSettings(ctx, async (tx, current) => {
    await record(ctx, tx, caller, {
      action: 'scanner.settings_changed',
      object: { kind: 'system', id: 'scanner' },
      ownerId: '',
      facts: { changes: { address: { from: addressOf(current.scanner), to: addressOf(setup) } } },
    });
    return { ...current, scanner: setup };
  });
}

function addressOf(setup: ScannerSetup | null): string {
  return setup === null ? '' : writeScannerAddress(setup.address);
}

const testTimeoutMs = 15_000;
const steps = ['connection', 'clean_file', 'eicar', 'encrypted_file'] as const;
type Step = (typeof steps)[number];

async function testSetup(setup: ScannerSetup): Promise<{ version: string; steps: Check[] }> {
  const timeoutMs = Math.min(setup.timeoutMs, testTimeoutMs);
  const scanner = openScanner(setup.address, { timeoutMs, authorities: setup.certificates });
  try {
    const { version, reportsEncrypted } = await testScanner(scanner);
    return { version, steps: passedSteps(version, reportsEncrypted) };
  } catch (error) {
    if (!(error instanceof ScannerSilent)) throw error;
    return { version: '', steps: failedSteps(scanner, error) };
  }
}

function passedSteps(version: string, reportsEncrypted: boolean): Check[] {
  return [
    { check: 'connection', state: 'passed', code: 'scanner.connected', said: version },
    { check: 'clean_file', state: 'passed', code: 'scanner.clean_passed' },
    { check: 'eicar', state: 'passed', code: 'scanner.eicar_found' },
    reportsEncrypted
      ? { check: 'encrypted_file', state: 'passed', code: 'scanner.encrypted_reported' }
      : { check: 'encrypted_file', state: 'warning', code: 'scanner.encrypted_passed' },
  ];
}

function failedSteps({ place }: Scanner, { message, step }: ScannerSilent): Check[] {
  const failed: Step = step === 'clean file' ? 'clean_file' : step === 'EICAR' ? 'eicar' : 'connection';
  const at = steps.indexOf(failed);
  return steps.map((check, index): Check => {
    if (index > at) return { check, state: 'skipped', code: 'scanner.not_tested' };
    if (index < at)
      return { check, state: 'passed', code: check === 'connection' ? 'scanner.connected' : 'scanner.clean_passed' };
    return { check, state: 'failed', code: failures[failed], values: { place }, said: message };
  });
}

const failures = {
  connection: 'scanner.not_reached',
  clean_file: 'scanner.clean_reported',
  eicar: 'scanner.eicar_missed',
  encrypted_file: 'scanner.not_reached',
} as const;
