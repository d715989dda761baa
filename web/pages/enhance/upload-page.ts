import { createTransfers, type Transfers } from '../../../transfer/engine.ts';
import { createRateMeter } from '../../../transfer/rate.ts';
import { type Limits, refusalOf } from '../../../transfer/rules.ts';
import { type FileState, isOver, type TransferEvent } from '../../../transfer/states.ts';
import { timers } from '../../../transfer/timers.ts';
import { createUploadAnnouncements } from '../../uploads/announcements.ts';
import { durableStorage, recoverStorage } from '../../uploads/durable-storage.ts';
import { sendByBrowser, sourceOfFile } from '../../uploads/network.ts';
import { acceptDrops, chooseFiles, type Picked } from '../../uploads/pick.ts';
import { refusalText } from '../../uploads/refusal-text.ts';
import { createUploadStore } from '../../uploads/saved-uploads.ts';
import { findAnnouncer } from './announcer.ts';
import { createBatch } from './batch.ts';
import { prepareDelivery } from './delivery.ts';
import { createDraftStore, type FileIdentity } from './draft.ts';
import { found, keepTyped, restore, savedFor } from './restore.ts';
import { createRow, type Row } from './rows.ts';
import { createTexts, readMessages, type Texts } from './texts.ts';
import { createTotal } from './total.ts';
import { find, type UploadPage } from './upload-state.ts';

export function startUploads(area: HTMLElement, form: HTMLFormElement): void {
  const texts = createTexts(document.documentElement.lang, readMessages(find(area, 'texts')));
  const announcer = findAnnouncer();
  const storage = durableStorage();
  const store = createUploadStore(storage, `waybill:upload:${location.pathname}`, () => Date.now());
  const page: UploadPage = {
    area,
    form,
    texts,
    announcer,
    announcements: createUploadAnnouncements(announcer, texts, () => performance.now()),
    store,
    draft: createDraftStore(storage, `waybill:draft:${location.pathname}`, area.dataset.upload ?? ''),
    meter: createRateMeter(),
    transfers: openTransfers(area, texts, () => page.restored.arrived),
    list: area.querySelector<HTMLElement>('.upload-list')!,
    rows: new Map(),
    total: createTotal(area, texts),
    delivery: prepareDelivery(form, texts, announcer),
    batch: createBatch(area, texts, {
      count: () => page.list.childElementCount,
      sizeBytes: () => filesOf(page).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      removeAll: () => removeAll(page),
    }),
    restored: { arrived: [], missing: [] },
  };
  page.transfers.listen((event) => handle(page, event));
  revealLiveArea(page);
  keepTyped(page);
  void recoverStorage()
    .then(() => restore(page, () => choose(page, false)))
    .then(() => page.batch.update());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    page.delivery.queue(page);
  });
  watchWindow(page);
}

function watchWindow(page: UploadPage): void {
  addEventListener('online', () => page.transfers.setOnline(true));
  addEventListener('offline', () => page.transfers.setOnline(false));
  addEventListener('beforeunload', (event) => {
    const isRunning = page.transfers.files().some(({ state }) => !isOver(state));
    if (!page.delivery.isLeaving() && (isRunning || page.delivery.isQueued())) event.preventDefault();
  });
}

function openTransfers(area: HTMLElement, texts: Texts, arrivedBefore: () => FileIdentity[]): Transfers {
  const { csrf, chunkSize, firstUploadId } = area.dataset;
  const limits = limitsOf(area);
  return createTransfers({
    send: sendByBrowser,
    clock: timers,
    random: Math.random,
    get uploadUrl() {
      return area.dataset.upload ?? '';
    },
    get stateUrl() {
      return area.dataset.stateUrl ?? '';
    },
    headers: csrf === undefined ? {} : { 'x-csrf-token': csrf },
    firstUploadId: firstUploadId ?? null,
    probeUrl: location.href,
    chunkBytes: Number(chunkSize),
    followsConnection: true,
    refuse(source, accepted) {
      const refusal = refusalOf(source, [...arrivedBefore(), ...accepted], limits);
      return refusal === null ? null : refusalText(refusal, texts);
    },
  });
}

function limitsOf({ dataset }: HTMLElement): Limits {
  const namesIn = (list: string | undefined) => (list ?? '').split(' ').filter((word) => word !== '');
  return {
    maxTotalBytes: dataset.maxTotal === undefined ? null : Number(dataset.maxTotal),
    maxFiles: dataset.maxFiles === undefined ? null : Number(dataset.maxFiles),
    permittedExtensions: namesIn(dataset.permitted),
    blockedExtensions: namesIn(dataset.blocked),
  };
}

/** Links to the hidden inputs lead to the button instead. */
function revealLiveArea(page: UploadPage): void {
  const { area } = page;
  const plain = find(area, 'plain');
  for (const input of plain.querySelectorAll('input')) {
    input.disabled = true;
    input.removeAttribute('id');
  }
  plain.hidden = true;
  find(area, 'live').hidden = false;
  const on = (act: string, onClick: () => void) => {
    for (const button of area.querySelectorAll(`[data-live] [data-act="${act}"]`))
      button.addEventListener('click', onClick);
  };
  area.querySelector('[data-act="choose"]')!.id = 'files';
  on('choose', () => choose(page, false));
  on('folder', () => choose(page, true));
  on('resume-all', () => resumeAll(page));
  on('pause-all', () => (page.total.isPaused() ? resumeAll(page) : pauseAll(page)));
  acceptDrops(find(area, 'overlay'), (picked) => addFiles(page, picked));
}

