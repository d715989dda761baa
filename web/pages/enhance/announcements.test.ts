import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { FileState, FileStatus, TransferEvent } from '../../../transfer/states.ts';
import { createUploadAnnouncements, type UploadAnnouncements } from '../../uploads/announcements.ts';
import { share } from '../../uploads/upload-texts.ts';
import { scriptMessage } from '../script-messages.ts';
import { scriptTextKeys } from '../script-texts.ts';
import { createTexts } from './texts.ts';

const texts = createTexts('en', new Map(scriptTextKeys.map((key) => [key, scriptMessage('en', key)])));
const mb = 1024 * 1024;

const source = { name: 'a', sizeBytes: 1, modifiedAt: 1, contentType: '', read: async () => new Uint8Array() };

function state(name: FileState): TransferEvent {
  const file: FileStatus = {
    id: 'f',
    source,
    state: name,
    sentBytes: 0,
    sentence: null,
    reason: null,
    attachmentId: null,
  };
  return { is: 'state', file, was: 'queued' };
}

function whole(sentBytes: number, readyCount = 0, secondsLeft: number | null = null) {
  return { sentBytes, totalBytes: 100, fileCount: 3, readyCount, secondsLeft };
}

const progress: TransferEvent = { ...state('sending'), is: 'progress' } as TransferEvent;

describe('announcements of uploads', () => {
  let announced: string[];
  let nowMs: number;
  let announcements: UploadAnnouncements;

  beforeEach(() => {
    announced = [];
    nowMs = 0;
    const announcer = {
      say: (text: string) => announced.push(text),
      warn: (text: string) => announced.push(`! ${text}`),
    };
    announcements = createUploadAnnouncements(announcer, texts, () => nowMs);
  });

  it('announces added files and interrupts for refused ones', () => {
    announcements.added(3, 1.2 * 1024 * mb);
    announcements.refused([]);
    announcements.refused(["setup.exe was not added. .exe files can't be sent here."]);
    assert.deepEqual(announced, [
      '3 files added, 1.2 GB.',
      "! setup.exe was not added. .exe files can't be sent here.",
    ]);
  });

  it('announces at most six times during a hundred progress events', () => {
    announcements.handle(state('sending'), whole(0));
    for (let step = 1; step <= 100; step += 1) {
      nowMs += 2_000;
      announcements.handle(progress, whole(step, 0, (100 - step) * 2));
    }
    announcements.handle(state('ready'), whole(100, 3));
    assert.deepEqual(announced, [
      'Sending 3 files.',
      '25 percent sent, about 3 minutes left.',
      '50 percent sent, about 2 minutes left.',
      '75 percent sent, about 50 seconds left.',
      'All files are ready.',
    ]);
  });

  it('skips quarters that follow within ten seconds', () => {
    announcements.handle(state('sending'), whole(0));
    for (let step = 1; step <= 99; step += 1) {
      nowMs += 110;
      announcements.handle(progress, whole(step));
    }
    assert.deepEqual(announced, ['Sending 3 files.', '75 percent sent.']);
  });

  it('announces neither single finished files nor a file that continues', () => {
    announcements.handle(state('sending'), whole(0));
    announcements.handle(state('ready'), whole(30, 1));
    announcements.handle(state('sending'), whole(30, 1));
    announcements.handle(state('retrying'), whole(30, 1));
    assert.deepEqual(announced, ['Sending 3 files.']);
  });

  it('announces lost and restored connections and pauses', () => {
    announcements.handle({ is: 'offline' }, whole(10));
    announcements.handle({ is: 'online' }, whole(10));
    announcements.paused();
    announcements.resumed();
    assert.deepEqual(announced, [
      'Offline. Sending is paused.',
      'Back online. Sending continues.',
      'Sending paused.',
      'Sending.',
    ]);
  });
});

describe('texts', () => {
  it('show 100 % only when everything has arrived', () => {
    assert.deepEqual([share(0, 0), share(999, 1000), share(1000, 1000), share(5, 3)], [0, 0.99, 1, 1]);
    assert.equal(texts.percent(9_999, 10_000), '99%');
  });

  it('round the remaining time so that it changes rarely', () => {
    assert.deepEqual([0.2, 37, 58, 150, 5_000].map(texts.left), [
      'about 5 seconds left',
      'about 40 seconds left',
      'about 1 minute left',
      'about 3 minutes left',
      'about 1 hour left',
    ]);
  });
});
