// Restores an upload page after a reload. Choosing the same file resumes its upload.
import type { FileSource } from '../../../transfer/ports.ts';
import { isSameFile } from '../../../transfer/rules.ts';
import type { SavedUpload } from '../../../transfer/states.ts';
import { visibleText } from '../../visible.ts';
import { type FileIdentity, textFields } from './draft.ts';
import { createRow } from './rows.ts';
import { type Arrived, find, type UploadPage } from './upload-state.ts';

/** From the start, so that no key is lost. */
export function keepTyped({ form, draft }: UploadPage): void {
  form.addEventListener('input', () => draft.keepFields(fieldsOf(form)));
}

export async function restore(page: UploadPage, choose: () => void): Promise<void> {
  const { area, draft, store } = page;
  if (!draft.isOfThisAccess() && !(await returnToAccess(page))) store.clear();
  const hasTyped = fillFields(page);
  // The server renders their rows.
  const shown = new Set(
    Array.from(page.form.querySelectorAll<HTMLInputElement>('[name="attachments"]'), ({ value }) => value),
  );
  const saved = store.list();
  const added = page.transfers.files().map(({ source }) => source);
  for (const file of draft.read().files) {
    if (added.some((source) => isSameFile(source, file))) continue;
    const arrived = saved.find((one): one is Arrived => one.is === 'arrived' && isSameFile(one, file));
    if (arrived === undefined) page.restored.missing.push(file);
    else if (!shown.has(arrived.attachmentId)) showArrived(page, arrived);
  }
  find(area, 'restored').querySelector('[data-act="choose-again"]')!.addEventListener('click', choose);
  find(area, 'restored')
    .querySelector('[data-act="leave-out"]')!
    .addEventListener('click', () => leaveOut(page));
  find(area, 'restored')
    .querySelector('[data-act="start-over"]')!
    .addEventListener('click', () => startOver(page));
  find(area, 'restored').hidden = !hasTyped && page.restored.arrived.length + page.restored.missing.length === 0;
  showMissing(page);
}

/** A killed browser may lose the cookie with the key of a drop page. Returns whether the stored key is still valid. */
async function returnToAccess({ area, form, draft, store }: UploadPage): Promise<boolean> {
  const shownKey = form.querySelector<HTMLInputElement>('[name="drop_key"]');
  const storedKey = /\/keys\/([^/]+)\/upload$/.exec(draft.access() ?? '')?.[1];
  const id = store.list().flatMap((one) => (one.is === 'arrived' ? [one.attachmentId] : []))[0];
  if (shownKey === null || storedKey === undefined || id === undefined) return false;
  const { upload = '', stateUrl = '' } = area.dataset;
  const withStoredKey = (url: string) => url.replace(`/keys/${shownKey.value}/`, `/keys/${storedKey}/`);
  const answer = await fetch(withStoredKey(stateUrl).replace('{id}', id)).catch(() => null);
  // 404: the key is valid, but a small file was no upload of its own.
  if (answer?.ok !== true && answer?.status !== 404) return false;
  area.dataset.upload = withStoredKey(upload);
  area.dataset.stateUrl = withStoredKey(stateUrl);
  shownKey.value = storedKey;
  return true;
}

/** A changed file starts over. */
export function savedFor(page: UploadPage, source: FileSource): SavedUpload | null {
  const saved = page.store
    .list()
    .flatMap((saved) => (saved.is === 'under-way' && saved.upload.name === source.name ? [saved.upload] : []));
  const same = saved.find((upload) => isSameFile(upload, source)) ?? null;
  if (same === null) {
    for (const upload of saved) page.store.remove(upload);
    if (saved.length > 0) page.announcer.say(page.texts.say('upload.startsOver', { file: visibleText(source.name) }));
  }
  return same;
}

/** A changed file of the same name replaces it. */
export function found(page: UploadPage, file: FileIdentity): void {
  const { missing } = page.restored;
  const match = missing.find((one) => isSameFile(one, file)) ?? missing.find(({ name }) => name === file.name);
  if (match === undefined) return;
  page.restored.missing = missing.filter((one) => one !== match);
  if (!isSameFile(match, file)) page.draft.removeFile(match);
  showMissing(page);
}

function fieldsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(textFields(form).map(({ name, value }) => [name, value]));
}

/** Values from the server are newer than the draft. */
function fillFields({ form, draft }: UploadPage): boolean {
  const { fields } = draft.read();
  let hasTyped = false;
  for (const field of textFields(form)) {
    const saved = fields[field.name] ?? '';
    const isTyped = field.value !== '' && field.value !== saved;
    if (saved === '' || field.defaultValue !== '' || isTyped) continue;
    field.value = saved;
    hasTyped = true;
  }
  return hasTyped;
}

function showMissing(page: UploadPage): void {
  const { area, texts, store, restored } = page;
  const notice = find(area, 'restored');
  const { missing } = restored;
  const saved = store.list();
  const lines = missing.map((file) => {
    const item = document.createElement('li');
    const under = saved.find((one) => one.is === 'under-way' && isSameFile(one.upload, file));
    const name = visibleText(file.name);
    item.textContent =
      under?.is === 'under-way' && under.upload.nextPiece > 0
        ? texts.say('upload.missingPart', { file: name, percent: partOf(under.upload, page) })
        : name;
    return item;
  });
  find(area, 'missing').hidden = missing.length === 0;
  find(area, 'missing-text').textContent = texts.say('upload.missing', { n: missing.length });
  find(area, 'missing-list').replaceChildren(...lines);
  for (const act of ['choose-again', 'leave-out'])
    notice.querySelector<HTMLElement>(`[data-act="${act}"]`)!.hidden = missing.length === 0;
}

function partOf({ nextPiece, pieceBytes, sizeBytes }: SavedUpload, { texts }: UploadPage): string {
  return texts.percent(nextPiece * pieceBytes, sizeBytes);
}

function leaveOut(page: UploadPage): void {
  for (const file of page.restored.missing) {
    page.store.remove(file);
    page.draft.removeFile(file);
  }
  page.restored.missing = [];
  showMissing(page);
  page.delivery.clearProblem();
  document.getElementById('files')?.focus();
}

function startOver(page: UploadPage): void {
  page.store.clear();
  page.draft.clear();
  for (const field of textFields(page.form)) field.value = field.defaultValue;
  for (const { id } of page.transfers.files()) page.transfers.remove(id);
  for (const row of page.restored.arrived) page.list.querySelector(`[data-id="${row.attachmentId}"]`)?.remove();
  page.restored = { arrived: [], missing: [] };
  page.batch.update();
  find(page.area, 'restored').hidden = true;
  page.delivery.changed(page);
  page.delivery.clearProblem();
  document.getElementById('files')?.focus();
}

function showArrived(page: UploadPage, saved: Arrived): void {
  page.restored.arrived.push(saved);
  const row = createRow(find(page.area, 'row'), saved, page.texts, {
    pause() {},
    resume() {},
    remove() {
      row.element.remove();
      page.store.remove(saved);
      page.draft.removeFile(saved);
      page.restored.arrived = page.restored.arrived.filter((one) => one !== saved);
      page.batch.update();
      page.delivery.changed(page);
      document.getElementById('files')?.focus();
    },
  });
  row.element.dataset.id = saved.attachmentId;
  row.update({ state: 'ready', sentBytes: saved.sizeBytes, sentence: null, reason: null });
  page.list.append(row.element);
}
