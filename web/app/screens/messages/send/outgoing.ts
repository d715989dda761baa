// Lives as long as the app, so that the draft is sent after its uploads on any screen.
import { useSyncExternalStore } from 'react';
import { ClientProblem } from '#contract/client.ts';
import type { CreatedMessageBody } from '#contract/messages.ts';
import { isSameFile } from '../../../../../transfer/rules.ts';
import type { Picked } from '../../../../uploads/pick.ts';
import { queryClient } from '../../../api.ts';
import { isUnavailableStatus, untilOnline } from '../../../connection.ts';
import { createOnce } from '../../../create-once.ts';
import type { Me } from '../../../me.ts';
import { draftLifetimeMs, readStored, writeStored } from '../../../storage.ts';
import { createStore, type Store } from '../../../store.ts';
import { textOf } from '../../../texts.ts';
import type { EarlierFile } from '../../../transfers/earlier-files.tsx';
import { type MissingFile, missingOf } from '../../../transfers/engine.ts';
import { handFiles } from '../../../transfers/handed-files.ts';
import { limitsFor } from '../../../transfers/limits.ts';
import { isRunning } from '../../../transfers/running.ts';
import { transfers } from '../../../transfers/transfers.ts';
import { announce, warn } from '../../../ui/announcer.tsx';
import { adjustDraft, type Draft, isUntouched, messageBody, newDraft, peopleOf } from './draft.ts';

/** `links`: the files go to the screen that creates links. */
export type SendMethod = 'mail' | 'link' | 'links';

export type Phase =
  /** `failedFile` could not be uploaded, so nothing was sent. */
  | { is: 'writing'; problem: unknown; failedFile: string | null }
  /** Submitted during uploads; can be undone. */
  | { is: 'waiting'; method: SendMethod }
  | { is: 'posting'; method: SendMethod; isConnectionLost: boolean }
  | { is: 'done'; method: SendMethod; id: string };

export interface Outgoing {
  draft: Draft;
  phase: Phase;
  /** Left by an earlier visit, until Continue or Discard. */
  offer: { draft: Draft | null; keptAt: number; fileCount: number } | null;
  awaited: MissingFile[];
  created: CreatedMessageBody | null;
}

const draftName = 'draft:send';
const retryMs = 2_500;
const writing: Phase = { is: 'writing', problem: null, failedFile: null };

let opened: { store: Store<Outgoing>; me: Me } | null = null;
let screens = 0;

/** The first call looks for a stored draft. */
export function useOutgoing(me: Me): Outgoing {
  const { store } = open(me);
  return useSyncExternalStore(store.listen, store.read);
}

function open(me: Me): { store: Store<Outgoing>; me: Me } {
  if (opened !== null) {
    opened.me = me;
    return opened;
  }
  const first: Outgoing = { draft: newDraft(me), phase: writing, offer: findOffer(me), awaited: [], created: null };
  opened = { store: createStore(first), me };
  transfers().listen(sendWhenReady);
  return opened;
}

function findOffer(me: Me): Outgoing['offer'] {
  const stored = readStored<Draft>(me.id, draftName, draftLifetimeMs);
  const files = transfers().read().unfinished.send ?? [];
  if (stored === null && files.length === 0) return null;
  const keptAt = Math.max(stored?.keptAt ?? 0, ...files.map((file) => file.keptAt));
  return { draft: stored?.value ?? null, keptAt, fileCount: files.filter(({ is }) => is !== 'arrived').length };
}

function change(next: (now: Outgoing) => Outgoing): void {
  opened?.store.change(next);
}

function read(): { now: Outgoing; me: Me } {
  if (opened === null) throw new Error('no message is open');
  return { now: opened.store.read(), me: opened.me };
}

/** Suppresses notices while a screen shows the message. Returns the function that ends it. */
export function watchOutgoing(): () => void {
  screens += 1;
  return () => {
    screens -= 1;
  };
}

export function changeDraft(part: Partial<Draft>): void {
  change((now) => ({ ...now, draft: { ...now.draft, ...part } }));
  const { now, me } = read();
  writeStored(me.id, draftName, isUntouched(now.draft) ? null : now.draft);
}

export async function continueOffer(): Promise<void> {
  const { now, me } = read();
  const left = transfers().read().unfinished.send ?? [];
  transfers().restore('send');
  const awaited = left.flatMap((stored) => (stored.is === 'arrived' ? [] : [missingOf(stored)]));
  const draft = now.offer?.draft ? adjustDraft(now.offer.draft, me) : now.draft;
  change((before) => ({ ...before, offer: null, awaited, draft }));
  const { picked, missing } = await transfers().reopen('send');
  const isAwaited = (path: string) => read().now.awaited.some(({ name }) => name === path);
  addFiles(picked.filter(({ path }) => isAwaited(path)));
  const whyOf = (file: MissingFile) => missing.find((one) => isSameFile(one, file))?.why ?? file.why;
  change((before) => ({ ...before, awaited: before.awaited.map((file) => ({ ...file, why: whyOf(file) })) }));
}

