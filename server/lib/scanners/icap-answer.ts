// Reads the answer of an ICAP server (RFC 3507) as it arrives, in constant memory.
import { createHash } from 'node:crypto';
import { ScannerSilent } from './scanner.ts';

export interface IcapAnswer {
  status: number;
  /** By lower-case name; folded lines are joined. */
  headers: ReadonlyMap<string, string>;
  /** What it encapsulates; null without a body. */
  http: { isRequest: boolean; status: number; sha256: string } | null;
}

export interface AnswerReader {
  take(bytes: Buffer): void;
  /** Null until it is complete. */
  answer(): IcapAnswer | null;
  /** After `100 Continue` the next answer follows on the same connection. */
  next(): void;
}

const maxHeadBytes = 64 * 1024;

/** Throws `ScannerSilent` if it is not what the protocol says: a verdict that is not understood is none. */
export function createAnswerReader(): AnswerReader {
  let pending: Buffer = Buffer.alloc(0);
  let head: Head | null = null;
  let http: HttpHead | null = null;
  let body = createBody();
  let found: IcapAnswer | null = null;

  function step(): boolean {
    if (found !== null) return false;
    if (head === null) {
      const text = takeHead();
      if (text === null) return false;
      head = readHead(text);
      if (head.encapsulated === null) finish(null);
      return true;
    }
    const { bodyAt, isRequest, hasBody } = head.encapsulated!;
    if (http === null) {
      if (pending.length < bodyAt) return false;
      http = readHttpHead(pending.subarray(0, bodyAt), isRequest);
      pending = pending.subarray(bodyAt);
      if (!hasBody) finish(null);
      return true;
    }
    pending = body.take(pending);
    if (body.sha256 !== null) finish({ ...http, sha256: body.sha256 });
    return found !== null;
  }

  function takeHead(): string | null {
    const end = pending.indexOf('\r\n\r\n');
    if (end === -1 && pending.length > maxHeadBytes) throw notUnderstood('its header does not end');
    if (end === -1) return null;
    const text = pending.toString('latin1', 0, end);
    pending = pending.subarray(end + 4);
    return text;
  }

  function finish(encapsulated: IcapAnswer['http']): void {
    found = { status: head!.status, headers: head!.headers, http: encapsulated };
  }

  return {
    take(bytes) {
      pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
      while (step());
    },
    answer: () => found,
    next() {
      [head, http, found, body] = [null, null, null, createBody()];
      while (step());
    },
  };
}

function notUnderstood(why: string): ScannerSilent {
  return new ScannerSilent(`the answer of the ICAP server is not understood: ${why}`, 'service');
}

interface Encapsulated {
  bodyAt: number;
  isRequest: boolean;
  hasBody: boolean;
}

interface Head {
  status: number;
  headers: Map<string, string>;
  encapsulated: Encapsulated | null;
}

function readHead(text: string): Head {
  const [first = '', ...lines] = text.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const status = Number(/^ICAP\/1\.\d (\d{3})(?: |$)/.exec(first)?.[1]);
  if (!(status >= 100)) throw notUnderstood(`it begins with ${JSON.stringify(first.slice(0, 60))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw notUnderstood('a line of its header has no name');
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const named = headers.get('encapsulated');
  if (status === 200 && named === undefined && !headers.has('methods'))
    throw notUnderstood('it has no Encapsulated header');
  return { status, headers, encapsulated: status !== 200 || named === undefined ? null : readEncapsulated(named) };
}

/** `res-hdr=0, res-body=120`: the sections in order, each with its offset. */
function readEncapsulated(text: string): Encapsulated | null {
  const sections = text.split(',').map((section) => /^\s*([a-z]+-[a-z]+)=(\d{1,6})\s*$/i.exec(section));
  const names = sections.map((section) => section?.[1]?.toLowerCase() ?? '');
  const offsets = sections.map((section) => Number(section?.[2]));
  const [last = '', bodyAt = Number.NaN] = [names.at(-1), offsets.at(-1)];
  const isOrdered = offsets[0] === 0 && offsets.every((offset, index) => index === 0 || offset > offsets[index - 1]!);
  if (!isOrdered || bodyAt > maxHeadBytes) throw notUnderstood(`Encapsulated: ${text.slice(0, 100)}`);
  if (last === 'null-body' && names.length === 1) return null;
  if (last === 'opt-body') return null;
  const isRequest = names[0] === 'req-hdr' && !names.includes('res-hdr');
  const expected = isRequest ? ['req-body', 'null-body'] : ['res-body', 'null-body'];
  if (!names.slice(0, -1).every((name) => name === 'req-hdr' || name === 'res-hdr') || !expected.includes(last))
    throw notUnderstood(`Encapsulated: ${text.slice(0, 100)}`);
  return { bodyAt, isRequest, hasBody: last !== 'null-body' };
}

interface HttpHead {
  isRequest: boolean;
  status: number;
}

/** The sections MUST end where Encapsulated says, or everything after them would be misread. */
function readHttpHead(bytes: Buffer, isRequest: boolean): HttpHead {
  const text = bytes.toString('latin1');
  if (!text.endsWith('\r\n\r\n')) throw notUnderstood('Encapsulated does not match what follows');
  const own = text.slice(0, -4).split('\r\n\r\n').at(-1)!;
  if (isRequest) return { isRequest, status: 0 };
  const status = Number(/^HTTP\/\d\.\d (\d{3})/.exec(own)?.[1]);
  if (!(status >= 100)) throw notUnderstood('Encapsulated does not match what follows');
  return { isRequest, status };
}

/** A chunked body, of which only the hash remains. */
function createBody() {
  const hash = createHash('sha256');
  let left = 0;
  const state = { sha256: null as string | null, take };
  function take(bytes: Buffer): Buffer {
    let rest = bytes;
    while (state.sha256 === null) {
      if (left > 2) {
        const data = rest.subarray(0, left - 2);
        hash.update(data);
        left -= data.length;
        rest = rest.subarray(data.length);
        if (left > 2) return rest;
      }
      if (left > 0) {
        if (rest.length < 2) return rest;
        if (rest.toString('latin1', 0, 2) !== '\r\n') throw notUnderstood('a chunk is longer than it says');
        [rest, left] = [rest.subarray(2), 0];
      }
      const end = rest.indexOf('\r\n');
      if (end === -1 && rest.length > 1024) throw notUnderstood('a chunk has no length');
      if (end === -1) return rest;
      const size = /^([0-9a-f]{1,8})\s*(?:;|$)/i.exec(rest.toString('latin1', 0, end))?.[1];
      if (size === undefined) throw notUnderstood('a chunk has no length');
      rest = rest.subarray(end + 2);
      if (Number.parseInt(size, 16) === 0) state.sha256 = hash.digest('hex');
      else left = Number.parseInt(size, 16) + 2;
    }
    return rest;
  }
  return state;
}
