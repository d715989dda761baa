// The form of blob keys. Every store checks it before it builds a path or URL.

const blobKey = /^[A-Za-z0-9]{22}$/;

export function isBlobKey(name: string): boolean {
  return blobKey.test(name);
}

/** Throws for anything else, which is an error of the program. */
export function assertBlobKey(key: string): void {
  if (!isBlobKey(key)) throw new TypeError('a blob key is 22 letters and digits');
}