export function discardOffer(): void {
  transfers().discard('send');
  change((now) => ({ ...now, offer: null }));
  writeStored(read().me.id, draftName, null);
}

export function forgetAwaited(file: MissingFile): void {
  transfers().discard('send', file);
  change((now) => ({ ...now, awaited: now.awaited.filter((one) => one !== file) }));
}

/** Unchanged files resume; a changed file starts over. */
export function addFiles(picked: Picked[]): void {
  const { now, me } = read();
  if (now.phase.is !== 'writing' || picked.length === 0) return;
  transfers().add('send', picked, limitsFor(me, 'send'));
  const { texts } = transfers();
  for (const file of now.awaited) {
    const chosen = picked.find(({ path }) => path === file.name);
    if (chosen === undefined) continue;
    const { size: sizeBytes, lastModified: modifiedAt } = chosen.file;
    if (isSameFile({ name: chosen.path, sizeBytes, modifiedAt }, file)) {
      change((before) => ({ ...before, awaited: before.awaited.filter((one) => one !== file) }));
    } else {
      forgetAwaited(file);
      announce(texts.say('upload.startsOver', { file: file.name }));
    }
  }
}

/** Now, or when the last file is ready. */
export function dispatch(method: SendMethod): void {
  change((now) => ({ ...now, phase: { is: 'waiting', method } }));
  for (const { id, batch, state } of transfers().read().files)
    if (batch === 'send' && state === 'paused') transfers().resume(id);
  sendWhenReady();
}

export function undo(): void {
  change((now) => (now.phase.is === 'waiting' ? { ...now, phase: writing } : now));
}

export function startOver(earlier: EarlierFile[] = []): void {
  const { me } = read();
  transfers().clear('send');
  change((now) => ({ ...now, draft: newDraft(me, earlier), phase: writing, offer: null, awaited: [] }));
}

function sendWhenReady(): void {
  const { now } = read();
  if (now.phase.is !== 'waiting') return;
  const files = transfers()
    .read()
    .files.filter(({ batch }) => batch === 'send');
  const failed = files.find(({ state }) => state === 'failed');
  if (failed) {
    const failedFile = failed.source.name;
    change((before) => ({ ...before, phase: { is: 'writing', problem: null, failedFile } }));
    warn(textOf(document.documentElement.lang, 'send')('failedFile', { file: failedFile }));
  } else if (!files.some(isRunning)) {
    if (now.phase.method === 'links') handOver();
    else void post(now.phase.method);
  }
}

/** Subject, text and people stay in the draft. */
function handOver(): void {
  const { now } = read();
  const uploaded = transfers()
    .read()
    .files.flatMap(({ batch, attachmentId: id, source: { name, sizeBytes } }) =>
      batch === 'send' && id !== null ? [{ id, name, sizeBytes }] : [],
    );
  handFiles([...now.draft.earlier, ...uploaded]);
  // First, because every change of the files is reported to `sendWhenReady`.
  change((before) => ({ ...before, awaited: [], phase: { is: 'done', method: 'links', id: '' } }));
  transfers().clear('send');
  changeDraft({ earlier: [] });
}

/** Called by the screen that leaves for the links. */
export function endHandOver(): void {
  change((now) => ({ ...now, phase: writing }));
}

async function post(method: Exclude<SendMethod, 'links'>): Promise<void> {
  const { now, me } = read();
  const attachments = [
    ...now.draft.earlier.map(({ id }) => id),
    ...transfers()
      .read()
      .files.flatMap(({ batch, attachmentId }) => (batch === 'send' && attachmentId !== null ? [attachmentId] : [])),
  ];
  const body = messageBody(now.draft, me, { attachments, sendsMail: method === 'mail' });
  change((before) => ({ ...before, phase: { is: 'posting', method, isConnectionLost: false } }));
  for (;;) {
    try {
      const { message } = await createOnce(me.id, 'sendMessage', { body });
      return done(method, message);
    } catch (problem) {
      if (!isConnectionLost(problem)) {
        change((before) => ({ ...before, phase: { is: 'writing', problem, failedFile: null } }));
        if (problem instanceof ClientProblem && problem.sentence !== '') warn(problem.sentence);
        return;
      }
      change((before) => ({ ...before, phase: { is: 'posting', method, isConnectionLost: true } }));
      await untilRetry();
    }
  }
}

function isConnectionLost(problem: unknown): boolean {
  return problem instanceof ClientProblem && isUnavailableStatus(problem.status);
}

async function untilRetry(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, retryMs));
  await untilOnline();
}

function done(method: SendMethod, message: CreatedMessageBody): void {
  const { now, me } = read();
  const peopleCount = peopleOf(now.draft).length;
  transfers().clear('send');
  writeStored(me.id, draftName, null);
  void queryClient.invalidateQueries({ queryKey: ['messages'] });
  change((before) => ({
    ...before,
    draft: newDraft(me),
    awaited: [],
    offer: null,
    created: message,
    phase: { is: 'done', method, id: message.id },
  }));
  if (screens > 0) return;
  const text = textOf(document.documentElement.lang, 'send');
  announce(method === 'mail' ? text('sentSaid', { n: peopleCount }) : text('linkSaid'));
}
