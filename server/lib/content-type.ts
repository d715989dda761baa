// Media types: declared, detected, and safe to send.
import { fileTypeFromBuffer } from 'file-type/core';
import { extensionOf } from './file-name.ts';
import { isUtf16, textType } from './text-type.ts';

export const UNKNOWN_TYPE = 'application/octet-stream';

const MAX_TYPE_CHARS = 127;
const MAX_HEAD_BYTES = 65_536;

/** RFC 6838. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** Existing clients send these for every body. */
const USELESS = new Set([UNKNOWN_TYPE, 'binary/octet-stream', 'application/json', 'application/x-www-form-urlencoded']);

/** Types that no browser runs. SVG, HTML and XML are absent on purpose. */
const INERT = new Set([
  ...['png', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'tiff', 'heic', 'heif', 'x-icon', 'vnd.microsoft.icon'].map(
    (name) => `image/${name}`,
  ),
  ...['mpeg', 'mp4', 'aac', 'ogg', 'opus', 'flac', 'wav', 'x-wav', 'webm', 'x-m4a', 'midi'].map((n) => `audio/${n}`),
  ...['mp4', 'mpeg', 'ogg', 'webm', 'quicktime', 'x-msvideo', 'x-matroska', '3gpp', 'x-m4v'].map((n) => `video/${n}`),
  ...['vnd.avi', 'matroska'].map((name) => `video/${name}`),
  ...['pdf', 'zip', 'gzip', 'x-gzip', 'x-tar', 'x-7z-compressed', 'vnd.rar', 'x-rar', 'x-rar-compressed'].map(
    (name) => `application/${name}`,
  ),
  ...['x-bzip2', 'x-xz', 'zstd', 'x-zstd'].map((name) => `application/${name}`),
  'text/plain',
]);

/** By detected type, then by extension. */
const REFINEMENTS: Record<string, Record<string, string>> = {
  'text/plain': {
    csv: 'text/csv',
    md: 'text/markdown',
    css: 'text/css',
    ics: 'text/calendar',
    vcf: 'text/vcard',
    yaml: 'application/yaml',
    yml: 'application/yaml',
    json: 'application/json',
  },
  'application/zip': {
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    jar: 'application/java-archive',
  },
  'application/x-cfb': {
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
    msg: 'application/vnd.ms-outlook',
  },
};

/** A cover picture may fill the examined bytes. */
const TAGGED_MP3 = Buffer.from('ID3');

/** `application/octet-stream` if unknown. Never rejects. */
export async function detectContentType(head: Buffer, fileName: string): Promise<string> {
  if (head.length === 0) return UNKNOWN_TYPE;
  const start = head.subarray(0, MAX_HEAD_BYTES);
  // The byte-order mark of UTF-16 is also the start of an obsolete audio format.
  const detected = isUtf16(start) ? null : await binaryType(start);
  const family =
    detected === null || XML_TYPES.has(detected) ? (textType(start) ?? detected ?? UNKNOWN_TYPE) : detected;
  const members = REFINEMENTS[family] ?? {};
  const extension = extensionOf(fileName);
  return Object.hasOwn(members, extension) ? members[extension]! : family;
}

const XML_TYPES = new Set(['application/xml', 'text/xml']);

async function binaryType(head: Buffer): Promise<string | null> {
  try {
    const type = (await fileTypeFromBuffer(head))?.mime.toLowerCase();
    if (type !== undefined && MEDIA_TYPE.test(type) && type.length <= MAX_TYPE_CHARS) return type;
  } catch {
    // The detector may throw.
  }
  return head.subarray(0, TAGGED_MP3.length).equals(TAGGED_MP3) ? 'audio/mpeg' : null;
}

/** Lower case, without parameters; null if it says nothing about the file. */
export function usefulContentType(header: string | undefined): string | null {
  if (header === undefined) return null;
  const semicolon = header.indexOf(';');
  const type = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
  if (type.length > MAX_TYPE_CHARS || !MEDIA_TYPE.test(type)) return null;
  return USELESS.has(type) || type.startsWith('multipart/') ? null : type;
}

export function inertContentType(type: string): string {
  return INERT.has(type) ? type : UNKNOWN_TYPE;
}
