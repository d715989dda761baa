import { useRouterState } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useMe } from '../me.ts';
import { readStored, writeStored } from '../storage.ts';
import { loadTexts, useText } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Stack } from '../ui/layout.tsx';
import { NavLink } from '../ui/nav-link.tsx';
import { addConsoleTexts } from './catalogues.ts';
import classes from './console-navigation.module.css';
import { type ConsoleSection, sectionsFor } from './navigation.ts';

/** Call before rendering. */
export async function prepareNavigation(): Promise<void> {
  addConsoleTexts();
  await loadTexts(document.documentElement.lang, ['admin/console']);
}

interface Props {
  onNavigate: (() => void) | undefined;
}

export function ConsoleNavigation({ onNavigate }: Partial<Props>) {
  return (
    <div className={classes.sections}>
      {sectionsFor(useMe().role).map((section) =>
        section.label === null ? (
          <Items key="first" section={section} onNavigate={onNavigate} />
        ) : (
          <Group key={section.label} label={section.label} section={section} onNavigate={onNavigate} />
        ),
      )}
    </div>
  );
}

type GroupProps = Props & { section: ConsoleSection; label: NonNullable<ConsoleSection['label']> };

function Group({ label, section, onNavigate }: GroupProps) {
  const text = useText('admin/console');
  const id = useId();
  const [isOpen, setOpen] = useOpen(section);
  return (
    <div>
      <button
        type="button"
        className={classes.heading}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {text(label)}
        <Icon of={isOpen ? ChevronDown : ChevronRight} sizePx={16} />
      </button>
      <div id={id} hidden={!isOpen}>
        <Items section={section} onNavigate={onNavigate} />
      </div>
    </div>
  );
}

/** Stored in this browser. Navigating into a collapsed group opens it. */
function useOpen({ label, items }: ConsoleSection): [boolean, (isOpen: boolean) => void] {
  const me = useMe();
  const name = `rail:${label}`;
  const [isOpen, setOpen] = useState(() => readStored<boolean>(me.id, name)?.value ?? true);
  const isCurrent = useRouterState({
    select: ({ location }) => items.some(({ to }) => location.pathname.startsWith(to ?? '/')),
  });
  useEffect(() => {
    if (isCurrent) setOpen(true);
  }, [isCurrent]);
  const change = (next: boolean) => {
    setOpen(next);
    writeStored(me.id, name, next);
  };
  return [isOpen, change];
}

function Items({ section: { label, items }, onNavigate }: Props & { section: ConsoleSection }) {
  const text = useText('admin/console');
  return (
    <Stack as="ul" gap={2} {...(label === null ? {} : { label: text(label) })}>
      {items.map(({ to, label: name, icon }) => (
        <li key={to}>
          <NavLink to={to} icon={icon} isDense onClick={onNavigate}>
            {text(name)}
          </NavLink>
        </li>
      ))}
    </Stack>
  );
}
