// Files on their way to the server, for the whole app: they survive navigation, a reload (as an offer to go on) and the
// end of the session. Screens add files to a batch, such as `send`, and read its rows; the tray shows all of them.
import { useSyncExternalStore } from 'react';
import { createRateMeter, type Estimate } from '../../../transfer/rate.ts';
import type { Limits } from '../../../transfer/rules.ts';
import { type FileStatus, isOver } from '../../../transfer/states.ts';
import type { Kept } from '../../uploads/kept.ts';
import { createNarrator, type Narrator } from '../../uploads/narrator.ts';
import type { Picked } from '../../uploads/pick.ts';
import { type Words, wordsWith } from '../../uploads/words.ts';
import type { Me } from '../me.ts';
import { csrfToken, session, sessionEnded } from '../session.ts';
import { createStore } from '../store.ts';
import { localeNow, type TextKey, textOf } from '../texts.ts';
import { announce, warn } from '../ui/announcer.tsx';
import { type Batch, batches, type KeptFile, openEngine, type TransferFile } from './engine.ts';

export interface TransferState {
  /** All batches, in the order they were added. */
  files: TransferFile[];
  /** What an earlier visit left, by batch; offered with Continue and Discard. */
  unfinished: Partial<Record<Batch, Kept[]>>;
  isOffline: boolean;
  /** The server has no room: its sentence. */
  full: string | null;
  /** Batches whose rows a screen shows by itself now; the tray leaves them to it. */
  shownElsewhere: readonly Batch[];
  /** How fast it goes, over all files; null for the first seconds and while nothing moves. */
  estimate: Estimate | null;
}

export interface TransferStore {
  read(): TransferState;
  listen(listener: () => void): () => void;
  words: Words<TextKey<'upload'>>;
  /** Adds files and starts sending; those the limits refuse become rows with a sentence. Returns their ids, in order. */
  add(batch: Batch, picked: Picked[], limits: Limits): string[];
  /** One file, or everything. */
  pause(id?: string): void;
  resume(id?: string): void;
  /** While a screen shows the rows of a batch itself. Returns the function that ends it. */
  show(batch: Batch): () => void;
  /** Takes a file out, running or not. */
  remove(id: string): void;
  /** Forgets a batch and what is kept of it: after its message was sent, or when the draft is thrown away. */
  clear(batch: Batch): void;
  /**
   * Continue: files that had arrived become ready rows again. Those that had not go on as soon as the person chooses
   * them again, so open the file picker when this answers true.
   */
  takeUp(batch: Batch): boolean;
  /** Discard: everything an earlier visit left, or one file of it. */
  discard(batch: Batch, file?: KeptFile): void;
}

let opened: TransferStore | null = null;

/** Called once by main.tsx, before the first screen. */
export function openTransfers(me: Me): void {
  opened = createTransferStore(me);
}

export function transfers(): TransferStore {
  if (opened === null) throw new Error('the transfers are not open yet');
  return opened;
}

/** `useTransfers()` for all, `useTransfers('send')` for the files of one batch. */
export function useTransfers(batch?: Batch): TransferState {
  const state = useSyncExternalStore(transfers().listen, transfers().read);
  return batch === undefined ? state : { ...state, files: state.files.filter((file) => file.batch === batch) };
}

export function isRunning({ state }: FileStatus): boolean {
  return !isOver(state);
}

/** `62%` of these files, without those that were refused or failed. */
export function percentOf(files: FileStatus[]): string {
  const counted = files.filter(({ state }) => state !== 'not-allowed' && state !== 'failed');
  const sentBytes = counted.reduce((sum, file) => sum + file.sentBytes, 0);
  const totalBytes = counted.reduce((sum, { source }) => sum + source.sizeBytes, 0);
  return transfers().words.percent(sentBytes, totalBytes);
}

/** In the language the app speaks at the moment they are said. */
function currentWords(): Words<TextKey<'upload'>> {
  const now = () => wordsWith<TextKey<'upload'>>(localeNow(), textOf(localeNow(), 'upload'));
  return {
    say: (key, values) => now().say(key, values),
    size: (bytes) => now().size(bytes),
    percent: (part, whole) => now().percent(part, whole),
    left: (seconds) => now().left(seconds),
    list: (items) => now().list(items),
  };
}

const nothing: TransferState = {
  files: [],
  unfinished: {},
  isOffline: false,
  full: null,
  shownElsewhere: [],
  estimate: null,
};

