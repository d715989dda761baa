import { useState } from 'react';
import { useMe } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { FileField } from '../../../ui/file-field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Notice } from '../../../ui/states.tsx';
import { type PersonLine, readPeople } from './csv.ts';
import { ImportProgress, ImportResult } from './import-result.tsx';
import { useImportRun } from './import-run.ts';
import { GroupChoice } from './profile.tsx';

function useImport() {
  const { can_send_mail: canMail } = useMe();
  const running = useImportRun();
  const { run, start, clear } = running;
  const [typed, setTyped] = useState('');
  const [group, setGroup] = useState('local-users');
  const [isInvited, setInvited] = useState(canMail);
  const read = typed.trim() === '' ? null : readPeople(typed);
  const lines = read !== null && 'people' in read ? read.people : [];
  const refused = new Set(run.outcomes.filter(({ outcome }) => outcome === 'refused').map(({ line }) => line));
  const go = (isDryRun: boolean, some: PersonLine[]) => void start(some, { group, isInvited, isDryRun });
  return {
    ...running,
    ...{ typed, group, setGroup, isInvited, setInvited, canMail, lines },
    fault: read !== null && 'fault' in read ? read : null,
    isBusy: run.state === 'running',
    isChecked: run.isDryRun && run.state === 'done',
    good: lines.filter(({ line }) => !refused.has(line)),
    check: () => go(true, lines),
    add(some: PersonLine[]) {
      go(false, some);
    },
    change(value: string) {
      setTyped(value);
      clear();
    },
  };
}

type Import = ReturnType<typeof useImport>;

export default function ImportScreen() {
  const text = useText('admin/users');
  const form = useImport();
  const { run, isBusy, isChecked, lines, good } = form;
  return (
    <Screen title={text('importTitle')} lead={text('importLead')} back={{ to: '/admin/people', label: text('title') }}>
      <Stack gap={24}>
        <Card title={text('importFile')}>
          <Stack>
            <List form={form} />
            <Row>
              <Button
                variant={isChecked ? 'secondary' : 'primary'}
                isDisabled={lines.length === 0 || isBusy}
                onClick={form.check}
              >
                {text('importCheck', { n: lines.length })}
              </Button>
              {isChecked && good.length > 0 ? (
                <Button variant="primary" onClick={() => form.add(good)}>
                  {text('importGo', { n: good.length })}
                </Button>
              ) : null}
              {isBusy ? <Button onClick={form.stop}>{text('stop')}</Button> : null}
            </Row>
          </Stack>
        </Card>
        {isBusy ? <ImportProgress run={run} /> : null}
        {run.state === 'idle' || isBusy ? null : <ImportResult run={run} />}
      </Stack>
    </Screen>
  );
}

function List({ form }: { form: Import }) {
  const text = useText('admin/users');
  const { fault, isBusy } = form;
  return (
    <>
      <FileField
        label={text('chooseFile')}
        help={text('chooseFileHelp')}
        accept=".csv,.txt,text/csv"
        isDisabled={isBusy}
        onChoose={(file) => void file.text().then(form.change)}
      />
      <TextArea
        label={text('importText')}
        rows={6}
        value={form.typed}
        onChange={form.change}
        disabled={isBusy}
        spellCheck={false}
      />
      {fault === null ? null : (
        <Notice tone="warning">
          {text(fault.fault === 'no-addresses' ? 'csvNoAddresses' : 'csvQuote', { line: fault.line })}
        </Notice>
      )}
      <GroupChoice person={null} value={form.group} onChange={form.setGroup} />
      {form.canMail ? (
        <Checkbox
          label={text('inviteEach')}
          help={text('inviteHelp')}
          checked={form.isInvited}
          onChange={form.setInvited}
        />
      ) : (
        <Notice tone="info">{text('mailOff')}</Notice>
      )}
    </>
  );
}
