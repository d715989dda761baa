// The shape of the names blobs are stored under. Checked by every store, so that no path or URL is ever made
// from anything else.

const blobKey = /^[A-Za-z0-9]{22}$/;

/** Whether a file or object name is a blob key. */
export function isBlobKey(name: string): boolean {
  return blobKey.test(name);
}

/** Refuses anything that is not a key: a caller's mistake, never a user's. */
export function assertBlobKey(key: string): void {
  if (!isBlobKey(key)) throw new TypeError('a blob key is 22 letters and digits');
}
