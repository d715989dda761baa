// Runs a command of the operator in the test's process, with its own settings and output. Restores the environment.
import { AsyncLocalStorage } from 'node:async_hooks';

interface CommandResult {
  code: number;
  out: string;
  err: string;
}

const speaking = new AsyncLocalStorage<CommandResult>();

export async function runCommand(
  command: () => Promise<number>,
  settings: Record<string, string> = {},
): Promise<CommandResult> {
  const result: CommandResult = { code: -1, out: '', err: '' };
  const before = Object.entries(process.env).filter(([name]) => name.startsWith('WAYBILL_'));
  const forget = () => {
    for (const name of Object.keys(process.env)) if (name.startsWith('WAYBILL_')) delete process.env[name];
  };
  const hushed = [hush('stdout', 'out'), hush('stderr', 'err')];
  forget();
  Object.assign(process.env, settings);
  try {
    result.code = await speaking.run(result, command);
  } finally {
    for (const speakAgain of hushed) speakAgain();
    forget();
    Object.assign(process.env, Object.fromEntries(before));
  }
  return result;
}

/** Output of others, such as test results, is passed on. */
function hush(stream: 'stdout' | 'stderr', into: 'out' | 'err'): () => void {
  const { write } = process[stream];
  process[stream].write = ((...words: Parameters<typeof write>) => {
    const result = speaking.getStore();
    if (result === undefined) return write.apply(process[stream], words);
    result[into] += String(words[0]);
    return true;
  }) as typeof write;
  return () => {
    process[stream].write = write;
  };
}
