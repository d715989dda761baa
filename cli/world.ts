// Everything the program needs of the machine it runs on, handed in as one object: tests run whole commands in their own
// process, with pipes instead of a terminal and a folder of their own as home.
import type { Readable, Writable } from 'node:stream';

export interface World {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  /** What this machine is called. */
  hostName: string;
  platform: NodeJS.Platform;
  stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Starts a program of this machine, with this on its stdin; false when there is none or it fails. */
  start(command: string, args: string[], input: string | null): Promise<boolean>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Aborted by Ctrl-C and by being told to end; the reason is the name of the signal. */
  signal: AbortSignal;
}
