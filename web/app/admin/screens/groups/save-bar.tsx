import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { ClientProblem } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { call, useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { RadioGroup } from '../../../ui/choice.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Note, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { useSettingNames } from '../../parts/setting-names.ts';
import type { Draft } from './draft.ts';
import classes from './groups.module.css';

type OtherChanges = ClientProblem['conflictingChanges'];

export function SaveBar({ draft, isPossible }: { draft: Draft; isPossible: boolean }) {
  const text = useText('admin/group-editor');
  const [step, setStep] = useState<'review' | OtherChanges | null>(null);
  const n = Object.keys(draft.changes).length;
  if (n === 0) return null;
  return (
    <div className={classes.bar}>
      <strong>
        {text('barChanges', { n })}, {text('people', { n: draft.base.members })}
      </strong>
      {isPossible ? null : <span>{text('fixFirst')}</span>}
      <Button onClick={() => draft.undo()}>{text('undo')}</Button>
      <Button variant="primary" isDisabled={!isPossible} onClick={() => setStep('review')}>
        {text('review')}
      </Button>
      {step === 'review' ? <Review draft={draft} onClose={() => setStep(null)} onConflict={setStep} /> : null}
      {Array.isArray(step) ? <Merge draft={draft} otherChanges={step} onClose={() => setStep(null)} /> : null}
    </div>
  );
}

interface ReviewProps {
  draft: Draft;
  onClose: () => void;
  onConflict: (otherChanges: OtherChanges) => void;
}

function Review({ draft, onClose, onConflict }: ReviewProps) {
  const text = useText('admin/group-editor');
  const { nameOf, valueText } = useSettingNames();
  const change = useApiChange('changeGroup', ['admin']);
  const { base, changes } = draft;
  const save = () =>
    change.mutate(
      { params: { id: base.id }, body: { group: { ...changes, version: base.version } } },
      {
        onSuccess({ group }) {
          draft.rebase(group, {});
          announce(text('saved', { n: group.members }));
          onClose();
        },
        onError(error) {
          if (error instanceof ClientProblem && error.status === 409) onConflict(error.conflictingChanges);
        },
      },
    );
  return (
    <ConfirmDialog
      title={text('review')}
      confirmLabel={text('save')}
      change={change}
      hasInput
      onConfirm={save}
      onClose={onClose}
    >
      <PlainTable
        caption={text('barChanges', { n: Object.keys(changes).length })}
        headers={[text('setting'), text('before'), text('after')]}
        rows={Object.keys(changes).map((key) => ({
          id: key,
          cells: [nameOf(key), valueText(key, base[key]), valueText(key, changes[key])],
        }))}
      />
    </ConfirmDialog>
  );
}

/** Asks for a value of each setting that both administrators changed. */
function Merge({ draft, otherChanges, onClose }: { draft: Draft; otherChanges: OtherChanges; onClose: () => void }) {
  const text = useText('admin/group-editor');
  const { nameOf, valueText } = useSettingNames();
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set());
  const [change, setChange] = useState<{ isPending: boolean; error: Error | null }>({ isPending: false, error: null });
  const isBoth = (key: string) => Object.hasOwn(draft.changes, key);
  const merge = async () => {
    setChange({ isPending: true, error: null });
    try {
      const { group } = await call('getGroup', { params: { id: draft.base.id } });
      const own = Object.entries(draft.changes).filter(([key]) => !theirs.has(key));
      draft.rebase(group, Object.fromEntries(own));
      onClose();
    } catch (error) {
      setChange({ isPending: false, error: error as Error });
    }
  };
  const choose = (setting: string, whose: string) => {
    const chosen = new Set(theirs);
    if (whose === 'theirs') chosen.add(setting);
    else chosen.delete(setting);
    setTheirs(chosen);
  };
  return (
    <ConfirmDialog
      title={text('mergeTitle')}
      confirmLabel={text('mergeGo')}
      change={change}
      hasInput
      onConfirm={() => void merge()}
      onClose={onClose}
    >
      <p>{text('mergeHelp')}</p>
      {otherChanges
        .filter(({ setting }) => isBoth(setting))
        .map(({ setting, to, by }) => (
          <RadioGroup
            key={setting}
            label={nameOf(setting)}
            value={theirs.has(setting) ? 'theirs' : 'mine'}
            onChange={(whose) => choose(setting, whose)}
            choices={[
              { value: 'mine', label: text('mergeMine', { value: valueText(setting, draft.changes[setting]) }) },
              {
                value: 'theirs',
                label: text('mergeTheirs', { name: visibleText(by), value: valueText(setting, to) }),
              },
            ]}
          />
        ))}
      <OtherOnly changes={otherChanges.filter(({ setting }) => !isBoth(setting))} />
    </ConfirmDialog>
  );
}

function OtherOnly({ changes }: { changes: OtherChanges }) {
  const text = useText('admin/group-editor');
  const { nameOf, valueText } = useSettingNames();
  return (
    <Stack as="ul" gap={4}>
      {changes.map(({ setting, to, by }) => (
        <Note key={setting} as="li" icon={ArrowRight} tone="muted">
          {text('mergeOnly', { name: visibleText(by), setting: nameOf(setting), value: valueText(setting, to) })}
        </Note>
      ))}
    </Stack>
  );
}
