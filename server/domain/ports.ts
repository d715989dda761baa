// Each port has two or more implementations and a test suite next to them.
import type { Readable, Writable } from 'node:stream';

/** Milliseconds since the epoch, UTC. Never goes back, also across restarts. */
export interface Clock {
  now(): number;
  /** Over all starts; independent of the wall clock. */
  uptime(): number;
  /** A sentence for operators, or null. */
  fault(): string | null;
}

export interface Random {
  bytes(length: number): Buffer;
  /** `length` characters of [A-Za-z0-9]; 131 bits at the default 22. */
  id(length?: number): string;
}

/** Allow-listed facts only: never bodies, keys, query strings or whole capability ids. */
export interface Log {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

export type StoreState = 'healthy' | 'no_uploads' | 'read_only' | 'unreachable';

/** Null where it is unknown, as for a bucket. */
export interface StoreSpace {
  usedBytes: number;
  totalBytes: number;
}

export interface StoredBlob {
  key: string;
  storedBytes: number;
  modifiedAt: number;
}

/** Half-open: `start` included, `end` excluded. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Raw bytes under a key `[A-Za-z0-9]{22}`, written once and never changed. */
export interface BlobStore {
  /** Nothing is visible under the key until `commit` resolves. */
  create(key: string): Promise<BlobWriter>;
  /** Rejects with `BlobMissing` if there is no such blob. */
  read(key: string, range: ByteRange): AsyncIterable<Buffer>;
  /** Null if there is no such blob. */
  stat(key: string): Promise<StoredBlob | null>;
  /** Idempotent. After it resolves the blob is gone, durably. */
  delete(key: string): Promise<void>;
  /** In any order. */
  list(): AsyncIterable<StoredBlob>;
  /** Removes old leftovers of unfinished writers, unless `isArriving` reports an active writer; returns how many. */
  removeUnfinished(olderThan: number, isArriving: (key: string) => Promise<boolean>): Promise<number>;
  /** Names the installation that owns the store. Not a blob, never listed. */
  readMark(): Promise<string | null>;
  /** Durable when it resolves. */
  writeMark(text: string): Promise<void>;
  /** Cheap; free space counts. */
  state(): Promise<StoreState>;
  /** Of the last `state`; may be empty. */
  trouble(): string;
  space(): Promise<StoreSpace | null>;
  close(): Promise<void>;
}

export interface BlobWriter {
  /** Takes ownership of the bytes until the promise resolves. */
  write(bytes: Buffer): Promise<void>;
  /** Durable when it resolves: a power cut cannot lose the blob any more. */
  commit(): Promise<void>;
  /** Leaves nothing behind. Safe at any time, also after a failed write. */
  abort(): Promise<void>;
}

export interface SealedBlob {
  key: string;
  /** The attachment's own 256-bit key, unwrapped. */
  dataKey: Buffer;
  /** `<id>/<n>`, attachment id and part number: a blob moved to another place does not decrypt. */
  context: string;
}

/** SHA-256 over the bytes of one upload so far. Immutable. */
export interface RunningHash {
  /** The state stays usable. */
  digest(): string;
}

export interface ReceiveOptions {
  /** Called before they are stored; a Problem stops the upload, a promise pauses it. */
  onBytes?: (count: number) => Promise<void> | undefined;
  /** Also continues this hash. */
  after?: RunningHash | 'start';
}

export interface ReceivedBlob {
  sizeBytes: number;
  /** Hex, lower case. */
  sha256: string;
  crc32: number;
  /** At most 64 KiB, for detecting the content type. */
  head: Buffer;
  /** Null without `after`. */
  running: RunningHash | null;
}

export interface SendOptions {
  signal?: AbortSignal;
  /** Its error rejects `send`. */
  onBytes?: (count: number) => void;
}

/**
 * Encrypts over any BlobStore, in constant memory. Plain bytes never reach the store; nothing is released before its
 * tag verifies.
 */
export interface Vault {
  /** Durable when it resolves. On any error nothing remains under the key. */
  receive(blob: SealedBlob, body: Readable, options?: ReceiveOptions): Promise<ReceivedBlob>;
  /**
   * Does not end the destination. Resolves with the number of bytes. A bad tag rejects with `BlobDamaged` before any
   * byte of that segment is written. An aborted signal or a closed destination rejects promptly.
   */
  send(blob: SealedBlob, range: ByteRange, destination: Writable, options?: SendOptions): Promise<number>;
  read(blob: SealedBlob, range: ByteRange): AsyncIterable<Buffer>;
  /** Idempotent; the caller has already destroyed the data key. */
  erase(key: string): Promise<void>;
  list(): AsyncIterable<StoredBlob>;
  /** Rejects with `StoreUnavailable` if the store is unreachable, empty or belongs to another installation. */
  assertOwn(): Promise<void>;
  removeUnfinished: BlobStore['removeUnfinished'];
  state: BlobStore['state'];
  trouble: BlobStore['trouble'];
  space: BlobStore['space'];
  close(): Promise<void>;
}

export interface NamedFile {
  path: string;
  bytes: Buffer;
}

/** Public to readers of the evidence log. Paths are generated, never input. */
export interface EvidenceFiles {
  /** Each file atomically; all durable when it resolves. */
  put(files: readonly NamedFile[]): Promise<void>;
  get(path: string): Promise<Buffer | null>;
  /** Idempotent. */
  remove(paths: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export class BlobMissing extends Error {
  constructor(key: string) {
    super(`blob ${key.slice(0, 6)}… is missing`);
    this.name = 'BlobMissing';
  }
}

/** Changed, cut or swapped; nothing of the bad segment was released. */
export class BlobDamaged extends Error {
  constructor(key: string, why: string) {
    super(`blob ${key.slice(0, 6)}… is damaged: ${why}`);
    this.name = 'BlobDamaged';
  }
}

/** The disk or the bucket's quota is full. */
export class StoreFull extends Error {
  constructor(why = '') {
    super(why === '' ? 'the store is full' : `the store is full: ${why}`);
    this.name = 'StoreFull';
  }
}

/** Answered as a 503, never as a fault of the request. */
export class Unavailable extends Error {}

/** Durability may be in doubt. */
export class StoreUnavailable extends Unavailable {
  constructor(why: string) {
    super(`the store is not available: ${why}`);
    this.name = 'StoreUnavailable';
  }
}

/** The store accepts no files now; nothing was begun. */
export class StoreRefuses extends StoreUnavailable {}

/** The client left or stopped sending. */
export class BodyAborted extends Error {
  constructor(why = 'the connection was lost') {
    super(why);
    this.name = 'BodyAborted';
  }
}

/** A PNG. */
export interface MailPicture {
  /** Letters, digits and hyphens; `cid:<name>` in the HTML. */
  name: string;
  bytes: Buffer;
}

/** Everything from users was checked. */
export interface OutgoingMail {
  /** Stable over retries: `<id@domain>`. */
  messageId: string;
  from: { name: string; address: string };
  to: string;
  replyTo: string | null;
  /** Bounces go here. */
  envelopeFrom: string;
  subject: string;
  text: string;
  html: string;
  /** Referenced by `cid:` in the HTML; never fetched. */
  pictures?: readonly MailPicture[];
  /** Such as `Auto-Submitted`. */
  headers: Record<string, string>;
}

export type MailResult =
  | { outcome: 'accepted'; serverText: string }
  /** 4xx, no connection, timeout: retry, not before the time that the other side asks for. */
  | { outcome: 'deferred'; reason: string; waitMs?: number }
  /** 5xx: final. */
  | { outcome: 'refused'; reason: string };

export interface MailTransport {
  /** False if mail is only stored. */
  readonly isReal: boolean;
  send(mail: OutgoingMail): Promise<MailResult>;
  /** The other side's error, or null. */
  check?(): Promise<string | null>;
  /** Removes stored mails that contain one of these. */
  forget?(words: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
