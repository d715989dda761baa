// Moves files from the former store to the current one while servers run. Each file is copied, verified and then
// deleted, so an interrupted move can be repeated.
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from '../actions/context.ts';
import { checkIntervalMs } from '../actions/downloads/crashed-processes.ts';
import { checkpointPath } from '../actions/evidence/log.ts';
import { copyBlob } from '../blobs/copying.ts';
import { openBlobStore, openEvidenceFiles } from '../blobs/open.ts';
import type { Config } from '../config.ts';
import { findLogHead } from '../db/evidence/evidence.ts';
import { listHeartbeats } from '../db/system/processes.ts';
import { BlobMissing, type EvidenceFiles } from '../domain/ports.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { listTiles, tilePath } from '../lib/tlog/tiles.ts';
import { evidenceOf, storeOf } from './open.ts';

export interface MoveOptions {
  to: 'file' | 's3';
  /** Delays the copy after this many bytes. */
  pace(bytes: number): Promise<void> | undefined;
  /** Called after each file with the total. */
  onFile(moved: number): void;
  /** Waits until every running process has given a sign of life. */
  watch?(): Promise<unknown>;
}

/** As a process records them. */
export function storesOf({ storage, storageBefore }: Pick<Config, 'storage' | 'storageBefore'>): string {
  return `${storage} ${storageBefore}`;
}

export async function moveBlobs(ctx: Ctx, config: Config, options: MoveOptions): Promise<number> {
  const before = config.storageBefore;
  if (config.storage !== options.to || before === 'none')
    throw new OperatorProblem(
      `Set WAYBILL_STORAGE=${options.to} and WAYBILL_STORAGE_BEFORE=${options.to === 's3' ? 'file' : 's3'} with the settings of both ` +
        'stores, restart every server, then run this again.',
    );
  await assertRestarted(ctx, config, options.watch ?? (() => pause(1.5 * checkIntervalMs)));
  await ctx.blobs.assertOwn();
  const [to, from] = [await openBlobStore(storeOf(config)), await openBlobStore(storeOf(config, before))];
  let moved = 0;
  try {
    for await (const { key } of from.list()) {
      try {
        await copyBlob({ from, to }, key, { isVerified: true, onBytes: options.pace });
      } catch (error) {
        // Erased since it was listed.
        if (!(error instanceof BlobMissing)) throw error;
      }
      await from.delete(key);
      options.onFile(++moved);
    }
    await moveEvidence(ctx, config, before);
    return moved;
  } finally {
    await to.close();
    await from.close();
  }
}

/** A process that reads the former store alone would lose sight of moved files. Dead processes leave rows too. */
async function assertRestarted(ctx: Ctx, config: Config, watch: () => Promise<unknown>): Promise<void> {
  const listOthers = async () =>
    (await listHeartbeats(ctx.db.read)).filter(({ stores }) => stores !== storesOf(config));
  const before = new Map((await listOthers()).map(({ id, beats }) => [id, beats]));
  if (before.size === 0) return;
  await watch();
  const running = (await listOthers()).filter(({ id, beats }) => before.get(id) !== beats);
  if (running.length > 0)
    throw new OperatorProblem(
      `${running.length === 1 ? 'A process of a server runs' : `${running.length} processes of servers run`} with the settings of before. ` +
        'Restart every server with the settings of both stores, then run this again. Nothing was moved.',
    );
}

/** The log grows meanwhile, but only in the current store. */
async function moveEvidence(ctx: Ctx, config: Config, before: 'file' | 's3'): Promise<void> {
  const to = await openEvidenceFiles(evidenceOf(config));
  const from = await openEvidenceFiles(evidenceOf(config, before));
  try {
    const size = (await findLogHead(ctx.db.read))?.size ?? 0;
    for (const tile of listTiles(size)) await moveFile(from, to, tilePath(tile));
    await moveFile(from, to, checkpointPath);
  } finally {
    await to.close();
    await from.close();
  }
}

async function moveFile(from: EvidenceFiles, to: EvidenceFiles, path: string): Promise<void> {
  const bytes = await from.get(path);
  if (bytes === null) return;
  if ((await to.get(path)) === null) await to.put([{ path, bytes }]);
  await from.remove([path]);
}
