import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { watchPace } from './body.ts';

const stepMs = 5000;

describe('the pace of an upload', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1_800_000_000_000 }));
  afterEach(() => mock.timers.reset());

  /** Seconds until the upload is ended, or null. */
  function endOf(bytesInStep: (step: number) => number, isPaused = false): number | null {
    const socket = { bytesRead: 0 };
    let isEnded = false;
    const raw = { socket, isPaused: () => isPaused, destroy: () => (isEnded = true) } as unknown as IncomingMessage;
    const unwatch = watchPace(raw);
    for (let step = 1; step <= 120; step++) {
      socket.bytesRead += bytesInStep(step);
      mock.timers.tick(stepMs);
      if (isEnded) return (step * stepMs) / 1000;
    }
    unwatch();
    return null;
  }

  test('below 1 KiB/s ends it after a minute, at 1 KiB/s it continues', () => {
    assert.equal(
      endOf(() => 5 * 1024 - 1),
      65,
    );
    assert.equal(
      endOf(() => 5 * 1024),
      null,
    );
  });

  test('is that of the last minute, not of the whole', () => {
    const end = endOf((step) => (step <= 12 ? 10_000_000 : 100));
    assert.ok(end !== null && end > 60 && end <= 130 + 5, `${end}`);
  });

  test('ends it after more than two minutes of silence, however much came before', () => {
    assert.equal(
      endOf((step) => (step === 1 ? 10_000_000 : 0)),
      5 + 120 + 5,
    );
  });

  test('does not matter while the server itself pauses it', () => {
    assert.equal(
      endOf(() => 0, true),
      null,
    );
  });
});
