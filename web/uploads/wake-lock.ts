// Keeps the screen on during uploads, because phones suspend transfers when it turns off.

export interface WakeLock {
  hold(isActive: boolean): void;
}

export function createWakeLock(): WakeLock {
  let lock: Promise<WakeLockSentinel | null> | null = null;
  let isHeld = false;
  const ask = () => {
    lock = navigator.wakeLock?.request('screen').catch(() => null) ?? null;
  };
  // The browser releases the lock when the page is hidden.
  document.addEventListener('visibilitychange', () => {
    if (isHeld && document.visibilityState === 'visible') ask();
  });
  return {
    hold(isActive) {
      if (isActive === isHeld) return;
      isHeld = isActive;
      if (isActive) return ask();
      void lock?.then((held) => held?.release());
      lock = null;
    },
  };
}
