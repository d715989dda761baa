// What is said while files travel, asserted as sentences.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { FileState, FileStatus, TransferEvent } from '../../../transfer/states.ts';
import { createNarrator, type Narrator } from '../../uploads/narrator.ts';
import { share } from '../../uploads/words.ts';
import { scriptMessage } from '../script-messages.ts';
import { scriptTextKeys } from '../script-texts.ts';
import { createWords } from './words.ts';

const words = createWords('en', new Map(scriptTextKeys.map((key) => [key, scriptMessage('en', key)])));
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

describe('the narrator', () => {
  let said: string[];
  let nowMs: number;
  let narrator: Narrator;

  beforeEach(() => {
    said = [];
    nowMs = 0;
    const announcer = { say: (text: string) => said.push(text), warn: (text: string) => said.push(`! ${text}`) };
    narrator = createNarrator(announcer, words, () => nowMs);
  });

  it('says what was added and interrupts for what was not', () => {
    narrator.added(3, 1.2 * 1024 * mb);
    narrator.refused([]);
    narrator.refused(["setup.exe was not added. .exe files can't be sent here."]);
    assert.deepEqual(said, ['3 files added, 1.2 GB.', "! setup.exe was not added. .exe files can't be sent here."]);
  });

  it('speaks at most six times during a hundred steps', () => {
    narrator.hear(state('sending'), whole(0));
    for (let step = 1; step <= 100; step += 1) {
      nowMs += 2_000;
      narrator.hear(progress, whole(step, 0, (100 - step) * 2));
    }
    narrator.hear(state('ready'), whole(100, 3));
    assert.deepEqual(said, [
      'Sending 3 files.',
      '25 percent sent, about 3 minutes left.',
      '50 percent sent, about 2 minutes left.',
      '75 percent sent, about 50 seconds left.',
      'All files are ready.',
    ]);
  });

  it('leaves out quarters that come faster than every ten seconds', () => {
    narrator.hear(state('sending'), whole(0));
    for (let step = 1; step <= 99; step += 1) {
      nowMs += 110;
      narrator.hear(progress, whole(step));
    }
    assert.deepEqual(said, ['Sending 3 files.', '75 percent sent.']);
  });

  it('says nothing when one file of several is done, or when a file goes on', () => {
    narrator.hear(state('sending'), whole(0));
    narrator.hear(state('ready'), whole(30, 1));
    narrator.hear(state('sending'), whole(30, 1));
    narrator.hear(state('retrying'), whole(30, 1));
    assert.deepEqual(said, ['Sending 3 files.']);
  });

  it('tells of lost and found connections and of pauses', () => {
    narrator.hear({ is: 'offline' }, whole(10));
    narrator.hear({ is: 'online' }, whole(10));
    narrator.paused();
    narrator.resumed();
    assert.deepEqual(said, [
      'Offline. Sending is paused.',
      'Back online. Sending continues.',
      'Sending paused.',
      'Sending.',
    ]);
  });
});

describe('words', () => {
  it('call nothing done before it is', () => {
    assert.deepEqual([share(0, 0), share(999, 1000), share(1000, 1000), share(5, 3)], [0, 0.99, 1, 1]);
    assert.equal(words.percent(9_999, 10_000), '99%');
  });

  it('round the rest so that it does not flicker', () => {
    assert.deepEqual([0.2, 37, 58, 150, 5_000].map(words.left), [
      'about 5 seconds left',
      'about 40 seconds left',
      'about 1 minute left',
      'about 3 minutes left',
      'about 1 hour left',
    ]);
  });
});
