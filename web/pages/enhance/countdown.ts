// Not a live region: a screen reader would announce every second.
import { regional } from '#language/locale.ts';

const { lang } = document.documentElement;

for (const element of document.querySelectorAll<HTMLElement>('[data-countdown]')) count(element);

function count(element: HTMLElement): void {
  const endsAt = performance.now() + Number(element.dataset.countdown) * 1_000;
  const isReloading = element.dataset.then === 'reload';
  const buttons = isReloading ? [] : [...document.querySelectorAll<HTMLButtonElement>('button[data-waits]')];
  for (const button of buttons) button.disabled = true;
  const tick = () => {
    const seconds = Math.ceil((endsAt - performance.now()) / 1_000);
    if (seconds > 0) {
      element.textContent = timeText(seconds);
      return;
    }
    clearInterval(timer);
    if (isReloading) location.replace(location.href);
    for (const button of buttons) button.disabled = false;
    const line = element.closest<HTMLElement>('[data-waiting]');
    if (line) line.hidden = true;
  };
  const timer = setInterval(tick, 1_000);
}

/** As the server formats it. */
function timeText(seconds: number): string {
  const [value, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(regional(lang), { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
