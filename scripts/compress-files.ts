// Compresses built files beside the originals, so that the server does not compress them on each request.
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isWorthCompressing, suffixes } from '#web/encodings.ts';

export async function compressFiles(folder: string): Promise<void> {
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  await Promise.all(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(isWorthCompressing)
      .map(async (name) => {
        const path = join(folder, name);
        const body = await readFile(path);
        await writeFile(path + suffixes.br, await brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
        await writeFile(path + suffixes.gzip, await zip(body, { level: 9 }));
      }),
  );
}
