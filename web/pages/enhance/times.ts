// Rewrites times to the reader's time zone.
import { regional } from '#language/locale.ts';

export function writeTimesInReadersZone(root: ParentNode): void {
  const style = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat(regional(document.documentElement.lang), style);
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-moment]')) {
    const instant = Date.parse(time.dateTime);
    if (!Number.isNaN(instant)) time.textContent = format.format(instant);
  }
}
