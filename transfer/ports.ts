// The dependencies of the engine on its platform.

export interface FileSource {
  /** May contain folders, as `folder/name`. */
  name: string;
  sizeBytes: number;
  /** Null when unknown. */
  modifiedAt: number | null;
  /** '' when unknown. */
  contentType: string;
  /** `end` is exclusive. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Recycles a buffer of `read`. */
  release?(bytes: Uint8Array<ArrayBuffer>): void;
  /** A portion is valid until the next one is requested. Throws when the file has changed. */
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
  /** `sentBytes` is cumulative. */
  onProgress(sentBytes: number): void;
}

export interface WireResponse {
  status: number;
  /** Case-insensitive. */
  header(name: string): string | null;
  text: string;
}

/** Resolves with any status. */
export type Send = (request: WireRequest) => Promise<WireResponse>;

export interface Clock {
  /** Milliseconds since an arbitrary start. */
  now(): number;
  /** Rejects immediately when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export type Random = () => number;
