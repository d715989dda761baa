import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type FileHandle, reopen, withHandles } from './handles.ts';
import { createUploadStore } from './saved-uploads.ts';

const bytes = 'four';
const known = { name: 'plans/site.dwg', sizeBytes: 4, modifiedAt: 7 };

function handleOf(file: File | DOMException, permission: PermissionState | DOMException = 'granted'): FileHandle {
  const give = <Value>(value: Value | DOMException) =>
    value instanceof DOMException ? Promise.reject(value) : Promise.resolve(value);
  return { kind: 'file', name: 'site.dwg', getFile: () => give(file), requestPermission: () => give(permission) };
}

const same = new File([bytes], 'site.dwg', { lastModified: 7 });

it('reads nothing without permission from the user and the browser', async () => {
  for (const answer of ['denied', 'prompt', new DOMException('no press', 'SecurityError')] as const)
    assert.deepEqual(await reopen(handleOf(same, answer), known), { is: 'denied' });
  const unreadable = handleOf(new DOMException('not permitted', 'NotAllowedError'));
  assert.deepEqual(await reopen(unreadable, known), { is: 'denied' });
});

it('rejects a file that has changed since its upload began', async () => {
  for (const other of [
    new File(['five!'], 'site.dwg', { lastModified: 7 }),
    new File([bytes], 'site.dwg', { lastModified: 8 }),
    new File([bytes], 'renamed.dwg', { lastModified: 7 }),
  ])
    assert.deepEqual(await reopen(handleOf(other), known), { is: 'changed' });
});

it('reports that the file no longer exists', async () => {
  const gone = handleOf(new DOMException('moved', 'NotFoundError'));
  assert.deepEqual(await reopen(gone, known), { is: 'gone' });
});

it('returns the unchanged file, also in browsers without permission prompts', async () => {
  assert.deepEqual(await reopen(handleOf(same), known), { is: 'same', file: same });
  const { requestPermission: _, ...unasked } = handleOf(same);
  assert.deepEqual(await reopen(unasked, known), { is: 'same', file: same });
});

it('finds no handle and does not fail in browsers without IndexedDB', async () => {
  const store = withHandles(
    createUploadStore(null, 'k', () => 0),
    'k',
  );
  store.saveHandle(known, handleOf(same));
  assert.equal(await store.findHandle(known), null);
  store.remove(known);
  store.clear();
});
