// What a command reads and writes, so that tests can be on the other side.
import { text } from 'node:stream/consumers';

export interface Terminal {
  /** For programs and people: the answer itself. */
  out(text: string): void;
  /** For people alone. */
  err(text: string): void;
  /** A secret is piped in; it is never an argument, which all users of the machine could read. */
  readSecret(): Promise<string>;
}

export const terminal: Terminal = {
  out: (words) => void process.stdout.write(words),
  err: (words) => void process.stderr.write(words),
  readSecret: async () => (await text(process.stdin)).replace(/\r?\n$/, ''),
};
