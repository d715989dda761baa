import type { FormEvent } from 'react';
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
import { useFormChanges } from '../../parts/form-changes.ts';
import { Unsaved } from '../../parts/unsaved.tsx';
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

function useDraft(drop: SystemDropBody) {
  const text = useText('admin/filedrops');
  const { values: draft, changes, isChanged, set, reset } = useFormChanges(draftOf(drop));
  const change = useApiChange('changeSystemDrop', ['admin']);
  const save = () => {
    const { receivers, ...rest } = changes;
    const filedrop = receivers === undefined ? rest : { ...rest, receivers: receivers.map(({ address }) => address) };
    const onSuccess = () => {
      reset();
      announce(text('saved'));
    };
    change.mutate({ params: { id: drop.id }, body: { filedrop } }, { onSuccess });
  };
  const setOne =
    <Key extends keyof Draft>(key: Key) =>
    (value: Draft[Key]) =>
      set({ [key]: value } as Partial<Draft>);
  const problem = (field: string) => problemAt(change.error, field);
  return { draft, set: setOne, change, save, isChanged, undo: reset, problem };
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
          <Text form={form} />
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
      <Unsaved isChanged={isChanged} />
    </Card>
  );
}

type Form = ReturnType<typeof useDraft>;

function Text({ form: { draft, set, problem } }: { form: Form }) {
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
