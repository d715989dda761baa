// The press on Send: remembered while files are on their way, visible, and taken back by one press. The form goes out by
// fetch and is repeated until the server has answered; what this browser remembers is forgotten only then.
import { backoffMs, retryAfterMs } from '../../../transfer/backoff.ts';
import type { Transfers } from '../../../transfer/engine.ts';
import { isOver, type TransferEvent } from '../../../transfer/states.ts';
import type { Announcer } from '../../uploads/announcements.ts';
import { textFields } from './draft.ts';
import { showRefusal } from './refusal.ts';
import type { Texts } from './texts.ts';

export interface Delivery {
  /** Send was pressed. */
  wish(page: Deliverable): void;
  /** Something happened: sends when it was wished and everything has arrived. */
  check(page: Deliverable, event: TransferEvent): void;
  /** Files of an earlier visit were taken off, of which there are no events. */
  changed(page: Deliverable): void;
  clearProblem(): void;
  /** Send was pressed and is not done yet. */
  isWished(): boolean;
  /** The server has taken everything; no warning then. */
  isLeaving(): boolean;
}

/** What is delivered, and what is remembered of it. */
export interface Deliverable {
  transfers: Pick<Transfers, 'files' | 'totals'>;
  /** Of an earlier visit: files the server has, and files that have to be chosen again. */
  restored: { arrived: readonly { attachmentId: string }[]; missing: readonly unknown[] };
  store: { clear(): void };
  draft: { clear(): void };
}

/** `idle`: not pressed. `wished`: pressed, files are missing. `sending`: the form is going out. */
type State = 'idle' | 'wished' | 'sending' | 'leaving';

export function prepareDelivery(form: HTMLFormElement, texts: Texts, announcer: Announcer): Delivery {
  const strip = findStrip(form);
  const { enter, state } = strip;
  const complain = complainIn(form, announcer);
  let journey = new AbortController();

  const send = (page: Deliverable) => {
    journey = new AbortController();
    void sendForm(page, { form, texts, complain, enter }, journey.signal);
  };

  /** Not in the middle of a removal of many: the first to go may have been the only one that was missing. */
  const settleSoon = (page: Deliverable) =>
    queueMicrotask(() => {
      if (state() !== 'wished') return;
      if (hindranceOf(form, page) !== null) enter('idle');
      else if (isComplete(page)) send(page);
    });

  /** What is shown is what is sent: a form that is going out begins again. */
  const change = (page: Deliverable) => {
    if (state() !== 'sending') return;
    journey.abort();
    enter('wished', texts.say('upload.sendSaid'));
    settleSoon(page);
  };

  strip.undo.addEventListener('click', () => {
    if (state() === 'leaving') return;
    journey.abort();
    enter('idle');
    announcer.say(texts.say('upload.unsent'));
  });

  return {
    isWished: () => state() === 'wished' || state() === 'sending',
    isLeaving: () => state() === 'leaving',
    clearProblem: () => complain([]),
    changed: change,
    wish(page) {
      if (state() !== 'idle') return;
      const hindrance = hindranceOf(form, page);
      complain(hindrance === null ? [] : [texts.say(hindrance.sentence)]);
      if (hindrance !== null) form.querySelector<HTMLElement>(hindrance.focus)?.focus();
      else if (isComplete(page)) send(page);
      else {
        enter('wished', texts.say('upload.sendSaid'));
        announcer.say(texts.say('upload.sendSaid'));
      }
    },
    check(page, event) {
      if (isOtherList(event)) change(page);
      if (state() !== 'wished') return;
      // A file that fell by the wayside is not left out behind people's backs: they press again.
      if (isLost(event)) enter('idle');
      else settleSoon(page);
    },
  };
}

interface Sending {
  form: HTMLFormElement;
  texts: Texts;
  complain(sentences: string[]): void;
  enter(next: State, sentence?: string): void;
}

async function sendForm(
  page: Deliverable,
  { form, texts, complain, enter }: Sending,
  signal: AbortSignal,
): Promise<void> {
  enter('sending', texts.say('upload.delivering'));
  const answer = await post(form, attachmentIds(page), signal, () => enter('sending', texts.say('upload.sendWaits')));
  if (signal.aborted || answer === null) return;
  if (leadsOn(form, answer)) {
    enter('leaving');
    forget(page);
    location.assign(answer.url);
    return;
  }
  // The form again with nothing to say about it: what was wrong has got lost on the way, as where cookies are refused.
  const html = answer.ok ? '' : await answer.text().catch(() => '');
  if (signal.aborted) return;
  enter('idle');
  const { sentences, isExplained } = showRefusal(form, html);
  complain(isExplained ? sentences : [texts.say('upload.sendRefused')]);
}

