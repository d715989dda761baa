// The documented command with Go's own packages for transparency logs, where Go is installed; its inputs everywhere.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { rotateKey } from '#server/actions/evidence/keys.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { parseCheckpoint } from '#server/lib/tlog/checkpoints.ts';
import { parseNote, parseVerifierKey, verifyNote } from '#server/lib/tlog/notes.ts';
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
  before(async () => {
    const { ctx } = app.app;
    await appendEvents(ctx, 700);
    await sealAll(ctx);
    await rotateKey(ctx);
    await sealAll(ctx);
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
    const program = join(import.meta.dirname, '../../tools/verify/go/main.go');
    const env = {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: packages,
      GOFLAGS: '',
      GOCACHE: join(dataDir, 'go-cache'),
    };
    const run = (given: string[]) => promisify(execFile)(go!, ['run', program, folder, ...given], { env });
    assert.match((await run(keys)).stdout, /^✓ "\S+\/evidence": 7\d\d entries, signed by "/);
    await assert.rejects(run(keys.slice(0, 1)), /✗/);
  });
});
