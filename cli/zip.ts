// Several files as one archive that is never written: file contents are read when a chunk is sent. The same files give
// the same bytes, so an interrupted upload can resume.
import { sep } from 'node:path';
import { cutStretches } from '../contract/stretches.ts';
import { layOutZip, type ZipEntry } from '../contract/zip.ts';
import { distinctNames } from './file-names.ts';
import type { LocalFile } from './local-file.ts';

const readBytes = 1024 * 1024;

/** `path`: where the files come from. */
export async function zipOf(
  { name, path }: Pick<LocalFile, 'name' | 'path'>,
  files: readonly LocalFile[],
): Promise<LocalFile> {
  const entries: ZipEntry[] = [];
  const distinct = distinctNames();
  for (const file of files) {
    entries.push({
      name: distinct(file.name).replaceAll(sep, '/'),
      sizeBytes: file.sizeBytes,
      crc32: await crcOf(file),
      modifiedAt: file.modifiedAt ?? 0,
    });
  }
  const { sizeBytes, stretches } = layOutZip(entries);
  return {
    path,
    name,
    sizeBytes,
    modifiedAt: Math.max(...entries.map(({ modifiedAt }) => modifiedAt)),
    contentType: 'application/zip',
    async read(from, to) {
      const result = new Uint8Array(to - from);
      let offset = 0;
      for (const { stretch, start, end } of cutStretches(stretches, { start: from, end: to })) {
        const bytes =
          'bytes' in stretch ? stretch.bytes.subarray(start, end) : await files[stretch.file]!.read(start, end);
        result.set(bytes, offset);
        offset += end - start;
      }
      return result;
    },
    close: async () => void (await Promise.all(files.map((file) => file.close()))),
  };
}

async function crcOf(file: LocalFile): Promise<number> {
  const { crc32 } = await import('@node-rs/crc32');
  let crc = 0;
  for (let start = 0; start < file.sizeBytes; start += readBytes)
    crc = crc32(await file.read(start, Math.min(file.sizeBytes, start + readBytes)), crc);
  return crc;
}
