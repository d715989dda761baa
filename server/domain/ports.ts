// What the inside needs from the outside world, as interfaces. Each port has two or more real implementations,
// chosen in `app.ts`; nothing else imports them. Contracts are here; each suite is next to the implementations.
import type { Readable, Writable } from 'node:stream';

/** Time. Instants are milliseconds since the epoch, UTC. Never goes back, also across restarts (security D22). */
export interface Clock {
  now(): number;
  /** Milliseconds the service has been running, over all starts; setting the wall clock does not move it. */
  uptime(): number;
  /** What is wrong with the time here, as a sentence for operators; null when all is well. */
  fault(): string | null;
}

/** Randomness, from a CSPRNG in production and from a seed in tests. */
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

/** Health of the place where bytes are kept (state machine SM9). */
export type StoreState = 'healthy' | 'no_uploads' | 'read_only' | 'unreachable';

/** How full the storage is; null where that is unknown, as for a bucket. */
export interface StoreSpace {
  usedBytes: number;
  totalBytes: number;
}

export interface StoredBlob {
  key: string;
  storedBytes: number;
  modifiedAt: number;
}

/** A half-open range of byte offsets: `start` included, `end` excluded. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Raw bytes under a key, written once and never changed. Keys are `[A-Za-z0-9]{22}`; no part of a user's file
 * name ever reaches a store. Knows nothing of encryption. Implementations: disk, S3, memory.
 */
export interface BlobStore {
  /** A blob that does not exist yet. Nothing is visible under the key until `commit` resolves. */
  create(key: string): Promise<BlobWriter>;
  /** The bytes of the range, in pieces of any size. Rejects with `BlobMissing` if there is no such blob. */
  read(key: string, range: ByteRange): AsyncIterable<Buffer>;
  /** Size as stored, or null when there is no such blob. */
  stat(key: string): Promise<StoredBlob | null>;
  /** Idempotent. After it resolves the blob is gone, durably. */
  delete(key: string): Promise<void>;
  /** Every committed blob, in any order, without holding the list in memory. */
  list(): AsyncIterable<StoredBlob>;
  /**
   * Removes leftovers of writers that never finished and are older than the instant, unless `isArriving` says that
   * a writer still uses the key; returns how many were removed.
   */
  removeUnfinished(olderThan: number, isArriving: (key: string) => Promise<boolean>): Promise<number>;
  /** The text that names the installation this place belongs to; null where nothing does. No blob, never listed. */
  readMark(): Promise<string | null>;
  /** Durable when it resolves. */
  writeMark(text: string): Promise<void>;
  /** Tried against the real thing, cheaply; free space counts. */
  state(): Promise<StoreState>;
  /** What the store itself said when `state` last found something wrong; empty when nothing. */
  trouble(): string;
  space(): Promise<StoreSpace | null>;
  close(): Promise<void>;
}

export interface BlobWriter {
  /** Takes ownership of the bytes until the returned promise resolves; callers await each call (back-pressure). */
  write(bytes: Buffer): Promise<void>;
  /** Durable when it resolves: also a power cut cannot lose the blob any more (security D24). */
  commit(): Promise<void>;
  /** Leaves nothing behind. Safe to call at any time, also after a failed write. */
  abort(): Promise<void>;
}

/** Where one encrypted blob lies and what it takes to read it. `context` binds the blob to its place (D6). */
export interface SealedBlob {
  key: string;
  /** The attachment's own 256-bit key, unwrapped. */
  dataKey: Buffer;
  /** Attachment id and part number, `<id>/<n>`: a blob moved to another place does not decrypt. */
  context: string;
}

/** SHA-256 over everything received so far of one upload, in order. Immutable; may be kept between requests. */
export interface RunningHash {
  /** Hex digest of the bytes so far; the state stays usable. */
  digest(): string;
}

export interface ReceiveOptions {
  /** Called with the number of plain bytes of each piece before it is stored; throwing a Problem stops the upload, a promise holds it. */
  onBytes?: (count: number) => Promise<void> | undefined;
  /** Also hash as the continuation of these earlier bytes; `start` begins a chain. Absent: no chain is kept. */
  after?: RunningHash | 'start';
}

export interface ReceivedBlob {
  sizeBytes: number;
  /** Hex, lower case. */
  sha256: string;
  crc32: number;
  /** The first bytes (at most 64 KiB), for detecting the content type. */
  head: Buffer;
  /** The chain after these bytes, when `after` was given. */
  running: RunningHash | null;
}

