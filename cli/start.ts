// Runs the command of this process and sets the exit code.
import { spawn } from 'node:child_process';
import { homedir, hostname } from 'node:os';
import { exitCodes, failureOf } from './failures.ts';
import { plainText } from './plain-text.ts';
import { run } from './run.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The first signal stops gracefully, the second immediately.
  process.once(signal, () => stopping.abort(signal));
}
// A closed pipe, as by `head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  const reason = failureOf(error)?.message ?? error.message;
  const code = `system.${(error.code ?? 'unknown').toLowerCase()}`;
  process.stderr.write(`${plainText(`waybill: the output can’t be written: ${reason} (${code})`)}\n`, () =>
    process.exit(exitCodes.failed),
  );
});

function start(command: string, args: string[], input: string | null): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: [input === null ? 'ignore' : 'pipe', 'ignore', 'ignore'] });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

process.exitCode = await run({
  args: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  hostName: hostname(),
  platform: process.platform,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  start,
  now: Date.now,
  signal: stopping.signal,
});
// Write errors are only reported once everything has been flushed.
await new Promise((resolve) => process.stdout.write('', resolve));
// Keep-alive connections must not keep the process running.
process.exit();
