import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { HoldBody } from '#contract/admin/legal-holds.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { ReasonDialog } from '../../parts/reason.tsx';
import { administrators } from '../../roles.ts';

export default function LegalHoldsScreen() {
  const text = useText('admin/legal-holds');
  const mayChange = administrators.includes(useMe().role);
  const holds = useApi('listHolds', {});
  const [isNew, setNew] = useState(false);
  return (
    <ConsoleScreen
      title={text('title')}
      lead={text('lead')}
      changers={administrators}
      actions={
        mayChange ? (
          <Button variant="primary" icon={Plus} onClick={() => setNew(true)}>
            {text('newHold')}
          </Button>
        ) : undefined
      }
    >
      <Loaded query={holds}>
        {({ holds: all }) => (
          <Stack gap={24}>
            <InForce holds={all.filter(({ lifted_at }) => lifted_at === null)} mayChange={mayChange} />
            <Lifted holds={all.filter(({ lifted_at }) => lifted_at !== null)} />
          </Stack>
        )}
      </Loaded>
      {isNew ? <NewHold onClose={() => setNew(false)} /> : null}
    </ConsoleScreen>
  );
}

type Target = 'user' | 'transfer';
const targetNames = { user: 'person', transfer: 'transfer' } as const;
const valueNames = { user: 'personLabel', transfer: 'transferLabel' } as const;

function NewHold({ onClose }: { onClose: () => void }) {
  const text = useText('admin/legal-holds');
  const [target, setTarget] = useState<Target>('user');
  const [value, setValue] = useState('');
  const set = useApiChange('setHold', ['admin']);
  const place = (reason: string) =>
    set.mutate(
      { body: { hold: { [target]: value, reason } } },
      {
        onSuccess: () => {
          announce(text('isSet'));
          onClose();
        },
      },
    );
  return (
    <ReasonDialog
      title={text('newHold')}
      confirmLabel={text('setIt')}
      change={set}
      isFirst={false}
      isDisabled={value.trim() === ''}
      onConfirm={place}
      onClose={onClose}
    >
      <p>{text('newHoldHelp')}</p>
      <Select
        label={text('what')}
        value={target}
        onChange={setTarget}
        choices={(['user', 'transfer'] as const).map((one) => ({ value: one, label: text(targetNames[one]) }))}
      />
      <TextField label={text(valueNames[target])} value={value} onChange={setValue} autoComplete="off" isFocusedFirst />
    </ReasonDialog>
  );
}

const kindNames = { user: 'person', message: 'message', link: 'link', request: 'request' } as const;

function useHoldName(): (hold: HoldBody) => string {
  const text = useText('admin/legal-holds');
  return ({ kind, target }) => text('named', { kind: text(kindNames[kind]), id: visibleText(target) });
}

/** Links to the person for roles that may see people. */
function Name({ hold }: { hold: HoldBody }) {
  const name = useHoldName()(hold);
  const isLink = administrators.includes(useMe().role) && hold.kind === 'user';
  if (!isLink) return name;
  return (
    <Link to="/admin/people/$id" params={{ id: hold.target }}>
      {name}
    </Link>
  );
}

function InForce({ holds, mayChange }: { holds: HoldBody[]; mayChange: boolean }) {
  const text = useText('admin/legal-holds');
  const formats = useFormats();
  const nameOf = useHoldName();
  const [lifting, setLifting] = useState<HoldBody | null>(null);
  const button = (hold: HoldBody) => (
    <Button size="small" aria-label={text('liftNamed', { name: nameOf(hold) })} onClick={() => setLifting(hold)}>
      {text('lift')}
    </Button>
  );
  return (
    <Card title={text('inForce')}>
      {holds.length === 0 ? (
        <Muted>{text('none')}</Muted>
      ) : (
        <PlainTable
          caption={text('inForceCaption')}
          isCaptionHidden
          headers={[text('held'), text('why'), text('since'), text('by'), ...(mayChange ? [text('actions')] : [])]}
          rows={holds.map((hold) => ({
            id: hold.id,
            cells: [
              <Name key="name" hold={hold} />,
              visibleText(hold.reason),
              formats.dateTime(hold.set_at),
              visibleText(hold.set_by),
              ...(mayChange ? [button(hold)] : []),
            ],
          }))}
        />
      )}
      {lifting === null ? null : <Lift hold={lifting} onClose={() => setLifting(null)} />}
    </Card>
  );
}

function Lift({ hold, onClose }: { hold: HoldBody; onClose: () => void }) {
  const text = useText('admin/legal-holds');
  const name = useHoldName()(hold);
  const lift = useApiChange('liftHold', ['admin']);
  const go = (reason: string) =>
    lift.mutate(
      { params: { id: hold.id }, body: { lift: { reason } } },
      {
        onSuccess: () => {
          announce(text('isLifted'));
          onClose();
        },
      },
    );
  return (
    <ReasonDialog
      isDanger
      title={text('liftTitle', { name })}
      confirmLabel={text('liftGo')}
      cancelLabel={text('keepHold')}
      change={lift}
      onConfirm={go}
      onClose={onClose}
    >
      <p>{text('liftHelp')}</p>
    </ReasonDialog>
  );
}

function Lifted({ holds }: { holds: HoldBody[] }) {
  const text = useText('admin/legal-holds');
  const formats = useFormats();
  if (holds.length === 0) return null;
  return (
    <Card title={text('lifted')}>
      <PlainTable
        caption={text('liftedCaption')}
        isCaptionHidden
        headers={[text('held'), text('why'), text('liftedWhen'), text('by'), text('liftedWhy')]}
        rows={holds.map((hold) => ({
          id: hold.id,
          cells: [
            <Name key="name" hold={hold} />,
            visibleText(hold.reason),
            formats.dateTime(hold.lifted_at!),
            visibleText(hold.lifted_by),
            visibleText(hold.lift_reason),
          ],
        }))}
      />
    </Card>
  );
}
