// The documented command with Go's own packages for transparency logs, where Go is installed; its inputs everywhere.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { rotateKey } from '#server/actions/evidence/keys.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { findLogHead, type LogHead } from '#server/db/evidence/evidence.ts';
import { cosign, parseCheckpoint } from '#server/lib/tlog/checkpoints.ts';
import {
  parseNote,
  parseVerifierKey,
  type Signer,
  signatureLine,
  signatureTypes,
  signerFromSeed,
  verifierKey,
  verifyNote,
} from '#server/lib/tlog/notes.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { appendEvents } from '#test/kit/evidence.ts';
import { useApp } from '#test/kit/use-app.ts';

const go = [process.env.GO_PROGRAM, '/usr/bin/go', '/usr/local/go/bin/go'].find((path) => path && existsSync(path));
const packages = process.env.GO_PACKAGES ?? '/usr/share/gocode';

onOneEngine('a log whose key was rotated', (start) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'go-verifier-'));
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_DATA_DIR: dataDir } });
  const folder = join(dataDir, 'evidence');
  let keys: string[];
  let head: LogHead;
  before(async () => {
    const { ctx } = app.app;
    await appendEvents(ctx, 700);
    await sealAll(ctx);
    await rotateKey(ctx);
    await sealAll(ctx);
    head = (await findLogHead(ctx.db.read))!;
    const { body } = await app.admin.expect(200, 'listEvidenceKeys', {});
    keys = (body as { keys: { key: string }[] }).keys.map(({ key }) => key);
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  test('has a published checkpoint that is signed by one of the keys that the command gets', async () => {
    const note = parseNote(await readFile(join(folder, 'checkpoint'), 'utf8'));
    assert.ok(parseCheckpoint(note.text).size > 700);
    assert.equal(keys.length, 2);
    assert.equal(verifyNote(note, keys.map(parseVerifierKey)).length, 1);
  });

  test('is accepted by the Go program with all keys, and not with the old one alone', {
    skip: go === undefined,
  }, async () => {
    const run = (given: string[]) => runGo([folder, ...given]);
    assert.match((await run(keys)).stdout, /^✓ "\S+\/evidence": 7\d\d entries, signed by "/);
    await assert.rejects(run(keys.slice(0, 1)), /✗/);
  });

  test('has its Ed25519 cosignatures checked by the Go program, which says what it does not check', {
    skip: go === undefined,
  }, async () => {
    const path = join(dataDir, 'cosigned');
    const signers = [signatureTypes.witness, signatureTypes.witnessMlDsa, signatureTypes.witness].map((type, number) =>
      signerFromSeed(`w${number}.example`, type, Buffer.alloc(32, number)),
    );
    const [one, mlDsa, stranger] = signers as [Signer, Signer, Signer];
    const absent = signerFromSeed('absent.example', signatureTypes.witness, Buffer.alloc(32, 9));
    const { text } = parseNote(head.note);
    const lines = signers.map((signer) => `${signatureLine(cosign(text, signer, 1_790_000_000))}\n`);
    await writeFile(path, head.note + lines.join(''));
    const run = () => runGo(['-checkpoint', path, folder, ...keys, ...[one, mlDsa, absent].map(verifierKey)]);
    const { stdout } = await run();
    assert.match(stdout, /witness "w0\.example" \([0-9a-f]{8}\): signed at 2026-09-21T/);
    assert.match(stdout, /witness "w1\.example" \([0-9a-f]{8}\): not checked: .* ML-DSA-44; use verify\.mjs/);
    assert.match(stdout, /witness "absent\.example" \([0-9a-f]{8}\): has not signed/);
    assert.match(stdout, /not checked: 1 signatures by keys that were not given/);
    const wrong = { ...cosign(text, stranger, 1), name: one.name, keyId: one.keyId };
    await writeFile(path, `${head.note}${signatureLine(wrong)}\n`);
    await assert.rejects(run(), /the signature of the witness w0\.example is wrong/);
  });

  function runGo(given: string[]): Promise<{ stdout: string }> {
    const program = join(import.meta.dirname, '../../tools/verify/go/main.go');
    const env = {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: packages,
      GOFLAGS: '',
      GOCACHE: join(dataDir, 'go-cache'),
    };
    return promisify(execFile)(go!, ['run', program, ...given], { env });
  }
});
