// The address of the scanner: saved only after its self-test.
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { useApiChange } from '../../../api.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Pairs, Row, Stack } from '../../../ui/layout.tsx';
import { ProblemNotice } from '../../../ui/states.tsx';
import { CheckList } from '../../parts/checks.tsx';
import { FormCard } from '../../parts/form-card.tsx';
import { useSealedForm } from '../../parts/sealed-form.ts';

type Settings = CallAnswer<'getScanner'>['scanner']['settings'];

interface Props {
  settings: Settings;
  mayChange: boolean;
}

export function ScannerSettings({ settings, mayChange }: Props) {
  if (settings.source === 'environment' || !mayChange) return <Fixed settings={settings} mayChange={mayChange} />;
  return <Editor settings={settings} />;
}

const stepNames: Record<string, TextKey<'admin/scanning'>> = {
  connection: 'step_connection',
  clean_file: 'step_clean_file',
  eicar: 'step_eicar',
  encrypted_file: 'step_encrypted_file',
};

function useSteps() {
  const text = useText('admin/scanning');
  return { label: text('testSteps'), nameOf: (check: string) => text(stepNames[check] ?? 'step_connection') };
}

function Fixed({ settings, mayChange }: Props) {
  const text = useText('admin/scanning');
  const consoleText = useText('admin/console');
  const test = useApiChange('testScanner', ['admin']);
  const steps = useSteps();
  if (settings.source === 'none') return null;
  const variable = settings.fixed.address;
  return (
    <Card title={text('settings')}>
      <Stack gap={16}>
        {variable === undefined ? null : <p>{consoleText('fixedBy', { variable })}</p>}
        <Pairs
          pairs={[
            { name: text('address'), value: settings.address },
            { name: text('timeout'), value: String(settings.timeout_seconds) },
          ]}
        />
        {test.data === undefined ? null : <CheckList {...steps} checks={test.data.scanner_test.steps} />}
        <ProblemNotice error={test.error} />
        {mayChange ? (
          <Row>
            <Button isBusy={test.isPending} onClick={() => test.mutate({ body: {} })}>
              {text('test')}
            </Button>
          </Row>
        ) : null}
      </Stack>
    </Card>
  );
}

const valuesOf = ({ address, certificates, timeout_seconds }: Settings) => ({
  address,
  certificates,
  timeout_seconds: String(timeout_seconds),
});

function Editor({ settings }: { settings: Settings }) {
  const text = useText('admin/scanning');
  const save = useApiChange('changeScannerSettings', ['admin']);
  const test = useApiChange('testScanner', ['admin']);
  const steps = useSteps();
  const form = useSealedForm({ saved: valuesOf(settings), error: save.error ?? test.error });
  const { address, certificates, timeout_seconds } = form.values;
  const body = { scanner_settings: { address, certificates, timeout_seconds: Number(timeout_seconds) } };
  const submit = () => {
    test.reset();
    save.mutate({ body }, { onSuccess: () => announce(text('saved')) });
  };
  const tryOut = () => {
    save.reset();
    test.mutate({ body });
  };
  const { problem } = form.field('timeout_seconds');
  return (
    <FormCard
      title={text('settings')}
      change={save}
      otherError={form.otherError}
      submitLabel={text('testAndSave')}
      submitHelp={text('testAndSaveHelp')}
      savedText={text('saved')}
      onSubmit={submit}
      checks={steps}
      result={test.data === undefined ? null : <CheckList {...steps} checks={test.data.scanner_test.steps} />}
      actions={
        <>
          <Button isBusy={test.isPending} onClick={tryOut}>
            {text('test')}
          </Button>
          {settings.source === 'console' ? (
            <Remove onRemoved={() => form.set({ address: '', certificates: '' })} />
          ) : null}
        </>
      }
    >
      <TextField label={text('address')} {...form.field('address')} help={text('addressHelp')} />
      {address.startsWith('icaps:') || certificates !== '' ? (
        <TextArea
          label={text('certificates')}
          isOptional
          rows={3}
          {...form.field('certificates')}
          help={text('certificatesHelp')}
        />
      ) : null}
      <TextField
        label={text('timeout')}
        inputMode="numeric"
        {...form.field('timeout_seconds')}
        problem={problem === null ? null : text('timeoutBad')}
        help={text('timeoutHelp')}
      />
    </FormCard>
  );
}

function Remove({ onRemoved }: { onRemoved: () => void }) {
  const text = useText('admin/scanning');
  const remove = useApiChange('removeScannerSettings', ['admin']);
  const [isOpen, setOpen] = useState(false);
  const onSuccess = () => {
    onRemoved();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{text('remove')}</Button>
      {isOpen ? (
        <ConfirmDialog
          isDanger
          title={text('removeTitle')}
          confirmLabel={text('remove')}
          cancelLabel={text('keepScanner')}
          change={remove}
          onConfirm={() => remove.mutate({}, { onSuccess })}
          onClose={() => setOpen(false)}
        >
          <p>{text('removeText')}</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
