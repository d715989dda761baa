import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Ctx } from '#server/actions/context.ts';
import { acceptLoss } from '#server/actions/evidence/accept-loss.ts';
import { erasePersonFromEvents } from '#server/actions/evidence/erase.ts';
import { readTile } from '#server/actions/evidence/log.ts';
import { proveEvent } from '#server/actions/evidence/prove.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { findLogHead, type LogHead, listEvidenceKeys } from '#server/db/evidence/evidence.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { fieldHash } from '#server/domain/evidence.ts';
import { parseCheckpoint, parseProof } from '#server/lib/tlog/checkpoints.ts';
import { isIncluded, leafHash } from '#server/lib/tlog/merkle.ts';
import { parseNote, parseVerifierKey, verifyNote } from '#server/lib/tlog/notes.ts';
import { decodeBundle, tilePath } from '#server/lib/tlog/tiles.ts';
import { onEachEngine, onOneEngine, type TestApp, testOnce } from '#test/kit/app.ts';
import { appendEvents, copyOfDatabase, raw, removeGuards } from '#test/kit/evidence.ts';
import { useApp } from '#test/kit/use-app.ts';

/** No job seals the log but the tests themselves. */
const quiet = { environment: { WAYBILL_ROLE: 'web' } };

interface Log {
  readonly ctx: Ctx;
  seal(): Promise<string | null>;
  head(): Promise<LogHead>;
  fault(): Promise<string | null>;
  firstSeqs(limit: number): Promise<number[]>;
}

function logOf(app: TestApp): Log {
  const log: Log = {
    get ctx() {
      return app.app.ctx;
    },
    seal: () => app.app.jobs.runOnce('seal-events'),
    head: async () => (await findLogHead(log.ctx.db.read))!,
    fault: async () => (await verifyLog(log.ctx)).fault,
    async firstSeqs(limit) {
      const rows = await log.ctx.db.read.selectFrom('events').select('seq').orderBy('seq').limit(limit).execute();
      return rows.map(({ seq }) => Number(seq));
    },
  };
  return log;
}

