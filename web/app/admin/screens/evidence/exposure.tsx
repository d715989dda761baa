import { useState } from 'react';
import type { ExposureStatementBody } from '#contract/admin/statements.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Notice, ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { systemAdministrators } from '../../roles.ts';

type Subject = 'user' | 'api_key' | 'address' | 'ip';
const subjectNames = { user: 'byUser', api_key: 'byKey', address: 'byAddress', ip: 'byIp' } as const;

export function Exposure() {
  const text = useText('admin/evidence');
  const mayAskNetworks = systemAdministrators.includes(useMe().role);
  const [subject, setSubject] = useState<Subject>('user');
  const [value, setValue] = useState('');
  const [from, setFrom] = useState<string | null>(null);
  const [to, setTo] = useState<string | null>(null);
  const { today } = useMe();
  const range = { today, min: '2000-01-01', max: null, quickDays: [] };
  const state = useApiChange('stateExposure', ['admin']);
  const subjects = (['user', 'address', 'api_key', 'ip'] as const).filter((one) => one !== 'ip' || mayAskNetworks);
  const submit = () =>
    state.mutate(
      { body: { exposure: { [subject]: value, from: from ?? '', to: to ?? '' } } },
      { onSuccess: () => announce(text('exposureMade')) },
    );
  const isNamed = ['from', 'to', subject].some((field) => problemAt(state.error, field) !== null);
  return (
    <Card title={text('exposure')}>
      <Stack gap={16} isForm>
        <p>{text('exposureHelp')}</p>
        <Select
          label={text('subject')}
          value={subject}
          onChange={setSubject}
          choices={subjects.map((one) => ({ value: one, label: text(subjectNames[one]) }))}
        />
        <TextField
          label={text(subjectNames[subject])}
          value={value}
          onChange={setValue}
          autoComplete="off"
          problem={problemAt(state.error, subject)}
        />
        <DateField
          label={text('from')}
          {...range}
          value={from}
          onChange={setFrom}
          problem={problemAt(state.error, 'from')}
        />
        <DateField label={text('to')} {...range} value={to} onChange={setTo} problem={problemAt(state.error, 'to')} />
        {isNamed ? null : <ProblemNotice error={state.error} />}
        <Row>
          <Button variant="primary" isBusy={state.isPending} onClick={submit}>
            {text('stateIt')}
          </Button>
        </Row>
        {state.data === undefined ? null : <Found statement={state.data.statement} />}
      </Stack>
    </Card>
  );
}

function Found({ statement }: { statement: ExposureStatementBody }) {
  const text = useText('admin/evidence');
  const formats = useFormats();
  const { reachable, left, closed } = statement.findings;
  return (
    <Notice tone="info">
      <Stack gap={4}>
        <span>
          {text('foundReach', {
            transfers: reachable.transfers,
            files: reachable.files,
            size: formats.size(reachable.bytes),
          })}
        </span>
        <span>{text('foundLeft', { n: left.downloads, size: formats.size(left.bytes) })}</span>
        <span>{text('foundClosed', { closed: closed.transfers, open: closed.open })}</span>
      </Stack>
    </Notice>
  );
}
