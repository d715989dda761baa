// One section of settings is shown at a time (`?section=messages`).
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Select } from '../../../ui/choice.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useIsNarrow } from '../../../ui/narrow.ts';
import { keysOf, type SettingSection } from '../../parts/group-settings.ts';
import type { Remarks } from './conflicts.ts';
import type { Draft } from './draft.ts';
import classes from './groups.module.css';

interface Props {
  sections: readonly SettingSection[];
  /** Null while a search is shown. */
  chosen: SettingSection | null;
  draft: Draft;
  problems: Remarks;
  onChoose: () => void;
}

export function SectionIndex({ sections, chosen, draft, problems, onChoose }: Props) {
  const text = useText('admin/group-editor');
  const { change } = useSearchParams();
  const isNarrow = useIsNarrow();
  const changedIn = ({ rows }: SettingSection) =>
    rows.flatMap(keysOf).filter((key) => Object.hasOwn(draft.changes, key)).length;
  const countOf = (section: SettingSection) => {
    const n = changedIn(section);
    return n === 0 ? '' : text('changedCount', { n });
  };
  if (isNarrow)
    return (
      <Select
        label={text('section')}
        value={chosen?.id ?? null}
        choices={sections.map((section) => ({
          value: section.id,
          label: [text(section.label), countOf(section)].filter((part) => part !== '').join(' · '),
        }))}
        onChange={(section) => {
          change({ section });
          onChoose();
        }}
      />
    );
  return (
    <nav className={classes.sections} aria-label={text('sections')}>
      <ul>
        {sections.map((section) => (
          <li key={section.id}>
            <Link
              to="."
              search={((before: object) => ({ ...before, section: section.id })) as never}
              replace
              resetScroll={false}
              aria-current={section.id === chosen?.id ? 'page' : undefined}
              onClick={onChoose}
            >
              {text(section.label)}
              {section.rows.some(({ key }) => problems[key] !== undefined) ? (
                <Icon of={TriangleAlert} label={text('hasProblem')} sizePx={16} />
              ) : null}
              {changedIn(section) === 0 ? null : <span className={classes.count}>{countOf(section)}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
