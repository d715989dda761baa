// `waybill-server doctor` names the step that fails with a virus scanner, and its cure.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { readConfig } from '#server/config.ts';
import { examine } from '#server/installation/doctor/examine.ts';
import { checkScanner } from '#server/installation/doctor/scanner.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createRandom } from '#server/lib/ids.ts';
import { cleanAnswer, eicarAnswer, type ScriptedScanner, startScriptedScanner } from '#test/kit/scripted-scanner.ts';
import { startCIcap } from '#test/kit/servers/c-icap.ts';
import { startClamd } from '#test/kit/servers/clamd.ts';

const findingsAt = (address: string) => checkScanner(readConfig({ WAYBILL_SCANNER: address }), null);

async function assertNamed(address: string, sentence: RegExp, cure: RegExp): Promise<void> {
  const findings = await findingsAt(address);
  assert.deepEqual(
    findings.map(({ look, state }) => [look, state]),
    [['virus scanner', 'fault']],
  );
  assert.match(findings[0]!.sentence, sentence);
  assert.match(findings[0]!.cure!, cure);
  assert.notEqual(findings[0]!.said, '', 'what the scanner said');
}

async function withScripted(behaviour: Partial<ScriptedScanner>, run: (address: string) => Promise<void>) {
  const scanner = await startScriptedScanner();
  Object.assign(scanner, behaviour);
  await run(scanner.address).finally(() => scanner.close());
}

test('a scanner that cannot be reached', async () => {
  await assertNamed('clamd://127.0.0.1:1', /cannot be reached/, /WAYBILL_SCANNER.*firewall/);
  await assertNamed('clamd:/nowhere/clamd.sock', /cannot be reached/, /permissions/);
});

test('another program at its address', async () => {
  const stranger = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('220 mail.example ESMTP\r\n\r\n\0'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => stranger.once('listening', resolve));
  const { port } = stranger.address() as { port: number };
  try {
    await assertNamed(`clamd://127.0.0.1:${port}`, /something else/, /its port/);
    await assertNamed(`icap://127.0.0.1:${port}/scan`, /something else/, /name of the service/);
  } finally {
    stranger.close();
  }
});

test('a scanner that breaks off, reports clean files, or finds nothing', async () => {
  await withScripted({ isDown: true }, (at) => assertNamed(at, /gives no verdict/, /log of the scanner/));
  await withScripted({ answer: () => eicarAnswer }, (at) => assertNamed(at, /reports a clean file/, /signatures/));
  await withScripted({ answer: () => cleanAnswer }, (at) => assertNamed(at, /EICAR/, /freshclam/));
});

test('an ICAP service that does not exist, and one without its engine', async () => {
  const icap = await startCIcap();
  try {
    await assertNamed(icap.address.replace('virus_scan', 'other'), /something else/, /name of the service/);
    await icap.clamd.stop();
    await assertNamed(icap.address, /verdict|clean file|EICAR/, /./);
  } finally {
    await icap.remove();
  }
});

test('a clamd that passes encrypted archives and exceeded limits, until its settings are right', async () => {
  const clamd = await startClamd();
  try {
    const [works, ...gaps] = await findingsAt(clamd.address);
    assert.match(works!.sentence, /finds the EICAR test file \(ClamAV /);
    assert.deepEqual(
      gaps.map(({ state, cure }) => [state, /"(\w+) yes"/.exec(cure!)?.[1]]),
      [
        ['warn', 'AlertEncrypted'],
        ['warn', 'AlertExceedsMax'],
      ],
    );
    await clamd.restart({ options: ['AlertEncrypted yes', 'AlertExceedsMax yes'] });
    assert.deepEqual(
      (await findingsAt(clamd.address)).map(({ state }) => state),
      ['ok'],
    );
  } finally {
    await clamd.stop();
  }
});

test('nothing is said without a scanner, and the doctor asks for it otherwise', async () => {
  assert.deepEqual(await checkScanner(readConfig({}), null), []);
  const environment = { WAYBILL_SCANNER: 'clamd://127.0.0.1:1', WAYBILL_DATA_DIR: '/nowhere/waybill' };
  const findings = await examine({ random: createRandom(), clock: systemClock() }, environment);
  assert.ok(findings.some(({ look, state }) => look === 'virus scanner' && state === 'fault'));
});
