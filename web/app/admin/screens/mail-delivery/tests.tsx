import { useState } from 'react';
import { useApi, useApiChange } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Loaded, Notice, ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { CheckList, useCheckSummary } from '../../parts/checks.tsx';

const names: Record<string, TextKey<'admin/mail-delivery'>> = {
  resolve: 'stepResolve',
  connect: 'stepConnect',
  encrypt: 'stepEncrypt',
  token: 'stepToken',
  sign_in: 'stepSignIn',
  sender: 'stepSender',
  recipient: 'stepRecipient',
  queued: 'stepQueued',
};
/** Not translated. */
const records: Record<string, string> = { spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC', ptr: 'PTR' };

export function TestMail() {
  const text = useText('admin/mail-delivery');
  const stepName = useStepName();
  const [to, setTo] = useState(useMe().email);
  const test = useApiChange('testMail', ['admin']);
  const result = test.data?.mail_test;
  const verdict = (isAccepted: boolean) => text(isAccepted ? 'testAccepted' : 'testFailed');
  const send = () =>
    test.mutate(
      { body: { mail_test: { to } } },
      { onSuccess: ({ mail_test: { is_accepted } }) => announce(verdict(is_accepted)) },
    );
  const problem = problemAt(test.error, 'to');
  return (
    <Card title={text('test')}>
      <Stack gap={16} isForm>
        <TextField
          label={text('testTo')}
          help={text('testHelp')}
          type="email"
          value={to}
          onChange={setTo}
          problem={problem}
        />
        <Row>
          <Button isBusy={test.isPending} onClick={send}>
            {text('sendTest')}
          </Button>
        </Row>
        {problem === null ? <ProblemNotice error={test.error} /> : null}
        {result === undefined ? null : (
          <>
            <Notice tone={result.is_accepted ? 'success' : 'danger'}>{verdict(result.is_accepted)}</Notice>
            <CheckList label={text('steps')} checks={result.steps} nameOf={stepName} />
          </>
        )}
      </Stack>
    </Card>
  );
}

export function useStepName(): (step: string) => string {
  const text = useText('admin/mail-delivery');
  return (step) => text(names[step] ?? 'stepQueued');
}

export function DomainCheck({ domain }: { domain: string }) {
  const text = useText('admin/mail-delivery');
  const summary = useCheckSummary();
  const [selector, setSelector] = useState('');
  const [checkedSelector, setCheckedSelector] = useState<string | null>(null);
  const check = useApi(
    'checkMailDomain',
    { query: checkedSelector ? { selector: checkedSelector } : {} },
    { isEnabled: checkedSelector !== null },
  );
  const submit = () => {
    if (checkedSelector === selector) void check.refetch();
    setCheckedSelector(selector);
  };
  return (
    <Card title={text('domainCheck', { domain })}>
      <Stack gap={16} isForm>
        <p>{text('domainHelp')}</p>
        <TextField
          label={text('selector')}
          help={text('selectorHelp')}
          isOptional
          value={selector}
          onChange={setSelector}
          spellCheck={false}
        />
        <Row>
          <Button isBusy={check.isFetching} onClick={submit}>
            {text('check')}
          </Button>
        </Row>
        {checkedSelector === null ? null : (
          <Loaded query={check}>
            {({ domain: { checks } }) => (
              <>
                <p role="status">{summary(checks)}</p>
                <CheckList label={text('domainRecords')} checks={checks} nameOf={(name) => records[name] ?? name} />
              </>
            )}
          </Loaded>
        )}
      </Stack>
    </Card>
  );
}
