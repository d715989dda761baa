// The server's commands in the process of the test, without the start of a process. One at a time, only as the current user.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '#scripts/source-files.ts';
import { runCommand } from './run-command.ts';

const program = pathToFileURL(join(repositoryRoot, 'server/main.ts')).href;
let runs = 0;

export async function runInside(
  args: string[],
  settings: Record<string, string>,
): Promise<{ code: number; output: string; errors: string }> {
  const { argv, exit } = process;
  const streams = [process.stdout, process.stderr];
  const listeners = streams.map((stream) => new Set(stream.listeners('error')));
  const ended = Promise.withResolvers<number>();
  process.argv = [process.execPath, 'waybill-server', ...args];
  process.exit = ((code: number) => ended.resolve(code)) as typeof process.exit;
  try {
    const { code, out, err } = await runCommand(async () => {
      runs += 1;
      await import(`${program}?run=${runs}`); // the program runs on import
      return ended.promise;
    }, settings);
    return { code, output: out, errors: err };
  } finally {
    process.argv = argv;
    process.exit = exit;
    for (const [at, stream] of streams.entries())
      for (const listener of stream.listeners('error'))
        if (!listeners[at]!.has(listener)) stream.off('error', listener as () => void);
  }
}
