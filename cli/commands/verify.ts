// `verify`: checks a file against what was sent, and a receipt against what was issued.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { check } from '../../tools/verify/verify.mjs';
import { readFacts } from '../downloading.ts';
import { exitCodes, Failure, usageFailure } from '../failures.ts';
import type { Session } from '../session.ts';
import { filesAt } from './downloads.ts';

export interface VerifyFlags {
  /** A message, a link or a SHA-256. */
  against?: string;
  key?: string[];
  witness?: string[];
  policy?: string;
}

export async function verify(session: Session, given: string, flags: VerifyFlags): Promise<void> {
  const path = resolve(session.world.cwd, given);
  if (flags.against === undefined) return verifyReceipt(session, path, flags);
  if (flags.key !== undefined || flags.witness !== undefined || flags.policy !== undefined)
    throw usageFailure('--key, --witness and --policy are for receipts, not for files');
  await verifyFile(session, path, flags.against);
}

function verifyReceipt({ output, world }: Session, path: string, flags: VerifyFlags): void {
  const { key = [], witness = [], policy } = flags;
  const bytes = readFileSync(path);
  if (!mayBeReceipt(bytes))
    throw usageFailure(
      `${path} is not a receipt`,
      'To compare a file with what was sent, add --against and a message, a link or a SHA-256.',
    );
  const { ok, isChecked, fault, proves, doesNotProve } = check(bytes, {
    keys: key,
    witnesses: witness,
    ...(policy === undefined ? {} : { policy: readFileSync(resolve(world.cwd, policy), 'utf8') }),
  });
  if (!isChecked) throw usageFailure(`${path} cannot be checked: ${fault}`);
  output.document({ ok, fault, proves, does_not_prove: doesNotProve });
  output.event('verified', { path, ok, fault });
  if (!ok)
    throw new Failure(exitCodes.checksumMismatch, `${path} is not as it was issued: ${fault}`, {
      code: 'receipt.changed',
    });
  output.essence('Nothing was changed.');
  output.data('');
  output.data('This proves:');
  for (const line of proves) output.data(`- ${line}`);
  output.data('');
  output.data('This does not prove:');
  for (const line of doesNotProve) output.data(`- ${line}`);
}

/** A receipt or statement may have been changed; other files are not meant to be checked. */
function mayBeReceipt(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 64).toString('latin1').trimStart();
  if (bytes[0] === 0xd2) return bytes.includes('"receipt"');
  if (start.startsWith('%PDF-')) return bytes.includes('/EmbeddedFile');
  return (
    start.startsWith('{') && (bytes.includes('"receipt"') || bytes.includes('"statement"') || bytes.includes('"note"'))
  );
}

async function verifyFile(session: Session, path: string, against: string): Promise<void> {
  const { output } = session;
  const expected = await checksumsAt(session, against, basename(path));
  const sha256 = await sha256Of(path, session.world.signal);
  const ok = expected.includes(sha256);
  output.document({ ok, path, checksum: sha256, expected });
  output.event('verified', { path, ok, checksum: sha256 });
  if (!ok)
    throw new Failure(exitCodes.checksumMismatch, `${path} is not what was sent`, {
      code: 'checksum_mismatch',
      hint: `Its SHA-256 is ${sha256}; expected was ${expected.join(' or ')}.`,
    });
  output.essence(sha256);
  output.data(`${path} is exactly what was sent.`);
}

/** Checksums of the file with this name; of all files if none has it, because it may have been renamed. */
async function checksumsAt(session: Session, against: string, name: string): Promise<string[]> {
  if (/^[0-9a-f]{64}$/i.test(against)) return [against.toLowerCase()];
  const files = await filesAt(session, against);
  const named = files.filter((file) => file.name === name);
  const checksums: string[] = [];
  for (const file of named.length === 0 ? files : named) {
    const { sha256 } = file.sha256 === null ? await readFacts(session, await file.open()) : file;
    if (sha256 !== null) checksums.push(sha256.toLowerCase());
  }
  if (checksums.length === 0)
    throw new Failure(exitCodes.failed, 'the server gives no checksum to compare with', { code: 'verify.no_checksum' });
  return checksums;
}

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path, { signal })) hash.update(part as Buffer);
  return hash.digest('hex');
}
