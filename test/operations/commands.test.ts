// The pages for operators are true: every command of a block marked `sh run` is run against a real installation beside
// its running server, other blocks parse, settings exist, and the unit starts what `npm start` starts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { type ConfigEntry, configEntries } from '#server/config-entries.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/patience.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { serverProgram } from '#test/kit/server-program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';

interface Block {
  page: string;
  kind: string;
  text: string;
}

const folder = join(repositoryRoot, 'docs/operations');

async function readBlocks(): Promise<Block[]> {
  const pages = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'));
  const blocks = await Promise.all(
    pages.map(async (page) => {
      const text = await readFile(join(folder, page), 'utf8');
      return [...text.matchAll(/^```([^\n]+)\n([\s\S]*?)^```$/gm)].map(([, kind, body]) => ({
        page,
        kind: kind!,
        text: body!,
      }));
    }),
  );
  return blocks.flat();
}

/** With what it wrote; never rejects. */
function bash(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile('/bin/bash', args, { cwd: repositoryRoot, env }, (_error, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output: output + errors }),
    );
  });
}

describe('the pages for operators', { skip: findTestServers() === null && 'without servers' }, () => {
  let place: Installation;
  let tools: string;
  let blocks: Block[];
  before(async () => {
    blocks = await readBlocks();
    place = await createInstallation(sqliteAndDisk, {
      WAYBILL_WORKERS: '1',
      WAYBILL_ADMIN_PASSWORD: 'quiet river under seven lamps',
    });
    await place.start();
    const { id } = await place.admin.upload('kept.bin', 'kept');
    await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    tools = await mkdtemp(join(tmpdir(), 'waybill-tools-'));
    const shim = `#!/bin/sh\nexec "${process.execPath}" "${join(repositoryRoot, serverProgram())}" "$@"\n`;
    await writeFile(join(tools, 'waybill-server'), shim, { mode: 0o755 });
    await eventually('events are sealed', async () => {
      using database = new DatabaseSync(join(place.environment.WAYBILL_DATA_DIR!, 'waybill.db'));
      return Number(database.prepare('SELECT size FROM evidence_log').get()?.size ?? 0) > 0;
    });
  });
  after(async () => {
    await place?.drop();
    await rm(tools, { recursive: true, force: true });
  });

  const run = (command: string) =>
    bash(['-euc', command], {
      ...process.env,
      ...place.environment,
      PATH: `${tools}:${process.env.PATH}`,
      BASE: place.url,
      KEY: place.admin.key!,
      BACKUP: join(tools, 'backup'),
    });

  test('every command that is marked runs and succeeds', async () => {
    const commands = new Map<string, string>();
    for (const { page, kind, text } of blocks)
      if (kind === 'sh run') for (const line of text.trim().split('\n')) commands.set(line, page);
    assert.ok(commands.size >= 12, `${commands.size} commands`);
    for (const [command, page] of commands) {
      const { code, output } = await run(command);
      assert.equal(code, 0, `${page}: ${command}\n${output}`);
    }
  });

  test('a link for somebody who is locked out leads to a page that takes a new password', async () => {
    const { output } = await run('waybill-server user link root@example.com 2>/dev/null');
    const page = await fetch(output.trim());
    assert.equal(page.status, 200);
    assert.match(await page.text(), /type="password"/);
  });

  test('blocks that need a whole system parse', async () => {
    for (const { page, kind, text } of blocks.filter((block) => block.kind === 'sh')) {
      const { code, output } = await bash(['-n', '-c', text]);
      assert.equal(code, 0, `${page} (${kind}): ${output}`);
    }
  });

  test('every setting that is named exists', async () => {
    const known = new Set<string>(['WAYBILL_API_KEY']);
    for (const { name, hasFileTwin } of Object.values(configEntries) as ConfigEntry<unknown>[]) {
      known.add(name);
      if (hasFileTwin === true) known.add(`${name}_FILE`);
    }
    const pages = (await readdir(folder, { recursive: true })).filter((name) =>
      /\.(md|conf|cfg|yml|service)$|file$/.test(name),
    );
    for (const page of pages) {
      const text = await readFile(join(folder, page), 'utf8');
      for (const name of text.match(/\bWAYBILL_[A-Z0-9_]+\b/g) ?? []) assert.ok(known.has(name), `${page}: ${name}`);
    }
  });

  test('the unit starts what npm start starts', async () => {
    const unit = await readFile(join(folder, 'waybill.service'), 'utf8');
    const { scripts } = JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8'));
    const started = / exec node (\S+ start)$/.exec(scripts.start)![1];
    assert.ok(unit.includes(`ExecStart=/opt/waybill/node_modules/.bin/node /opt/waybill/${started}\n`), started!);
  });
});
