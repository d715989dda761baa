import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyViewer, available, availableStates, type ShareState, unavailable, type Viewer } from './availability.ts';

const shares: Record<ShareState, true> = {
  active: true,
  expired: true,
  withdrawn: true,
  removed: true,
  owner_inactive: true,
  in_review: true,
};
const viewers: Record<string, Viewer> = {
  anyone: anyViewer,
  owner: { isOwner: true, downloadsLeft: 0, isResuming: false },
  'recipient with downloads left': { isOwner: false, downloadsLeft: 1, isResuming: false },
  'recipient who resumes the last one': { isOwner: false, downloadsLeft: 0, isResuming: true },
};
const scanned = { scanState: 'free', isFromOutside: false } as const;
const usedUp: Viewer = { isOwner: false, downloadsLeft: 0, isResuming: false };

test('bytes are sent only while the share is active and the file is ready, for every viewer', () => {
  for (const share of Object.keys(shares) as ShareState[])
    for (const state of ['sealing', 'ready', 'damaged', 'failed', 'erased'] as const)
      for (const [name, viewer] of Object.entries(viewers)) {
        const isShared = share === 'active' || (share === 'in_review' && viewer.isOwner);
        const isAvailable = isShared && state === 'ready';
        assert.equal(
          available({ ...scanned, state, share }, viewer) === 'yes',
          isAvailable,
          `${share} ${state} for ${name}`,
        );
        assert.notEqual(available({ ...scanned, state, share }, usedUp), 'yes');
      }
  assert.deepEqual(availableStates, ['ready']);
});

test('the state of the share is reported before that of the file, and the limit last', () => {
  assert.equal(available({ ...scanned, state: 'erased', share: 'expired' }, usedUp), 'expired');
  assert.equal(available({ ...scanned, state: 'damaged', share: 'active' }, usedUp), 'damaged');
  assert.equal(available({ ...scanned, state: 'ready', share: 'active' }, usedUp), 'limit_reached');
});

test('a refusal at a link speaks of the link', () => {
  assert.equal(unavailable('expired', 'link').code, 'link.ended');
  assert.equal(unavailable('expired', 'message').code, 'message.expired');
  assert.equal(unavailable('checking', 'link').retryAfterSeconds, 60);
});
