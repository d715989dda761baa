import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archiveName, downloadableFiles, fileState } from './archives.ts';
import type { Message, MessageFile } from './messages.ts';

const file = (attachmentId: string, isAvailable = true) =>
  ({ attachmentId, state: isAvailable ? 'ready' : 'erased', scanState: 'free', share: 'active' }) as MessageFile;
const message = (files: MessageFile[]) => ({ files }) as Message;
const ids = (files: MessageFile[]) => files.map(({ attachmentId }) => attachmentId);

test('an archive leaves out what is not ready and what this visitor has used up', () => {
  const files = [file('a'), file('b', false), file('c'), file('d')];
  const used = new Map([
    ['a', 2],
    ['c', 1],
    ['d', 3],
  ]);
  assert.deepEqual(ids(downloadableFiles(message(files), { isOwner: false, downloadLimit: 2, used })), ['c']);
  assert.deepEqual(ids(downloadableFiles(message(files), { isOwner: false, downloadLimit: 2, used: new Map() })), [
    'a',
    'c',
    'd',
  ]);
});

test('without a limit, and for the sender, nothing is used up', () => {
  const files = [file('a'), file('b', false)];
  const used = new Map([['a', 9]]);
  assert.deepEqual(ids(downloadableFiles(message(files), { isOwner: false, downloadLimit: null, used })), ['a']);
  assert.deepEqual(ids(downloadableFiles(message(files), { isOwner: true, downloadLimit: 1, used })), ['a']);
});

test('a file is ready, used up, still being checked or gone', () => {
  const visitor = { isOwner: false, downloadLimit: 1, used: new Map([['a', 1]]) };
  const state = (more: Partial<MessageFile>, isResuming = false) =>
    fileState(
      { attachmentId: 'b', state: 'ready', scanState: 'free', share: 'active', ...more } as MessageFile,
      visitor,
      isResuming,
    );
  assert.equal(state({ attachmentId: 'a' }), 'used-up');
  assert.equal(state({ attachmentId: 'a' }, true), 'ready');
  assert.equal(state({}), 'ready');
  assert.equal(state({ state: 'sealing' }), 'being-checked');
  assert.equal(state({ state: 'sealing', share: 'expired' }), 'removed');
  assert.equal(state({ scanState: 'waiting' }), 'being-checked');
  assert.equal(state({ state: 'damaged' }), 'removed');
});

test('an archive is named after the subject, and never by something a system cannot write', () => {
  for (const [subject, name] of [
    ['Drawings for the Harbour tender', 'Drawings for the Harbour tender.zip'],
    ['Plans 3/4: "final"?', 'Plans 3-4- -final.zip'],
    ['..\\..\\etc/passwd', 'etc-passwd.zip'],
    ['Offer v1.2', 'Offer v1.2.zip'],
    ['報告書', '報告書.zip'],
    ['a\u202Egnp.b', 'agnp.b.zip'],
    ['CON', '_CON.zip'],
    ['', 'files.zip'],
    [' ... ', 'files.zip'],
    ['///', 'files.zip'],
    ['\u200B', 'files.zip'],
  ] as const)
    assert.equal(archiveName(subject), name);
  const long = archiveName('ü'.repeat(500));
  assert.ok(Buffer.byteLength(long) <= 255 && long.endsWith('ü.zip'));
});
