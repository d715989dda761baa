// The expected behaviour of uploads: sessions, chunks, files, quota. Without HTTP and database.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type Family = 'link' | 'message';

/** The session of a chunk: found by name, a new one, or the one with this reference. */
export type Target = 'named' | 'new' | { session: number };

export interface ChunkSpec {
  family: Family;
  name: string;
  chunks: number;
  number: number;
  variant: number;
  target: Target;
  isAnnounced: boolean;
}

export type Outcome =
  | { kind: 'stored'; session: number }
  | { kind: 'done'; session: number }
  | { kind: 'refused'; status: number; code: string };

export interface Session {
  reference: number;
  family: Family;
  name: string;
  chunks: number;
  isNamed: boolean;
  /** `ended`: abandoned, or its file erased, or forgotten. */
  state: 'open' | 'ready' | 'ended';
  received: Map<number, number>;
  activeAt: number;
  hasConflict: boolean;
  /** The number of restarts: a chunk begun before a restart belongs to an earlier attempt. */
  generation: number;
  /** The chunk that completed it; null once another upload of its name was begun. */
  lastChunk: number | null;
  /** The row of a finished upload is removed after a day; its file stays. */
  isForgotten: boolean;
  file: FileState | null;
}

export interface FileState {
  links: number[];
  isErased: boolean;
  /** Unreferenced: the job erases it from this instant on. */
  eraseAt: number | null;
}

/** A chunk whose body is incomplete. */
export interface Opened {
  spec: ChunkSpec;
  session: number;
  generation: number;
  reservedBytes: number;
  /** It may repeat the last chunk of this finished session; its bytes decide. */
  isLastAgain: boolean;
  /** Space was reserved when it began, and the reservation is valid. */
  isPromised: boolean;
  begunAt: number;
}

const idleMs = 60_000;
const unfinishedMs = 24 * 3_600_000;
const unboundMs = 48 * 3_600_000;
const lastAgainMs = 3_600_000;
const promiseMs = 24 * 3_600_000;

export const variantCount = 3;
/** One tiny, one longer than a segment, one empty. */
const variantBytes = [33, 70_000, 0];

/** The bytes of a chunk: different for each number and variant, the same in every run. */
export function contentOf(number: number, variant: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(variantBytes[variant]!);
  const block = createHash('sha256').update(`${number} ${variant}`).digest();
  for (let at = 0; at < bytes.length; at += block.length) block.copy(bytes, at);
  return bytes;
}

const refused = (status: number, code: string): Outcome => ({ kind: 'refused', status, code });

export class UploadModel {
  now: number;
  quotaBytes: number;
  sessions: Session[] = [];
  storedBytes = 0;
  reservedBytes = 0;
  heldCount = 0;

  constructor(now: number, quotaBytes: number) {
    this.now = now;
    this.quotaBytes = quotaBytes;
  }

  clone(): UploadModel {
    const copy = new UploadModel(this.now, this.quotaBytes);
    copy.sessions = structuredClone(this.sessions);
    copy.storedBytes = this.storedBytes;
    copy.reservedBytes = this.reservedBytes;
    copy.heldCount = this.heldCount;
    return copy;
  }

  send(spec: ChunkSpec): Outcome {
    const opened = this.open(spec);
    return 'kind' in opened ? opened : this.store(opened);
  }

  /** What happens before the body is requested. */
  open(spec: ChunkSpec): Opened | Outcome {
    const finished = this.#findCompletedBy(spec);
    if (finished === undefined) return this.#openNext(spec);
    const { reference: session, generation } = finished;
    return {
      spec,
      session,
      generation,
      reservedBytes: 0,
      isLastAgain: true,
      isPromised: spec.isAnnounced,
      begunAt: this.now,
    };
  }

