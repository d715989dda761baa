// Applies the content rules of a group to stored files.
import { findFindings } from '../../db/scanning/file-contents.ts';
import { findScans } from '../../db/scanning/file-scans.ts';
import type { Query } from '../../db/schema/schema.ts';
import type { StoredFile } from '../../domain/attachments.ts';
import type { UserCaller } from '../../domain/caller.ts';
import {
  assertPermittedContent,
  type ContentReason,
  contentReasons,
  contentSettings,
  type Findings,
  uncheckedRefusal,
} from '../../domain/content-rules.ts';
import { inspectContent } from '../../lib/archives/content.ts';
import { isTypeMismatch } from '../../lib/type-mismatch.ts';
import type { Ctx } from '../context.ts';
import type { Rules } from '../rules.ts';
import { readStoredRange } from '../uploads/sealing.ts';

const headBytes = 64 * 1024;

/** In bounded reads, whatever the size of the file. */
export async function inspectStored(ctx: Ctx, file: StoredFile): Promise<Findings> {
  const head = await readStoredRange(ctx, file, { start: 0, end: Math.min(file.sizeBytes, headBytes) });
  const read = async (start: number, end: number) =>
    end <= head.length ? head.subarray(start, end) : readStoredRange(ctx, file, { start, end });
  return {
    ...(await inspectContent(file.fileName, file.sizeBytes, read)),
    isTypeMismatch: await isTypeMismatch(file.fileName, file.contentType, head),
  };
}

/** Refuses files that the group refuses, as far as the verdict is known. A released file may be sent. */
export async function assertPermittedContents(
  db: Query,
  { policy }: UserCaller,
  files: readonly Pick<StoredFile, 'id' | 'scanState'>[],
): Promise<void> {
  const held = files.filter(({ scanState }) => scanState === 'held').map(({ id }) => id);
  if (held.length === 0) return;
  const [scans, findings] = await Promise.all([findScans(db, held), findFindings(db, held)]);
  for (const id of held) {
    for (const reason of contentReasons) assertPermitted(findings.get(id), policy, reason);
    const isRefused = policy.virus_scan_unscannable === 'refuse' && scans.get(id)?.verdict === 'unscannable';
    if (isRefused) throw uncheckedRefusal();
  }
}

function assertPermitted(findings: Findings | undefined, policy: UserCaller['policy'], reason: ContentReason): void {
  if (findings !== undefined) assertPermittedContent(findings, policy, reason);
}

const code = 'attachment.content_blocked';

/** One rule for each setting. */
export async function checkContents(
  rules: Rules,
  policy: UserCaller['policy'],
  findings: readonly Findings[],
): Promise<void> {
  for (const reason of contentReasons)
    await rules.check({ code, source: contentSettings[reason] }, () => {
      for (const one of findings) assertPermittedContent(one, policy, reason);
    });
}
