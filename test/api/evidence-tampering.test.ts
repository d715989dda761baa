import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Ctx } from '#server/actions/context.ts';
import { acceptLoss } from '#server/actions/evidence/accept-loss.ts';
import { EvidenceFault, readTile, signerOf } from '#server/actions/evidence/log.ts';
import { proveEvent } from '#server/actions/evidence/prove.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { findLogHead, type LogHead, listEvidenceKeys } from '#server/db/evidence/evidence.ts';
import { checkpointText } from '#server/lib/tlog/checkpoints.ts';
import { signNote } from '#server/lib/tlog/notes.ts';
import { decodeBundle, encodeBundle, type Tile, tilePath } from '#server/lib/tlog/tiles.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { appendEvents, copyOfEverything, raw, removeGuards } from '#test/kit/evidence.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('further changes to the evidence log are detected', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let ctx: Ctx;
  before(async () => {
    ({ ctx } = app.app);
    await appendEvents(ctx, 20);
    app.clock.advance(11_000);
    await sealAll(ctx);
    await removeGuards(ctx);
  });
  const head = async (): Promise<LogHead> => (await findLogHead(ctx.db.read))!;
  const fault = async (given = ctx) => (await verifyLog(given)).fault;
  const last = async (level: Tile['level'] = 'entries'): Promise<Tile> => ({
    level,
    index: 0,
    width: (await head()).size,
  });
  async function withFile(path: string, bytes: Buffer, work: () => Promise<void>): Promise<void> {
    const kept = (await ctx.evidence.get(path))!;
    await ctx.evidence.put([{ path, bytes }]);
    await work();
    await ctx.evidence.put([{ path, bytes: kept }]);
    assert.equal(await fault(), null);
  }

  test('when the number of its last event was changed', async () => {
    const { lastSeq } = await head();
    await raw(ctx, 'update evidence_log set last_seq = last_seq - 1');
    assert.equal(await fault(), `event ${lastSeq} is in the log before it was sealed`);
    await raw(ctx, 'update evidence_log set last_seq = last_seq + 2');
    await appendEvents(ctx, 1);
    assert.match((await fault())!, new RegExp(`^event ${lastSeq + 1} is in the database but not in the log`));
    await raw(ctx, 'update evidence_log set last_seq = last_seq - 1');
    assert.equal(await fault(), null);
    await sealAll(ctx);
  });

  test('when a bundle or its hashes were cut or extended', async () => {
    const [bundle, hashes] = [tilePath(await last()), tilePath(await last(0))];
    const cut = `the file ${bundle} or ${hashes} of the log was cut or extended`;
    const entries = decodeBundle((await ctx.evidence.get(bundle))!);
    await withFile(bundle, encodeBundle(entries.slice(0, -1)), async () => assert.equal(await fault(), cut));
    const bytes = (await ctx.evidence.get(hashes))!;
    await withFile(hashes, Buffer.concat([bytes, Buffer.alloc(32)]), async () => assert.equal(await fault(), cut));
  });

  test('when a file is missing, or the wider one that replaced it is no tile', async () => {
    const tile = await last();
    const path = tilePath(tile);
    const bytes = (await ctx.evidence.get(path))!;
    await ctx.evidence.remove([path]);
    await assert.rejects(readTile(ctx, tile), { message: `the file ${path} of the log is missing` });
    await ctx.evidence.put([{ path, bytes }]);
    for (const [broken, expected] of [
      [async () => Buffer.from([0, 9, 1]), `the file ${path} of the log was changed`],
      [() => Promise.reject(new TypeError('the disk is missing')), null],
    ] as const) {
      const narrow = tilePath(await last());
      let hasGrown = false;
      const get = async (name: string) => {
        if (name === narrow && !hasGrown) {
          hasGrown = true;
          await appendEvents(ctx, 1);
          await sealAll(ctx);
          return null;
        }
        return hasGrown && name.startsWith('tile/entries/') ? broken() : ctx.evidence.get(name);
      };
      const verifying = verifyLog({ ...ctx, evidence: { ...ctx.evidence, get } });
      if (expected === null) await assert.rejects(verifying, TypeError, 'an own fault is no fault of the log');
      else assert.equal((await verifying).fault, expected);
    }
    assert.equal(await fault(), null);
  });

  test('when a checkpoint was signed over more entries than there are, or over others', async () => {
    const { size, origin, note, lastSeq } = await head();
    const root = Buffer.alloc(32, 7);
    const key = (await listEvidenceKeys(ctx.db.read)).at(-1)!;
    const sign = (entries: number) =>
      signNote(checkpointText({ origin, size: entries, root, extensions: [] }), [signerOf(origin, key)]);
    const beyond = { size: size + 9, last_seq: lastSeq, note: sign(size + 9), cosignatures: '', created_at: 0 };
    await ctx.db.write((tx) => tx.insertInto('evidence_checkpoints').values(beyond).execute());
    assert.equal(await fault(), `a checkpoint of ${size + 9} entries was signed, but the log ends at ${size}`);
    await raw(ctx, `delete from evidence_checkpoints where size = ${size + 9}`);
    const set = (text: string) =>
      ctx.db.write((tx) =>
        tx.updateTable('evidence_checkpoints').set({ note: text }).where('size', '=', size).execute(),
      );
    await set(sign(size));
    const rewritten = `the checkpoint of ${size} entries was signed over other entries: the log was rewritten`;
    assert.equal(await fault(), rewritten);
    await set(note);
    assert.equal(await fault(), null);
    assert.throws(() => signerOf(origin, { ...key, seed: null }), EvidenceFault);
  });

  test('when an event was changed: it has no proof, nor has one under a checkpoint that is ahead of the log', async () => {
    const { lastSeq, size } = await head();
    assert.ok((await proveEvent(ctx, lastSeq)) !== null);
    await raw(ctx, `update events set owner_id = 'another' where seq = ${lastSeq}`);
    await assert.rejects(proveEvent(ctx, lastSeq), { message: /^event \d+ is not the one that is in the log/ });
    await raw(ctx, `update events set owner_id = 'somebody' where seq = ${lastSeq}`);
    await raw(ctx, `update evidence_log set size = ${size - 3}`);
    await assert.rejects(proveEvent(ctx, lastSeq - 10), { message: 'a checkpoint is ahead of the log' });
    await raw(ctx, `update evidence_log set size = ${size}`);
    assert.equal(await fault(), null);
  });

  test('when events and files were changed together: nothing is sealed over them, and no loss is accepted', async () => {
    const { lastSeq } = await head();
    const path = tilePath(await last());
    const bytes = (await ctx.evidence.get(path))!;
    await appendEvents(ctx, 1);
    await ctx.evidence.remove([path]);
    await raw(ctx, `update events set owner_id = 'another' where seq = ${lastSeq}`);
    await assert.rejects(sealAll(ctx), { message: /is missing or was changed, and so were events$/ });
    await raw(ctx, `update events set owner_id = 'somebody' where seq = ${lastSeq}`);
    await sealAll(ctx);
    assert.equal(await fault(), null, 'intact events restore the file');
    await ctx.evidence.put([{ path, bytes }]);
    const copy = await copyOfEverything(ctx);
    const older = await head();
    await appendEvents(ctx, 2);
    await sealAll(ctx);
    const published = (await ctx.evidence.get('checkpoint'))!;
    await copy.restore();
    await ctx.evidence.put([{ path: 'checkpoint', bytes: published }]);
    await raw(ctx, `update events set owner_id = 'another' where seq = ${older.lastSeq}`);
    await assert.rejects(acceptLoss(ctx, 'The disk failed'), { message: /are not those that were sealed$/ });
    await raw(ctx, `update events set owner_id = 'somebody' where seq = ${older.lastSeq}`);
    assert.deepEqual(await acceptLoss(ctx, 'The disk failed'), { remaining: older.size, lost: 2 });
    assert.equal(await fault(), null);
  });
});