function createTransferStore(me: Me): TransferStore {
  const words = currentWords();
  const narrator = createNarrator({ say: announce, warn }, words, () => performance.now());
  const meter = createRateMeter();
  const state = createStore(nothing);
  // Read at each request, so that a new session's token is in force at once.
  const headers = { 'x-csrf-token': csrfToken() };
  session.listen(() => {
    headers['x-csrf-token'] = csrfToken();
  });
  const engine = openEngine({ me, words, headers });

  const refresh = (more: Partial<TransferState> = {}) => {
    const files = engine.files();
    const counted = files.filter(({ state: now }) => now !== 'not-allowed' && now !== 'failed');
    const sentBytes = counted.reduce((sum, file) => sum + file.sentBytes, 0);
    const totalBytes = counted.reduce((sum, { source }) => sum + source.sizeBytes, 0);
    meter.note(sentBytes, performance.now());
    const isMoving = files.some(({ state: now }) => now === 'sending' || now === 'finishing');
    const estimate = isMoving ? meter.estimate(totalBytes - sentBytes) : null;
    state.change((now) => ({ ...now, files, estimate, ...more }));
    const readyCount = counted.filter(({ state: now }) => now === 'ready').length;
    return { sentBytes, totalBytes, readyCount, fileCount: counted.length, secondsLeft: estimate?.secondsLeft ?? null };
  };
  const offers = () =>
    Object.fromEntries(batches.map((batch) => [batch, engine.kept(batch)]).filter(([, kept]) => kept!.length > 0));
  /** What is kept of a batch that is in use is no offer any more; other batches keep theirs. */
  const withoutOffer = (batch: Batch) => {
    const { [batch]: _, ...unfinished } = state.read().unfinished;
    return { unfinished };
  };

  engine.listen((event) => {
    const whole = refresh({
      ...(event.is === 'offline' || event.is === 'online' ? { isOffline: event.is === 'offline' } : {}),
      ...(event.is === 'halted' && event.reason === 'full' ? { full: event.sentence ?? words.say('upload.full') } : {}),
      ...(event.is === 'resumed' ? { full: null } : {}),
    });
    narrator.hear(event, whole);
    if (event.is === 'halted' && event.reason === 'signed-out') void sessionEnded().then(() => engine.resume());
  });
  addEventListener('online', () => engine.setOnline(true));
  addEventListener('offline', () => engine.setOnline(false));
  addEventListener('beforeunload', (event) => {
    if (engine.files().some(isRunning)) event.preventDefault();
  });
  refresh({ unfinished: offers() });

  return {
    read: state.read,
    listen: state.listen,
    words,
    add(batch, picked, limits) {
      const ids = engine.add(batch, picked, limits);
      refresh(withoutOffer(batch));
      tellAdded(
        narrator,
        words,
        engine.files().filter(({ id }) => ids.includes(id)),
      );
      return ids;
    },
    pause(id) {
      engine.pause(id);
      if (id === undefined) narrator.paused();
    },
    resume(id) {
      meter.reset();
      engine.resume(id);
      if (id === undefined) narrator.resumed();
    },
    show(batch) {
      state.change((now) => ({ ...now, shownElsewhere: [...now.shownElsewhere, batch] }));
      const without = (list: readonly Batch[]) => list.filter((_, index) => index !== list.indexOf(batch));
      return () => state.change((now) => ({ ...now, shownElsewhere: without(now.shownElsewhere) }));
    },
    remove(id) {
      engine.remove(id);
      refresh();
    },
    clear(batch) {
      engine.clear(batch);
      refresh(withoutOffer(batch));
    },
    takeUp(batch) {
      const isMissing = engine.takeUp(batch);
      refresh(withoutOffer(batch));
      return isMissing;
    },
    discard(batch, file) {
      engine.forget(batch, file);
      refresh(file === undefined ? withoutOffer(batch) : {});
    },
  };
}

function tellAdded(narrator: Narrator, words: Words<TextKey<'upload'>>, added: TransferFile[]): void {
  const accepted = added.filter(({ state }) => state !== 'not-allowed');
  const refused = added.filter(({ state }) => state === 'not-allowed');
  const sizeBytes = accepted.reduce((sum, { source }) => sum + source.sizeBytes, 0);
  if (accepted.length > 0) narrator.added(accepted.length, sizeBytes);
  narrator.refused(
    refused.map(({ source, sentence }) => words.say('upload.notAdded', { file: source.name, reason: sentence ?? '' })),
  );
}
