// An editable element that shows a draft. The browser edits; after each change the element is read as the lines of
// rich-text.ts.
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
  /** The address of the link that is being asked for. */
  const [asked, setAsked] = useState<string | null>(null);
  const change = (act: () => void) => {
    goBack();
    act();
    read();
    refresh();
  };
  const press = (tool: Tool) => {
    if (tool === 'clear') change(clearFormatting);
    else if (tool !== 'link') change(() => apply(tool));
    else {
      // First, so that the dialog gives the focus back to the text.
      goBack();
      setAsked(linkAtSelection()?.getAttribute('href') ?? '');
    }
  };
  const set = (address: string, typed: string) => {
    setAsked(null);
    change(() => setLink(address, typed));
  };
  const events = {
    onInput(event: FormEvent) {
      read();
      // What was dragged here from elsewhere may look as it did there.
      if ((event.nativeEvent as InputEvent).inputType === 'insertFromDrop') redraw();
    },
    onKeyDown(event: KeyboardEvent) {
      const isLink = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'k';
      if (!isLink) return;
      event.preventDefault();
      press('link');
    },
    // Bold for what will be typed next moves no selection.
    onKeyUp: refresh,
    onPaste: pastePlain,
  };
  return { editor, events, active, press, link: { asked, set, cancel: () => setAsked(null) } };
}

/** Files are taken by the screen. */
function pastePlain(event: ClipboardEvent): void {
  event.preventDefault();
  if (event.clipboardData.files.length === 0) insertPlain(event.clipboardData.getData('text/plain'));
}

/** The element is drawn again only when the draft was changed elsewhere, because that moves the caret. */
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

/** How the selected text is formatted, and the way back to it from the bar or a dialog. */
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
    const isThere = hasSelection();
    editor.current?.focus();
    if (isThere || last.current === null) return;
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(last.current);
  };
  return { active, refresh, goBack };
}