function isLost(event: TransferEvent): boolean {
  return event.is === 'state' && (event.file.state === 'failed' || event.file.state === 'not-allowed');
}

/** Everything had arrived: a file was added since, or taken off. */
function isOtherList(event: TransferEvent): boolean {
  return event.is === 'removed' || (event.is === 'state' && !isOver(event.file.state));
}

/** The button, or in its place what has become of the press. */
function findStrip(form: HTMLFormElement) {
  const button = form.querySelector<HTMLElement>('[data-send]')!;
  const pending = form.querySelector<HTMLElement>('[data-pending]')!;
  const text = pending.querySelector<HTMLElement>('[data-pending-text]')!;
  const undo = pending.querySelector<HTMLButtonElement>('[data-act="unsend"]')!;
  let state: State = 'idle';
  return {
    undo,
    state: () => state,
    enter(next: State, sentence: string | null = null) {
      const before = state;
      state = next;
      // What was typed is on its way as it is; taking Send back makes it free again.
      for (const field of textFields(form)) field.readOnly = next === 'sending';
      pending.hidden = next === 'idle';
      button.hidden = next !== 'idle';
      if (sentence !== null && text.textContent !== sentence) text.textContent = sentence;
      // The focus would fall out of the page with the button it was on.
      if (next === 'idle' && before !== 'idle') button.querySelector('button')?.focus();
      else if (next !== 'idle' && before === 'idle') undo.focus();
    },
  };
}

/** Shows and says what is wrong; an empty list takes it away. */
function complainIn(form: HTMLFormElement, announcer: Announcer): (sentences: string[]) => void {
  const problems = form.querySelector<HTMLElement>('[data-problems]')!;
  const template = form.querySelector<HTMLTemplateElement>('[data-problem]')!;
  return (sentences) => {
    const lines = sentences.map((sentence) => {
      const line = document.importNode(template.content, true);
      line.querySelector('[data-sentence]')!.textContent = sentence;
      return line;
    });
    problems.replaceChildren(...lines);
    if (sentences.length > 0) announcer.warn(sentences.join(' '));
  };
}

/** Why nothing can be sent yet, and where to put that right. */
function hindranceOf(form: HTMLFormElement, { transfers, restored }: Deliverable) {
  if (restored.missing.length > 0)
    return { sentence: 'upload.missingFirst', focus: '[data-act="choose-again"]' } as const;
  const shown = form.querySelectorAll('[name="attachments"]:checked').length;
  const count = transfers.totals().fileCount + shown + restored.arrived.length;
  return count === 0 ? ({ sentence: 'upload.noFiles', focus: '#files' } as const) : null;
}

function forget({ store, draft }: Deliverable): void {
  store.clear();
  draft.clear();
}

function isComplete({ transfers }: Deliverable): boolean {
  const { fileCount, readyCount } = transfers.totals();
  return fileCount === readyCount;
}

/** Repeats until there is an answer that repeating would not change. Null when it was taken back. */
async function post(
  form: HTMLFormElement,
  ids: string[],
  signal: AbortSignal,
  onWait: () => void,
): Promise<Response | null> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value);
  for (const id of ids) body.append('attachments', id);
  for (let failures = 1; !signal.aborted; failures += 1) {
    const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' }, signal }).catch(
      () => null,
    );
    // Taken back while it was on its way: whoever did that has said what is next.
    if (signal.aborted) return null;
    if (answer !== null && (leadsOn(form, answer) || !isPassing(answer.status))) return answer;
    onWait();
    const asked = retryAfterMs(answer?.headers.get('retry-after') ?? null);
    await pause(asked ?? backoffMs(failures, Math.random), signal);
  }
  return null;
}

/** The server has taken it: to the receipt, or to where a code is typed, of which there may have been enough for now. */
function leadsOn(form: HTMLFormElement, { redirected, url, ok, status }: Response): boolean {
  return redirected && new URL(url).pathname !== new URL(form.action).pathname && (ok || status === 429);
}

/** The same form may well be taken a moment later. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** Ends early when the connection comes back, and when Send is taken back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}

/** In the order of the rows. */
function attachmentIds(page: Deliverable): string[] {
  const sent = page.transfers.files().flatMap(({ attachmentId }) => (attachmentId === null ? [] : [attachmentId]));
  return [...page.restored.arrived.map(({ attachmentId }) => attachmentId), ...sent];
}
