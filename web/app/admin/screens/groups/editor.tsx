import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { systemAdministrators } from '../../roles.ts';
import { CompareDialog } from './compare.tsx';
import { conflictsIn, type Remarks, warnings } from './conflicts.ts';
import { type Draft, type GroupBody, useDraft } from './draft.ts';
import { ExplainDialog, ReplayDialog } from './dry-runs.tsx';
import classes from './groups.module.css';
import { HistoryDialog } from './history.tsx';
import { type Limits, Setting } from './row.tsx';
import { RulesPreview } from './rules-preview.tsx';
import { SaveBar } from './save-bar.tsx';
import { isMeaningless, keysOf, type SettingSection, sections } from './settings.ts';

type PolicySettings = CallAnswer<'listPolicySettings'>['settings'];

export default function GroupScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const group = useApi('getGroup', { params: { id } });
  const settings = useApi('listPolicySettings', {});
  return (
    <ScreenLoaded query={group}>
      {(opened) => (
        <ScreenLoaded query={settings}>
          {(known) => <Editor key={id} opened={opened.group} settings={known.settings} />}
        </ScreenLoaded>
      )}
    </ScreenLoaded>
  );
}

function Editor({ opened, settings }: { opened: GroupBody; settings: PolicySettings }) {
  const text = useText('admin/group-editor');
  const draft = useDraft(opened);
  const { role } = useMe();
  const [search, setSearch] = useState('');
  const mayChange = systemAdministrators.includes(role);
  const seesPreview = mayChange || role === 'auditor';
  const problems = conflictsIn(draft.value);
  const isPossible = Object.keys(problems).length === 0;
  const shown = useFound(search, draft.base);
  const { members, is_local: isLocal, name } = draft.base;
  return (
    <ConsoleScreen
      changers={systemAdministrators}
      title={visibleText(name)}
      heading={<bdi>{visibleText(name)}</bdi>}
      lead={text('lead', { people: text('people', { n: members }), kind: text(isLocal ? 'local' : 'outside') })}
      back={{ to: '/admin/groups', label: text('back') }}
      actions={<Tools draft={draft} mayChange={mayChange} seesReplay={seesPreview} />}
    >
      <div className={classes.layout} data-preview={seesPreview}>
        <SectionIndex shown={shown} draft={draft} />
        <Stack gap={16}>
          <TextField label={text('search')} value={search} onChange={setSearch} type="search" />
          {shown.length === 0 ? <EmptyState>{text('nothingFound')}</EmptyState> : null}
          <fieldset className={classes.rows} disabled={!mayChange}>
            <Stack gap={16}>
              {shown.map((section) => (
                <Section
                  key={section.id}
                  section={section}
                  draft={draft}
                  limits={limitsOf(settings, isLocal)}
                  problems={problems}
                />
              ))}
            </Stack>
          </fieldset>
          {mayChange ? <SaveBar draft={draft} isPossible={isPossible} /> : null}
          <Unsaved isChanged={Object.keys(draft.changes).length > 0} />
        </Stack>
        {seesPreview ? <RulesPreview draft={draft} isPossible={isPossible} /> : null}
      </div>
    </ConsoleScreen>
  );
}

interface SectionProps {
  section: SettingSection;
  draft: Draft;
  limits: Limits;
  problems: Remarks;
}

function Section({ section, draft, limits, problems }: SectionProps) {
  const text = useText('admin/group-editor');
  const open = warnings(draft.value);
  const say = (searchText: Remarks, key: string) => (searchText[key] === undefined ? null : text(searchText[key]));
  return (
    <div id={`section-${section.id}`}>
      <Card title={text(section.label)} isFlush>
        {section.rows.map((row) => (
          <Setting
            key={row.key}
            row={row}
            draft={draft}
            limits={limits}
            problem={say(problems, row.key)}
            warning={say(open, row.key)}
          />
        ))}
      </Card>
    </div>
  );
}

function SectionIndex({ shown, draft }: { shown: readonly SettingSection[]; draft: Draft }) {
  const text = useText('admin/group-editor');
  return (
    <nav className={classes.sections} aria-label={text('sections')}>
      <ul>
        {shown.map(({ id, label, rows }) => {
          const n = rows.flatMap(keysOf).filter((key) => Object.hasOwn(draft.changes, key)).length;
          return (
            <li key={id}>
              <a
                href={`#section-${id}`}
                onClick={(event) => {
                  event.preventDefault();
                  const section = document.getElementById(`section-${id}`);
                  section?.scrollIntoView();
                  section?.querySelector<HTMLElement>('input, textarea')?.focus({ preventScroll: true });
                }}
              >
                {text(label)} {n === 0 ? null : <span>{text('changedCount', { n })}</span>}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

type Tool = 'history' | 'compare' | 'replay' | 'explain';

function Tools({ draft, mayChange, seesReplay }: { draft: Draft; mayChange: boolean; seesReplay: boolean }) {
  const text = useText('admin/group-editor');
  const { features } = useMe();
  const [tool, setTool] = useState<Tool | null>(null);
  const close = () => setTool(null);
  return (
    <Row>
      <Button onClick={() => setTool('history')}>{text('history')}</Button>
      <Button onClick={() => setTool('compare')}>{text('compare')}</Button>
      {seesReplay ? <Button onClick={() => setTool('replay')}>{text('replay')}</Button> : null}
      {features.administration ? <Button onClick={() => setTool('explain')}>{text('explain')}</Button> : null}
      {tool === 'history' ? <HistoryDialog draft={draft} mayChange={mayChange} onClose={close} /> : null}
      {tool === 'compare' ? <CompareDialog draft={draft} mayChange={mayChange} onClose={close} /> : null}
      {tool === 'replay' ? <ReplayDialog draft={draft} onClose={close} /> : null}
      {tool === 'explain' ? <ExplainDialog onClose={close} /> : null}
    </Row>
  );
}

function useFound(search: string, base: GroupBody): SettingSection[] {
  const text = useText('admin/group-editor');
  const searchText = search.trim().toLowerCase();
  const hidden = base.shipped ? ['is_local', 'role'] : [];
  return sections
    .map((section) => ({
      ...section,
      rows: section.rows.filter(
        (row) =>
          !hidden.includes(row.key) &&
          !isMeaningless(row.key, base.is_local) &&
          [text(section.label), text(row.label), row.help === undefined ? '' : text(row.help), row.key]
            .join(' ')
            .toLowerCase()
            .includes(searchText),
      ),
    }))
    .filter(({ rows }) => rows.length > 0);
}

function limitsOf(settings: PolicySettings, isLocal: boolean): Limits {
  return new Map(
    settings.map(({ key, min, max, default: local, default_outside: outside }) => [
      key,
      {
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
        byDefault: isLocal ? local : outside,
      },
    ]),
  );
}
