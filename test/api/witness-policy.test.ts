// Witnesses of the policy file cosign the event log; receipts carry their signatures, as JSON and as COSE.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { evidenceAnswer } from '#contract/evidence.ts';
import { findAlerts, findShownAlerts } from '#server/actions/alerts/checks.ts';
import { askWitnesses } from '#server/actions/evidence/ask-witnesses.ts';
import { listVerifiers } from '#server/actions/evidence/log.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { removeWitness } from '#server/actions/evidence/witnesses.ts';
import { findLogHead } from '#server/db/evidence/evidence.ts';
import { operatorCaller } from '#server/domain/caller.ts';
import { NoteProblem, type Signer, signatureTypes, signerFromSeed, verifierKey } from '#server/lib/tlog/notes.ts';
import { parsePolicy } from '#server/lib/tlog/policy.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { appendEvents } from '#test/kit/evidence.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { openTestWitness, type TestWitness } from '#test/kit/tlog-witness.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '#test/kit/wire-form.ts';

interface Verdict {
  ok: boolean;
  isChecked: boolean;
  meetsPolicy: boolean;
  fault: string | null;
  proves: string[];
}
type Check = (bytes: Buffer, options?: { policy?: string; keys?: string[] }) => Verdict;
const verifier = pathToFileURL(join(import.meta.dirname, '../../tools/verify/verify.mjs')).href;

const signer = (name: string, type: Signer['type'], number: number) =>
  signerFromSeed(name, type, Buffer.alloc(32, number));
const old = signer('one.example/w', signatureTypes.witness, 1);
const fresh = signer('one.example/w', signatureTypes.witnessMlDsa, 2);
const other = signer('two.example/w', signatureTypes.witness, 3);