function choose(page: UploadPage, isFolder: boolean): void {
  chooseFiles(isFolder, (picked) => addFiles(page, picked));
}

function addFiles(page: UploadPage, picked: Picked[]): void {
  const { transfers, texts } = page;
  const ids = picked.map(({ file, path }) => {
    const source = sourceOfFile(file, path);
    return transfers.add(source, savedFor(page, source));
  });
  const added = transfers.files().filter(({ id }) => ids.includes(id));
  const accepted = added.filter(({ state }) => state !== 'not-allowed');
  const refused = added.filter(({ state }) => state === 'not-allowed');
  if (accepted.length > 0) {
    page.draft.addFiles(accepted.map(({ source }) => source));
    for (const { source } of accepted) found(page, source);
    page.announcements.added(
      accepted.length,
      accepted.reduce((sum, { source }) => sum + source.sizeBytes, 0),
    );
  }
  page.announcements.refused(
    refused.map(({ source, sentence }) => texts.say('upload.notAdded', { file: source.name, reason: sentence ?? '' })),
  );
  page.delivery.clearProblem();
}

function filesOf(page: UploadPage): FileIdentity[] {
  return [...page.restored.arrived, ...page.transfers.files().map(({ source }) => source)];
}

function removeAll(page: UploadPage): void {
  for (const file of filesOf(page)) {
    page.store.remove(file);
    page.draft.removeFile(file);
  }
  for (const { id } of page.transfers.files()) page.transfers.remove(id);
  page.restored.arrived = [];
  page.list.replaceChildren();
  page.batch.update();
  page.delivery.changed(page);
  page.delivery.clearProblem();
  page.announcer.say(page.texts.say('upload.removedAll'));
}

function pauseAll(page: UploadPage): void {
  page.transfers.pause();
  page.announcements.paused();
}

function resumeAll(page: UploadPage): void {
  showTrouble(page, null);
  page.meter.reset();
  page.transfers.resume();
  page.announcements.resumed();
}

function handle(page: UploadPage, event: TransferEvent): void {
  const { store, rows, texts } = page;
  if (event.is === 'state' || event.is === 'progress') rowOf(page, event.file).update(event.file);
  if (event.is === 'saved') store.save({ is: 'under-way', upload: event.upload, keptAt: Date.now() });
  if (event.is === 'removed') {
    rows.get(event.id)?.element.remove();
    rows.delete(event.id);
  }
  if (event.is === 'state' && event.file.state === 'ready') saveArrived(page, event.file);
  const isLost = event.is === 'state' && event.was !== event.file.state && isHopeless(event.file.state);
  if (isLost) {
    store.remove(event.file.source);
    if (event.was !== 'not-allowed') page.draft.removeFile(event.file.source);
  }
  // A failed file that is retried is saved again.
  if (event.is === 'state' && event.was === 'failed') page.draft.addFiles([event.file.source]);
  if (event.is === 'offline') showTrouble(page, texts.say('upload.offline'), false);
  if (event.is === 'online') showTrouble(page, null);
  if (event.is === 'halted') {
    const sentence = event.sentence ?? texts.say(event.reason === 'full' ? 'upload.full' : 'upload.signedOut');
    // An expired key stays expired: no Continue button.
    showTrouble(page, sentence, event.reason === 'full');
    page.announcer.warn(sentence);
  }
  if (event.is === 'state' || event.is === 'removed') page.batch.update();
  const totals = page.transfers.totals();
  page.meter.note(totals.sentBytes, performance.now());
  page.total.update(page.transfers.files(), totals, page.meter);
  page.announcements.handle(event, { ...totals, secondsLeft: page.total.secondsLeft() });
  page.delivery.check(page, event);
}

function isHopeless(state: FileState): boolean {
  return state === 'not-allowed' || state === 'failed';
}

function rowOf(page: UploadPage, file: { id: string; source: { name: string; sizeBytes: number } }): Row {
  const known = page.rows.get(file.id);
  if (known) return known;
  const row = createRow(find(page.area, 'row'), file.source, page.texts, {
    pause: () => page.transfers.pause(file.id),
    resume: () => page.transfers.resume(file.id),
    remove() {
      const status = page.transfers.files().find(({ id }) => id === file.id);
      // A refused duplicate shares the saved entry of the file it duplicates.
      if (status && status.state !== 'not-allowed') {
        page.store.remove(status.source);
        page.draft.removeFile(status.source);
      }
      const next = (row.element.nextElementSibling ?? row.element.previousElementSibling) as HTMLElement | null;
      page.transfers.remove(file.id);
      // Removing the focused button would lose the focus.
      (next?.querySelector<HTMLElement>('[data-act="remove"]') ?? document.getElementById('files'))?.focus();
    },
  });
  page.rows.set(file.id, row);
  page.list.append(row.element);
  return row;
}

function saveArrived(
  page: UploadPage,
  file: { attachmentId: string | null; source: { name: string; sizeBytes: number; modifiedAt: number | null } },
): void {
  const { name, sizeBytes, modifiedAt } = file.source;
  if (file.attachmentId === null) return;
  const { attachmentId } = file;
  page.store.save({ is: 'arrived', attachmentId, name, sizeBytes, modifiedAt, keptAt: Date.now() });
}

function showTrouble({ area }: UploadPage, sentence: string | null, hasButton = false): void {
  const notice = find(area, 'trouble');
  notice.hidden = sentence === null;
  find(area, 'trouble-text').textContent = sentence;
  notice.querySelector<HTMLElement>('.actions')!.hidden = !hasButton;
}
