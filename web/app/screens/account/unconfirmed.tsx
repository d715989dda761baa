// Assigned addresses that a code must confirm.
import { useEffect, useState } from 'react';
import { useApiChange } from '../../api.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { ProblemNotice, problemAt } from '../../ui/states.tsx';

export function Unconfirmed({ addresses }: { addresses: readonly string[] }) {
  const text = useText('account');
  const [open, setOpen] = useState<string | null>(null);
  // The dialog stays open to show the result of the last address.
  if (addresses.length === 0 && open === null) return null;
  return (
    <Card title={text('unconfirmed')}>
      <Stack>
        <Muted>{text('unconfirmedText')}</Muted>
        <Stack as="ul" gap={8}>
          {addresses.map((address) => (
            <li key={address}>
              <Row>
                <strong>{address}</strong>
                <Button size="small" onClick={() => setOpen(address)} aria-label={text('confirmOne', { address })}>
                  {text('confirm')}
                </Button>
              </Row>
            </li>
          ))}
        </Stack>
      </Stack>
      {open === null ? null : <ConfirmAddress address={open} onClose={() => setOpen(null)} />}
    </Card>
  );
}

function ConfirmAddress({ address, onClose }: { address: string; onClose: () => void }) {
  const text = useText('account');
  const { mutate: ask, error: unsent, isSuccess: isSent } = useApiChange('askAddressCode', []);
  const confirm = useApiChange('confirmAddress', ['account', 'me', 'received']);
  const [code, setCode] = useState('');
  useEffect(() => ask({ body: { address } }), [ask, address]);
  const onSuccess = () => {
    announce(text('confirmed', { address }));
    onClose();
  };
  return (
    <ConfirmDialog
      title={text('confirmTitle')}
      confirmLabel={text('confirm')}
      change={confirm}
      fields={['code']}
      hasInput
      onConfirm={() => confirm.mutate({ body: { address, code } }, { onSuccess })}
      onClose={onClose}
    >
      {isSent ? <p>{text.parts('confirmSent', { address: <strong key="address">{address}</strong> })}</p> : null}
      <ProblemNotice error={unsent} />
      <TextField
        label={text('confirmCode')}
        help={text('confirmCodeHelp')}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        problem={problemAt(confirm.error, 'code')}
        isFocusedFirst
      />
      <div>
        <Button size="small" variant="quiet" onClick={() => ask({ body: { address } })}>
          {text('confirmAgain')}
        </Button>
      </div>
    </ConfirmDialog>
  );
}
