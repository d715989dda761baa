import { text } from 'node:stream/consumers';

export interface Terminal {
  /** The result, for programs and people. */
  out(text: string): void;
  /** Messages for people. */
  err(text: string): void;
  /** Read from a pipe: all users of the machine can read arguments. */
  readSecret(): Promise<string>;
}

export const terminal: Terminal = {
  out: (words) => void process.stdout.write(words),
  err: (words) => void process.stderr.write(words),
  readSecret: async () => (await text(process.stdin)).replace(/\r?\n$/, ''),
};
