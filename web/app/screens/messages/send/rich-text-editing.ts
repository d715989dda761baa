// Reads the edited element as lines of rich-text.ts after each change.
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { readLines, showIn, type Written, writtenIn } from './rich-text.ts';
import {
  activeToggles,
  apply,
  clearFormatting,
  insertPlain,
  linkAtSelection,
  prepareEditing,
  setLink,
  type Toggle,
  type Tool,
} from './rich-text-commands.ts';

type Editor = RefObject<HTMLDivElement | null>;

export function useEditing(written: Written, onChange: (written: Written) => void) {
  const editor = useRef<HTMLDivElement>(null);
  const { read, redraw } = useContent(editor, written, onChange);
  const { active, refresh, goBack } = useSelectionIn(editor);
  const [editedAddress, setEditedAddress] = useState<string | null>(null);
  const change = (act: () => void) => {
    goBack();
    act();
    read();
    refresh();
  };
  const applyTool = (tool: Tool) => {
    if (tool === 'clear') change(clearFormatting);
    else if (tool !== 'link') change(() => apply(tool));
    else {
      // First, so that the dialog returns the focus to the text.
      goBack();
      setEditedAddress(linkAtSelection()?.getAttribute('href') ?? '');
    }
  };
  const set = (address: string, typed: string) => {
    setEditedAddress(null);
    change(() => setLink(address, typed));
  };
  const events = {
    onInput(event: FormEvent) {
      read();
      // Dropped content may contain foreign formatting.
      if ((event.nativeEvent as InputEvent).inputType === 'insertFromDrop') redraw();
    },
    onKeyDown(event: KeyboardEvent) {
      const isLink = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'k';
      if (!isLink) return;
      event.preventDefault();
      applyTool('link');
    },
    // Bold for the next letters does not change the selection.
    onKeyUp: refresh,
    onPaste: pastePlain,
  };
  return { editor, events, active, applyTool, link: { editedAddress, set, cancel: () => setEditedAddress(null) } };
}

/** The screen handles files. */
function pastePlain(event: ClipboardEvent): void {
  event.preventDefault();
  if (event.clipboardData.files.length === 0) insertPlain(event.clipboardData.getData('text/plain'));
}

/** Rendered only when the draft changed elsewhere, because rendering moves the caret. */
function useContent(editor: Editor, written: Written, onChange: (written: Written) => void) {
  const shown = useRef<Written | null>(null);
  useLayoutEffect(() => {
    if (editor.current === null) return;
    if (shown.current?.html === written.html && shown.current.text === written.text) return;
    shown.current = written;
    showIn(editor.current, written);
  });
  const read = () => {
    if (editor.current === null) return;
    shown.current = writtenIn(readLines(editor.current));
    onChange(shown.current);
  };
  const redraw = () => {
    if (editor.current !== null && shown.current !== null) showIn(editor.current, shown.current);
  };
  return { read, redraw };
}

/** Restores the selection from the bar or a dialog. */
function useSelectionIn(editor: Editor) {
  const [active, setActive] = useState<Toggle[]>([]);
  const last = useRef<Range | null>(null);
  const hasSelection = () => editor.current?.contains(getSelection()?.anchorNode ?? null) === true;
  const refresh = () => {
    if (!hasSelection()) return;
    last.current = getSelection()!.getRangeAt(0).cloneRange();
    const now = activeToggles();
    setActive((before) => (before.join() === now.join() ? before : now));
  };
  const newest = useRef(refresh);
  useEffect(() => {
    newest.current = refresh;
  });
  useEffect(() => {
    prepareEditing();
    const end = new AbortController();
    document.addEventListener('selectionchange', () => newest.current(), { signal: end.signal });
    return () => end.abort();
  }, []);
  const goBack = () => {
    const isInEditor = hasSelection();
    editor.current?.focus();
    if (isInEditor || last.current === null) return;
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(last.current);
  };
  return { active, refresh, goBack };
}