export interface SendOptions {
  signal?: AbortSignal;
  /** Called before verified bytes are written to the destination. What it throws rejects the sending. */
  onBytes?: (count: number) => void;
}

/**
 * Encrypted bytes over any BlobStore: the only way actions touch content. Constant memory for any size.
 * Plain bytes never reach the store; nothing is released before its tag verifies.
 */
export interface Vault {
  /** Reads the body to its end, encrypts, stores durably. On any error nothing remains under the key. */
  receive(blob: SealedBlob, body: Readable, options?: ReceiveOptions): Promise<ReceivedBlob>;
  /**
   * Writes the plain bytes of the range to the destination, honouring its back-pressure, without ending it.
   * Resolves with the number of bytes written. A bad tag rejects with `BlobDamaged` before any byte of that segment
   * is written. An aborted signal or a closed destination rejects promptly and releases everything.
   */
  send(blob: SealedBlob, range: ByteRange, destination: Writable, options?: SendOptions): Promise<number>;
  /** The same bytes as an iterable, for hashing and archives. */
  read(blob: SealedBlob, range: ByteRange): AsyncIterable<Buffer>;
  /** Idempotent removal of the stored bytes; the caller has already destroyed the data key. */
  erase(key: string): Promise<void>;
  list(): AsyncIterable<StoredBlob>;
  /** Rejects with `StoreUnavailable` when the store is unreachable, empty or belongs to another installation, checked now. */
  assertOwn(): Promise<void>;
  removeUnfinished: BlobStore['removeUnfinished'];
  state: BlobStore['state'];
  trouble: BlobStore['trouble'];
  space: BlobStore['space'];
  close(): Promise<void>;
}

/** One small file with a name of its own, such as `tile/0/000` or `checkpoint`. */
export interface NamedFile {
  path: string;
  bytes: Buffer;
}

/**
 * The files of the log of evidence: small, public to all who may read the log, never encrypted. Paths are generated,
 * never input. Implementations: a folder, a prefix of a bucket.
 */
export interface EvidenceFiles {
  /** Writes or replaces them, each as a whole or not at all; all durable when it resolves. */
  put(files: readonly NamedFile[]): Promise<void>;
  /** Null when there is no such file. */
  get(path: string): Promise<Buffer | null>;
  /** Idempotent. */
  remove(paths: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** There is no blob under this key. */
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

/** The store cannot take more bytes (disk full, quota of the bucket). */
export class StoreFull extends Error {
  /** The original error text. */
  constructor(why = '') {
    super(why === '' ? 'the store is full' : `the store is full: ${why}`);
    this.name = 'StoreFull';
  }
}

/** Something we depend on cannot do its work now; answered as a 503, never as a fault of the request. */
export class Unavailable extends Error {}

/** The store failed in a way that puts durability in doubt, or cannot be reached. */
export class StoreUnavailable extends Unavailable {
  constructor(why: string) {
    super(`the store is not available: ${why}`);
    this.name = 'StoreUnavailable';
  }
}

/** The store takes no files now; nothing was begun. */
export class StoreRefuses extends StoreUnavailable {}

/** The body ended before it was whole: the client went away or fell silent. */
export class BodyAborted extends Error {
  constructor(why = 'the connection was lost') {
    super(why);
    this.name = 'BodyAborted';
  }
}

/** A PNG picture inside a mail. */
export interface MailPicture {
  /** Letters, digits and hyphens; `cid:<name>` in the HTML. */
  name: string;
  bytes: Buffer;
}

/** One mail to one person, ready to be handed over. Nothing here came from a user unchecked (security D14). */
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
  /** Shown inside the HTML by `cid:`; never fetched from anywhere. */
  pictures?: readonly MailPicture[];
  /** Further headers from the short list of experience 8.2, such as `Auto-Submitted`. */
  headers: Record<string, string>;
}

/** What became of one try (state machine SM7). */
export type MailResult =
  | { outcome: 'accepted'; serverText: string }
  /** 4xx, no connection, time-out: worth another try. */
  | { outcome: 'deferred'; reason: string }
  /** 5xx: final. */
  | { outcome: 'refused'; reason: string };

/** Hands mail to the outside. Implementations: SMTP, a folder of `.eml` files, memory. */
export interface MailTransport {
  /** True when mail leaves the machine; false when it is only kept (no SMTP configured). */
  readonly isReal: boolean;
  send(mail: OutgoingMail): Promise<MailResult>;
  /** Whether mail could be handed over now: what is wrong, in the words of the other side, or null. */
  look?(): Promise<string | null>;
  /** Removes kept mails that name one of these; only where mails are kept. */
  forget?(words: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
