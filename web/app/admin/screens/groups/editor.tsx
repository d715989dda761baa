import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { isMeaningless, type SettingSection, sections } from '../../parts/group-settings.ts';
import { Unsaved } from '../../parts/unsaved.tsx';
import { systemAdministrators } from '../../roles.ts';
import { Compare } from './compare.tsx';
import { conflictsIn, type Remarks, warnings } from './conflicts.ts';
import { type Draft, type GroupBody, useDraft } from './draft.ts';
import { ExplainDialog, ReplayDialog } from './dry-runs.tsx';
import classes from './groups.module.css';
import { HistoryDialog } from './history.tsx';
import { type Limits, Setting } from './row.tsx';
import { RulesPreview } from './rules-preview.tsx';
import { SaveBar } from './save-bar.tsx';
import { SectionIndex } from './section-index.tsx';

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
  const draft = useDraft(opened);
  const { params } = useSearchParams();
  const mayChange = systemAdministrators.includes(useMe().role);
  return (
    <>
      {params.compare === undefined ? (
        <Settings draft={draft} settings={settings} mayChange={mayChange} />
      ) : (
        <Compare draft={draft} otherId={String(params.compare)} mayChange={mayChange} />
      )}
      <Unsaved isChanged={Object.keys(draft.changes).length > 0} />
    </>
  );
}

function Settings({ draft, settings, mayChange }: { draft: Draft; settings: PolicySettings; mayChange: boolean }) {
  const text = useText('admin/group-editor');
  const { role } = useMe();
  const [search, setSearch] = useState('');
  const sectionId = useSearchParams().params.section;
  const seesPreview = mayChange || role === 'auditor';
  const problems = conflictsIn(draft.value);
  const isPossible = Object.keys(problems).length === 0;
  const all = useFound('', draft.base);
  const found = useFound(search, draft.base);
  const chosen = search.trim() === '' ? (all.find(({ id }) => id === sectionId) ?? all[0]!) : null;
  const shown = chosen === null ? found : [chosen];
  const { members, is_local: isLocal, name } = draft.base;
  return (
    <ConsoleScreen
      changers={systemAdministrators}
      title={visibleText(name)}
      heading={<bdi>{visibleText(name)}</bdi>}
      lead={text('lead', { people: text('people', { n: members }), kind: text(isLocal ? 'local' : 'outside') })}
      back={{ to: '/admin/groups', label: text('back') }}
      actions={<Tools draft={draft} seesReplay={seesPreview} mayChange={mayChange} />}
    >
      <div className={classes.layout} data-preview={seesPreview}>
        <Stack gap={16}>
          <TextField label={text('search')} value={search} onChange={setSearch} type="search" />
          <SectionIndex
            sections={all}
            chosen={chosen}
            draft={draft}
            problems={problems}
            onChoose={() => setSearch('')}
          />
        </Stack>
        <Stack gap={16}>
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
        </Stack>
        {seesPreview ? <RulesPreview draft={draft} isPossible={isPossible} section={chosen?.id ?? null} /> : null}
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
  );
}

type Tool = 'history' | 'replay' | 'explain';

function Tools({ draft, mayChange, seesReplay }: { draft: Draft; mayChange: boolean; seesReplay: boolean }) {
  const text = useText('admin/group-editor');
  const { features } = useMe();
  const { change } = useSearchParams();
  const [tool, setTool] = useState<Tool | null>(null);
  const close = () => setTool(null);
  return (
    <Row>
      <Button onClick={() => setTool('history')}>{text('history')}</Button>
      <Button onClick={() => change({ compare: 'none' }, { isNewEntry: true })}>{text('compare')}</Button>
      {seesReplay ? <Button onClick={() => setTool('replay')}>{text('replay')}</Button> : null}
      {features.administration ? <Button onClick={() => setTool('explain')}>{text('explain')}</Button> : null}
      {tool === 'history' ? <HistoryDialog draft={draft} mayChange={mayChange} onClose={close} /> : null}
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
