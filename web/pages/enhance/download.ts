// The optional script of pages that give files: copy buttons, "Download started", and after a download the page asks
// once what was downloaded, when someone comes back to it. Nothing here is needed to get a file.
import { findAnnouncer } from './announcer.ts';
import { enableCopying } from './copy.ts';

/** While a file is being checked the page looks again after so long. */
const checkAgainMs = 10_000;

const announcer = findAnnouncer();
enableCopying(announcer);
writeTimesInReadersZone(document);

let hasDownloaded = false;
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-download]')) {
  form.addEventListener('submit', () => {
    hasDownloaded = true;
    announcer.say(document.body.dataset.downloadStarted ?? '');
  });
}

const rows = document.querySelector<HTMLElement>('[data-state-url]');
if (rows) {
  const lookAgain = () => {
    if (!hasDownloaded || document.visibilityState !== 'visible') return;
    hasDownloaded = false;
    void showDownloads(rows);
  };
  addEventListener('focus', lookAgain);
  document.addEventListener('visibilitychange', lookAgain);
}

if (document.querySelector('[data-refreshes]')) {
  setInterval(() => {
    // Someone who has opened something or is elsewhere is left in peace.
    if (document.visibilityState === 'visible' && !document.querySelector('details[open]')) location.reload();
  }, checkAgainMs);
}

async function showDownloads(list: HTMLElement): Promise<void> {
  const answer = await fetch(list.dataset.stateUrl ?? '', { headers: { accept: 'application/json' } }).catch(
    () => null,
  );
  if (!answer?.ok) return;
  const state = (await answer.json().catch(() => null)) as {
    files?: { id: string; downloaded_at: string | null }[];
  } | null;
  for (const { id, downloaded_at } of state?.files ?? []) {
    const line = list.querySelector<HTMLElement>(`[data-file="${CSS.escape(id)}"] [data-downloaded]`);
    const time = line?.querySelector('time');
    if (!line || !time || downloaded_at === null) continue;
    time.dateTime = downloaded_at;
    line.hidden = false;
    writeTimesInReadersZone(line);
  }
}

/** The server writes times in the service's zone; the reader's own is better. */
function writeTimesInReadersZone(root: ParentNode): void {
  const { lang } = document.documentElement;
  const style = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, style);
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-moment]')) {
    const instant = Date.parse(time.dateTime);
    if (!Number.isNaN(instant)) time.textContent = format.format(instant);
  }
}
