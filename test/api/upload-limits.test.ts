import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { until } from '#test/kit/eventually.ts';
import { holdUpload } from '#test/kit/held-upload.ts';
import { fileRows } from '#test/kit/inside.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

onOneEngine('an upload', (start) => {
  const app = useApp(start);
  const alice = usePerson(app, 'alice');

  test('that sends less than 1 KiB a second is ended, and nothing of it is stored', async () => {
    const before = await fileRows(app);
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
    try {
      const path = '/link/attachments/upload?filename=slow.bin';
      const held = await holdUpload(alice, path, { lengthBytes: 1_000_000 });
      let isOver = false;
      held.answered.then(
        () => (isOver = true),
        () => (isOver = true),
      );
      let steps = 0;
      await until(async () => {
        if (isOver) return true;
        await held.send(Buffer.from('x')).catch(() => {});
        mock.timers.tick(5000);
        steps += 1;
        return isOver;
      });
      assert.ok(steps >= 12, 'the upload lasted a minute');
    } finally {
      mock.timers.reset();
    }
    assert.deepEqual(await fileRows(app), before);
  });

  test('is accepted as the 257th of an address, because the others have ended', async () => {
    for (let count = 0; count < 256; count++) {
      const { status } = await alice.call('uploadForLink', { query: { filename: 'virus.exe' }, bytes: 'x' });
      assert.equal(status, 422, `the ${count + 1}th`);
    }
    assert.equal((await alice.upload('plan.txt', 'the plan')).id.length, 22);
  });
});
