#!/usr/bin/env node
// The command that npm installs: the program as `npm run build` made it, or else from source. A service is started with the
// settings of the engine that `npm start` has too (docs/adr/0051), and by the Node that came with the program where the one
// of the system is too old.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const built = join(root, 'dist/server/main.js');
const program = existsSync(built) ? built : join(root, 'server/main.ts');
const needed = Number.parseInt(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace(/\D*/, ''),
  10,
);
const shipped = join(root, 'node_modules/.bin/node');
const isOld = Number.parseInt(process.versions.node, 10) < needed && existsSync(shipped);
const isService = process.argv[process.argv[2] === '--env-file' ? 4 : 2] === 'start';

if (isService || isOld) replaceBy(isOld ? shipped : process.execPath);
else await import(program);

function replaceBy(node) {
  const flags = isService ? ['--expose-gc', '--max-semi-space-size=4', '--single-threaded-gc'] : [];
  const args = [...flags, program, ...process.argv.slice(2)];
  const environment = {
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
    ...process.env,
    ...(isService ? { MALLOC_ARENA_MAX: '2' } : {}),
  };
  if (process.execve !== undefined && process.platform !== 'win32') process.execve(node, [node, ...args], environment);
  // An older Node cannot become another program: it waits for it, and passes signals on.
  const child = spawn(node, args, { env: environment, stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}
