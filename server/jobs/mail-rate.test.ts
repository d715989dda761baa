import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { burstOf, grantMails } from './mail-rate.ts';

/** Each run has more mails than are granted. */
function sentInTenMinutes(perMinute: number, runEveryMs: (run: number) => number): number {
  let usedUntil = 0;
  let sent = 0;
  const begin = 1_000_000_000;
  for (let run = 0, now = begin; now < begin + 600_000; now += runEveryMs(run++)) {
    const turn = grantMails({ usedUntil, now, perMinute, wanted: 100 });
    usedUntil = turn.usedUntil;
    sent += turn.granted;
  }
  return sent;
}

describe('the rate of mail', () => {
  for (const perMinute of [1, 7, 20, 59, 60, 61, 90, 600, 900]) {
    test(`of ${perMinute} a minute is neither exceeded nor missed by late runs`, () => {
      const most = perMinute * 10 + burstOf(perMinute) + 1;
      for (const every of [() => 1000, () => 1400, (run: number) => 1000 + (run % 7) * 130]) {
        const sent = sentInTenMinutes(perMinute, every);
        assert.ok(sent <= most, `${sent} of at most ${most}`);
        assert.ok(sent >= perMinute * 10 - 1, `${sent} of ${perMinute * 10}`);
      }
    });
  }

  test('saves up one burst at most', () => {
    assert.equal(grantMails({ usedUntil: 0, now: 3_600_000, perMinute: 20, wanted: 100 }).granted, 1);
    assert.equal(grantMails({ usedUntil: 0, now: 3_600_000, perMinute: 900, wanted: 100 }).granted, 30);
  });

  test('grants nothing while the time is used, even after a clock that was ahead', () => {
    const turn = grantMails({ usedUntil: 60_000, now: 10_000, perMinute: 60, wanted: 5 });
    assert.deepEqual(turn, { granted: 0, usedUntil: 60_000 });
  });
});
