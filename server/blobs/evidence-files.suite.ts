// The contract of all stores for the files of the evidence log.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EvidenceFiles } from '#server/domain/ports.ts';

export interface OpenedFiles {
  files: EvidenceFiles;
  dispose(): Promise<void>;
}

export function evidenceFilesSuite(name: string, open: () => Promise<OpenedFiles>): void {
  describe(`files of the evidence log: ${name}`, () => {
    let opened: OpenedFiles;
    let files: EvidenceFiles;
    before(async () => {
      opened = await open();
      files = opened.files;
    });
    after(() => opened.dispose());
    const text = async (path: string) => (await files.get(path))?.toString() ?? null;
    const put = (path: string, content: string) => files.put([{ path, bytes: Buffer.from(content) }]);

    test('a file that was never written is missing', async () => {
      assert.equal(await files.get('checkpoint'), null);
      assert.equal(await files.get('tile/0/x001/000'), null);
    });

    test('files come back as they were written, and are replaced as a whole', async () => {
      await files.put([
        { path: 'checkpoint', bytes: Buffer.from('a longer text') },
        { path: 'tile/0/x001/000.p/7', bytes: Buffer.from([0, 255, 10]) },
        { path: 'tile/0/x001/000', bytes: Buffer.alloc(8192, 3) },
      ]);
      assert.deepEqual(await files.get('tile/0/x001/000.p/7'), Buffer.from([0, 255, 10]));
      assert.deepEqual(await files.get('tile/0/x001/000'), Buffer.alloc(8192, 3));
      await put('checkpoint', 'short');
      assert.equal(await text('checkpoint'), 'short');
    });

    test('removing is idempotent and leaves the others', async () => {
      await files.put(['5', '6'].map((width) => ({ path: `tile/0/003.p/${width}`, bytes: Buffer.from(width) })));
      await files.remove(['tile/0/003.p/5']);
      await files.remove(['tile/0/003.p/5', 'tile/9/000.p/1']);
      assert.equal(await text('tile/0/003.p/5'), null);
      assert.equal(await text('tile/0/003.p/6'), '6');
      await files.remove(['tile/0/003.p/6']);
      await put('tile/0/003.p/7', 'again');
      assert.equal(await text('tile/0/003.p/7'), 'again');
    });
  });
}
