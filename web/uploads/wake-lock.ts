// Keeps the screen on while files travel: phones otherwise fall asleep in the middle of one. Where the browser has no such
// thing, or refuses it, nothing happens.

export interface WakeLock {
  hold(isWanted: boolean): void;
}

export function createWakeLock(): WakeLock {
  let lock: Promise<WakeLockSentinel | null> | null = null;
  let isHeld = false;
  const ask = () => {
    lock = navigator.wakeLock?.request('screen').catch(() => null) ?? null;
  };
  // The browser takes it away whenever the page is hidden.
  document.addEventListener('visibilitychange', () => {
    if (isHeld && document.visibilityState === 'visible') ask();
  });
  return {
    hold(isWanted) {
      if (isWanted === isHeld) return;
      isHeld = isWanted;
      if (isWanted) return ask();
      void lock?.then((held) => held?.release());
      lock = null;
    },
  };
}
