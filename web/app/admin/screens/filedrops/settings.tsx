// What can be changed about a drop page. Only what is different is sent, so that two administrators who change different
// things do not undo each other's work.
import { type FormEvent, useState } from 'react';
import type { SystemDropBody } from '#contract/admin/filedrops.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { NumberField, TextArea, TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import type { Recipient } from '../../../ui/recipients.ts';
import { ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { Receivers } from './receivers.tsx';

const fields = ['title', 'name', 'intro', 'receivers', 'max_size', 'permitted_extensions'];

interface Draft {
  title: string;
  name: string;
  intro: string;
  receivers: Recipient[];
  max_size: number | null;
  permitted_extensions: string;
  confirm_sender: boolean;
}

function draftOf(drop: SystemDropBody): Draft {
  const { title, name, intro, max_size, permitted_extensions, confirm_sender } = drop;
  const receivers = drop.receivers.map((receiver) => ({ address: receiver.email, name: receiver.name }));
  return {
    title,
    name,
    intro,
    receivers,
    max_size,
    permitted_extensions: permitted_extensions.replaceAll(',', ', '),
    confirm_sender,
  };
}

/** Those that differ, as they travel. */
function changesIn(draft: Draft, before: Draft) {
  const wire = ({ receivers, ...rest }: Draft) => ({ ...rest, receivers: receivers.map(({ address }) => address) });
  const known: Record<string, unknown> = wire(before);
  const different = Object.entries(wire(draft)).filter(([key, value]) => `${known[key]}` !== `${value}`);
  return Object.fromEntries(different) as Partial<ReturnType<typeof wire>>;
}

function useDraft(drop: SystemDropBody) {
  const text = useText('admin/filedrops');
  const before = draftOf(drop);
  const [draft, setDraft] = useState(before);
  const change = useApiChange('changeSystemDrop', ['admin']);
  const changes = changesIn(draft, before);
  const save = () =>
    change.mutate(
      { params: { id: drop.id }, body: { filedrop: changes } },
      { onSuccess: () => announce(text('saved')) },
    );
  const set =
    <Key extends keyof Draft>(key: Key) =>
    (value: Draft[Key]) =>
      setDraft({ ...draft, [key]: value });
  const isChanged = Object.keys(changes).length > 0;
  const problem = (field: string) => problemAt(change.error, field);
  return { draft, set, change, save, isChanged, undo: () => setDraft(before), problem };
}

export function DropSettings({ drop }: { drop: SystemDropBody }) {
  const text = useText('admin/filedrops');
  const form = useDraft(drop);
  const { change, save, isChanged, undo, problem } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) save();
  };
  return (
    <Card title={text('settings')}>
      <form onSubmit={submit} noValidate>
        <Stack gap={16}>
          <Words form={form} />
          <Receivers value={form.draft.receivers} onChange={form.set('receivers')} problem={problem('receivers')} />
          <Limits form={form} />
          {fields.some((field) => problem(field) !== null) ? null : <ProblemNotice error={change.error} />}
          <Row>
            <Button type="submit" variant="primary" isBusy={change.isPending} isDisabled={!isChanged}>
              {text('save')}
            </Button>
            {isChanged ? <Button onClick={undo}>{text('undo')}</Button> : null}
          </Row>
        </Stack>
      </form>
    </Card>
  );
}

type Form = ReturnType<typeof useDraft>;

function Words({ form: { draft, set, problem } }: { form: Form }) {
  const text = useText('admin/filedrops');
  return (
    <>
      <TextField
        label={text('name')}
        help={text('nameHelp')}
        value={draft.title}
        onChange={set('title')}
        problem={problem('title')}
      />
      <TextField
        label={text('address')}
        help={text('addressChangeHelp')}
        value={draft.name}
        onChange={set('name')}
        problem={problem('name')}
        autoCapitalize="off"
        spellCheck={false}
      />
      <TextArea
        label={text('intro')}
        help={text('introHelp')}
        isOptional
        value={draft.intro}
        onChange={set('intro')}
        problem={problem('intro')}
      />
    </>
  );
}

function Limits({ form: { draft, set, problem } }: { form: Form }) {
  const text = useText('admin/filedrops');
  return (
    <>
      <NumberField
        label={text('maxSizeMb')}
        help={text('maxSizeHelp')}
        isOptional
        min={1}
        value={draft.max_size}
        onChange={set('max_size')}
        problem={problem('max_size')}
      />
      <TextField
        label={text('types')}
        help={text('typesHelp')}
        isOptional
        value={draft.permitted_extensions}
        onChange={set('permitted_extensions')}
        problem={problem('permitted_extensions')}
        autoCapitalize="off"
        spellCheck={false}
      />
      <Checkbox
        label={text('confirm')}
        help={text('confirmHelp')}
        checked={draft.confirm_sender}
        onChange={set('confirm_sender')}
      />
    </>
  );
}
