// Feedback after a click on Download comes from the server-rendered page.
import { findAnnouncer } from './announcer.ts';
import { enableCopying } from './copy.ts';
import { refresh } from './fresh.ts';
import { writeTimesInReadersZone } from './times.ts';

const checkAgainMs = 10_000;

/** Then the page shows what to do if no download has started. */
const hintAfterMs = 6_000;

/** The last one repeats. */
const pollAfterSeconds = [1, 2, 3, 5, 8, 13, 20, 30];

/** A longer download is shown when the page becomes visible again. */
const maxPolls = 60;

interface Click {
  place: HTMLElement;
  /** Their last downloads before the click. */
  before: Map<string, string>;
  isHintDue: boolean;
}

const announcer = findAnnouncer();
enableCopying(announcer);
writeTimesInReadersZone(document);

const list = document.querySelector<HTMLElement>('[data-state-url]');
const clicks = new Set<Click>();
let polls = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-download]')) {
  form.addEventListener('submit', () => startDownload(form));
}
if (list) {
  addEventListener('focus', pollNow);
  document.addEventListener('visibilitychange', pollNow);
}

if (document.querySelector('[data-refreshes]')) {
  setInterval(() => {
    if (document.visibilityState === 'visible' && !document.querySelector('details[open]')) location.reload();
  }, checkAgainMs);
}

function startDownload(form: HTMLFormElement): void {
  announcer.say(document.body.dataset.downloadStarted ?? '');
  const place = form.closest<HTMLElement>('[data-download-place]');
  if (!place) return;
  for (const earlier of clicks) if (earlier.place === place) clicks.delete(earlier);
  const rows = place.matches('[data-file]') ? [place] : [...(list?.querySelectorAll<HTMLElement>('[data-file]') ?? [])];
  const before = new Map(rows.map(({ dataset }) => [dataset.file ?? '', downloadedAt(dataset.file ?? '')]));
  const click: Click = { place, before, isHintDue: false };
  clicks.add(click);
  mark(click);
  setTimeout(() => {
    click.isHintDue = true;
    if (clicks.has(click)) mark(click);
  }, hintAfterMs);
  polls = 0;
  pollLater();
}

function pollLater(): void {
  clearTimeout(timer);
  if (!list || clicks.size === 0 || polls >= maxPolls) return;
  const seconds = pollAfterSeconds[Math.min(polls, pollAfterSeconds.length - 1)]!;
  timer = setTimeout(pollNow, seconds * 1_000);
}

function pollNow(): void {
  if (clicks.size === 0 || document.visibilityState !== 'visible') {
    pollLater();
    return;
  }
  polls += 1;
  void poll().finally(pollLater);
}

async function poll(): Promise<void> {
  const answer = await fetch(list?.dataset.stateUrl ?? '', { headers: { accept: 'text/html' } }).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  refresh(fresh);
  writeTimesInReadersZone(document);
  for (const click of clicks) update(click);
}

function update(click: Click): void {
  const ids = [...click.before.keys()];
  const rowsWith = (selector: string) => ids.filter((id) => rowOf(id)?.querySelector(selector));
  const done = ids.filter((id) => downloadedAt(id) !== click.before.get(id));
  if (done.length === ids.length || rowsWith('[data-interrupted]').length > 0) {
    clicks.delete(click);
    unmark(click.place);
    const line = rowOf(done[0] ?? '')?.querySelector('[data-downloaded]');
    if (line) announcer.say((line.textContent ?? '').trim());
    return;
  }
  // A running download has started.
  if (done.length > 0 || rowsWith('[data-mark="started"]').length > 0) click.isHintDue = false;
  mark(click);
}

function mark({ place, isHintDue }: Click): void {
  unmark(place);
  const template = document.querySelector<HTMLTemplateElement>('[data-download-marks]');
  const target = place.querySelector('[data-marks]');
  if (!template || !target) return;
  const marks = document.importNode(template.content, true);
  if (!isHintDue) marks.querySelector('[data-mark="hint"]')?.remove();
  target.append(marks);
}

function unmark(place: HTMLElement): void {
  for (const element of place.querySelectorAll('[data-mark]')) element.remove();
}

function rowOf(id: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-file="${CSS.escape(id)}"]`) ?? null;
}

function downloadedAt(id: string): string {
  return rowOf(id)?.querySelector<HTMLTimeElement>('[data-downloaded] time')?.dateTime ?? '';
}
