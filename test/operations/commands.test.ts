// Runs every command of a block marked `sh run` in docs/operate and docs/administer, next to a server; checks settings and the systemd unit.
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { transfersAnswer } from '#contract/admin/transfers.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { repositoryRoot } from '#scripts/source-files.ts';
import { readConfig } from '#server/config.ts';
import { configEntries } from '#server/config-entries.ts';
import type { ConfigEntry } from '#server/config-entry.ts';
import { createRsaKey } from '#server/lib/pem.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import { type Block, bash, operationsFolder as folder, makeTools, readBlocks, readGuides, runLine } from './pages.ts';

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
  /** Of a link, as the console shows it. */
  let reference: string;
  before(async () => {
    blocks = await readBlocks();
    place = await createInstallation(sqliteAndDisk, {
      WAYBILL_WORKERS: '1',
      WAYBILL_ADMIN_PASSWORD: 'quiet river under seven lamps',
    });
    await place.start();
    const { id } = await place.admin.upload('kept.bin', 'kept');
    const { body } = await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    const query = { id: wireForm(fileLinkAnswer, body).link.id };
    const found = await place.admin.expect(200, 'listTransfers', { query });
    ({ reference } = wireForm(transfersAnswer, found.body).transfers[0]!);
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
      REFERENCE: reference,
      PASSWORD: 'nine green kettles on a roof',
    });

  /** In the place of the file that a page names. */
  const secretFile = async (name: string) => {
    const { keyPem, certificatePem } = makeCertificate();
    const contents: [RegExp, () => string][] = [
      [/DKIM/, createRsaKey],
      [/CERT|_CA_/, () => certificatePem + keyPem],
      [/DATABASE_URL/, () => 'postgres://waybill:secret@db.example.com/waybill?sslmode=verify-full'],
    ];
    const content = contents.find(([pattern]) => pattern.test(name))?.[1]() ?? 'secret';
    const path = join(tools, name);
    await writeFile(path, content);
    return path;
  };

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

  test('the blocks that need a machine of their own, and examples, are only parsed', async () => {
    const others = blocks.filter(({ kind }) => /^sh (system|example)$/.test(kind));
    for (const { page, lines } of others) {
      const { code, output } = await bash(['-n', '-c', lines.join('\n')]);
      assert.equal(code, 0, `${page}: ${output}`);
    }
    assert.ok(others.length > 5);
  });

  test('shown settings are accepted', async () => {
    for (const { page, lines } of blocks.filter(({ kind }) => kind === 'ini')) {
      const shown = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      for (const name of Object.keys(shown).filter((known) => known.endsWith('_FILE')))
        shown[name] = await secretFile(name);
      const bucket = shown.WAYBILL_STORAGE === 's3' ? bucketSettings : {};
      assert.doesNotThrow(() => readConfig({ ...bucket, ...shown }), `${page}: ${lines.join(' ')}`);
    }
  });

  test('every named setting exists', async () => {
    // Of the command line, of one command, and of the compose files.
    const known = new Set<string>(['WAYBILL_API_KEY', 'WAYBILL_MOVE_DATABASE_TO', 'WAYBILL_DOMAIN']);
    for (const { name, hasFileTwin } of Object.values(configEntries) as ConfigEntry<unknown>[]) {
      known.add(name);
      if (hasFileTwin === true) known.add(`${name}_FILE`);
    }
    for (const { page, text } of await readGuides()) {
      if (!/\.(md|conf|cfg|yml|service)$|file$/.test(page)) continue;
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
