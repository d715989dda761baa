// Connects the engine, announcements and screens.
import { createRateMeter, type Estimate, type RateMeter } from '../../../transfer/rate.ts';
import { type Totals, type TransferEvent, totalsOf } from '../../../transfer/states.ts';
import { createUploadAnnouncements, type UploadAnnouncements } from '../../uploads/announcements.ts';
import type { Picked } from '../../uploads/pick.ts';
import type { StoredFile } from '../../uploads/saved-uploads.ts';
import { createUploadTexts, type UploadTexts } from '../../uploads/upload-texts.ts';
import { createWakeLock } from '../../uploads/wake-lock.ts';
import { connection } from '../connection.ts';
import type { Me } from '../me.ts';
import { csrfToken, session, untilSignedIn } from '../session.ts';
import { createStore, type Store } from '../store.ts';
import { currentLocale, type TextKey, textOf } from '../texts.ts';
import { announce, warn } from '../ui/announcer.tsx';
import {
  type Batch,
  type BatchLimits,
  batches,
  type Engine,
  type FileRef,
  openEngine,
  type ReopenedFiles,
  type TransferFile,
} from './engine.ts';
import { isAllPaused, isRunning } from './running.ts';

export interface TransferState {
  files: TransferFile[];
  /** Left by an earlier visit; offered with Continue and Discard. */
  unfinished: Partial<Record<Batch, StoredFile[]>>;
  full: string | null;
  /** Batches that the tray omits. */
  shownElsewhere: readonly Batch[];
  /** Null for the first seconds and while nothing moves. */
  estimate: Estimate | null;
}

export interface TransferStore {
  read(): TransferState;
  listen(listener: () => void): () => void;
  texts: UploadTexts<TextKey<'upload'>>;
  /** Refused files become rows with a text. */
  add(batch: Batch, picked: Picked[], limits: BatchLimits): void;
  pause(id?: string): void;
  resume(id?: string): void;
  /** Call while a screen shows the batch. Returns the function that ends it. */
  show(batch: Batch): () => void;
  remove(id: string): void;
  /** Removes its saved state too. */
  clear(batch: Batch): void;
  /** Arrived files become ready rows again. Use `reopen` for the others. */
  restore(batch: Batch): void;
  /** Call after `restore`, in the same click handler. The caller adds the returned files. */
  reopen(batch: Batch): Promise<ReopenedFiles>;
  /** Everything of an earlier visit, or one file. */
  discard(batch: Batch, file?: FileRef): void;
}

function currentTexts(): UploadTexts<TextKey<'upload'>> {
  const now = () => createUploadTexts<TextKey<'upload'>>(currentLocale(), textOf(currentLocale(), 'upload'));
  return {
    say: (key, values) => now().say(key, values),
    size: (bytes) => now().size(bytes),
    percent: (part, whole) => now().percent(part, whole),
    left: (seconds) => now().left(seconds),
    list: (items) => now().list(items),
  };
}

const emptyState: TransferState = {
  files: [],
  unfinished: {},
  full: null,
  shownElsewhere: [],
  estimate: null,
};

export function createTransferStore(me: Me): TransferStore {
  const texts = currentTexts();
  const announcements = createUploadAnnouncements({ say: announce, warn }, texts, () => performance.now());
  const meter = createRateMeter();
  const state = createStore(emptyState);
  const engine = openEngine({ me, texts, headers: sessionHeaders() });

  const refresh = (more: Partial<TransferState> = {}) => {
    const files = engine.files();
    const totals = totalsOf(files);
    const estimate = estimateOf(files, totals, meter);
    state.change((now) => ({ ...now, files, estimate, ...more }));
    return { ...totals, secondsLeft: estimate?.secondsLeft ?? null };
  };
  engine.listen((event) => {
    const whole = refresh(changeBy(event, texts));
    // The frame announces the connection state.
    if (event.is !== 'offline' && event.is !== 'online') announcements.handle(event, whole);
  });
  watchOver(engine);
  keepScreenOn(state);
  refresh({ unfinished: offersOf(engine) });
  return {
    read: state.read,
    listen: state.listen,
    texts,
    add(batch, picked, limits) {
      const ids = engine.add(batch, picked, limits);
      refresh(withoutOffer(state.read(), batch));
      announceAdded(announcements, texts, engine.files(), ids);
    },
    pause(id) {
      engine.pause(id);
      if (id === undefined) announcements.paused();
    },
    resume(id) {
      meter.reset();
      engine.resume(id);
      if (id === undefined) announcements.resumed();
    },
    show: (batch) => showElsewhere(state, batch),
    remove(id) {
      engine.remove(id);
      refresh();
    },
    clear(batch) {
      engine.clear(batch);
      refresh(withoutOffer(state.read(), batch));
    },
    restore(batch) {
      engine.restore(batch);
      refresh(withoutOffer(state.read(), batch));
    },
    reopen: engine.reopen,
    discard(batch, file) {
      engine.discard(batch, file);
      if (file === undefined) refresh(withoutOffer(state.read(), batch));
    },
  };
}

