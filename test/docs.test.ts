// Checks the documents against the code: links, dependencies, settings, cited numbers, and the shell lines of the README.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';
import { readConfig } from '#server/config.ts';
import { configEntries } from '#server/config-entries.ts';
import type { ConfigEntry } from '#server/config-entry.ts';
import { startTestApp } from './kit/app.ts';
import { makeCertificate } from './kit/certificate.ts';
import { sqliteAndDisk } from './kit/engines.ts';
import { machinesVariable } from './kit/machines.ts';

const run = promisify(execFile);
const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const pages = listFiles(repositoryRoot).filter((path) => path.endsWith('.md'));

describe('the documents', () => {
  test('link to existing files and headings', () => {
    const broken = pages.flatMap((path) =>
      linksOf(read(path))
        .filter((link) => !leadsSomewhere(path, link))
        .map((link) => `${path}: ${link}`),
    );
    assert.deepEqual(broken, []);
  });

  /** Settings of the command line and the client library. */
  const clientNames = new Set(
    ['SERVER', 'API_KEY', 'API_KEY_FILE', 'PROFILE', 'CONFIG', 'NO_INPUT', 'PARALLEL'].map((name) => `WAYBILL_${name}`),
  );

  test('state for every table what erasing a person does to it', () => {
    const tables = [...read('docs/contribute/schema.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name!);
    const decided = read('docs/trust/erasure.md');
    assert.ok(tables.length > 40);
    assert.deepEqual(
      tables.filter((name) => !decided.includes(`\`${name}\``)),
      [],
    );
  });

  test('give examples of sign-in services that the program accepts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-docs-'));
    const file = join(folder, 'content');
    writeFileSync(file, makeCertificate().certificatePem);
    try {
      const examples = [...read('docs/operate/identity.md').matchAll(/```ini\n([^`]*)```/g)];
      assert.ok(examples.length >= 10);
      for (const [, lines] of examples) {
        const pairs = lines!
          .trim()
          .split('\n')
          .map((line) => /^(\w+)="?([^"]*)"?$/.exec(line)!.slice(1) as [string, string]);
        const environment = pairs.map(([name, value]) => [name, name.endsWith('_FILE') ? file : value]);
        assert.doesNotThrow(() => readConfig(Object.fromEntries(environment)), lines);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('name only existing settings', () => {
    const known = new Set(
      Object.values(configEntries as Record<string, ConfigEntry<unknown>>).flatMap(({ name, hasFileTwin }) =>
        hasFileTwin ? [name, `${name}_FILE`] : [name],
      ),
    );
    // Those of the command line, which its pages name.
    const ofCommandLine = ['cli/settings.ts', 'cli/folders.ts'].flatMap((path) => settingsIn(read(path)));
    for (const name of ofCommandLine) known.add(name);
    known.add(machinesVariable);
    // Of the compose files.
    for (const name of settingsIn(read('packaging/compose.caddy.yaml'))) known.add(name);
    const unknown = pages.flatMap((path) =>
      settingsIn(read(path))
        .filter((name) => !known.has(name) && !clientNames.has(name))
        .map((name) => `${path}: ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  test('name existing source files', () => {
    const files = listFiles(repositoryRoot).map((path) => `/${path}`);
    const guides = pages.filter((path) => !/^docs\/adr\/|CHANGELOG/.test(path));
    const missing = guides.flatMap((page) =>
      sourceFilesIn(read(page))
        .filter((name) => !files.some((path) => path.endsWith(`/${name}`)))
        .map((name) => `${page}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  test('list every dependency with its licence, and no other', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { license?: string }> };
    const licenceOf = (name: string) => lock.packages[`node_modules/${name}`]?.license ?? '';
    // Some packages refer to a licence file; then the page names its licence.
    const isElsewhere = (name: string) => licenceOf(name).startsWith('SEE LICENSE');
    const wanted = ['dependencies', 'optionalDependencies', 'devDependencies']
      .flatMap((kind) => Object.keys(manifest[kind] ?? {}))
      .map((name) => `${name}: ${isElsewhere(name) ? '' : licenceOf(name)}`);
    const written = [...read('docs/contribute/dependencies.md').matchAll(/^\| `([^`]+)` \|.*\| ([^|]+) \|$/gm)].map(
      ([, name, licence]) => `${name}: ${isElsewhere(name!) ? '' : licence}`,
    );
    assert.deepEqual(written.toSorted(), wanted.toSorted());
  });

  test('and sources cite no numbers of documents outside of this repository', () => {
    const sources = listFiles(repositoryRoot, ['contract', 'docs', 'server', 'web', 'test']).filter(
      (path) => /\.(tsx?|md)$/.test(path) && path !== 'test/docs.test.ts',
    );
    assert.deepEqual(
      sources.flatMap((path) => citationsIn(read(path)).map((number) => `${path}: ${number}`)),
      [],
    );
  });

  test('have one page for each decision, and the index and the comments name existing ones', () => {
    const decisions = listFiles(repositoryRoot, ['docs']).flatMap(
      (path) => /^docs\/adr\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1] ?? [],
    );
    assert.equal(new Set(decisions).size, decisions.length, 'a number was given twice');
    const listed = [...read('docs/adr/README.md').matchAll(/^\| \[(\d{4})\]/gm)].map(([, number]) => number);
    assert.deepEqual(listed, decisions);
    const named = listFiles(repositoryRoot, ['contract', 'server', 'web', 'scripts', 'test']).flatMap((path) =>
      [...read(path).matchAll(/docs\/adr\/(\d{4})/g)].map(([, number]) => number!),
    );
    assert.deepEqual(
      named.filter((number) => !decisions.includes(number)),
      [],
    );
  });
});

describe('the shell lines of the README', () => {
  const script = /```sh\n(BASE=[\s\S]*?)```/.exec(read('README.md'))?.[1] ?? '';

  test('upload a file and create a link that opens it', async (t) => {
    await run('curl', ['--version']).catch(() => assert.fail('This test needs curl. Install it, then try again.'));
    const app = await startTestApp(sqliteAndDisk);
    t.after(() => app.close());
    const folder = mkdtempSync(join(tmpdir(), 'waybill-readme-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));

    const ready = script.replace(/^BASE=\S+ KEY=[^;]+/m, `BASE=${app.url} KEY=${app.admin.key}`);
    assert.notEqual(ready, script);
    const { stdout, stderr } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', ready], { cwd: folder });

    assert.equal(stderr, '');
    const { link } = JSON.parse(stdout) as { link: { id: string; url: string } };
    const copy = await fetch(`${link.url}/download`, { method: 'POST', headers: { origin: app.url } });
    assert.equal(await copy.text(), 'Hello, harbour.\n');
  });
});

describe('the checks of the documents', () => {
  test('find mistakes', () => {
    assert.deepEqual(linksOf('[a](b.md) ![c](d.png)\n`[no](x.md)`\n```\n[no](y.md)\n```'), ['b.md', 'd.png']);
    assert.equal(leadsSomewhere('docs/trust/erasure.md', 'nowhere.md'), false);
    assert.equal(leadsSomewhere('docs/trust/erasure.md', '../adr/README.md'), true);
    assert.equal(leadsSomewhere('README.md', 'docs/trust/erasure.md#no-such-heading'), false);
    assert.equal(leadsSomewhere('README.md', 'docs/operate/backups.md#schedule-backups'), true);
    assert.deepEqual(sourceFilesIn('`server/app.ts`, api.ts and `<noun>.ts`, list.tsx'), [
      'server/app.ts',
      'api.ts',
      'list.tsx',
    ]);
    assert.deepEqual(settingsIn('`WAYBILL_NOT_THERE`, `WAYBILL_` and `WAYBILL_…`'), ['WAYBILL_NOT_THERE']);
    assert.deepEqual(citationsIn('// (security D1, D12) (invariants I2–I5) (compatibility rules 7 and 8), SM4'), [
      'D1',
      'D12',
      'I2',
      'I5',
      '7',
      '8',
      'SM4',
    ]);
  });
});

/** Targets of links and images outside code. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/!?\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
}

function leadsSomewhere(page: string, link: string): boolean {
  if (/^(https?|mailto):/.test(link)) return true;
  const [path = '', heading] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(repositoryRoot, target))) return false;
  return heading === undefined || headingsOf(read(target)).includes(heading);
}

/** As in anchors: lower case, dashes for spaces, no punctuation. */
function headingsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function settingsIn(text: string): string[] {
  return [...text.matchAll(/\bWAYBILL_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name);
}

/** Names of source files, without placeholders such as `<noun>.ts`. */
function sourceFilesIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w<>*/.…-])((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.tsx?)\b/g)].map(([, name]) => name!);
}

/** Such as `security D12`. */
function citationsIn(text: string): string[] {
  const phrases =
    /\bsecurity D\d+(?:,? (?:and )?D\d+)*|\binvariants? I\d+(?:(?:–|, | and )I\d+)*|\bSM\d\b|\bcompatibility rules? \d+(?: and \d+)*/g;
  return [...text.matchAll(phrases)].flatMap(([phrase]) => phrase.match(/(?:\bD|\bI|\bSM|\b)\d+/g) ?? []);
}