onEachEngine('the evidence log', (start) => {
  const app = useApp(start, quiet);
  const log = logOf(app);

  test('seals every event, immediately when no number is missing, and signs a checkpoint', async () => {
    assert.equal(await readTile(log.ctx, { level: 0, index: 0, width: 1 }), null, 'there is none yet');
    await appendEvents(log.ctx, 20);
    app.clock.advance(11_000);
    const count = await countEvents(log.ctx);
    assert.equal(await log.seal(), `${count} events sealed`);
    assert.equal(await log.seal(), '0 events sealed');
    await appendEvents(log.ctx, 1);
    assert.equal(await log.seal(), '1 event sealed');
    assert.deepEqual(await verifyLog(log.ctx), { entries: count + 1, fault: null, warnings: [] });
    const { note, size } = await log.head();
    assert.equal(size, count + 1);
    assert.equal((await log.ctx.evidence.get('checkpoint'))!.toString(), note);
    const [key] = await listEvidenceKeys(log.ctx.db.read);
    assert.equal(verifyNote(parseNote(note), [parseVerifierKey(key!.verifierKey)]).length, 1);
    assert.match(note, /^[^\n]*\/evidence\n/);
  });

  test('proves any event, from any width of a tile, with fields that match their hashes', async () => {
    await appendEvents(log.ctx, 600);
    await log.seal();
    const { size } = await log.head();
    for (const seq of [(await log.firstSeqs(1))[0]!, (await log.head()).lastSeq, (await log.head()).lastSeq - 300]) {
      const { index, entry, fields, proof, checkpoint } = (await proveEvent(log.ctx, seq))!;
      const { hashes, index: place, checkpoint: note } = parseProof(proof);
      const { root } = parseCheckpoint(parseNote(note).text);
      assert.equal(note, checkpoint);
      assert.equal(place, index);
      assert.ok(isIncluded({ index, size, leaf: leafHash(entry), root }, hashes));
      const { personal } = JSON.parse(entry.toString()) as { personal: Record<string, string> };
      assert.deepEqual(fields.map(({ field }) => field).sort(), Object.keys(personal));
      for (const { field, value, salt } of fields) assert.equal(fieldHash(value, salt), personal[field]);
    }
  });

  test('may grow while it is verified', async () => {
    const { ctx } = log;
    const { size } = await log.head();
    let reads = 0;
    const evidence: Ctx['evidence'] = {
      ...ctx.evidence,
      async get(path) {
        if (reads++ < 5) {
          await appendEvents(ctx, 3);
          await sealAll(ctx);
        }
        return ctx.evidence.get(path);
      },
    };
    const { entries, fault } = await verifyLog({ ...ctx, evidence });
    assert.equal(fault, null);
    assert.ok(entries > size);
    assert.ok((await log.head()).size > entries, 'the log has grown');
    assert.equal(await log.fault(), null);
  });

  test('an event that is not sealed has no proof yet', async () => {
    await appendEvents(log.ctx, 1);
    const { lastSeq } = await log.head();
    const newest = await log.ctx.db.read.selectFrom('events').select('seq').orderBy('seq', 'desc').executeTakeFirst();
    assert.ok(Number(newest!.seq) > lastSeq);
    assert.equal(await proveEvent(log.ctx, Number(newest!.seq)), null);
    assert.equal(await proveEvent(log.ctx, 999_999_999), null);
  });

  test('stores only the widest of each tile as a file, and computes narrower ones from it', async () => {
    await log.seal();
    const { size } = await log.head();
    const last = { level: 'entries', index: Math.floor(size / 256), width: size % 256 } as const;
    assert.equal(await log.ctx.evidence.get(tilePath({ ...last, width: last.width - 1 })), null);
    assert.equal(decodeBundle((await readTile(log.ctx, { ...last, width: last.width - 1 }))!).length, last.width - 1);
    assert.equal((await readTile(log.ctx, { level: 0, index: 0, width: 7 }))!.length, 7 * 32);
    assert.equal(await readTile(log.ctx, { ...last, width: last.width + 1 }), null);
    assert.equal(await readTile(log.ctx, { level: 9, index: 0, width: 1 }), null);
  });

  testOnce('a missing file of the log is a fault, unless the log has grown and the file has another name', async () => {
    const tile = { level: 0, index: 0, width: 1 };
    const whole = await readTile(log.ctx, tile);
    const verifying = (change: () => Promise<unknown>) => {
      let reads = 0;
      const get = async (path: string) => {
        reads += 1;
        if (reads > 1) return log.ctx.evidence.get(path);
        await change();
        return null;
      };
      return readTile({ ...log.ctx, evidence: Object.assign(Object.create(log.ctx.evidence), { get }) }, tile);
    };
    await assert.rejects(
      verifying(async () => {}),
      /of the log is missing/,
    );
    const grown = await verifying(async () => {
      await appendEvents(log.ctx, 1);
      await log.seal();
    });
    assert.deepEqual(grown, whole);
  });

  test('skips a number that no transaction can fill any more, whatever the clock says', async () => {
    await log.seal();
    const { lastSeq } = await log.head();
    await appendEvents(log.ctx, 3);
    await removeGuards(log.ctx);
    await raw(log.ctx, `delete from events where seq = ${lastSeq + 2}`);
    assert.equal(await log.seal(), '2 events sealed');
    assert.equal(await log.fault(), null);
  });
});

