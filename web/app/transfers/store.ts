// The state behind transfers.ts: puts the engine, what is said aloud and what the screens see together.
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
import { localeNow, type TextKey, textOf } from '../texts.ts';
import { announce, warn } from '../ui/announcer.tsx';
import {
  type Batch,
  type BatchLimits,
  batches,
  type Engine,
  type KeptFile,
  openEngine,
  type ReopenedFiles,
  type TransferFile,
} from './engine.ts';
import { isAllPaused, isRunning } from './running.ts';

export interface TransferState {
  /** All batches, in the order they were added. */
  files: TransferFile[];
  /** What an earlier visit left, by batch; offered with Continue and Discard. */
  unfinished: Partial<Record<Batch, StoredFile[]>>;
  /** The server has no room: its sentence. */
  full: string | null;
  /** Batches whose rows a screen is showing itself; the tray leaves them out. */
  shownElsewhere: readonly Batch[];
  /** How fast it goes, over all files; null for the first seconds and while nothing moves. */
  estimate: Estimate | null;
}

export interface TransferStore {
  read(): TransferState;
  listen(listener: () => void): () => void;
  texts: UploadTexts<TextKey<'upload'>>;
  /** Adds files and starts sending; those the limits refuse become rows with a sentence. */
  add(batch: Batch, picked: Picked[], limits: BatchLimits): void;
  /** One file, or everything. */
  pause(id?: string): void;
  resume(id?: string): void;
  /** While a screen shows the rows of a batch itself. Returns the function that ends it. */
  show(batch: Batch): () => void;
  /** Takes a file out, running or not. */
  remove(id: string): void;
  /** Forgets a batch and what is kept of it: after its message was sent, or when the draft is thrown away. */
  clear(batch: Batch): void;
  /** Continue: files that had arrived become ready rows again. The others: `reopen`. */
  takeUp(batch: Batch): void;
  /** After `takeUp`, by the same press: the files that the browser lets us read again. The caller adds them. */
  reopen(batch: Batch): Promise<ReopenedFiles>;
  /** Discard: everything an earlier visit left, or one file of it. */
  discard(batch: Batch, file?: KeptFile): void;
}

/** In the language the app speaks at the moment they are said. */
function currentTexts(): UploadTexts<TextKey<'upload'>> {
  const now = () => createUploadTexts<TextKey<'upload'>>(localeNow(), textOf(localeNow(), 'upload'));
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
  full: null,
  shownElsewhere: [],
  estimate: null,
};

export function createTransferStore(me: Me): TransferStore {
  const texts = currentTexts();
  const announcements = createUploadAnnouncements({ say: announce, warn }, texts, () => performance.now());
  const meter = createRateMeter();
  const state = createStore(nothing);
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
    // The state of the connection is said by the frame, once for everything.
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
      tellAdded(announcements, texts, engine.files(), ids);
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
    takeUp(batch) {
      engine.takeUp(batch);
      refresh(withoutOffer(state.read(), batch));
    },
    reopen: engine.reopen,
    discard(batch, file) {
      engine.forget(batch, file);
      if (file === undefined) refresh(withoutOffer(state.read(), batch));
    },
  };
}

/** What is kept of a batch that is in use is no longer offered; other batches keep theirs. */
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

/** Read at each request, so that a new session's token is in force at once. */
function sessionHeaders(): Record<string, string> {
  const headers = { 'x-csrf-token': csrfToken() };
  session.listen(() => {
    headers['x-csrf-token'] = csrfToken();
  });
  return headers;
}

function offersOf(engine: Engine): TransferState['unfinished'] {
  const kept = batches.map((batch) => [batch, engine.kept(batch)] as const);
  return Object.fromEntries(kept.filter(([, files]) => files.length > 0));
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

/** The connection, the session and the closing of the tab. */
function watchOver(engine: Engine): void {
  engine.listen((event) => {
    if (event.is === 'halted' && event.reason === 'signed-out') void untilSignedIn().then(() => engine.resume());
  });
  connection.listen(() => engine.setOnline(connection.read() === 'online'));
  addEventListener('beforeunload', (event) => {
    if (engine.files().some(isRunning)) event.preventDefault();
  });
}

function tellAdded(
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
