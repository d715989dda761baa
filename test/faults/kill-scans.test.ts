// Repeated kill -9 of processes in the middle of the queue of the virus scanner: the queue goes on, no file counts as clean
// without an answer of the scanner, and none is lost.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { withInstallation } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { silentLog } from '#server/lib/log.ts';
import { ApiClient } from '#test/kit/client.ts';
import { download } from '#test/kit/downloads.ts';
import { databases, sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation, type Program } from '#test/kit/program.ts';
import { eicarAnswer, type ScriptedScanner, startScriptedScanner } from '#test/kit/scripted-scanner.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { linkTo } from '#test/kit/shared-files.ts';

/** How many files of each round are answered before the scanner keeps silent and its client is killed. */
const rounds = [0, 3, 7];
const filesOfRound = 9;

interface Listed {
  id: string;
  available: boolean;
  content_blocked: boolean;
  virus_scanned: boolean;
}

for (const { engine, processes } of [
  { engine: sqliteAndDisk, processes: 1 },
  ...databases.filter((one) => one !== sqliteAndDisk).map((one) => ({ engine: one, processes: 3 })),
])
  describe(`Scans of ${processes} killed processes (${engine.name})`, () => {
    let place: Installation;
    let scanner: ScriptedScanner;
    let answerOf: ScriptedScanner['answer'];
    let ports: number[];
    const programs: Program[] = [];
    const contents = new Map<string, string>();
    /** What the scanner called clean, and what it did not answer. */
    const passed = new Set<string>();
    const unanswered = new Set<string>();

    before(async () => {
      scanner = await startScriptedScanner();
      answerOf = scanner.answer;
      place = await createInstallation(engine, { WAYBILL_WORKERS: '1', WAYBILL_SCANNER: scanner.address });
      ports = [Number(new URL(place.url).port), ...(await freePorts(processes - 1))];
    });
    after(async () => {
      await place.drop();
      await scanner.close();
    });

    async function startMissing(): Promise<void> {
      for (const [at, port] of ports.entries())
        if (programs[at] === undefined || !programs[at].child.isRunning()) programs[at] = await place.start({ port });
    }

    function answerSome(count: number): void {
      let left = count;
      scanner.answer = (bytes) => {
        const content = bytes.toString();
        if (!content.includes('file of round')) return answerOf(bytes);
        left -= 1;
        if (left < 0) {
          unanswered.add(content);
          return undefined;
        }
        if (content.includes('bad')) return eicarAnswer;
        passed.add(content);
        return answerOf(bytes);
      };
    }
    async function uploadSome(round: number): Promise<void> {
      for (let number = 0; number < filesOfRound; number += 1) {
        const client = new ApiClient(`http://127.0.0.1:${ports[number % processes]}`, place.admin.key, '');
        const content = `${number % 3 === 0 ? 'bad' : 'good'} file of round ${round}, number ${number}`;
        contents.set((await client.upload('file.bin', content)).id, content);
      }
    }

    async function list(): Promise<Listed[]> {
      const { body } = await place.admin.expect(200, 'listAttachments');
      const { attachments } = body as { attachments: Listed[] };
      assert.deepEqual(new Set(attachments.map(({ id }) => id)), new Set(contents.keys()), 'no file is lost');
      for (const { id, available } of attachments)
        if (available) assert.ok(passed.has(contents.get(id)!), 'it is clean without an answer of the scanner');
      return attachments;
    }

    /** The one that waits for the scanner, and those before it. */
    async function killHolder(): Promise<void> {
      for (const program of programs) {
        if (scanner.connections() === 0) return;
        program.signalAll('SIGKILL');
        await program.exited;
        for (let turns = 0; turns < 10; turns += 1) await turn();
      }
    }

    test('go on, and end with a verdict for every file', async () => {
      for (const [round, answered] of rounds.entries()) {
        await startMissing();
        answerSome(answered);
        unanswered.clear();
        await uploadSome(round);
        await eventually('the scanner owes an answer', async () => unanswered.size > 0);
        await killHolder();
        answerSome(Number.POSITIVE_INFINITY);
        await endLeases(place);
        await startMissing();
        await list();
        await eventually('every file has a verdict', async () =>
          (await list()).every(({ available, content_blocked }) => available || content_blocked),
        );
      }
      for (const { id, content_blocked } of await list()) {
        const content = contents.get(id)!;
        assert.equal(content_blocked, content.startsWith('bad'), content);
        const { bytes } = await download(place.url, await linkTo(place.admin, id));
        assert.equal(bytes.toString(), content.startsWith('bad') ? '' : content);
      }
    });
  });

/** As if the processes had been dead for 15 seconds. */
async function endLeases(place: Installation): Promise<void> {
  await withInstallation(readConfig(place.environment), silentLog, (ctx) =>
    ctx.db.write((tx) => tx.updateTable('jobs').set({ lease_ends_at: 0 }).execute()),
  );
}
