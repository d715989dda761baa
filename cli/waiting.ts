// Waits until the server has scanned the files.
import { setTimeout as wait } from 'node:timers/promises';
import { exitCodes, Failure } from './failures.ts';
import { retrying } from './retrying.ts';
import type { Session } from './session.ts';
import { interruption, type Uploaded } from './uploading.ts';

const pausesMs = [250, 1_000, 2_000, 5_000];

/** Resolves when every file is scanned; fails with the names of dangerous files. */
export async function waitForChecks(session: Session, uploaded: readonly Uploaded[]): Promise<void> {
  const { world, output } = session;
  const ids = new Set(uploaded.map(({ attachmentId }) => attachmentId));
  for (let turn = 0; ; turn += 1) {
    const { attachments } = await retrying(session, () => session.client().listAttachments({}));
    const ours = attachments.filter(({ id }) => ids.has(id));
    const blocked = ours.filter((file) => file.content_blocked);
    const isChecked = ours.every((file) => file.processed && (!file.virus_scan_required || file.virus_scanned));
    if (isChecked || blocked.length > 0) {
      output.event('checked', { blocked: blocked.map(({ id }) => id) });
      if (blocked.length === 0) return output.say('  Checked    nothing was found');
      for (const file of blocked)
        output.warn(`waybill: ${file.filename}: ${file.content_blocked_message ?? 'it was blocked'}`);
      throw new Failure(exitCodes.partlyDone, 'the server blocked files of this message', {
        code: 'attachment.blocked',
      });
    }
    const pause = pausesMs[Math.min(turn, pausesMs.length - 1)]!;
    await wait(pause, undefined, { signal: world.signal }).catch(() => {});
    if (world.signal.aborted) throw interruption(world.signal.reason, 0);
  }
}