/** A batch in use is no longer offered. */
function withoutOffer({ unfinished }: TransferState, batch: Batch): Pick<TransferState, 'unfinished'> {
  const { [batch]: _, ...others } = unfinished;
  return { unfinished: others };
}

function estimateOf(files: TransferFile[], { sentBytes, totalBytes }: Totals, meter: RateMeter): Estimate | null {
  meter.note(sentBytes, performance.now());
  const isMoving = files.some(({ state }) => state === 'sending' || state === 'finishing');
  return isMoving ? meter.estimate(totalBytes - sentBytes) : null;
}

function showElsewhere(state: Store<TransferState>, batch: Batch): () => void {
  const change = (next: (now: readonly Batch[]) => readonly Batch[]) =>
    state.change((now) => ({ ...now, shownElsewhere: next(now.shownElsewhere) }));
  change((now) => [...now, batch]);
  return () => change((now) => now.filter((_, index) => index !== now.indexOf(batch)));
}

/** A new session has a new token. */
function sessionHeaders(): Record<string, string> {
  const headers = { 'x-csrf-token': csrfToken() };
  session.listen(() => {
    headers['x-csrf-token'] = csrfToken();
  });
  return headers;
}

function offersOf(engine: Engine): TransferState['unfinished'] {
  const stored = batches.map((batch) => [batch, engine.stored(batch)] as const);
  return Object.fromEntries(stored.filter(([, files]) => files.length > 0));
}

function changeBy(event: TransferEvent, texts: UploadTexts<TextKey<'upload'>>): Partial<TransferState> {
  if (event.is === 'halted' && event.reason === 'full') return { full: event.sentence ?? texts.say('upload.full') };
  return event.is === 'resumed' ? { full: null } : {};
}

function keepScreenOn(state: Store<TransferState>): void {
  const screenOn = createWakeLock();
  state.listen(() => {
    const { files } = state.read();
    screenOn.hold(files.some(isRunning) && !isAllPaused(files));
  });
}

function watchOver(engine: Engine): void {
  engine.listen((event) => {
    if (event.is === 'halted' && event.reason === 'signed-out') void untilSignedIn().then(() => engine.resume());
  });
  connection.listen(() => engine.setOnline(connection.read() === 'online'));
  addEventListener('beforeunload', (event) => {
    if (engine.files().some(isRunning)) event.preventDefault();
  });
}

function announceAdded(
  announcements: UploadAnnouncements,
  texts: UploadTexts<TextKey<'upload'>>,
  files: TransferFile[],
  ids: readonly string[],
): void {
  const added = files.filter(({ id }) => ids.includes(id));
  const accepted = added.filter(({ state }) => state !== 'not-allowed');
  const refused = added.filter(({ state }) => state === 'not-allowed');
  const sizeBytes = accepted.reduce((sum, { source }) => sum + source.sizeBytes, 0);
  if (accepted.length > 0) announcements.added(accepted.length, sizeBytes);
  announcements.refused(
    refused.map(({ source, sentence }) => texts.say('upload.notAdded', { file: source.name, reason: sentence ?? '' })),
  );
}
