// The press on Send: remembered while files are on their way, then the form goes out with their ids, as a plain form
// that the browser follows by itself. So a refusal comes back as the same page a visitor without script would see.
import type { TransferEvent } from '../../../transfer/states.ts';
import type { Announcer } from '../../uploads/narrator.ts';
import type { UploadPage } from './upload-page.ts';
import type { Words } from './words.ts';

export interface Delivery {
  /** Send was pressed. */
  wish(page: UploadPage): void;
  /** Something happened: sends when it was wished and everything has arrived. */
  check(page: UploadPage, event: TransferEvent): void;
  clearProblem(): void;
  /** The form is going out; no warning then. */
  isLeaving(): boolean;
}

export function prepareDelivery(form: HTMLFormElement, words: Words, announcer: Announcer): Delivery {
  const label = form.querySelector<HTMLElement>('[data-send]')!;
  const labelNodes = Array.from(label.childNodes);
  const problem = document.createElement('p');
  problem.className = 'field-error';
  form.querySelector('[data-live]')!.append(problem);
  problem.hidden = true;
  let isWished = false;
  let isLeaving = false;

  const setWish = (isNow: boolean) => {
    if (isWished === isNow) return;
    isWished = isNow;
    label.replaceChildren(...(isNow ? [words.say('upload.sendLater')] : labelNodes));
  };

  const send = (page: UploadPage) => {
    isLeaving = true;
    for (const id of attachmentIds(page)) {
      const field = document.createElement('input');
      field.type = 'hidden';
      field.name = 'attachments';
      field.value = id;
      form.append(field);
    }
    page.store.clear();
    form.enctype = 'application/x-www-form-urlencoded';
    form.submit();
  };

  const isComplete = (page: UploadPage) => {
    const { fileCount, readyCount } = page.transfers.totals();
    return fileCount === readyCount;
  };

  return {
    isLeaving: () => isLeaving,
    clearProblem() {
      problem.hidden = true;
    },
    wish(page) {
      if (isLeaving) return;
      const kept = form.querySelectorAll('[name="attachments"]:checked').length;
      if (page.transfers.totals().fileCount + kept + page.unfinished.arrived.length === 0) {
        problem.textContent = words.say('upload.noFiles');
        problem.hidden = false;
        announcer.warn(problem.textContent);
        document.getElementById('files')?.focus();
      } else if (isComplete(page)) {
        send(page);
      } else {
        setWish(true);
        announcer.say(words.say('upload.sendSaid'));
      }
    },
    check(page, event) {
      if (!isWished || isLeaving) return;
      // A file that fell by the wayside is not left out behind people's backs: they press again.
      const isLost = event.is === 'state' && (event.file.state === 'failed' || event.file.state === 'not-allowed');
      if (isLost) setWish(false);
      else if (page.transfers.totals().fileCount === 0) setWish(false);
      else if (isComplete(page)) send(page);
    },
  };
}

/** In the order of the rows. */
function attachmentIds(page: UploadPage): string[] {
  const sent = page.transfers.files().flatMap(({ attachmentId }) => (attachmentId === null ? [] : [attachmentId]));
  return [...page.unfinished.arrived.map(({ attachmentId }) => attachmentId), ...sent];
}
