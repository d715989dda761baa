// Lazy loading waits while the connection is lost.
import { type FunctionComponent, lazy, useState } from 'react';
import { isReachable, suspectConnection, untilOnline } from './connection.ts';

/** Delay between attempts on an unstable connection. */
const retryMs = 1_000;

/** The page is probably of an older build. */
export class MissingFile extends Error {}

/** Rejects only with a MissingFile. */
export async function fetchFile<Content>(load: () => Promise<Content>): Promise<Content> {
  let wasReachable = false;
  for (;;) {
    try {
      return await load();
    } catch (error) {
      const isOnline = await isReachable();
      // The connection may have returned in between.
      if (isOnline && wasReachable) throw new MissingFile('a file of the app is missing', { cause: error });
      wasReachable = isOnline;
      if (!isOnline) suspectConnection();
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      await untilOnline();
    }
  }
}

export interface LazyPart<Props> {
  /** Suspends until its file is loaded. */
  Part: FunctionComponent<Props>;
  prepare(): Promise<unknown>;
}

export function lazyPart<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
): LazyPart<Props> {
  let ready: FunctionComponent<Props> | null = null;
  const prepare = async () => {
    ready ??= (await fetchFile(load)).default;
    return { default: ready };
  };
  const Waiting = lazy(prepare) as unknown as FunctionComponent<Props>;
  return {
    prepare,
    Part(props) {
      // Stable while mounted: another component would lose the state.
      const [{ Shown }] = useState({ Shown: ready ?? Waiting });
      return <Shown {...props} />;
    },
  };
}
