// What the engine needs of its platform: browsers, Node, and tests without real waiting.

export interface FileSource {
  /** May contain folders, as `folder/name`. */
  name: string;
  sizeBytes: number;
  /** Identifies an unchanged file together with name and size. Null when unknown. */
  modifiedAt: number | null;
  /** '' when unknown. */
  contentType: string;
  /** `end` is exclusive. Rejects when the file can no longer be read. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns a buffer of `read` for reuse. */
  release?(bytes: Uint8Array<ArrayBuffer>): void;
  /** Each portion is valid only until the next one is requested. Throws when the file has changed. */
  stream?(start: number, end: number): AsyncIterable<Uint8Array>;
}

export interface StreamBody {
  sizeBytes: number;
  portions: AsyncIterable<Uint8Array>;
}

export interface WireRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | null;
  signal: AbortSignal;
  /** The sum so far. */
  onProgress(sentBytes: number): void;
}

export interface WireResponse {
  status: number;
  /** Case-insensitive; null when absent. */
  header(name: string): string | null;
  text: string;
}

/** Resolves with any status; rejects without a response and when the signal aborts. */
export type Send = (request: WireRequest) => Promise<WireResponse>;

export interface Clock {
  /** Milliseconds since an arbitrary start. */
  now(): number;
  /** Rejects immediately when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** In [0, 1). */
export type Random = () => number;
