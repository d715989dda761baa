// Filled as plain text, never as markup.
import type { FileStatus } from '../../../transfer/states.ts';
import { share } from '../../uploads/upload-texts.ts';
import { extensionLabel, splitFileName, visibleParts, visibleText } from '../../visible.ts';
import type { Texts } from './texts.ts';

export interface Row {
  element: HTMLElement;
  update(status: RowStatus): void;
}

export type RowStatus = Pick<FileStatus, 'state' | 'sentBytes' | 'sentence' | 'reason'>;

export interface RowActions {
  pause(): void;
  resume(): void;
  remove(): void;
}

interface RowFile {
  name: string;
  sizeBytes: number;
}

const spokenEveryMs = 1_000;

export function createRow(template: HTMLTemplateElement, file: RowFile, texts: Texts, actions: RowActions): Row {
  const element = (template.content.firstElementChild as HTMLElement).cloneNode(true) as HTMLElement;
  const part = <T extends HTMLElement>(name: string) => element.querySelector<T>(`[data-${name}]`)!;
  const label = visibleText(file.name);
  part('tile').textContent = extensionLabel(file.name) ?? '·';
  part('name').append(fileNameNodes(file.name));
  const line = part('line');
  const state = part('state');
  const icons = [...line.querySelectorAll<HTMLElement>('[data-icon]')];
  const bar = part<HTMLProgressElement>('bar');
  const pause = element.querySelector<HTMLButtonElement>('[data-act="pause"]')!;
  const remove = element.querySelector<HTMLButtonElement>('[data-act="remove"]')!;
  bar.setAttribute('aria-label', label);
  remove.setAttribute('aria-label', texts.say('upload.removeName', { file: label }));
  remove.addEventListener('click', actions.remove);
  let isStopped = false;
  pause.addEventListener('click', () => (isStopped ? actions.resume() : actions.pause()));
  let spokenAt = Number.NEGATIVE_INFINITY;

  return {
    element,
    update(status) {
      const isBad = status.state === 'not-allowed' || status.state === 'failed';
      const text = stateText(status, file, texts);
      if (state.textContent !== text) state.textContent = text;
      const shown = iconOf(status.state);
      for (const icon of icons) icon.hidden = icon.dataset.icon !== shown;
      line.className = `file-size${isBad ? ' state-bad' : status.state === 'ready' ? ' state-good' : ''}`;
      element.toggleAttribute('data-attention', isBad);
      bar.hidden = isBad || status.state === 'ready' || status.state === 'queued';
      bar.value = share(status.sentBytes, file.sizeBytes);
      if (performance.now() - spokenAt > spokenEveryMs) {
        spokenAt = performance.now();
        bar.setAttribute('aria-valuetext', text);
      }
      isStopped = status.state === 'paused' || status.state === 'failed';
      pause.hidden = status.state === 'ready' || status.state === 'not-allowed';
      pause.textContent = texts.say(isStopped ? 'upload.continue' : 'upload.pause');
      const name = isStopped ? 'upload.continueName' : 'upload.pauseName';
      pause.setAttribute('aria-label', texts.say(name, { file: label }));
    },
  };
}

function iconOf(state: RowStatus['state']): string | null {
  if (state === 'ready' || state === 'paused') return state;
  if (state === 'not-allowed' || state === 'failed') return 'bad';
  return state === 'waiting' || state === 'retrying' ? 'waiting' : null;
}

function stateText(status: RowStatus, file: RowFile, texts: Texts): string {
  const sizes = { sent: texts.size(Math.floor(status.sentBytes)), size: texts.size(file.sizeBytes) };
  switch (status.state) {
    case 'queued':
      return texts.say('upload.queued', sizes);
    case 'checking':
      return texts.say('upload.checking', sizes);
    case 'sending':
      return texts.say('upload.progress', sizes);
    case 'finishing':
      return texts.say('upload.finishing', sizes);
    case 'ready':
      return texts.say('upload.ready', sizes);
    case 'paused':
      return texts.say('upload.pausedAt', sizes);
    case 'waiting':
      return texts.say('upload.waiting', sizes);
    case 'retrying':
      return texts.say('upload.retrying', sizes);
    case 'not-allowed':
    case 'failed':
      if (status.sentence !== null) return status.sentence;
      if (status.reason === 'differs') return texts.say('upload.differs');
      return texts.say(status.reason === 'unreadable' ? 'upload.unreadable' : 'upload.refusedPlain');
  }
}

/** Equals the name as rendered by the server. */
function fileNameNodes(name: string): HTMLElement {
  const { stem, extension } = splitFileName(name);
  const inner = document.createElement('bdi');
  inner.className = 'user-text';
  for (const part of visibleParts(extension === '' ? name : stem)) {
    const node = document.createElement('span');
    if (part.isMark) node.className = 'mark';
    node.textContent = part.text;
    inner.append(node);
  }
  if (extension === '') return inner;
  const outer = document.createElement('bdi');
  outer.dir = 'ltr';
  outer.append(inner, extension);
  return outer;
}
