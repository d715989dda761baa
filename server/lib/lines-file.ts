// Appends lines to a file that other programs may move away at any time: the file is opened for each batch.
import { open } from 'node:fs/promises';

const lineFeed = 10;

/** Durable when it resolves. Completes an unfinished last line of an interrupted write with a line break. */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, 'a+', 0o640);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isUnfinished = size > 0 && last[0] !== lineFeed;
    await file.appendFile(`${isUnfinished ? '\n' : ''}${lines.join('\n')}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