onEachDatabase('The witnesses of the policy file', (start) => {
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web' };
  let folder: string;
  let one: TestWitness;
  let two: TestWitness;
  let check: Check;
  before(async () => {
    const now = () => app.clock.now();
    [one, two] = [await openTestWitness([old, fresh], now), await openTestWitness([other], now)];
    folder = mkdtempSync(join(tmpdir(), 'waybill-policy-'));
    environment.WAYBILL_EVIDENCE_WITNESS_POLICY = join(folder, 'policy');
    writeFileSync(join(folder, 'policy'), policyText('all'));
    ({ check } = (await import(verifier)) as { check: Check });
  });
  const app = useApp(start, { environment });
  before(async () => {
    await grow();
    [one.logs, two.logs] = [await listVerifiers(app.app.ctx), await listVerifiers(app.app.ctx)];
  });
  afterEach(() => {
    for (const witness of [one, two]) Object.assign(witness, { fault: null, clockMs: 0 });
  });
  after(async () => {
    await Promise.all([one.close(), two.close()]);
    rmSync(folder, { recursive: true });
  });

  const policyText = (count: string) =>
    [
      `witness old ${verifierKey(old)} ${one.url}`,
      `witness fresh ${verifierKey(fresh)} ${one.url}`,
      `witness other ${verifierKey(other)} ${two.url}/`,
      `group everyone ${count} old fresh other`,
      'quorum everyone\n',
    ].join('\n');

  async function grow(count = 3): Promise<number> {
    await appendEvents(app.app.ctx, count);
    await sealAll(app.app.ctx);
    return (await findLogHead(app.app.ctx.db.read))!.size;
  }
  const ask = () => askWitnesses(app.app.ctx);
  const witnessesShown = async () =>
    wireForm(evidenceAnswer, (await app.admin.expect(200, 'getEvidence')).body).evidence.witnesses;
  const shown = async (key: Signer) => (await witnessesShown()).find((witness) => witness.key === verifierKey(key))!;

  test('are tested by System Administrators, which changes nothing, and say why they do not sign', async () => {
    await grow();
    await ask();
    const test = async (key: string) => {
      const { body } = await app.admin.expect(200, 'testWitness', { body: { witness_test: { key } } });
      return (body as { witness_test: { error: string } }).witness_test.error;
    };
    const alice = await newPerson(app, 'anna');
    const body = { witness_test: { key: verifierKey(old) } };
    await alice.refused(403, 'admin.not_permitted', 'testWitness', { body });
    const unknown = { witness_test: { key: verifierKey(signer('three.example/w', signatureTypes.witness, 4)) } };
    await app.admin.refused(422, 'evidence.witness_not_asked', 'testWitness', { body: unknown });
    const before = await witnessesShown();
    assert.equal(await test(verifierKey(old)), '');
    one.fault = { status: 403, body: '' };
    assert.match(await test(verifierKey(old)), /does not know the key of this log/);
    one.fault = { status: 200, body: 'hello' };
    assert.equal(await test(verifierKey(fresh)), 'the answer is not a cosignature');
    assert.deepEqual(await witnessesShown(), before);
    const { evidence } = wireForm(evidenceAnswer, (await app.admin.expect(200, 'getEvidence')).body);
    assert.deepEqual(new Set(evidence.asked), new Set([old, fresh, other].map(verifierKey)));
  });

  test('sign each new checkpoint, with proofs from the one they signed before', async () => {
    const size = await grow();
    assert.equal(await ask(), 3);
    assert.equal(await ask(), 0, 'nothing is new');
    const grown = await grow(300);
    assert.equal(await ask(), 3);
    assert.deepEqual(
      [one.signed.slice(-2), two.signed.slice(-2)],
      [
        [size, grown],
        [size, grown],
      ],
    );
    assert.match(one.requests.at(-1)!, new RegExp(`^old ${size}\\n`));
    assert.deepEqual([(await shown(old)).size, (await shown(fresh)).size], [grown, grown]);
  });

  test('are asked again from the size that they name, after one has lost its memory', async () => {
    two.seen = null;
    const size = await grow();
    assert.equal(await ask(), 3);
    assert.equal(two.signed.at(-1), size);
  });

  test('fail independently, with the reason, and sign again afterwards', async () => {
    const faults: [Partial<TestWitness>, RegExp][] = [
      [{ fault: { status: 404, body: '' } }, /does not know this log \(404\)/],
      [{ fault: { status: 403, body: '' } }, /does not know the key of this log \(403\)/],
      [{ fault: { status: 422, body: '' } }, /refused the consistency proof/],
      [{ fault: { status: 500, body: 'oops' } }, /the answer was 500/],
      [{ fault: { status: 302, body: '' } }, /the answer was 302/],
      [{ fault: { status: 409, body: '999999999\n' } }, /has seen a longer log, with 999999999 entries/],
      [{ fault: { status: 409, body: '' } }, /has seen another log/],
      [{ fault: { status: 200, body: 'nonsense\n' } }, /not a cosignature/],
      [{ clockMs: -app.clock.now() }, /has no time/],
      [{ fault: { status: 200, body: '' } }, /did not sign with two\.example\/w\+/],
    ];
    for (const [fault, reason] of faults) {
      Object.assign(two, { fault: null, clockMs: 0, ...fault });
      const size = await grow();
      assert.equal(await ask(), 2, String(reason));
      const failing = await shown(other);
      assert.match(failing.last_error, reason);
      assert.notEqual(failing.failing_since, null);
      assert.equal((await shown(old)).size, size);
    }
    Object.assign(two, { fault: null, clockMs: 0 });
    assert.equal(await ask(), 1);
    assert.equal((await shown(other)).failing_since, null);
  });

  test('are one item of the overview while one fails, and worth an e-mail after an hour', async () => {
    const { ctx } = app.app;
    const topic = async (find: typeof findAlerts) =>
      (await find(ctx)).filter((alert) => alert.topic === 'witness-failing');
    assert.deepEqual(await topic(findShownAlerts), []);
    Object.assign(one, { fault: { status: 500, body: '' } });
    await grow();
    await ask();
    const detail = `${new URL(one.url).host}: the answer was 500`;
    assert.deepEqual(await topic(findShownAlerts), [{ topic: 'witness-failing', detail }], 'both keys of it fail');
    assert.deepEqual(await topic(findAlerts), []);
    app.clock.advance(60 * 60_000);
    assert.deepEqual(await topic(findAlerts), [{ topic: 'witness-failing', detail }]);
    one.fault = null;
    await ask();
    assert.deepEqual(await topic(findShownAlerts), []);
  });

  testOnce('are refused with a time in the future', async () => {
    await grow();
    two.clockMs = 10 * 60_000;
    assert.equal(await ask(), 2);
    assert.match((await shown(other)).last_error, /a time in the future/);
  });

  testOnce('cannot be removed while the policy lists them', async () => {
    await grow();
    await ask();
    await assert.rejects(removeWitness(app.app.ctx, operatorCaller(), verifierKey(other)), {
      code: 'evidence.witness_in_policy',
    });
  });

  test('are in receipts, which the verifier checks with a policy, as JSON and as COSE', async () => {
    const alice = await newPerson(app, 'alice');
    const { id } = await sendMessage(alice, { recipients: ['ben@harbour.example'], send_email: false });
    await grow();
    assert.equal(await ask(), 3);
    const fetchBytes = async (format: string) => {
      const reply = await fetch(`${alice.url}/message/${id}/receipt?format=${format}`, {
        headers: { authorization: `Bearer ${alice.key}` },
      });
      assert.equal(reply.status, 200);
      return { type: reply.headers.get('content-type'), bytes: Buffer.from(await reply.arrayBuffer()) };
    };
    const json = await fetchBytes('json');
    const cose = await fetchBytes('cose');
    assert.equal(cose.type, 'application/cose; cose-type="cose-sign1"');
    const policy = policyText('all');
    for (const { bytes } of [json, cose]) {
      const verdict = check(bytes, { policy });
      assert.deepEqual([verdict.fault, verdict.ok], [null, true]);
      assert.ok(verdict.proves.includes('Enough witnesses of the policy have signed every checkpoint.'));
    }
    assert.ok(
      check(cose.bytes, { policy }).proves.some((line) => /receipts \(RFC 9942\) are signed by the log/.test(line)),
    );
    const stranger = `${policy.replace('quorum everyone\n', '')}witness stranger ${verifierKey(signer('three', 4, 4))}\n`;
    const unmet = check(json.bytes, { policy: `${stranger}group more all everyone stranger\nquorum more\n` });
    assert.deepEqual([unmet.ok, unmet.isChecked, unmet.meetsPolicy], [false, true, false]);
    assert.match(unmet.fault!, /too few witnesses of the policy have signed/);
    const [listed, again] = [`witness old ${verifierKey(old)}\n`, `witness again ${verifierKey(old)}\n`];
    const notUnderstood = [
      'quorum nobody\n',
      `${listed}${again}group both all old again\nquorum both\n`,
      `${listed}group twice 2 old old\nquorum twice\n`,
      `${listed}group a any old\ngroup b any old\ngroup c all a b\nquorum c\n`,
      `${listed}group g 1e0 old\nquorum g\n`,
      `${listed}quorum old\r\n`,
      `log ${verifierKey(old)}\nquorum none\n`,
    ];
    for (const given of notUnderstood) {
      const verdict = check(json.bytes, { policy: given });
      assert.deepEqual([verdict.ok, verdict.isChecked], [false, false], given);
      assert.throws(() => parsePolicy(given), NoteProblem, given);
    }
    assertEachByteCounts(cose.bytes, policy);
  });

  /** Every 37th byte and the first ones: each change is noticed. */
  function assertEachByteCounts(bytes: Buffer, policy: string): void {
    for (let at = 0; at < bytes.length; at += at < 80 ? 1 : 37) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      assert.equal(check(changed, { policy }).ok, false, `byte ${at}`);
    }
    assert.equal(check(bytes.subarray(0, -1), { policy }).ok, false);
    assert.equal(check(Buffer.concat([bytes, Buffer.of(0)]), { policy }).ok, false);
  }
});
