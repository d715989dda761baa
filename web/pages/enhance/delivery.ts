// Sends the form by fetch after all uploads, retries until the server responds, and only then clears the saved state.
import { backoffMs, retryAfterMs } from '../../../transfer/backoff.ts';
import type { Transfers } from '../../../transfer/engine.ts';
import { isOver, type TransferEvent } from '../../../transfer/states.ts';
import type { Announcer } from '../../uploads/announcements.ts';
import { textFields } from './draft.ts';
import { showRefusal } from './refusal.ts';
import type { Texts } from './texts.ts';

export interface Delivery {
  queue(page: Deliverable): void;
  /** Sends if Send was clicked and everything has arrived. */
  check(page: Deliverable, event: TransferEvent): void;
  /** The engine has no events for files of an earlier visit. */
  changed(page: Deliverable): void;
  clearProblem(): void;
  /** From the click on Send until it succeeds or is undone. */
  isQueued(): boolean;
  /** Leaving needs no warning. */
  isLeaving(): boolean;
}

export interface Deliverable {
  transfers: Pick<Transfers, 'files' | 'totals'>;
  /** Files of an earlier visit. */
  restored: { arrived: readonly { attachmentId: string }[]; missing: readonly unknown[] };
  store: { clear(): void };
  draft: { clear(): void };
}

/** `queued`: clicked, files are missing. `sending`: the form is in flight. */
type State = 'idle' | 'queued' | 'sending' | 'leaving';

export function prepareDelivery(form: HTMLFormElement, texts: Texts, announcer: Announcer): Delivery {
  const status = findStatus(form);
  const { enter, state } = status;
  const showErrors = showErrorsIn(form, announcer);
  let request = new AbortController();

  const send = (page: Deliverable) => {
    request = new AbortController();
    void sendForm(page, { form, texts, showErrors, enter }, request.signal);
  };

  /** Deferred: the first of many removed files may have been the only missing one. */
  const sendSoon = (page: Deliverable) =>
    queueMicrotask(() => {
      if (state() !== 'queued') return;
      if (obstacleOf(form, page) !== null) enter('idle');
      else if (isComplete(page)) send(page);
    });

  /** Restarts a form in flight, so that it matches what is shown. */
  const change = (page: Deliverable) => {
    if (state() !== 'sending') return;
    request.abort();
    enter('queued', texts.say('upload.sendSaid'));
    sendSoon(page);
  };

  status.undo.addEventListener('click', () => {
    if (state() === 'leaving') return;
    request.abort();
    enter('idle');
    announcer.say(texts.say('upload.unsent'));
  });

  return {
    isQueued: () => state() === 'queued' || state() === 'sending',
    isLeaving: () => state() === 'leaving',
    clearProblem: () => showErrors([]),
    changed: change,
    queue(page) {
      if (state() !== 'idle') return;
      const obstacle = obstacleOf(form, page);
      showErrors(obstacle === null ? [] : [texts.say(obstacle.sentence)]);
      if (obstacle !== null) form.querySelector<HTMLElement>(obstacle.focus)?.focus();
      else if (isComplete(page)) send(page);
      else {
        enter('queued', texts.say('upload.sendSaid'));
        announcer.say(texts.say('upload.sendSaid'));
      }
    },
    check(page, event) {
      if (isOtherList(event)) change(page);
      if (state() !== 'queued') return;
      // Do not silently leave out a failed file.
      if (isLost(event)) enter('idle');
      else sendSoon(page);
    },
  };
}

interface Sending {
  form: HTMLFormElement;
  texts: Texts;
  showErrors(sentences: string[]): void;
  enter(next: State, sentence?: string): void;
}

async function sendForm(
  page: Deliverable,
  { form, texts, showErrors, enter }: Sending,
  signal: AbortSignal,
): Promise<void> {
  enter('sending', texts.say('upload.delivering'));
  const answer = await post(form, attachmentIds(page), signal, () => enter('sending', texts.say('upload.sendWaits')));
  if (signal.aborted || answer === null) return;
  if (isAccepted(form, answer)) {
    enter('leaving');
    forget(page);
    location.assign(answer.url);
    return;
  }
  // The error was lost, for example because cookies are blocked.
  const html = answer.ok ? '' : await answer.text().catch(() => '');
  if (signal.aborted) return;
  enter('idle');
  const { sentences, isExplained } = showRefusal(form, html);
  showErrors(isExplained ? sentences : [texts.say('upload.sendRefused')]);
}

function isLost(event: TransferEvent): boolean {
  return event.is === 'state' && (event.file.state === 'failed' || event.file.state === 'not-allowed');
}

/** A file was added to or removed from a complete list. */
function isOtherList(event: TransferEvent): boolean {
  return event.is === 'removed' || (event.is === 'state' && !isOver(event.file.state));
}

function findStatus(form: HTMLFormElement) {
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
      for (const field of textFields(form)) field.readOnly = next === 'sending';
      pending.hidden = next === 'idle';
      button.hidden = next !== 'idle';
      if (sentence !== null && text.textContent !== sentence) text.textContent = sentence;
      // Hiding the focused button would lose the focus.
      if (next === 'idle' && before !== 'idle') button.querySelector('button')?.focus();
      else if (next !== 'idle' && before === 'idle') undo.focus();
    },
  };
}

function showErrorsIn(form: HTMLFormElement, announcer: Announcer): (sentences: string[]) => void {
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

function obstacleOf(form: HTMLFormElement, { transfers, restored }: Deliverable) {
  if (restored.missing.length > 0)
    return { sentence: 'upload.missingFirst', focus: '[data-act="choose-again"]' } as const;
  const shown = form.querySelectorAll('[name="attachments"]:checked').length;
  const count = transfers.totals().fileCount + shown + restored.arrived.length;
  // The server names a missing address together with the missing file.
  const isFine = count > 0 || isAddressMissing(form);
  return isFine ? null : ({ sentence: 'upload.noFiles', focus: '#files' } as const);
}

function isAddressMissing(form: HTMLFormElement): boolean {
  return form.querySelector<HTMLInputElement>('.field [name="email"]')?.value.trim() === '';
}

function forget({ store, draft }: Deliverable): void {
  store.clear();
  draft.clear();
}

function isComplete({ transfers }: Deliverable): boolean {
  const { fileCount, readyCount } = transfers.totals();
  return fileCount === readyCount;
}

/** Retries until a response that a retry would not change; null when undone. */
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
    // The caller has already set the next state.
    if (signal.aborted) return null;
    if (answer !== null && (isAccepted(form, answer) || !isTemporary(answer.status))) return answer;
    onWait();
    const retryAfter = retryAfterMs(answer?.headers.get('retry-after') ?? null);
    await pause(retryAfter ?? backoffMs(failures, Math.random), signal);
  }
  return null;
}

/** Redirected to the receipt, or to the code page, which may respond with 429. */
function isAccepted(form: HTMLFormElement, { redirected, url, ok, status }: Response): boolean {
  return redirected && new URL(url).pathname !== new URL(form.action).pathname && (ok || status === 429);
}

/** The same form may be accepted later. */
function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** Ends early when the connection returns or Send is undone. */
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

function attachmentIds(page: Deliverable): string[] {
  const sent = page.transfers.files().flatMap(({ attachmentId }) => (attachmentId === null ? [] : [attachmentId]));
  return [...page.restored.arrived.map(({ attachmentId }) => attachmentId), ...sent];
}
