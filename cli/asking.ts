// Questions on the terminal. Secrets are never echoed and never taken from arguments, which others can see.
import type { Readable } from 'node:stream';
import { textOf } from './connection.ts';
import { exitCodes, Failure, usageFailure } from './failures.ts';
import { plainText } from './plain-text.ts';
import type { Session } from './session.ts';
import { interruption } from './uploading.ts';
import type { World } from './world.ts';

const erase = new Set(['\u007f', '\b']);
const interrupt = '\u0003';

export async function askHidden({ world, settings }: Session, question: string): Promise<string> {
  if (!settings.mayAsk)
    throw usageFailure('a secret is needed, and there is no terminal to ask on', 'Give it on stdin.');
  world.stderr.write(plainText(question));
  world.stdin.setRawMode?.(true);
  try {
    return await readLine(world);
  } finally {
    world.stdin.setRawMode?.(false);
    world.stderr.write('\n');
  }
}

export async function ask({ world, settings }: Session, question: string): Promise<string> {
  if (!settings.mayAsk) throw usageFailure('something is missing, and there is no terminal to ask on');
  world.stderr.write(plainText(question));
  return (await readLine(world)).trim();
}

/** Text that was typed after the line that was read last. */
const typedAhead = new WeakMap<Readable, string>();

function readLine({ stdin, signal }: World): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const decoder = new TextDecoder();
  let [line, rest] = ['', typedAhead.get(stdin) ?? ''];
  const read = () => {
    const end = /[\r\n\u0003]/.exec(rest);
    line = edited(line, end === null ? rest : rest.slice(0, end.index));
    if (end === null) {
      rest = '';
      return;
    }
    rest = rest.slice(end.index + 1).replace(/^\n/, '');
    if (end[0] === interrupt) reject(new Failure(exitCodes.interrupted, 'Stopped.', { code: 'interrupted' }));
    else resolve(line);
  };
  const take = (part: Buffer | string) => {
    rest += typeof part === 'string' ? part : decoder.decode(part, { stream: true });
    read();
  };
  const finish = () => resolve(line);
  const stop = () => reject(interruption(signal.reason, 0));
  read();
  // After an earlier question it is paused.
  stdin.on('data', take).once('end', finish).once('close', finish).resume();
  signal.addEventListener('abort', stop, { once: true });
  if (stdin.readableEnded || stdin.destroyed) finish();
  if (signal.aborted) stop();
  return promise.finally(() => {
    stdin.off('data', take).off('end', finish).off('close', finish).pause();
    signal.removeEventListener('abort', stop);
    typedAhead.set(stdin, rest);
  });
}

/** A terminal that echoes has already applied the keys that erase. */
function edited(line: string, typed: string): string {
  let text = line;
  for (const letter of typed) text = erase.has(letter) ? [...text].slice(0, -1).join('') : text + letter;
  return text;
}

/** The first line of stdin. */
export async function readSecret(world: World): Promise<string> {
  const secret = (await textOf(world.stdin)).split(/\r?\n/)[0]!;
  if (secret === '') throw usageFailure('the secret on stdin is empty');
  return secret;
}

/** Asks before an action that cannot be undone; only at a terminal, never in scripts. */
export async function confirm(session: Session, question: string): Promise<void> {
  const { mayAsk, isAgreed } = session.settings;
  if (!mayAsk || isAgreed) return;
  const answer = await ask(session, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw new Failure(exitCodes.failed, 'nothing was changed', { code: 'not_confirmed' });
}
