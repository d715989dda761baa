import { maxChunks } from '../../domain/attachments.ts';
import { invalid } from '../../domain/problem.ts';

/** `chunks` and `chunk` of the specification; both or neither. */
export function readChunk(
  chunks: string | undefined,
  chunk: string | undefined,
): { number: number; of: number } | null {
  if (chunks === undefined || chunks === '') {
    if (chunk !== undefined && chunk !== '')
      throw invalid('upload.bad_pieces', 'The parameter "chunk" needs "chunks" too.', 'chunks');
    return null;
  }
  const of = readCount(chunks, 'chunks');
  if (of < 1 || of > maxChunks)
    throw invalid('upload.bad_pieces', `The parameter "chunks" must be from 1 to ${maxChunks}.`, 'chunks');
  if (chunk === undefined || chunk === '')
    throw invalid('upload.bad_pieces', 'The parameter "chunk" is required when "chunks" is given.', 'chunk');
  const number = readCount(chunk, 'chunk');
  if (number >= of)
    throw invalid('upload.bad_pieces', 'The parameter "chunk" counts from 0 and must be less than "chunks".', 'chunk');
  return { number, of };
}

function readCount(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw invalid('upload.bad_pieces', `The parameter "${name}" must be a whole number.`, name);
  return Number(text);
}
