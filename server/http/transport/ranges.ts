// RFC 9110, one range of bytes. Several ranges, other units and malformed ones are ignored.
import type { ByteRange } from '../../domain/ports.ts';

export type RangeAnswer = { kind: 'whole' } | { kind: 'part'; range: ByteRange } | { kind: 'unsatisfiable' };

export interface RangeRequest {
  range: string | undefined;
  ifRange: string | undefined;
  etag: string;
  sizeBytes: number;
}

export function resolveRange(request: RangeRequest): RangeAnswer {
  if (request.range === undefined) return { kind: 'whole' };
  // A client with a copy of another version gets the whole new one.
  if (request.ifRange !== undefined && request.ifRange !== request.etag) return { kind: 'whole' };
  const match = /^bytes=\s*(\d{0,16})-(\d{0,16})\s*$/.exec(request.range);
  if (match === null || (match[1] === '' && match[2] === '')) return { kind: 'whole' };
  const { sizeBytes } = request;
  if (match[1] === '') {
    const suffix = Math.min(Number(match[2]), sizeBytes);
    if (suffix === 0) return { kind: 'unsatisfiable' };
    return { kind: 'part', range: { start: sizeBytes - suffix, end: sizeBytes } };
  }
  const start = Number(match[1]);
  const last = match[2] === '' ? sizeBytes - 1 : Number(match[2]);
  if (match[2] !== '' && last < start) return { kind: 'whole' };
  if (start >= sizeBytes) return { kind: 'unsatisfiable' };
  return { kind: 'part', range: { start, end: Math.min(last + 1, sizeBytes) } };
}

/** The most bytes that a Range header can ask for. */
export function rangeLength(header: string, sizeBytes: number): number {
  const answer = resolveRange({ range: header, ifRange: undefined, etag: '', sizeBytes });
  if (answer.kind === 'unsatisfiable') return 0;
  return answer.kind === 'whole' ? sizeBytes : answer.range.end - answer.range.start;
}
