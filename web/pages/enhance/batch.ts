// Folds twenty files and more into a summary. Files that need attention stay visible.
import type { Texts } from './texts.ts';

export interface Batch {
  update(): void;
}

export interface BatchFiles {
  count(): number;
  sizeBytes(): number;
  removeAll(): void;
}

const largeFrom = 20;

export function createBatch(area: HTMLElement, texts: Texts, files: BatchFiles): Batch {
  const part = <T extends HTMLElement>(selector: string) => area.querySelector<T>(selector)!;
  const head = part('[data-batch]');
  const text = part('[data-batch-text]');
  const list = part('.upload-list');
  const toggle = part<HTMLButtonElement>('[data-act="show-all"]');
  const dialog = part<HTMLDialogElement>('[data-ask]');
  let isOpen = false;

  const fold = () => {
    list.classList.toggle('upload-list-folded', !head.hidden && !isOpen);
    toggle.setAttribute('aria-expanded', String(isOpen));
    toggle.textContent = texts.say(isOpen ? 'upload.showFewer' : 'upload.showAll');
  };
  toggle.addEventListener('click', () => {
    isOpen = !isOpen;
    fold();
  });
  part('[data-act="remove-all"]').addEventListener('click', () => {
    part('[data-ask-text]').textContent = texts.say('upload.removeAllAsk', { n: files.count() });
    dialog.showModal();
  });
  part('[data-act="keep-all"]').addEventListener('click', () => dialog.close());
  part('[data-act="remove-all-now"]').addEventListener('click', () => {
    dialog.close();
    files.removeAll();
    document.getElementById('files')?.focus();
  });

  return {
    update() {
      const n = files.count();
      if (head.hidden !== n < largeFrom) {
        head.hidden = n < largeFrom;
        isOpen = false;
        fold();
      }
      const sentence = texts.say('message.fileCount', { n, size: texts.size(files.sizeBytes()) });
      if (!head.hidden && text.textContent !== sentence) text.textContent = sentence;
    },
  };
}
