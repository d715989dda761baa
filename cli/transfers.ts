// Shared by the commands that send files.
import { createHash } from 'node:crypto';
import { usageFailure } from './failures.ts';
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

/** The server's limit for one message. */
const mostFiles = 1000;

export function refuseTooMany(files: readonly LocalFile[]): void {
  if (files.length > mostFiles)
    throw usageFailure(
      `${files.length} files are too many for one message (at most ${mostFiles})`,
      'Add --zip to send them as one archive.',
    );
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
