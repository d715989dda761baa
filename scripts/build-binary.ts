// `npm run build:binary`: builds server and command line as one executable file for Linux, in dist/binary (docs/adr/0087).
// Option: `--arch x64`, `arm64` or `all`; by default for this machine.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { configOf } from './binary.config.ts';
import { packageFolder } from './npm-package.ts';
import { listFiles, repositoryRoot } from './source-files.ts';

const architectures = ['x64', 'arm64'];
const threads = ['db/engine/checkpoint-worker.ts', 'blobs/hash-thread.mjs', 'lib/password-thread.mjs'];
/** As `npm start` has them (docs/adr/0051). */
const execArgv = ['--expose-gc', '--max-semi-space-size=4', '--single-threaded-gc'];

const { values } = parseArgs({ options: { arch: { type: 'string', default: process.arch } } });
const wanted = values.arch === 'all' ? architectures : [values.arch];
const unknown = wanted.find((arch) => !architectures.includes(arch));
if (unknown !== undefined) throw new Error(`There is no ${unknown}, only ${architectures.join(', ')} and all.`);

const folder = join(repositoryRoot, 'dist', 'binary');
const parts = join(folder, 'parts');
rmSync(parts, { recursive: true, force: true });
mkdirSync(parts, { recursive: true });
await build(configOf('scripts/binary-main.ts', parts));
await build(configOf('server/main.ts', parts, 'cjs'));
wrapServer();
for (const thread of threads) await build(configOf(`server/${thread}`, parts));
for (const arch of wanted) makeExecutable(arch);
rmSync(parts, { recursive: true });

function makeExecutable(arch: string): void {
  const output = join(folder, `waybill-server-linux-${arch}`);
  const config = {
    main: join(parts, 'binary-main.js'),
    mainFormat: 'module',
    executable: join(packageFolder(`node-linux-${arch}`), 'bin', 'node'),
    output: `${output}.new`,
    disableExperimentalSEAWarning: true,
    // The code cache is only valid on the architecture that wrote it.
    useCodeCache: arch === process.arch,
    execArgv,
    assets: { ...assets(), ...serverOf(arch), 'crc32.node': crc32Of(arch) },
  };
  const configPath = join(parts, `${arch}.json`);
  writeFileSync(configPath, JSON.stringify(config));
  // The code cache is only valid with the same flags.
  execFileSync(process.execPath, [...execArgv, '--build-sea', configPath], { stdio: ['ignore', 'ignore', 'inherit'] });
  chmodSync(`${output}.new`, 0o755);
  renameSync(`${output}.new`, output);
  console.log(`${output}: ${(statSync(output).size / 1e6).toFixed(1)} MB`);
}

/** Wraps the server in a function that scripts/binary-main.ts calls. The text must be Latin-1. */
function wrapServer(): void {
  const code = readFileSync(join(parts, 'main.cjs'), 'utf8').replace(/^#!.*/, '');
  const beyond = /[^\0-\xff]/u.exec(code);
  if (beyond !== null) throw new Error(`the code of the server has ${JSON.stringify(beyond[0])} in it`);
  writeFileSync(join(parts, 'server.js'), `(function (require, exports, __filename) {${code}\n})`, 'latin1');
}

/** With the engine's code cache if it is for this architecture. */
function serverOf(arch: string): Record<string, string> {
  const source = join(parts, 'server.js');
  if (arch !== process.arch) return { 'server.js': source };
  const compiled = join(parts, 'server.compiled');
  const compile = `const { readFileSync, writeFileSync } = require('node:fs');
const script = new (require('node:vm').Script)(readFileSync(process.argv[1], 'latin1'), { filename: 'waybill-server.js' });
writeFileSync(process.argv[2], script.createCachedData());`;
  execFileSync(process.execPath, [...execArgv, '-e', compile, source, compiled]);
  return { 'server.js': source, 'server.compiled': compiled };
}

/** By the paths that server/lib/program-files-embedded.ts reads. */
function assets(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const folders = ['app', 'pages', 'cli-file', 'docs'].filter((name) => existsSync(join(repositoryRoot, 'dist', name)));
  const built = folders.flatMap((name) =>
    readdirSync(join(repositoryRoot, 'dist', name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'entry.js' && !entry.name.endsWith('.map'))
      .map((entry) => join(entry.parentPath, entry.name).slice(repositoryRoot.length + 1)),
  );
  const paths = [
    ...built,
    ...listFiles(repositoryRoot, ['locales']).filter((path) => /\/app\/[\w-]+\.json$/.test(path)),
    ...Object.keys(dependencies).map((name) => `node_modules/${name}/package.json`),
    ...['DejaVuSans', 'DejaVuSans-Bold'].map((name) => `node_modules/dejavu-fonts-ttf/ttf/${name}.ttf`),
  ];
  return {
    ...Object.fromEntries(paths.map((path) => [path, join(repositoryRoot, path)])),
    ...Object.fromEntries(
      threads.map((path) => [`threads/${path}`, join(parts, basename(path).replace(/\.m?[jt]s$/, '.js'))]),
    ),
  };
}

function crc32Of(arch: string): string {
  return join(packageFolder(`@node-rs/crc32-linux-${arch}-gnu`), `crc32.linux-${arch}-gnu.node`);
}
