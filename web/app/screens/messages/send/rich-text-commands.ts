// `document.execCommand` is deprecated but has no replacement; all browsers support it, including undo.

export type Toggle = 'bold' | 'italic' | 'insertUnorderedList' | 'insertOrderedList';

export type Tool = Toggle | 'link' | 'clear';

const toggles: Toggle[] = ['bold', 'italic', 'insertUnorderedList', 'insertOrderedList'];

/** Paragraphs and elements, because the policy forbids styles. */
export function prepareEditing(): void {
  document.execCommand('defaultParagraphSeparator', false, 'p');
  document.execCommand('styleWithCSS', false, 'false');
}

export function activeToggles(): Toggle[] {
  return toggles.filter((toggle) => document.queryCommandState(toggle));
}

export function apply(toggle: Toggle): void {
  const isList = toggle === 'insertUnorderedList' || toggle === 'insertOrderedList';
  if (isList && document.queryCommandState(toggle)) leaveLists();
  else document.execCommand(toggle);
}

/** The browser's command writes inline styles, which the policy blocks. */
function leaveLists(): void {
  const selection = getSelection();
  if (selection === null || selection.rangeCount === 0) return;
  const range = selection.getRangeAt(0);
  const { startContainer, startOffset, endContainer, endOffset } = range;
  const items = document.querySelectorAll<HTMLElement>('[contenteditable="true"] li');
  const paragraphs = [...items].filter((item) => range.intersectsNode(item)).map(leaveList);
  const [first, last] = [paragraphs.at(0), paragraphs.at(-1)];
  if (first === undefined || last === undefined) return;
  // Text nodes have moved with their items; other nodes are gone.
  if (startContainer instanceof Text && endContainer instanceof Text)
    selection.setBaseAndExtent(startContainer, startOffset, endContainer, endOffset);
  else selection.setBaseAndExtent(first, 0, last, last.childNodes.length);
}

function leaveList(item: HTMLElement): HTMLElement {
  const list = item.parentElement!;
  const rest = list.cloneNode() as HTMLElement;
  while (item.nextSibling !== null) rest.append(item.nextSibling);
  const paragraph = document.createElement('p');
  paragraph.append(...item.childNodes);
  item.remove();
  list.after(paragraph, ...(rest.hasChildNodes() ? [rest] : []));
  if (!list.hasChildNodes()) list.remove();
  return paragraph;
}

export function insertPlain(text: string): void {
  document.execCommand('insertText', false, text);
}

export function linkAtSelection(): HTMLAnchorElement | null {
  const node = getSelection()?.anchorNode ?? null;
  const element = node instanceof Element ? node : (node?.parentElement ?? null);
  return element?.closest<HTMLAnchorElement>('[contenteditable] a') ?? null;
}

/** Without a selection, changes the link around the caret or inserts `label`. */
export function setLink(address: string, label: string): void {
  const selection = getSelection();
  if (selection === null) return;
  if (selection.isCollapsed && !selectLink(selection)) {
    insertPlain(label);
    const { focusNode, focusOffset } = selection;
    if (focusNode !== null)
      selection.setBaseAndExtent(focusNode, Math.max(0, focusOffset - label.length), focusNode, focusOffset);
  }
  document.execCommand('unlink');
  document.execCommand('createLink', false, address);
  selection.collapseToEnd();
}

export function clearFormatting(): void {
  const selection = getSelection();
  if (selection?.isCollapsed) selectLink(selection);
  document.execCommand('unlink');
  document.execCommand('removeFormat');
  leaveLists();
}

/** False without a link around the caret. */
function selectLink(selection: Selection): boolean {
  const link = linkAtSelection();
  if (link !== null) selection.selectAllChildren(link);
  return link !== null;
}
