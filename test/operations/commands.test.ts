// Runs every command of a block marked `sh run` in docs/operations, next to a server; checks settings and the systemd unit.
import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { readConfig } from '#server/config.ts';
import { type ConfigEntry, configEntries } from '#server/config-entries.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { type Block, bash, operationsFolder as folder, makeTools, readBlocks, runLine } from './pages.ts';

/** The settings that a page about changing the store assumes. */
const bucketSettings = {
  WAYBILL_S3_ENDPOINT: 'https://s3.example.com',
  WAYBILL_S3_BUCKET: 'waybill',
  WAYBILL_S3_ACCESS_KEY: 'key',
  WAYBILL_S3_SECRET_KEY: 'secret',
};

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
    tools = await makeTools();
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
    runLine(command, {
      ...process.env,
      ...place.environment,
      PATH: `${tools}:${process.env.PATH}`,
      BASE: place.url,
      KEY: place.admin.key!,
      PASSWORD: 'nine green kettles on a roof',
    });

  test('every marked command runs and succeeds', async () => {
    const commands = new Map<string, string>();
    for (const { page, kind, lines } of blocks)
      if (kind === 'sh run') for (const line of lines) commands.set(line, page);
    assert.ok(commands.size >= 30, `${commands.size} commands`);
    for (const [command, page] of commands) {
      const { code, output } = await run(command);
      assert.equal(code, 0, `${page}: ${command}\n${output}`);
    }
  });

  test('a link for a locked-out user leads to a page that accepts a new password', async () => {
    const { output } = await run('waybill-server user reset-password root@example.com 2>/dev/null');
    const page = await fetch(output.trim());
    const text = await page.text();
    assert.equal(page.status, 200, `${output}\n${text}`);
    assert.match(text, /type="password"/);
  });

  test('the blocks that need a machine with systemd are only parsed', async () => {
    const others = blocks.filter(({ kind }) => !['sh run', 'sh recipe', 'ini', ''].includes(kind));
    for (const { page, kind, lines } of others) {
      assert.deepEqual([page, kind], ['install.md', 'sh system']);
      const { code, output } = await bash(['-n', '-c', lines.join('\n')]);
      assert.equal(code, 0, output);
    }
    assert.equal(others.length, 2);
  });

  test('shown settings are accepted', async () => {
    for (const { page, lines } of blocks.filter(({ kind }) => kind === 'ini')) {
      const shown = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const bucket = shown.WAYBILL_STORAGE === 's3' ? bucketSettings : {};
      assert.doesNotThrow(() => readConfig({ ...bucket, ...shown }), `${page}: ${lines.join(' ')}`);
    }
  });

  test('every named setting exists', async () => {
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
