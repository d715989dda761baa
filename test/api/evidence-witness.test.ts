import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { evidenceAnswer } from '#contract/evidence.ts';
import { rotateKey } from '#server/actions/evidence/keys.ts';
import { proveEvent } from '#server/actions/evidence/prove.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { admitWitness, listAdmittedWitnesses, removeWitness } from '#server/actions/evidence/witnesses.ts';
import { witnessOnce } from '#server/commands/witness.ts';
import { openWitnessFolder, WitnessProblem } from '#server/commands/witness-memory.ts';
import { findLogHead, listEvidenceKeys } from '#server/db/evidence/evidence.ts';
import { operatorCaller } from '#server/domain/caller.ts';
import { verifierKey } from '#server/lib/tlog/notes.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { appendEvents, copyOfEverything, raw, removeGuards, sealAgain } from '#test/kit/evidence.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const refusedKey = (error: unknown) =>
  error instanceof WitnessProblem && / refused the API key; it must be one of an auditor/.test(error.message);

onOneEngine('a witness of the log of evidence', (start) => {
  // No job seals the log but the tests themselves.
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let auditor: ApiClient;
  let folder: string;
  const folders: string[] = [];
  const keyOfWitness = async () => verifierKey((await openWitnessFolder(folder)).signer);
  const visit = async (client: ApiClient = auditor, { acceptsLoss = false, isAdmitted = true } = {}) => {
    await writeFile(join(folder, 'api-key'), client.key!);
    if (isAdmitted) await admitWitness(app.app.ctx, operatorCaller(), await keyOfWitness());
    return witnessOnce({ url: client.url, folder, nowMs: app.clock.now(), acceptsLoss });
  };
  const head = async () => (await findLogHead(app.app.ctx.db.read))!;
  const grow = async (count: number) => {
    await appendEvents(app.app.ctx, count);
    await sealAll(app.app.ctx);
  };

  before(async () => {
    await app.group('Auditors', { role: 'auditor' });
    auditor = await newPerson(app, 'watch', { group: 'auditors' });
    await removeGuards(app.app.ctx);
    await grow(10);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witness-'));
    folders.push(folder);
  });
  after(() => Promise.all(folders.map((each) => rm(each, { recursive: true }))));

  test('signs a log that only grows, and the installation shows the signature and adds it to its proofs', async () => {
    assert.match((await visit()).sentence, /was signed\. This was the first visit; compare the key of the log: /);
    await grow(300);
    const { isGood, sentence } = await visit();
    assert.ok(isGood, sentence);
    const { size, lastSeq } = await head();
    assert.match(sentence, new RegExp(` has ${size} entries, 30\\d of them new; .* was signed\\.$`));
    const { body } = await auditor.expect(200, 'getEvidence');
    const { evidence } = wireForm(evidenceAnswer, body);
    assert.equal(evidence.witnesses[0]!.size, size);
    assert.match(evidence.witnesses[0]!.key, /\/waybill-witness\+/);
    const { proof } = (await proveEvent(app.app.ctx, lastSeq))!;
    assert.match(proof, /\n— \S+\/waybill-witness \S+\n$/);
    // Later events are proven by their own checkpoint, without the witness.
    await grow(1);
    const later = (await proveEvent(app.app.ctx, (await head()).lastSeq))!;
    assert.doesNotMatch(later.proof, /waybill-witness/);
  });

  test('is refused until its key is admitted, and its signatures are removed with the key', async () => {
    const { ctx } = app.app;
    const administrator = await newPerson(app, 'boss', { group: 'administrators' });
    for (const client of [auditor, administrator])
      await assert.rejects(visit(client, { isAdmitted: false }), (error: Error) => {
        assert.match(
          error.message,
          /has not admitted this witness\. Its operator .* admit-witness '\S+'\nThe key of the log, to keep and compare: \S+$/,
        );
        return error instanceof WitnessProblem;
      });
    const key = await keyOfWitness();
    assert.deepEqual(
      (await listAdmittedWitnesses(ctx, operatorCaller())).filter(({ verifierKey: one }) => one === key),
      [],
    );
    await grow(1);
    assert.ok((await visit()).isGood);
    const { lastSeq } = await head();
    assert.match((await proveEvent(ctx, lastSeq))!.proof, /\/waybill-witness \S+\n$/);
    assert.equal(await removeWitness(ctx, operatorCaller(), key), true);
    assert.equal(await removeWitness(ctx, operatorCaller(), key), false);
    assert.doesNotMatch((await proveEvent(ctx, lastSeq))!.proof, /waybill-witness/);
    await assert.rejects(visit(auditor, { isAdmitted: false }), /has not admitted this witness/);
    await assert.rejects(admitWitness(ctx, operatorCaller(), 'x'), { code: 'evidence.bad_witness_key' });
  });

  test('needs the key of an auditor, and says so', async () => {
    const alice = await newPerson(app, 'alice');
    const stranger = Object.assign(Object.create(alice), { key: 'no key at all' }) as ApiClient;
    for (const client of [alice, stranger]) await assert.rejects(visit(client), refusedKey);
    await rm(join(folder, 'api-key'));
    await assert.rejects(
      witnessOnce({ url: auditor.url, folder, nowMs: 0 }),
      /put the API key of an auditor into .*api-key and start/,
    );
  });

  test('follows the log to a new key that the old one has named, and to no other', async () => {
    await visit();
    await rotateKey(app.app.ctx);
    await rotateKey(app.app.ctx);
    await sealAll(app.app.ctx);
    assert.ok((await visit()).isGood);
    await rotateKey(app.app.ctx);
    await app.app.ctx.db.write((tx) => tx.updateTable('evidence_keys').set({ endorsement: '' }).execute());
    await sealAll(app.app.ctx);
    assert.match((await visit()).sentence, /not signed by a key that this witness knows/);
    assert.equal((await listEvidenceKeys(app.app.ctx.db.read)).filter(({ seed }) => seed !== null).length, 1);
  });

  test('refuses a checkpoint with a forged signature of the key it knows, at the first visit and later', async () => {
    await visit();
    const { note, size } = await head();
    // The last line is the signature; this changes its last bytes.
    const forged = note.replace(/[A-Za-z0-9+/]{4}(=*)\n$/, (end) =>
      /^A/.test(end) ? `B${end.slice(1)}` : `A${end.slice(1)}`,
    );
    assert.notEqual(forged, note);
    const serve = (text: string) =>
      app.app.ctx.db.write((tx) => tx.updateTable('evidence_log').set({ note: text }).execute());
    await serve(forged);
    const unsigned = /not signed by a key that this witness knows/;
    assert.match((await visit()).sentence, unsigned);
    const known = folder;
    folder = await mkdtemp(join(tmpdir(), 'witness-'));
    folders.push(folder);
    assert.match((await visit()).sentence, unsigned);
    await serve(note);
    assert.match((await visit()).sentence, /This was the first visit/, 'nothing was remembered of the forged one');
    folder = known;
    const { isGood, sentence } = await visit();
    assert.ok(isGood && sentence.includes(` has ${size} entries, 0 of them new`), sentence);
    // First visits are events themselves; only the visits below are checked.
    await sealAll(app.app.ctx);
  });

  test('reports a restored old backup, and keeps both checkpoints', async () => {
    const copy = await copyOfEverything(app.app.ctx);
    const { size } = await head();
    await grow(20);
    await visit();
    await copy.restore();
    const { isGood, sentence } = await visit();
    assert.equal(isGood, false);
    assert.match(
      sentence,
      new RegExp(`^An old backup was put back.* had ${size + 20} entries and has ${size} now\\.$`),
    );
    assert.equal((await readdir(folder)).filter((name) => name.startsWith('contradiction-')).length, 1);
    const accepted = await visit(auditor, { acceptsLoss: true });
    assert.ok(accepted.isGood);
    assert.match(
      accepted.sentence,
      new RegExp(`^The loss was accepted; .* with ${size} entries\\. What was found: An old backup`),
    );
    await grow(1);
    assert.match((await visit()).sentence, / it is the log that was seen before, and was signed\.$/);
  });

  test('reports a fork: an old backup that was used again', async () => {
    const copy = await copyOfEverything(app.app.ctx);
    const { size } = await head();
    await grow(20);
    await visit();
    await copy.restore();
    await grow(40);
    assert.match((await visit()).sentence, new RegExp(`^The log was forked: up to entry ${size} it is the one`));
  });

  test('reports an event that was rewritten, and one that is missing', async () => {
    await grow(30);
    // The first visit is an event itself.
    await visit();
    await sealAll(app.app.ctx);
    await visit();
    const { size, lastSeq } = await head();
    await raw(app.app.ctx, `update events set at = at + 1 where seq = ${lastSeq - 10}`);
    await sealAgain(app.app.ctx);
    assert.equal((await head()).size, size);
    assert.equal(
      (await visit()).sentence,
      `An event was rewritten: entry ${size - 11} is not the one that was seen before.`,
    );
    await raw(app.app.ctx, `update events set at = at - 1 where seq = ${lastSeq - 10}`);
    await sealAgain(app.app.ctx);
    assert.ok((await visit()).isGood, 'the same events make the same log');
    await raw(app.app.ctx, `delete from events where seq = ${lastSeq - 10}`);
    app.clock.advance(11_000);
    await grow(1);
    await sealAgain(app.app.ctx);
    assert.match(
      (await visit()).sentence,
      new RegExp(`^An event is missing: entry ${size - 11} .* number ${lastSeq - 10} is left out\\.$`),
    );
  });

  test('reports no manipulation while the service does not answer completely, and visits again later', async () => {
    let breaks = (response: ServerResponse) => void response.writeHead(503).end('{}');
    let broken = '/tile/';
    const proxy = createServer(async (request, response) => {
      if (request.url!.includes(broken)) return breaks(response);
      const headers = { authorization: request.headers.authorization!, accept: 'application/json' };
      const reply = await fetch(`${auditor.url}${request.url}`, { headers });
      response.writeHead(reply.status).end(Buffer.from(await reply.arrayBuffer()));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const through = Object.assign(Object.create(auditor), { url }) as ApiClient;
    const refuses = (words: RegExp) =>
      assert.rejects(visit(through), (error) => {
        assert.ok(error instanceof WitnessProblem, String(error));
        assert.match(error.message, words);
        return true;
      });
    try {
      for (broken of ['/tile/', '/keys', '/checkpoint']) await refuses(/ answered with 503; visit it again later$/);
      breaks = (response) =>
        void response.writeHead(200, { 'content-length': 100 }).write('cut', () => response.destroy());
      for (broken of ['/tile/', '/keys', '/checkpoint']) await refuses(/ broke off; visit it again later$/);
      assert.deepEqual((await readdir(folder)).sort(), ['api-key', 'witness.key'], 'no proof of anything');
    } finally {
      proxy.close();
    }
  });

  test('reports a missing file', async () => {
    await sealAgain(app.app.ctx);
    await app.app.ctx.evidence.remove(['tile/1/000.p/1']);
    const { isGood, sentence } = await visit();
    assert.equal(isGood, false);
    assert.match(sentence, /tile\/1\/000\.p\/1/);
  });
});
