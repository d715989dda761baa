import { type FormEvent, useState } from 'react';
import { useApiChange } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { systemAdministrators } from '../../roles.ts';
import { KindsField } from './kinds-field.tsx';

const formats = ['standard', 'slack', 'teams', 'matrix'] as const;
export const formatNames = {
  standard: 'formatStandard',
  slack: 'formatSlack',
  teams: 'formatTeams',
  matrix: 'formatMatrix',
} as const;

export function NewWebhook({ allKinds }: { allKinds: readonly string[] }) {
  const text = useText('admin/webhooks');
  const [url, setUrl] = useState('');
  const [kinds, setKinds] = useState<string[]>(['*']);
  const [format, setFormat] = useState<(typeof formats)[number]>('standard');
  const create = useApiChange('createWebhook', ['admin']);
  if (!systemAdministrators.includes(useMe().role)) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const onSuccess = () => {
      setUrl('');
      announce(text('added'));
    };
    create.mutate({ body: { webhook: { url, events: kinds, format } } }, { onSuccess });
  };
  const isNamed = ['url', 'events'].some((field) => problemAt(create.error, field) !== null);
  return (
    <Card title={text('newWebhook')}>
      <form onSubmit={submit}>
        <Stack gap={16} isForm>
          <TextField
            label={text('address')}
            help={text('addressHelp')}
            value={url}
            onChange={setUrl}
            autoComplete="off"
            problem={problemAt(create.error, 'url')}
          />
          <KindsField kinds={allKinds} value={kinds} onChange={setKinds} problem={problemAt(create.error, 'events')} />
          <Select
            label={text('format')}
            value={format}
            onChange={setFormat}
            choices={formats.map((value) => ({ value, label: text(formatNames[value]) }))}
          />
          {isNamed ? null : <ProblemNotice error={create.error} />}
          <Row>
            <Button type="submit" variant="primary" isBusy={create.isPending}>
              {text('add')}
            </Button>
          </Row>
          {create.data === undefined ? null : (
            <CopyField label={text('secret')} help={text('secretHelp')} value={create.data.secret} />
          )}
        </Stack>
      </form>
    </Card>
  );
}
