// A hand-over to an account that an administrator could sign in to needs a confirmation.
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { HandOverConfirmationBody } from '#contract/admin/hand-overs.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { EmptyState, Loaded, ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { ReasonField } from '../../parts/reason.tsx';

export function HandOvers() {
  const query = useApi('listHandOverConfirmations', {});
  return (
    <Stack gap={24}>
      <NewRequest />
      <Loaded query={query}>{({ confirmations }) => <Requests confirmations={confirmations} />}</Loaded>
    </Stack>
  );
}

function NewRequest() {
  const text = useText('admin/transfers');
  const [to, setTo] = useState('');
  const [reason, setReason] = useState('');
  const request = useApiChange('requestHandOver', ['admin']);
  const send = () =>
    request.mutate(
      { body: { confirmation: { to, reason } } },
      {
        onSuccess: () => {
          setTo('');
          setReason('');
          announce(text('confirmationRequested'));
        },
      },
    );
  const [toProblem, reasonProblem] = [problemAt(request.error, 'to'), problemAt(request.error, 'reason')];
  return (
    <Card title={text('requestConfirmation')}>
      <Stack gap={16}>
        <p>{text('requestConfirmationHelp')}</p>
        <TextField
          label={text('heir')}
          type="email"
          autoComplete="off"
          value={to}
          onChange={setTo}
          problem={toProblem}
        />
        <ReasonField value={reason} onChange={setReason} problem={reasonProblem} />
        {toProblem === null && reasonProblem === null ? <ProblemNotice error={request.error} /> : null}
        <Row>
          <Button variant="primary" isBusy={request.isPending} isDisabled={to.trim() === ''} onClick={send}>
            {text('requestConfirmation')}
          </Button>
        </Row>
      </Stack>
    </Card>
  );
}

type Person = HandOverConfirmationBody['asked_by'];
const nameOf = ({ name, email, id }: Person) => visibleText(name === '' ? (email === '' ? id : email) : name);
const states = { waiting: 'stateWaiting', confirmed: 'stateConfirmed', ended: 'stateEnded' } as const;

function Requests({ confirmations }: { confirmations: HandOverConfirmationBody[] }) {
  const text = useText('admin/transfers');
  const { dateTime } = useFormats();
  const [selected, setSelected] = useState<HandOverConfirmationBody | null>(null);
  if (confirmations.length === 0) return <EmptyState icon={ShieldCheck}>{text('handOversEmpty')}</EmptyState>;
  const button = (one: HandOverConfirmationBody) =>
    one.may_confirm ? (
      <Button
        size="small"
        aria-label={text('confirmNamed', { person: nameOf(one.new_owner) })}
        onClick={() => setSelected(one)}
      >
        {text('confirm')}
      </Button>
    ) : (
      ''
    );
  return (
    <Card>
      <PlainTable
        caption={text('handOversCaption')}
        isCaptionHidden
        headers={[
          text('newOwner'),
          text('requestedBy'),
          text('reason'),
          text('requestedAt'),
          text('state'),
          text('confirm'),
        ]}
        rows={confirmations.map((one) => ({
          id: one.id,
          cells: [
            <bdi key="owner">{nameOf(one.new_owner)}</bdi>,
            <bdi key="asker">{nameOf(one.asked_by)}</bdi>,
            visibleText(one.reason),
            dateTime(one.asked_at),
            text(states[one.state]),
            button(one),
          ],
        }))}
      />
      {selected === null ? null : <Confirm selected={selected} onClose={() => setSelected(null)} />}
    </Card>
  );
}

function Confirm({ selected, onClose }: { selected: HandOverConfirmationBody; onClose: () => void }) {
  const text = useText('admin/transfers');
  const change = useApiChange('confirmHandOver', ['admin']);
  const names = { person: nameOf(selected.new_owner), by: nameOf(selected.asked_by) };
  const go = () =>
    change.mutate(
      { params: { id: selected.id } },
      {
        onSuccess: () => {
          announce(text('handOverConfirmed'));
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      isDanger
      title={text('confirmTitle')}
      confirmLabel={text('confirm')}
      change={change}
      onConfirm={go}
      onClose={onClose}
    >
      <p>{text('confirmText', names)}</p>
      <p>{visibleText(selected.reason)}</p>
    </ConfirmDialog>
  );
}
