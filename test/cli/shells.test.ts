// Commands in the documents are accepted by the three common shells, and the guides of the API work in each of them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';
import { guideBlocks } from '#server/http/api-docs/guides.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const run = promisify(execFile);
const shells = ['bash', 'dash', 'zsh'];
const skipOf = (shell: string) => (existsSync(`/usr/bin/${shell}`) ? false : `needs ${shell}`);

const pages = ['README.md', ...listFiles(repositoryRoot, ['docs']).filter((path) => path.endsWith('.md'))];
const blocks = pages.flatMap((path) =>
  [
    ...readFileSync(join(repositoryRoot, path), 'utf8').matchAll(/^```(?:sh|bash|shell)(?: [^\n]*)?\n([\s\S]*?)^```/gm),
  ].map(([, code]) => ({ path, code: code! })),
);

for (const shell of shells)
  test(`${shell} accepts every command of the documents`, { skip: skipOf(shell) }, async () => {
    assert.ok(blocks.length > 30, `${blocks.length} blocks`);
    const folder = mkdtempSync(join(tmpdir(), 'waybill-shells-'));
    try {
      for (const { path, code } of blocks) {
        const file = join(folder, 'commands.sh');
        writeFileSync(file, code);
        await run(shell, ['-n', file]).catch(({ stderr }) => assert.fail(`${path}: ${stderr}\n${code}`));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

onOneEngine('the guides of the API', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const folder = mkdtempSync(join(tmpdir(), 'waybill-guides-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const shell of shells)
    test(`work in ${shell}`, { skip: skipOf(shell) }, async () => {
      writeFileSync(join(folder, 'report.pdf'), Buffer.alloc(9_000_000, shell));
      const env = { ...process.env, WAYBILL_API_KEY: ann.key! };
      for (const block of guideBlocks(app.url))
        for (const { language, code } of block.is === 'examples' ? block.examples : []) {
          const ran = run(shell, ['-euc', code], { cwd: folder, env });
          const { stdout } = await ran.catch((error) => assert.fail(`${language}: ${error.stdout}${error.stderr}`));
          assert.ok(stdout.includes('{"'), `${language}: ${stdout}`);
        }
    });
});
