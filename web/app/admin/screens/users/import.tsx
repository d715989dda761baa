// Adding many people from a CSV file: choose it, see what each line would do, then do it. Both take their time in sight, and
// both can be stopped.
import { useState } from 'react';
import { useMe } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { Field, TextArea } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Notice } from '../../../ui/states.tsx';
import { type PersonLine, readPeople } from './csv.ts';
import { ImportProgress, ImportResult } from './import-result.tsx';
import { useImportRun } from './import-run.ts';
import { GroupChoice } from './profile.tsx';

export default function ImportScreen() {
  const text = useText('admin/users');
  const { can_send_mail: canMail } = useMe();
  const { run, start, stop, clear } = useImportRun();
  const [typed, setTyped] = useState('');
  const [group, setGroup] = useState('local-users');
  const [isInvited, setInvited] = useState(canMail);
  const read = typed.trim() === '' ? null : readPeople(typed);
  const lines = read !== null && 'people' in read ? read.people : [];
  const isChecked = run.isDryRun && run.state === 'done';
  const refused = new Set(run.outcomes.filter(({ outcome }) => outcome === 'refused').map(({ line }) => line));
  const good = lines.filter(({ line }) => !refused.has(line));
  const isBusy = run.state === 'running';
  const go = (isDryRun: boolean, some: PersonLine[]) => void start(some, { group, isInvited, isDryRun });
  const change = (value: string) => {
    setTyped(value);
    clear();
  };
  return (
    <Screen title={text('importTitle')} lead={text('importLead')} back={{ to: '/admin/people', label: text('title') }}>
      <Stack gap={24}>
        <Card title={text('importFile')}>
          <Stack>
            <Field label={text('chooseFile')} help={text('chooseFileHelp')}>
              {(wiring) => (
                <input
                  {...wiring}
                  type="file"
                  accept=".csv,.txt,text/csv"
                  disabled={isBusy}
                  onChange={(event) => void event.currentTarget.files?.[0]?.text().then(change)}
                />
              )}
            </Field>
            <TextArea
              label={text('importText')}
              rows={6}
              value={typed}
              onChange={change}
              disabled={isBusy}
              spellCheck={false}
            />
            {read !== null && 'fault' in read ? (
              <Notice tone="warning">
                {text(read.fault === 'no-addresses' ? 'csvNoAddresses' : 'csvQuote', { line: read.line })}
              </Notice>
            ) : null}
            <GroupChoice person={null} value={group} onChange={setGroup} />
            {canMail ? (
              <Checkbox
                label={text('inviteEach')}
                help={text('inviteHelp')}
                checked={isInvited}
                onChange={setInvited}
              />
            ) : (
              <Notice tone="info">{text('mailOff')}</Notice>
            )}
            <Row>
              <Button
                variant={isChecked ? 'secondary' : 'primary'}
                isDisabled={lines.length === 0 || isBusy}
                onClick={() => go(true, lines)}
              >
                {text('importCheck', { n: lines.length })}
              </Button>
              {isChecked && good.length > 0 ? (
                <Button variant="primary" onClick={() => go(false, good)}>
                  {text('importGo', { n: good.length })}
                </Button>
              ) : null}
              {isBusy ? <Button onClick={stop}>{text('stop')}</Button> : null}
            </Row>
          </Stack>
        </Card>
        {isBusy ? <ImportProgress run={run} /> : null}
        {run.state === 'idle' || isBusy ? null : <ImportResult run={run} />}
      </Stack>
    </Screen>
  );
}
