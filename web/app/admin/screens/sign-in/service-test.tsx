// Tests a sign-in service with values that need not be saved: the connection, then a sign-in in a second window.
import { useState } from 'react';
import type { CallAnswer, CallInput } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, type useApiChange } from '../../../api.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Pairs, Stack } from '../../../ui/layout.tsx';
import { Loaded, Notice, ProblemNotice } from '../../../ui/states.tsx';

type Found = CallAnswer<'getSignInTest'>['test'];
type Result = NonNullable<Found['result']>;
type Input = CallInput<'startSignInTest'>['body']['sign_in_service'];

interface Props {
  kind: string;
  test: ReturnType<typeof useApiChange<'startSignInTest'>>;
  /** The values of the form. */
  input: () => Input;
  /** A refusal that no field of the form shows. */
  error: unknown;
}

export function TestCard({ kind, test, input, error }: Props) {
  const text = useText('admin/sign-in-services');
  const [login, setLogin] = useState('');
  const run = () => test.mutate({ body: { sign_in_service: input(), ...(login === '' ? {} : { test_login: login }) } });
  return (
    <Card title={text('test')}>
      <Stack gap={16} isForm>
        <p>{text(kind === 'ldap' ? 'testHelpDirectory' : 'testHelp')}</p>
        {kind === 'ldap' ? (
          <TextField label={text('testLogin')} isOptional autoComplete="off" value={login} onChange={setLogin} />
        ) : null}
        <ProblemNotice error={error} />
        <div>
          <Button isBusy={test.isPending} onClick={run}>
            {text('testRun')}
          </Button>
        </div>
        {test.data === undefined ? null : <Progress key={test.data.test.id} started={test.data.test} />}
      </Stack>
    </Card>
  );
}

const pollMs = 2000;

/** Until the second window has ended. */
function Progress({ started }: { started: Found }) {
  const isWaiting = started.url !== null && started.failed === '';
  const query = useApi('getSignInTest', { params: { id: started.id } }, { isEnabled: isWaiting, everyMs: pollMs });
  return <Outcome test={query.data?.test ?? started} />;
}

function Outcome({ test: { failed, url, callback, metadata, result } }: { test: Found }) {
  const text = useText('admin/sign-in-services');
  if (failed !== '') return <Notice tone="danger">{visibleText(failed)}</Notice>;
  if (result !== null) return <ResultOf result={result} />;
  return (
    <Stack gap={16}>
      <Notice tone="success">{text('testAnswers')}</Notice>
      {callback === null ? null : <CopyField label={text('callback')} value={callback} />}
      {url === null ? null : (
        <p>
          <a href={url} target="_blank" rel="noreferrer">
            {text('testOpen')}
          </a>
        </p>
      )}
      {metadata === null ? null : (
        <p>
          <a href={metadata} target="_blank" rel="noreferrer">
            {text('testMetadata')}
          </a>
        </p>
      )}
    </Stack>
  );
}

const effects: Record<NonNullable<Result['would']>, TextKey<'admin/sign-in-services'>> = {
  sign_in: 'wouldSignIn',
  create: 'wouldCreate',
  link: 'wouldLink',
  prove: 'wouldProve',
};

function ResultOf({ result: { refused, claims, matched_groups: matched, would, account, group } }: { result: Result }) {
  const text = useText('admin/sign-in-services');
  const groups = matched.length === 0 ? text('noneMatched') : matched.map(visibleText).join(', ');
  return (
    <Stack gap={16}>
      {would === null ? (
        <Notice tone="warning">{text('wouldRefuse', { reason: refused })}</Notice>
      ) : (
        <Notice tone="success">{text(effects[would], { account, group: visibleText(group) })}</Notice>
      )}
      <Pairs pairs={[{ name: text('matchedGroups'), value: groups }]} />
      <h3>{text('claims')}</h3>
      <Pairs pairs={Object.entries(claims).map(([name, value]) => ({ name, value: visibleText(value) }))} />
    </Stack>
  );
}

/** What the second window shows. */
export function TestWindow({ id }: { id: string }) {
  const text = useText('admin/sign-in-services');
  const query = useApi('getSignInTest', { params: { id } });
  return (
    <Card title={text('test')}>
      <Loaded query={query}>
        {({ test }) => (
          <Stack gap={16}>
            <Outcome test={test} />
            <Muted>{text('testClose')}</Muted>
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}
