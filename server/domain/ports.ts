// Ports: interfaces with two or more implementations, chosen in `app.ts`. Each has a test suite next to the
// implementations.
import type { Readable, Writable } from 'node:stream';

/** Milliseconds since the epoch, UTC. Never goes back, also across restarts. */
export interface Clock {
  now(): number;
  /** Milliseconds the service has been running, over all starts; independent of the wall clock. */
  uptime(): number;
  /** A fault of the clock as a sentence for operators, or null. */
  fault(): string | null;
}

/** A CSPRNG in production, seeded in tests. */
export interface Random {
  bytes(length: number): Buffer;
  /** `length` characters of [A-Za-z0-9], each equally likely (131 bits at the default 22). */
  id(length?: number): string;
}

/** Operator log. Allow-listed facts only: never bodies, keys, query strings or whole capability ids. */
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

/** Raw bytes under a key `[A-Za-z0-9]{22}`, written once and never changed. Implementations: disk, S3, memory. */
export interface BlobStore {
  /** Nothing is visible under the key until `commit` resolves. */
  create(key: string): Promise<BlobWriter>;
  /** Yields chunks of any size. Rejects with `BlobMissing` if there is no such blob. */
  read(key: string, range: ByteRange): AsyncIterable<Buffer>;
  /** The stored size; null if there is no such blob. */
  stat(key: string): Promise<StoredBlob | null>;
  /** Idempotent. After it resolves the blob is gone, durably. */
  delete(key: string): Promise<void>;
  /** Every committed blob, in any order, streamed. */
  list(): AsyncIterable<StoredBlob>;
  /**
   * Removes leftovers of unfinished writers older than the instant, unless `isArriving` reports an active writer;
   * returns how many.
   */
  removeUnfinished(olderThan: number, isArriving: (key: string) => Promise<boolean>): Promise<number>;
  /** The mark of the installation that owns the store; null if there is none. Not a blob, never listed. */
  readMark(): Promise<string | null>;
  /** Durable when it resolves. */
  writeMark(text: string): Promise<void>;
  /** Probes the store cheaply, free space included. */
  state(): Promise<StoreState>;
  /** The store's error when `state` last found one; may be empty. */
  trouble(): string;
  space(): Promise<StoreSpace | null>;
  close(): Promise<void>;
}

export interface BlobWriter {
  /** Takes ownership of the bytes until the promise resolves; callers await each call (back-pressure). */
  write(bytes: Buffer): Promise<void>;
  /** Durable when it resolves: a power cut cannot lose the blob any more. */
  commit(): Promise<void>;
  /** Leaves nothing behind. Safe at any time, also after a failed write. */
  abort(): Promise<void>;
}

/** The location of an encrypted blob and what is needed to read it. */
export interface SealedBlob {
  key: string;
  /** The attachment's own 256-bit key, unwrapped. */
  dataKey: Buffer;
  /** Attachment id and part number, `<id>/<n>`: a blob moved to another place does not decrypt. */
  context: string;
}

/** SHA-256 over the bytes of one upload so far. Immutable; may be stored between requests. */
export interface RunningHash {
  /** Hex digest of the bytes so far; the state stays usable. */
  digest(): string;
}

export interface ReceiveOptions {
  /** Called with the number of plain bytes before they are stored; a Problem stops the upload, a promise pauses it. */
  onBytes?: (count: number) => Promise<void> | undefined;
  /** Also continues this hash; `start` begins one. */
  after?: RunningHash | 'start';
}

export interface ReceivedBlob {
  sizeBytes: number;
  /** Hex, lower case. */
  sha256: string;
  crc32: number;
  /** The first bytes (at most 64 KiB), for detecting the content type. */
  head: Buffer;
  /** Null without `after`. */
  running: RunningHash | null;
}

export interface SendOptions {
  signal?: AbortSignal;
  /** Called before verified bytes are written. Its error rejects `send`. */
  onBytes?: (count: number) => void;
}

/**
 * Encrypted bytes over any BlobStore, in constant memory: the only way for actions to access content. Plain bytes never
 * reach the store; nothing is released before its tag verifies.
 */
export interface Vault {
  /** Reads the body to its end, encrypts and stores it durably. On any error nothing remains under the key. */
  receive(blob: SealedBlob, body: Readable, options?: ReceiveOptions): Promise<ReceivedBlob>;
  /**
   * Writes the plain bytes of the range with back-pressure, without ending the destination. Resolves with their number.
   * A bad tag rejects with `BlobDamaged` before any byte of that segment is written. An aborted signal or a closed
   * destination rejects promptly and releases everything.
   */
  send(blob: SealedBlob, range: ByteRange, destination: Writable, options?: SendOptions): Promise<number>;
  /** For hashing and archives. */
  read(blob: SealedBlob, range: ByteRange): AsyncIterable<Buffer>;
  /** Idempotent; the caller has already destroyed the data key. */
  erase(key: string): Promise<void>;
  list(): AsyncIterable<StoredBlob>;
  /**
   * Rejects with `StoreUnavailable` if the store is currently unreachable, empty or belongs to another installation.
   */
  assertOwn(): Promise<void>;
  removeUnfinished: BlobStore['removeUnfinished'];
  state: BlobStore['state'];
  trouble: BlobStore['trouble'];
  space: BlobStore['space'];
  close(): Promise<void>;
}

/** A small file, such as `tile/0/000` or `checkpoint`. */
export interface NamedFile {
  path: string;
  bytes: Buffer;
}

/**
 * The files of the evidence log, never encrypted. Paths are generated, never input. Implementations: a folder, a prefix
 * of a bucket.
 */
export interface EvidenceFiles {
  /** Writes or replaces each file atomically; all are durable when it resolves. */
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

/** Stored bytes were changed, cut or swapped; nothing of the bad segment was released. */
export class BlobDamaged extends Error {
  constructor(key: string, why: string) {
    super(`blob ${key.slice(0, 6)}… is damaged: ${why}`);
    this.name = 'BlobDamaged';
  }
}

/** The disk or the bucket's quota is full. */
export class StoreFull extends Error {
  /** The original error text. */
  constructor(why = '') {
    super(why === '' ? 'the store is full' : `the store is full: ${why}`);
    this.name = 'StoreFull';
  }
}

/** A dependency is unavailable; answered as a 503, never as a fault of the request. */
export class Unavailable extends Error {}

/** The store is unreachable, or failed in a way that puts durability in doubt. */
export class StoreUnavailable extends Unavailable {
  constructor(why: string) {
    super(`the store is not available: ${why}`);
    this.name = 'StoreUnavailable';
  }
}

/** The store accepts no files now; nothing was begun. */
export class StoreRefuses extends StoreUnavailable {}

/** The client left or stopped sending before the end of the body. */
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

/** A mail to one person, ready for delivery. Everything from users was checked. */
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
  /** Further permitted headers, such as `Auto-Submitted`. */
  headers: Record<string, string>;
}

/** The result of one attempt. */
export type MailResult =
  | { outcome: 'accepted'; serverText: string }
  /** 4xx, no connection, timeout: retry. */
  | { outcome: 'deferred'; reason: string }
  /** 5xx: final. */
  | { outcome: 'refused'; reason: string };

/** Delivers mail. Implementations: SMTP, a folder of `.eml` files, memory. */
export interface MailTransport {
  /** False if mail is only stored, because no SMTP is configured. */
  readonly isReal: boolean;
  send(mail: OutgoingMail): Promise<MailResult>;
  /** Checks the connection: the other side's error, or null. */
  check?(): Promise<string | null>;
  /** Removes stored mails that contain one of these. */
  forget?(words: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
