import { useMe } from '../me.ts';
import { loadTexts, useText } from '../texts.ts';
import { Muted, Stack } from '../ui/layout.tsx';
import { NavLink } from '../ui/nav-link.tsx';
import { addConsoleTexts } from './catalogues.ts';
import { type ConsoleSection, sectionsFor } from './navigation.ts';

/** Call before rendering. */
export async function prepareNavigation(): Promise<void> {
  addConsoleTexts();
  await loadTexts(document.documentElement.lang, ['admin/console']);
}

export function ConsoleNavigation({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <Stack gap={20}>
      {sectionsFor(useMe().role).map((section) => (
        <Section key={section.label} section={section} onNavigate={onNavigate} />
      ))}
    </Stack>
  );
}

function Section({
  section: { label, items },
  onNavigate,
}: {
  section: ConsoleSection;
  onNavigate: (() => void) | undefined;
}) {
  const text = useText('admin/console');
  const list = (
    <Stack as="ul" gap={2} {...(label === null ? {} : { label: text(label) })}>
      {items.map(({ to, label, icon }) => (
        <li key={to}>
          <NavLink to={to} icon={icon} onClick={onNavigate}>
            {text(label)}
          </NavLink>
        </li>
      ))}
    </Stack>
  );
  if (label === null) return list;
  return (
    <Stack gap={4}>
      <Muted>{text(label)}</Muted>
      {list}
    </Stack>
  );
}