onOneEngine('a change to the evidence log is detected', (start) => {
  const app = useApp(start, quiet);
  const log = logOf(app);
  let seqs: number[];
  before(async () => {
    await appendEvents(log.ctx, 20);
    await log.seal();
    await appendEvents(log.ctx, 600);
    await log.seal();
    await removeGuards(log.ctx);
    seqs = await log.firstSeqs(20);
  });
  const rowOf = (seq: number) =>
    log.ctx.db.read.selectFrom('events').selectAll().where('seq', '=', seq).executeTakeFirstOrThrow();

  test('when a row was changed, with the fields', async () => {
    const { seq: _, ...row } = await rowOf(seqs[7]!);
    const set = (change: Partial<typeof row>) =>
      log.ctx.db.write((tx) => tx.updateTable('events').set(change).where('seq', '=', seqs[7]!).execute());
    for (const [change, field] of [
      [{ at: row.at + 1 }, 'at'],
      [{ action: 'link.deleted' as const }, 'action'],
      [{ remote_ip: '6.6.6.6' }, 'ip'],
      [{ owner_id: 'x' }, 'owner'],
      [{ salt: Buffer.alloc(16) }, 'owner'],
    ] as const) {
      await set(change);
      const fault = await log.fault();
      assert.match(fault!, new RegExp(`^event ${seqs[7]} \\(.*\\) was changed after it was sealed: .*${field}`));
      await set(row);
    }
    assert.equal(await log.fault(), null);
  });

  test('when a field was blanked without an erasure', async () => {
    const { seq: _, ...row } = await rowOf(seqs[8]!);
    const proven = (await proveEvent(log.ctx, seqs[8]!))!;
    const kept = Object.fromEntries(
      proven.fields.filter(({ field }) => field !== 'owner').map(({ field, salt }) => [field, salt]),
    );
    const owner = proven.fields.find(({ field }) => field === 'owner')!;
    const erased = { owner: { hash: fieldHash(owner.value, owner.salt), erasure: 'none' } };
    const set = (change: Partial<typeof row>) =>
      log.ctx.db.write((tx) => tx.updateTable('events').set(change).where('seq', '=', seqs[8]!).execute());
    await set({ owner_id: '', salt: null, opening: JSON.stringify({ kept, erased }) });
    assert.equal(await log.fault(), `event ${seqs[8]} was blanked, but the log knows of no such erasure`);
    await set({ owner_id: 'another', salt: null, opening: JSON.stringify({ kept, erased }) });
    assert.match((await log.fault())!, /was changed: owner was erased and has a value again/);
    await set(row);
  });

  test('when rows were swapped', async () => {
    const swap = async (one: number, other: number) => {
      const aside = -7;
      if (log.ctx.db.dialect === 'postgres')
        await raw(log.ctx, 'alter table events alter column seq set generated by default');
      for (const [from, to] of [
        [one, aside],
        [other, one],
        [aside, other],
      ])
        await moveRow(log.ctx, from!, to!);
    };
    await swap(seqs[3]!, seqs[5]!);
    assert.equal(await log.fault(), `event ${seqs[3]} was event ${seqs[5]} when it was sealed: rows were reordered`);
    await swap(seqs[3]!, seqs[5]!);
    assert.equal(await log.fault(), null);
  });

  test('when a row was deleted or inserted', async () => {
    const row = await rowOf(seqs[4]!);
    await log.ctx.db.write((tx) => tx.deleteFrom('events').where('seq', '=', row.seq).execute());
    assert.match((await log.fault())!, new RegExp(`^event ${seqs[4]} \\(.*\\) is missing: its row was deleted$`));
    await log.ctx.db.write((tx) => tx.insertInto('events').values(row).execute());
    await moveRow(log.ctx, seqs[4]!, -1);
    assert.equal(await log.fault(), 'event -1 is in the database but not in the log: it was inserted afterwards');
    await moveRow(log.ctx, -1, seqs[4]!);
    assert.equal(await log.fault(), null);
  });

  test('when files are missing or changed', async () => {
    const { size } = await log.head();
    const width = size % 256;
    const paths = [
      'tile/0/000',
      'tile/entries/001',
      `tile/entries/002.p/${width}`,
      `tile/0/002.p/${width}`,
      'tile/1/000.p/2',
      'checkpoint',
    ];
    for (const path of paths) {
      const bytes = (await log.ctx.evidence.get(path))!;
      await log.ctx.evidence.remove([path]);
      assert.equal(await log.fault(), `the file ${path} of the log is missing`);
      for (const at of [0, 40, bytes.length - 9]) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1;
        await log.ctx.evidence.put([{ path, bytes: changed }]);
        assert.match(
          (await log.fault())!,
          /was changed|was cut|does not fit its hash|was forked/,
          `${path}, byte ${at}`,
        );
      }
      await log.ctx.evidence.put([{ path, bytes }]);
    }
    assert.equal(await log.fault(), null);
  });

  test('when a published checkpoint does not belong to the log, which does not stop the sealing', async () => {
    const [first] = await log.ctx.db.read.selectFrom('evidence_checkpoints').selectAll().orderBy('size').execute();
    const publish = (text: string) => log.ctx.evidence.put([{ path: 'checkpoint', bytes: Buffer.from(text) }]);
    await publish(first!.note);
    assert.equal(await log.fault(), null, 'the last one was not published before a crash');
    const lines = first!.note.split('\n');
    lines[2] = Buffer.alloc(32, 7).toString('base64');
    await publish(lines.join('\n'));
    assert.match((await log.fault())!, /^there are two different checkpoints of \d+ entries: the log was forked$/);
    for (const text of ['rubbish', first!.note.slice(0, -20), first!.note.replace(/.{10}=\n$/, 'AAAAAAAAAA=\n')]) {
      await publish(text);
      assert.match((await log.fault())!, /^the file checkpoint of the log was changed/);
      await appendEvents(log.ctx, 1);
      assert.equal(await log.seal(), '1 event sealed');
      assert.equal(await log.fault(), null);
    }
    // A fault of the program is not reported as a changed checkpoint.
    const unreadable = { toString: () => 7 } as unknown as Buffer;
    const evidence = Object.assign(Object.create(log.ctx.evidence), { get: async () => unreadable });
    await appendEvents(log.ctx, 1);
    await assert.rejects(sealAll({ ...log.ctx, evidence }), TypeError);
    assert.equal(await log.seal(), '1 event sealed');
  });

  test('when a checkpoint has a wrong signature, or covers other entries', async () => {
    const checkpoints = await log.ctx.db.read.selectFrom('evidence_checkpoints').selectAll().orderBy('size').execute();
    const { size, note } = checkpoints[1]!;
    const set = (text: string) =>
      log.ctx.db.write((tx) =>
        tx.updateTable('evidence_checkpoints').set({ note: text }).where('size', '=', size).execute(),
      );
    await set(note.replace(/.{10}=\n$/, 'AAAAAAAAAA=\n'));
    assert.match((await log.fault())!, new RegExp(`^the signature on the checkpoint of ${size} entries is wrong$`));
    await set(checkpoints[0]!.note);
    assert.match((await log.fault())!, /says that it is one of/);
    await set(note);
    assert.equal(await log.fault(), null);
  });

  test('when the database is older: verifying and sealing stop until an operator accepts the loss', async () => {
    await log.seal();
    const copy = await copyOfDatabase(log.ctx);
    await appendEvents(log.ctx, 5);
    await log.seal();
    await copy.restore();
    const { entries, fault } = await verifyLog(log.ctx);
    assert.match(fault!, /an older database was put in place/);
    assert.equal(entries, 0, 'nothing was checked before it');
    await appendEvents(log.ctx, 50);
    await assert.rejects(sealAll(log.ctx), /an older database was put in place/);
    const { size } = await log.head();
    assert.deepEqual(await acceptLoss(log.ctx, 'The disk failed'), { remaining: size, lost: 5 });
    assert.deepEqual(await verifyLog(log.ctx), { entries: size + 51, fault: null, warnings: [] });
    const accepted = log.ctx.db.read
      .selectFrom('events')
      .select('facts')
      .where('action', '=', 'evidence.loss_accepted');
    const facts = JSON.parse((await accepted.executeTakeFirstOrThrow()).facts) as Record<string, unknown>;
    assert.equal(parseCheckpoint(parseNote(String(facts.checkpoint)).text).size, size + 5);
    assert.equal(await acceptLoss(log.ctx, 'Once more'), null, 'nothing is lost any more');
    await appendEvents(log.ctx, 300);
    await log.seal();
    assert.equal(await log.fault(), null);
  });
});

