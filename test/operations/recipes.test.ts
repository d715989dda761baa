// Runs the recipes of the pages for operators in a fresh shell, unchanged but for places that a test machine lacks.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { postgresAndS3, sqliteAndDisk } from '#test/kit/engines.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { makeFreshShell } from './fresh-shell.ts';
import { type Block, makeTools, readBlocks } from './pages.ts';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** As the folder of a service with its own user. */
async function giveAway(folders: string[]): Promise<void> {
  await promisify(execFile)('chown', ['-R', `${nobody}:${nobody}`, ...folders]);
}

describe('the recipes for operators', { skip: findTestServers() === null && 'without servers' }, () => {
  let tools: string;
  let scratch: string;
  let machine: string;
  let shell: Awaited<ReturnType<typeof makeFreshShell>>;
  let recipes: Block[];
  const places: Installation[] = [];
  const done = new Set<string>();
  /** With a file, and a server next to which recipes run. */
  let running: Installation;
  before(async () => {
    tools = await makeTools();
    scratch = await mkdtemp(join(tmpdir(), 'waybill-recipes-'));
    await mkdir(join(scratch, 'safe'));
    machine = await mkdtemp(join(tmpdir(), 'waybill-machine-'));
    shell = await makeFreshShell(tools, machine);
    recipes = (await readBlocks()).filter(({ kind }) => kind === 'sh recipe');
    running = await create();
    await startWithFile(running);
  });
  after(async () => {
    for (const place of places) await place.drop();
    await Promise.all([tools, scratch, machine].map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const create = async (engine = sqliteAndDisk) => {
    const place = await createInstallation(engine, { WAYBILL_WORKERS: '1' });
    places.push(place);
    return place;
  };
  const startWithFile = async (place: Installation) => {
    const program = await place.start();
    const { id } = await place.admin.upload('kept.bin', 'kept');
    await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    return program;
  };
  const keyOf = ({ environment }: Installation) => join(environment.WAYBILL_DATA_DIR!, 'master.key');
  const keepSafe = (path: string, name = 'master.key') => copyFile(path, join(scratch, 'safe', name));

  /** The lines of one block, in sequence. */
  async function follow(page: string, nth: number, environment: Record<string, string>): Promise<void> {
    const block = recipes.filter((recipe) => recipe.page === page)[nth];
    assert.ok(block !== undefined, `${page} has no recipe ${nth}`);
    for (const line of block.lines) await runFor(page, line, environment);
  }

  async function runFor(page: string, line: string, environment: Record<string, string>): Promise<void> {
    const command = line
      .replaceAll('/mnt/backup/waybill', join(scratch, page))
      .replaceAll('/safe/place', join(scratch, 'safe'));
    const { code, output } = await shell.run(command, environment);
    assert.equal(code, 0, `${page}: ${line}\n${output}`);
    if (line.startsWith('waybill-server ')) assert.ok(output.includes(shell.settingsLine), `${line}\n${output}`);
    done.add(`${page}: ${line}`);
  }

  test('a backup of a running server is restored into an empty place', async () => {
    const empty = await create();
    await follow('backups.md', 0, running.environment);
    await keepSafe(keyOf(running));
    if (isRoot) await giveAway([scratch, empty.environment.WAYBILL_DATA_DIR!]);
    await follow('backups.md', 1, empty.environment);
    if (!isRoot) return;
    // Root has restored it for the user of the service, who can read all of it.
    const data = empty.environment.WAYBILL_DATA_DIR!;
    for (const name of await readdir(data, { recursive: true }))
      assert.equal((await lstat(join(data, name))).uid, nobody, name);
  });

  test('the master key is changed, and an older backup is restored with the old one', async () => {
    const empty = await create();
    const made = await running.runInside(['backup', '--to', join(scratch, 'keys.md')]);
    assert.equal(made.code, 0, made.errors);
    await follow('keys.md', 2, running.environment);
    await follow('keys.md', 0, running.environment);
    await keepSafe(`${keyOf(running)}.before`, 'master.key.before');
    await follow('keys.md', 1, empty.environment);
  });

  test('a System Administrator whom no sign-in service lets in chooses a password', async () => {
    await follow('identity.md', 0, running.environment);
  });

  test('files move to a bucket while the server runs, and rows to PostgreSQL and back while it is stopped', async () => {
    const { environment, drop } = await postgresAndS3.create();
    try {
      const place = await create();
      const program = await startWithFile(place);
      const { WAYBILL_DATABASE_URL: database, WAYBILL_DATA_DIR: _, ...bucket } = environment;
      const both = { ...bucket, WAYBILL_STORAGE_BEFORE: 'file' };
      program.signal('SIGTERM');
      await program.exited;
      const again = await place.start({ environment: both });
      await follow('moving.md', 0, { ...place.environment, ...both });
      again.signal('SIGTERM');
      await again.exited;
      const settings = { ...place.environment, ...bucket };
      const [toServer, toFile] = recipes.filter(({ page }) => page === 'moving.md')[1]!.lines;
      await writeFile(join(shell.settingsFolder, 'new-database'), `${database}\n`, { mode: 0o600 });
      if (isRoot) await giveAway([place.environment.WAYBILL_DATA_DIR!]);
      await runFor('moving.md', toServer!, settings);
      await mkdir(join(place.environment.WAYBILL_DATA_DIR!, 'new'), { mode: 0o700 });
      if (isRoot) await giveAway([place.environment.WAYBILL_DATA_DIR!]);
      await runFor('moving.md', toFile!, { ...settings, WAYBILL_DATABASE_URL: database! });
    } finally {
      await drop();
    }
  });

  test('every recipe has run', () => {
    const all = recipes.flatMap(({ page, lines }) => lines.map((line) => `${page}: ${line}`));
    assert.deepEqual(
      all.filter((line) => !done.has(line)),
      [],
    );
  });
});
