// The database of this browser: file handles, and copies of what is in localStorage.

interface Entry {
  keptAt: number;
}

/** Equals that of drafts; the server deletes unfinished uploads sooner. */
const lifetimeMs = 7 * 24 * 3_600_000;

/** Resolves also if deleting fails. */
export async function deleteStored(start: string): Promise<void> {
  await inDatabase('readwrite', (entries) => entries.delete(IDBKeyRange.bound(start, `${start}\uffff`)));
}

let opened: Promise<IDBDatabase | null> | null = null;

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    const opening = indexedDB.open('waybill', 1);
    opening.onupgradeneeded = () => void opening.result.createObjectStore('handles');
    opening.onerror = () => resolve(null);
    opening.onblocked = () => resolve(null);
    opening.onsuccess = () => {
      resolve(opening.result);
      deleteOld(opening.result);
    };
  });
  return opened;
}

function deleteOld(database: IDBDatabase): void {
  const opening = database.transaction('handles', 'readwrite').objectStore('handles').openCursor();
  opening.onsuccess = () => {
    const cursor = opening.result;
    if (cursor === null) return;
    if (Date.now() - (cursor.value as Entry).keptAt > lifetimeMs) cursor.delete();
    cursor.continue();
  };
}

/** Null if the browser stores nothing. */
export async function inDatabase<Value>(
  mode: IDBTransactionMode,
  act: (entries: IDBObjectStore) => IDBRequest,
): Promise<Value | null> {
  try {
    const database = await open();
    if (database === null) return null;
    return await new Promise((resolve) => {
      const transaction = database.transaction('handles', mode);
      const request = act(transaction.objectStore('handles'));
      transaction.oncomplete = () => resolve(request.result as Value);
      transaction.onabort = () => resolve(null);
    });
  } catch {
    return null;
  }
}