onOneEngine('a database from before the first checkpoint', (start) => {
  const app = useApp(start, quiet);
  const log = logOf(app);

  test('is sealed anew when an operator has accepted that the log is lost', async () => {
    assert.equal(await acceptLoss(log.ctx, 'Nothing yet'), null, 'nothing was signed, so nothing is lost');
    await removeGuards(log.ctx);
    const copy = await copyOfDatabase(log.ctx);
    await appendEvents(log.ctx, 5);
    await log.seal();
    const { size: lost } = await log.head();
    assert.ok(lost >= 5);
    await copy.restore();
    await appendEvents(log.ctx, 3);
    await assert.rejects(sealAll(log.ctx), /an older database was put in place/);
    assert.deepEqual(await acceptLoss(log.ctx, 'The disk failed'), { remaining: 0, lost });
    assert.deepEqual(await verifyLog(log.ctx), { entries: 4, fault: null, warnings: [] });
    const published = (await log.ctx.evidence.get('checkpoint'))!.toString();
    assert.equal(parseCheckpoint(parseNote(published).text).size, 4);
  });
});

async function moveRow(ctx: Ctx, from: number, to: number): Promise<void> {
  await ctx.db.write(async (tx) => {
    const row = await tx.selectFrom('events').selectAll().where('seq', '=', from).executeTakeFirstOrThrow();
    await tx.deleteFrom('events').where('seq', '=', from).execute();
    await tx
      .insertInto('events')
      .values({ ...row, seq: to })
      .execute();
  });
}

