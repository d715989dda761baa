// Questions on the terminal. Secrets are never echoed and never taken from arguments, which others can see.
import { createInterface } from 'node:readline/promises';
import { textOf } from './connection.ts';
import { exitCodes, Failure, usageFailure } from './failures.ts';
import { plainText } from './plain-text.ts';
import type { Session } from './session.ts';
import type { World } from './world.ts';

const enter = new Set(['\r', '\n']);
const erase = new Set(['\u007f', '\b']);
const interrupt = '\u0003';

export async function askHidden({ world, settings }: Session, question: string): Promise<string> {
  if (!settings.mayAsk)
    throw usageFailure('a secret is needed, and there is no terminal to ask on', 'Give it on stdin.');
  world.stderr.write(plainText(question));
  world.stdin.setRawMode?.(true);
  let text = '';
  try {
    for await (const part of world.stdin) {
      for (const letter of String(part)) {
        if (letter === interrupt) throw new Failure(exitCodes.interrupted, 'Stopped.', { code: 'interrupted' });
        if (enter.has(letter)) return text;
        text = erase.has(letter) ? text.slice(0, -1) : text + letter;
      }
    }
    return text;
  } finally {
    world.stdin.setRawMode?.(false);
    world.stderr.write('\n');
  }
}

export async function ask({ world, settings }: Session, question: string): Promise<string> {
  if (!settings.mayAsk) throw usageFailure('something is missing, and there is no terminal to ask on');
  const lines = createInterface({ input: world.stdin, output: world.stderr });
  try {
    return (await lines.question(plainText(question), { signal: world.signal })).trim();
  } finally {
    lines.close();
  }
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