  /** The finished session whose last chunk this may repeat. */
  #findCompletedBy(spec: ChunkSpec): Session | undefined {
    if (spec.target !== 'named' || spec.chunks === 1) return undefined;
    const alike = this.sessions.filter((session) => isAlike(session, spec));
    if (alike.some((session) => session.state === 'open')) return undefined;
    return alike.find((session) => {
      const stored = session.received.get(spec.number);
      const isRecent = session.state === 'ready' && !session.isForgotten && session.activeAt + lastAgainMs > this.now;
      if (!isRecent || session.lastChunk !== spec.number || stored === undefined) return false;
      return !spec.isAnnounced || variantBytes[stored] === variantBytes[spec.variant];
    });
  }

  #openNext(spec: ChunkSpec): Opened | Outcome {
    const session = spec.chunks === 1 ? this.#create(spec, false) : this.#findSession(spec);
    if ('kind' in session) return session;
    if (session.state === 'open' && session.hasConflict) {
      if (session.activeAt + idleMs > this.now) return refused(422, 'upload.conflict');
      this.#startOver(session);
      session.activeAt = this.now;
    }
    // A repeated chunk needs no space in addition to the stored one.
    const stored = session.received.get(spec.number);
    const isRepeat = stored !== undefined && variantBytes[stored] === variantBytes[spec.variant];
    const sizeBytes = spec.isAnnounced && !isRepeat ? variantBytes[spec.variant]! : 0;
    if (this.storedBytes + this.reservedBytes + sizeBytes > this.quotaBytes) {
      if (spec.chunks === 1) session.state = 'ended';
      return refused(422, 'attachment.quota_full');
    }
    this.reservedBytes += sizeBytes;
    return {
      spec,
      session: session.reference,
      generation: session.generation,
      reservedBytes: sizeBytes,
      isLastAgain: false,
      isPromised: spec.isAnnounced,
      begunAt: this.now,
    };
  }

  /** What happens when the body is complete. */
  store(opened: Opened): Outcome {
    const { spec, isPromised } = opened;
    this.giveUp(opened);
    const session = this.sessions[opened.session]!;
    const stored = session.received.get(spec.number);
    if (opened.isLastAgain && stored !== spec.variant) {
      const next = this.#openNext({ ...spec, isAnnounced: true });
      return 'kind' in next ? next : this.store(next);
    }
    const isKnown = !session.isForgotten && session.generation === opened.generation;
    if (session.state === 'ready' && isKnown && !session.file!.isErased) {
      return stored === spec.variant ? { kind: 'done', session: session.reference } : refused(422, 'upload.conflict');
    }
    if (session.state !== 'open' || session.generation !== opened.generation) return refused(422, 'upload.closed');
    const isOther = stored !== undefined && stored !== spec.variant;
    if (isOther || session.hasConflict) {
      if (session.activeAt + idleMs > this.now) {
        session.hasConflict = true;
        return refused(422, 'upload.conflict');
      }
      this.#startOver(session);
    } else if (stored !== undefined) {
      session.activeAt = this.now;
      return { kind: 'stored', session: session.reference };
    }
    return this.#insert(session, spec, isPromised);
  }

  /** The reservation ends with any outcome of the chunk. */
  giveUp(opened: Opened): void {
    this.reservedBytes -= opened.reservedBytes;
    opened.reservedBytes = 0;
    opened.isPromised = false;
  }

  /** The body broke off: the chunk is dropped; a file sent whole leaves nothing. */
  cut(opened: Opened): void {
    this.giveUp(opened);
    if (opened.spec.chunks === 1) this.sessions[opened.session]!.state = 'ended';
  }

  #findSession(spec: ChunkSpec): Session | Outcome {
    const { target } = spec;
    if (typeof target === 'object') {
      const session = this.sessions[target.session];
      if (session === undefined || session.state === 'ended' || session.isForgotten || session.chunks === 1)
        return refused(404, 'upload.not_found');
      const fits = session.chunks === spec.chunks && session.family === spec.family && session.name === spec.name;
      return fits ? session : refused(422, 'upload.mismatch');
    }
    const open = this.sessions.find((session) => session.state === 'open' && isAlike(session, spec));
    return target === 'named' && open !== undefined ? open : this.#create(spec, target === 'named');
  }

  #create(spec: ChunkSpec, isNamed: boolean): Session {
    const session: Session = {
      reference: this.sessions.length,
      family: spec.family,
      name: spec.name,
      chunks: spec.chunks,
      isNamed,
      state: 'open',
      received: new Map(),
      activeAt: this.now,
      hasConflict: false,
      generation: 0,
      lastChunk: null,
      isForgotten: false,
      file: null,
    };
    if (isNamed) for (const other of this.sessions) if (isAlike(other, spec)) other.lastChunk = null;
    this.sessions.push(session);
    return session;
  }

  #startOver(session: Session): void {
    this.storedBytes -= bytesOf(session);
    session.received.clear();
    session.hasConflict = false;
    session.generation += 1;
  }

  #insert(session: Session, spec: ChunkSpec, isPromised: boolean): Outcome {
    const sizeBytes = variantBytes[spec.variant]!;
    if (!isPromised && this.storedBytes + this.reservedBytes + sizeBytes > this.quotaBytes) {
      if (spec.chunks === 1) session.state = 'ended';
      return refused(422, 'attachment.quota_full');
    }
    session.received.set(spec.number, spec.variant);
    session.activeAt = this.now;
    this.storedBytes += sizeBytes;
    if (session.received.size < session.chunks) return { kind: 'stored', session: session.reference };
    session.state = 'ready';
    session.lastChunk = spec.number;
    session.file = { links: [], isErased: false, eraseAt: this.now + unboundMs };
    return { kind: 'done', session: session.reference };
  }

  /** Runs the background jobs once, while chunks are incomplete. */
  runJobs(held: Opened[]): void {
    for (const opened of held) if (opened.begunAt + promiseMs < this.now) this.giveUp(opened);
    for (const session of this.sessions) {
      if (session.state === 'open' && session.chunks > 1 && session.activeAt < this.now - unfinishedMs) {
        session.state = 'ended';
        this.storedBytes -= bytesOf(session);
        session.received.clear();
      }
      if (session.file !== null && session.file.eraseAt !== null && session.file.eraseAt <= this.now)
        this.erase(session);
      if (session.state !== 'open' && session.activeAt < this.now - unfinishedMs) session.isForgotten = true;
    }
  }

  erase(session: Session): void {
    this.storedBytes -= bytesOf(session);
    session.state = 'ended';
    session.file = { links: [], isErased: true, eraseAt: null };
    session.received.clear();
  }

  /** Sessions whose file can be used. */
  files(): Session[] {
    return this.sessions.filter((session) => session.file !== null && !session.file.isErased);
  }
}

/** Found by name, and of the same name, kind and number of chunks. */
function isAlike(session: Session, spec: ChunkSpec): boolean {
  return (
    session.isNamed && session.name === spec.name && session.family === spec.family && session.chunks === spec.chunks
  );
}

function bytesOf(session: Session): number {
  return [...session.received.values()].reduce((sum, variant) => sum + variantBytes[variant]!, 0);
}

/** The whole file of a finished session, computed independently of the service. */
export function wholeOf(session: Session): { bytes: Buffer; sha256: string; crc32: string } {
  const chunks = [...session.received].sort(([a], [b]) => a - b);
  const bytes = Buffer.concat(chunks.map(([number, variant]) => contentOf(number, variant)));
  return {
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    crc32: crc32(bytes).toString(16).padStart(8, '0'),
  };
}

/** All serial orders of this many chunks, each opened and then stored. */
export function interleavings(count: number): number[][] {
  const orders: number[][] = [];
  const extend = (order: number[]) => {
    if (order.length === count * 2) orders.push(order);
    else
      for (let chunk = 0; chunk < count; chunk++)
        if (order.filter((other) => other === chunk).length < 2) extend([...order, chunk]);
  };
  extend([]);
  return orders;
}
