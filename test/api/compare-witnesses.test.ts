import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rotateKey } from '#server/actions/evidence/keys.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { admitWitness } from '#server/actions/evidence/witnesses.ts';
import { compareWitnesses } from '#server/commands/compare-witnesses.ts';
import { witnessOnce } from '#server/commands/witness.ts';
import { openWitnessFolder, WitnessProblem } from '#server/commands/witness-memory.ts';
import { operatorCaller } from '#server/domain/caller.ts';
import { verifierKey } from '#server/lib/tlog/notes.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { appendEvents, raw, removeGuards, sealAgain } from '#test/kit/evidence.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('two witnesses', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let one: string;
  let other: string;
  const visit = async (folder: string) => {
    await writeFile(join(folder, 'api-key'), app.admin.key!);
    const { signer } = await openWitnessFolder(folder);
    await admitWitness(app.app.ctx, operatorCaller(), verifierKey(signer));
    await witnessOnce({ url: app.url, folder, nowMs: app.clock.now() });
  };
  const grow = async (count: number) => {
    await appendEvents(app.app.ctx, count);
    await sealAll(app.app.ctx);
  };
  const refused = (path: string, pattern: RegExp) =>
    assert.rejects(
      compareWitnesses([one, path]),
      (error) => error instanceof WitnessProblem && pattern.test(error.message),
    );

  before(async () => {
    [one, other] = [await mkdtemp(join(tmpdir(), 'witness-')), await mkdtemp(join(tmpdir(), 'witness-'))];
    await removeGuards(app.app.ctx);
    await grow(600);
  });
  after(() => Promise.all([one, other].map((folder) => rm(folder, { recursive: true }))));

  test('who saw the same log agree, at the same time, later and after a new key', async () => {
    await visit(one);
    await visit(other);
    const same = await compareWitnesses([one, join(other, 'memory.json')]);
    assert.ok(
      same.isGood && /^Both saw the same log up to entry (\d+) of \1 and \1\.$/.test(same.sentence),
      same.sentence,
    );
    await rotateKey(app.app.ctx);
    await grow(400);
    await visit(other);
    const later = await compareWitnesses([other, one]);
    assert.ok(later.isGood, later.sentence);
    assert.match(later.sentence, /up to entry 512 of 6\d\d and \d+\. Its last \d+ cannot be compared/);
  });

  test('cannot be compared when one was changed, or is none', async () => {
    const memory = JSON.parse(await readFile(join(other, 'memory.json'), 'utf8')) as { tail: string };
    const bytes = Buffer.from(memory.tail, 'base64');
    bytes[3]! ^= 1;
    const copy = join(other, 'copy.json');
    await writeFile(copy, JSON.stringify({ ...memory, tail: bytes.toString('base64') }));
    await refused(copy, /was changed/);
    await refused(join(other, 'nothing'), /can’t be read/);
  });

  test('who were shown two histories find the first entry that differs', async () => {
    await raw(app.app.ctx, "update events set owner_id = 'another' where seq = (select max(seq) - 5 from events)");
    await sealAgain(app.app.ctx);
    await rm(join(one, 'memory.json'));
    await visit(one);
    const { isGood, sentence } = await compareWitnesses([one, other]);
    assert.equal(isGood, false);
    assert.match(sentence, /^The log was forked: (entry \d+|one of the entries \d+ to \d+) differs/);
  });
});
