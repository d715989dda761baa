import { FileCheck2 } from 'lucide-react';
import { useState } from 'react';
import type { LeaveStatementBody } from '#contract/admin/statements.ts';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { basePath } from '../../../host-page.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonAnchor } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { Notice, problemAt } from '../../../ui/states.tsx';
import { ReasonField } from '../../parts/reason.tsx';

export function Offboarding({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const [isAsking, setAsking] = useState(false);
  const [to, setTo] = useState('');
  const [reason, setReason] = useState('');
  const leave = useApiChange('leaveUser', ['admin']);
  const name = visibleText(person.name === '' ? person.email : person.name);
  const go = () =>
    leave.mutate(
      { params: { id: person.id }, body: { leave: { hand_over_to: to.trim() === '' ? null : to.trim(), reason } } },
      {
        onSuccess: () => {
          setAsking(false);
          announce(text('leftSaid', { name }));
        },
      },
    );
  return (
    <>
      <Button onClick={() => setAsking(true)}>{text('leave')}</Button>
      {leave.data === undefined ? null : <Left statement={leave.data.statement} />}
      {isAsking ? (
        <ConfirmDialog
          isDanger
          hasInput
          title={text('leaveTitle', { name })}
          confirmLabel={text('leaveGo')}
          cancelLabel={text('keepPerson')}
          change={leave}
          fields={['to', 'hand_over_to', 'reason']}
          onConfirm={go}
          onClose={() => setAsking(false)}
        >
          <p>{text('leaveText')}</p>
          <TextField
            label={text('leaveHeir')}
            help={text('leaveHeirHelp')}
            type="email"
            value={to}
            onChange={setTo}
            problem={problemAt(leave.error, 'to') ?? problemAt(leave.error, 'hand_over_to')}
            autoComplete="off"
            isOptional
          />
          <ReasonField value={reason} onChange={setReason} problem={problemAt(leave.error, 'reason')} />
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function Left({ statement }: { statement: LeaveStatementBody }) {
  const text = useText('admin/users');
  const formats = useFormats();
  const { ended, handed_over: given, stopped } = statement.findings;
  const sum = ({ messages, links, requests, deliveries }: typeof given) => messages + links + requests + deliveries;
  return (
    <Notice tone="info">
      <Stack gap={8}>
        <span>
          {text('leftEnded', {
            keys: ended.api_keys,
            sessions: ended.sessions,
            running: ended.uploads + ended.downloads,
          })}
        </span>
        <span>
          {text('leftTransfers', {
            given: sum(given),
            stopped: sum(stopped),
            size: formats.size(given.bytes + stopped.bytes),
          })}
        </span>
        <ButtonAnchor
          icon={FileCheck2}
          size="small"
          href={`${basePath}/admin/statements/${encodeURIComponent(statement.id)}?format=pdf`}
          download=""
        >
          {text('leftPaper')}
        </ButtonAnchor>
      </Stack>
    </Notice>
  );
}