async function countEvents(ctx: Ctx): Promise<number> {
  return (await ctx.db.read.selectFrom('events').select('seq').execute()).length;
}

onOneEngine('sealing that is interrupted', (start) => {
  const app = useApp(start, quiet);
  const log = logOf(app);

  /** The context, which fails at one step: before it, after it, or in the middle of a set of files. */
  function dyingAt(step: number, { ctx }: Log): Ctx {
    let steps = 0;
    const dieAt = <Result>(work: () => Promise<Result>): Promise<Result> => {
      const isBefore = steps++ === step;
      const isAfter = steps++ === step;
      if (isBefore) return Promise.reject(new Error('killed'));
      return work().then((result) => {
        if (isAfter) throw new Error('killed');
        return result;
      });
    };
    const { evidence, db } = ctx;
    return {
      ...ctx,
      evidence: {
        ...evidence,
        get: (path) => dieAt(() => evidence.get(path)),
        remove: (paths) => dieAt(() => evidence.remove(paths)),
        async put(files) {
          for (const file of files) await dieAt(() => evidence.put([file]));
        },
      },
      db: { ...db, write: (work) => dieAt(() => db.write(work)) },
    };
  }

  test('leaves no gap and no duplicate, wherever it was', async () => {
    let isThrough = false;
    for (let step = 0; !isThrough; step++) {
      // In some rounds this passes the end of a bundle.
      await appendEvents(log.ctx, 37);
      isThrough = await sealAll(dyingAt(step, log)).then(
        () => true,
        (error: Error) => {
          assert.equal(error.message, 'killed');
          return false;
        },
      );
      if (step % 3 === 2) await appendEvents(log.ctx, 1);
      await sealAll(log.ctx);
      const count = await countEvents(log.ctx);
      assert.deepEqual(
        await verifyLog(log.ctx),
        { entries: count, fault: null, warnings: [] },
        `killed at step ${step}`,
      );
      assert.equal((await log.head()).size, count);
    }
  });

  test('two concurrent sealings create one log', async () => {
    await appendEvents(log.ctx, 50);
    await Promise.allSettled([sealAll(log.ctx), sealAll(log.ctx), sealAll(log.ctx)]);
    await sealAll(log.ctx);
    const count = await countEvents(log.ctx);
    assert.deepEqual(await verifyLog(log.ctx), { entries: count, fault: null, warnings: [] });
  });
});

onOneEngine('erasing people from the evidence log', (start) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'evidence-'));
  const app = useApp(start, { environment: { ...quiet.environment, WAYBILL_DATA_DIR: dataDir } });
  after(() => rm(dataDir, { recursive: true, force: true }));
  const log = logOf(app);

  test('leaves a log that verifies and no trace of a hundred people in events and files', async () => {
    const people = 100;
    await appendEvents(log.ctx, people);
    await log.seal();
    // Some are not sealed yet.
    await appendEvents(log.ctx, 10);
    const before = await log.head();
    for (let number = 0; number < people; number++) {
      const address = `person-${number}@example.com`;
      const person = { userId: `id-of-${number}-there-is-no-such-account`, addresses: [address], name: '' };
      assert.equal(await erasePersonFromEvents(log.ctx, systemCaller, person), number < 10 ? 2 : 1, address);
    }
    await log.seal();
    assert.deepEqual(await verifyLog(log.ctx), { entries: (await log.head()).size, fault: null, warnings: [] });
    assert.equal((await log.head()).size, before.size + 10 + people);
    const events = await log.ctx.db.read.selectFrom('events').select(['facts', 'salt', 'opening']).execute();
    assert.ok(!JSON.stringify(events.map(({ facts, opening }) => [facts, opening])).includes('person-'));
    assert.equal(events.filter(({ salt }) => salt === null).length, people + 10);
    await log.ctx.db.scrub?.();
    const traces = await filesWith(dataDir, 'person-');
    assert.deepEqual(traces, []);
    const proven = (await proveEvent(log.ctx, before.lastSeq))!;
    assert.ok(!proven.fields.some(({ field }) => field === 'facts.recipient'));
    assert.ok(proven.fields.some(({ field }) => field === 'object'));
  });
});

async function filesWith(dir: string, word: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(word)) found.push(entry.name);
  }
  return found;
}
