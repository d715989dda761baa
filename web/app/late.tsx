// Parts of the app whose files are loaded when somebody comes to them: screens, their sentences, what few people open. Like
// every other read they wait while the connection is lost, and go on by themselves when it is back.
import { type FunctionComponent, lazy, useState } from 'react';
import { isReachable, suspectConnection, untilOnline } from './connection.ts';

/** Before a file is asked for again, so that a connection that comes and goes does not make it a race. */
const retryMs = 1_000;

/** A server within reach does not have it: most likely this page is of an older build. */
export class MissingFile extends Error {}

/** Rejects with nothing but a MissingFile. */
export async function fetchFile<Content>(load: () => Promise<Content>): Promise<Content> {
  let wasReachable = false;
  for (;;) {
    try {
      return await load();
    } catch (error) {
      const isThere = await isReachable();
      // Once more: the connection may have come back between the file and the question.
      if (isThere && wasReachable) throw new MissingFile('a file of the app is missing', { cause: error });
      wasReachable = isThere;
      if (!isThere) suspectConnection();
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      await untilOnline();
    }
  }
}

export interface LatePart<Props> {
  /** Whatever was prepared is drawn at once; the rest comes when its file is there, for the nearest `Suspense` to cover. */
  Part: FunctionComponent<Props>;
  prepare(): Promise<unknown>;
}

export function latePart<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
): LatePart<Props> {
  let ready: FunctionComponent<Props> | null = null;
  const prepare = async () => {
    ready ??= (await fetchFile(load)).default;
    return { default: ready };
  };
  const Waiting = lazy(prepare) as unknown as FunctionComponent<Props>;
  return {
    prepare,
    Part(props) {
      // Kept for as long as it is shown: another one in its place would begin anew.
      const [{ Shown }] = useState({ Shown: ready ?? Waiting });
      return <Shown {...props} />;
    },
  };
}
