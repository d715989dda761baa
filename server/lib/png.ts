// Cleans an uploaded PNG: keeps only the chunks that draw one still picture, without notes, locations and thumbnails.
import { crc32 } from 'node:zlib';

export interface CleanPng {
  bytes: Buffer;
  width: number;
  height: number;
}

export class PngProblem extends Error {}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const drawing = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'sRGB', 'cHRM', 'pHYs']);
const maxSide = 4096;

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, signature.length).equals(signature);
}

export function cleanPng(bytes: Buffer): CleanPng {
  if (!isPng(bytes)) throw new PngProblem('This is not a PNG picture.');
  const kept: Buffer[] = [signature];
  let size: { width: number; height: number } | null = null;
  let [hasPicture, isEnded] = [false, false];
  for (let at = signature.length; !isEnded; ) {
    const length = at + 12 <= bytes.length ? bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    const end = at + 12 + length;
    if (end > bytes.length) throw damaged();
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) throw damaged();
    if ((size === null) !== (type === 'IHDR')) throw damaged();
    if (type === 'IHDR') {
      if (length !== 13) throw damaged();
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (drawing.has(type)) kept.push(bytes.subarray(at, end));
    hasPicture ||= type === 'IDAT';
    isEnded = type === 'IEND';
    at = end;
  }
  if (size === null || !hasPicture) throw damaged();
  if (size.width < 1 || size.height < 1 || size.width > maxSide || size.height > maxSide) {
    throw new PngProblem(`A PNG picture may be at most ${maxSide} pixels wide and high.`);
  }
  return { bytes: Buffer.concat(kept), ...size };
}

function damaged(): PngProblem {
  return new PngProblem('This PNG picture is damaged.');
}
