// One tab stop, with arrow keys between the buttons.
import { Bold, Italic, Link, List, ListOrdered, type LucideIcon, RemoveFormatting } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { type TextKey, useText } from '../../../texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import classes from './rich-text.module.css';
import type { Toggle, Tool } from './rich-text-commands.ts';

interface ToolButton {
  tool: Tool;
  icon: LucideIcon;
  label: TextKey<'send'>;
  /** Shortcut of the browser, except for the link. */
  letter?: string;
}

const tools: ToolButton[] = [
  { tool: 'bold', icon: Bold, label: 'formatBold', letter: 'B' },
  { tool: 'italic', icon: Italic, label: 'formatItalic', letter: 'I' },
  { tool: 'insertUnorderedList', icon: List, label: 'formatBullets' },
  { tool: 'insertOrderedList', icon: ListOrdered, label: 'formatNumbers' },
  { tool: 'link', icon: Link, label: 'formatLink', letter: 'K' },
  { tool: 'clear', icon: RemoveFormatting, label: 'formatClear' },
];

const steps: Record<string, (at: number) => number> = {
  ArrowRight: (at) => (at + 1) % tools.length,
  ArrowLeft: (at) => (at + tools.length - 1) % tools.length,
  Home: () => 0,
  End: () => tools.length - 1,
};

interface Props {
  controls: string;
  active: readonly Toggle[];
  onClick: (tool: Tool) => void;
}

export function RichTextBar({ controls, active, onClick }: Props) {
  const text = useText('send');
  const bar = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(0);
  const moveFocus = (event: KeyboardEvent) => {
    const next = steps[event.key]?.(stop);
    if (next === undefined) return;
    event.preventDefault();
    setStop(next);
    bar.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={text('formatting')}
      aria-controls={controls}
      tabIndex={-1}
      className={classes.bar}
      onKeyDown={moveFocus}
    >
      {tools.map(({ tool, icon, label, letter }, index) => (
        <IconButton
          key={tool}
          icon={icon}
          label={text(label)}
          tabIndex={index === stop ? 0 : -1}
          aria-keyshortcuts={letter === undefined ? undefined : `Control+${letter} Meta+${letter}`}
          {...(tool === 'clear'
            ? {}
            : tool === 'link'
              ? { 'aria-haspopup': 'dialog' as const }
              : { 'aria-pressed': active.includes(tool) })}
          // Keeps the focus in the text.
          onMouseDown={(event) => event.preventDefault()}
          onFocus={() => setStop(index)}
          onClick={() => onClick(tool)}
        />
      ))}
    </div>
  );
}
