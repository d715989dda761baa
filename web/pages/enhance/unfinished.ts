// What an earlier visit left: offered again, taken up when the same file is chosen, or thrown away.
import type { FileSource } from '../../../transfer/ports.ts';
import { isSameFile } from '../../../transfer/rules.ts';
import type { SavedUpload } from '../../../transfer/states.ts';
import { fileOf, type Kept } from '../../uploads/kept.ts';
import { visibleText } from '../../visible.ts';
import { createRow } from './rows.ts';
import type { UploadPage } from './upload-page.ts';

export interface ArrivedFile {
  attachmentId: string;
  name: string;
  sizeBytes: number;
}

/** Files that arrived during an earlier visit and go out with the next delivery. */
export interface Unfinished {
  arrived: ArrivedFile[];
}

export function offerUnfinished(page: UploadPage, choose: () => void): void {
  const { area, store, words } = page;
  // What the server shows in the form already needs no offer.
  const shown = new Set(
    Array.from(page.form.querySelectorAll<HTMLInputElement>('[name="attachments"]'), ({ value }) => value),
  );
  const kept = store.list().filter((one) => one.is === 'under-way' || !shown.has(one.attachmentId));
  if (kept.length === 0) return;
  const notice = area.querySelector<HTMLElement>('[data-unfinished]')!;
  notice.querySelector('[data-unfinished-text]')!.textContent = words.say('upload.unfinishedCount', { n: kept.length });
  const list = notice.querySelector('[data-unfinished-list]')!;
  for (const one of kept) {
    const item = document.createElement('li');
    item.textContent = lineOf(page, one);
    list.append(item);
  }
  notice.hidden = false;
  notice.querySelector('[data-act="continue"]')!.addEventListener('click', () => {
    notice.hidden = true;
    for (const one of kept) if (one.is === 'arrived') showArrived(page, one);
    if (kept.some((one) => one.is === 'under-way')) choose();
    else document.getElementById('files')?.focus();
  });
  notice.querySelector('[data-act="discard"]')!.addEventListener('click', () => {
    notice.hidden = true;
    store.clear();
    document.getElementById('files')?.focus();
  });
}

function lineOf({ words }: UploadPage, kept: Kept): string {
  const file = visibleText(fileOf(kept).name);
  if (kept.is === 'arrived') return words.say('upload.arrivedBefore', { file });
  const { nextPiece, pieceBytes, sizeBytes } = kept.upload;
  return words.say('upload.chooseAgain', { file, percent: words.percent(nextPiece * pieceBytes, sizeBytes) });
}

/** Where a chosen file goes on. One that has changed since starts over, and that is said. */
export function savedFor(page: UploadPage, source: FileSource): SavedUpload | null {
  const saved = page.store
    .list()
    .flatMap((kept) => (kept.is === 'under-way' && kept.upload.name === source.name ? [kept.upload] : []));
  const same = saved.find((upload) => isSameFile(upload, source));
  if (same) return same;
  for (const upload of saved) page.store.forget(upload);
  if (saved.length > 0) page.announcer.say(page.words.say('upload.startsOver', { file: visibleText(source.name) }));
  return null;
}

function showArrived(page: UploadPage, kept: Extract<Kept, { is: 'arrived' }>): void {
  page.unfinished.arrived.push(kept);
  const row = createRow(page.area.querySelector<HTMLTemplateElement>('[data-row]')!, kept, page.words, {
    pause() {},
    goOn() {},
    remove() {
      row.element.remove();
      page.store.forget(kept);
      page.unfinished.arrived = page.unfinished.arrived.filter((one) => one !== kept);
      document.getElementById('files')?.focus();
    },
  });
  row.update({ state: 'ready', sentBytes: kept.sizeBytes, sentence: null, reason: null });
  page.list.append(row.element);
}
