// What the transfer engine is given: files to read, a network, a clock and chance. The engine itself touches none of
// the platform, so that it runs in browsers and in Node and is tested without waiting.

export interface FileSource {
  /** As it will be called at the other end; may hold folders, as `folder/name`. */
  name: string;
  sizeBytes: number;
  /** Milliseconds since 1970; with name and size it tells whether a file is still the same. Null when unknown. */
  modifiedAt: number | null;
  /** '' when unknown. */
  contentType: string;
  /** Bytes from `start` up to but not including `end`. Rejects when the file can no longer be read. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** What `read` gave is no longer needed and may be used for the next. */
  release?(bytes: Uint8Array<ArrayBuffer>): void;
  /** The same in portions that hold only until the next is asked for. Throws when the file has changed. */
  stream?(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** A body that is not held in memory. */
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
  /** Bytes of the body that have left, counted from the beginning. */
  onProgress(sentBytes: number): void;
}

export interface WireResponse {
  status: number;
  /** Case does not matter; null when there is none. */
  header(name: string): string | null;
  text: string;
}

/** Resolves with any answer whatever its status; rejects when there is none, and when the signal is aborted. */
export type Send = (request: WireRequest) => Promise<WireResponse>;

export interface Clock {
  /** Milliseconds from an arbitrary beginning. */
  now(): number;
  /** Rejects at once when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** From 0 up to but not including 1. */
export type Random = () => number;
