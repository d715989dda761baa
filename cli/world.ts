// The environment of the program as one object, so that tests run whole commands in their own process
// with pipes and a temporary home folder.
import type { Readable, Writable } from 'node:stream';

export interface World {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  hostName: string;
  platform: NodeJS.Platform;
  stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Runs a program with this input; false if it is missing or fails. */
  start(command: string, args: string[], input: string | null): Promise<boolean>;
  /** The system's when left out. */
  timeZone?: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Aborted by SIGINT and SIGTERM; the reason is the signal name. */
  signal: AbortSignal;
}
