// Shared by the commands that send files.
import { createHash } from 'node:crypto';
import { exitCodes, Failure, usageFailure } from './failures.ts';
import type { LocalFile } from './local-file.ts';
import type { Account, Session } from './session.ts';
import type { Uploaded, UploadRoute } from './uploading.ts';

export function uploadRouteOf(session: Session, account: Account, kind: 'message' | 'link'): UploadRoute {
  const server = session.server();
  return {
    uploadUrl: `${server}/${kind}/attachments/upload`,
    stateUrl: `${server}/uploads/{id}`,
    headers: session.authorization(server),
    chunkBytes: account.chunkBytes,
  };
}

export function refuseEmpty(files: readonly LocalFile[]): void {
  const empty = files.find(({ sizeBytes }) => sizeBytes === 0);
  if (empty !== undefined) throw usageFailure(`${empty.name} is empty`, 'Leave it out.');
}

/** The uploaded files for JSON output: path, size and SHA-256. */
export async function filesOfAnswer(uploaded: readonly Uploaded[]): Promise<object[]> {
  const files: object[] = [];
  for (const { file, attachmentId } of uploaded) {
    const checksum = file.path === '-' ? null : await sha256Of(file);
    files.push({ path: file.path, name: file.name, size: file.sizeBytes, checksum, attachment: attachmentId });
  }
  return files;
}

const readBytes = 4 * 1024 * 1024;

async function sha256Of(file: LocalFile): Promise<string> {
  const hash = createHash('sha256');
  try {
    for (let start = 0; start < file.sizeBytes; start += readBytes) {
      const bytes = await file.read(start, Math.min(file.sizeBytes, start + readBytes));
      hash.update(bytes);
      file.release?.(bytes);
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

interface DryRunAnswer {
  dry_run: { allowed: boolean; rules: { code: string; allowed: boolean; sentence: string }[] };
}

/** Prints each rule with its verdict; a refusal sets the exit code. */
export function describeDryRun({ output }: Session, answer: unknown): void {
  if (typeof answer !== 'object' || answer === null || !('dry_run' in answer))
    throw new Failure(exitCodes.failed, 'this server has no dry run; nothing was asked of it', {
      code: 'dry_run.unknown',
    });
  const { dry_run: verdict } = answer as DryRunAnswer;
  output.document(answer);
  output.event('dry_run', { ...verdict });
  const refused = verdict.rules.filter(({ allowed }) => !allowed);
  for (const { code, sentence } of refused) output.data(`✗ ${sentence} (${code})`);
  if (!verdict.allowed)
    throw new Failure(exitCodes.notPermitted, 'this would be refused; nothing was sent', {
      code: refused[0]?.code ?? 'dry_run',
    });
  output.data('✓ This would be sent. Nothing was sent now.');
}
