import { useDeferredValue, useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { ReasonDialog } from '../../parts/reason.tsx';

type Passkey = CallAnswer<'listRecipientPasskeys'>['passkeys'][number];

export function RecipientPasskeys({ mayChange }: { mayChange: boolean }) {
  const text = useText('admin/security');
  const [typed, setTyped] = useState('');
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const address = useDeferredValue(typed.trim());
  const passkeys = useApi('listRecipientPasskeys', { query: address === '' ? {} : { address } });
  return (
    <Card title={text('passkeys')}>
      <Stack gap={16}>
        <p>{text('passkeysHelp')}</p>
        <Stack isForm>
          <TextField
            label={text('passkeysFind')}
            value={typed}
            onChange={setTyped}
            autoComplete="off"
            maxLength={320}
          />
        </Stack>
        <Loaded query={passkeys}>
          {({ passkeys: found, complete }) =>
            found.length === 0 ? (
              <Muted>{text(address === '' ? 'noPasskeys' : 'noPasskeysFound')}</Muted>
            ) : (
              <>
                <Table passkeys={found} onRemove={mayChange ? setRemoved : null} />
                {complete ? null : <Muted>{text('morePasskeys')}</Muted>}
              </>
            )
          }
        </Loaded>
      </Stack>
      {removed === null ? null : <Removal passkey={removed} onClose={() => setRemoved(null)} />}
    </Card>
  );
}

function Table({
  passkeys,
  onRemove,
}: {
  passkeys: readonly Passkey[];
  onRemove: ((passkey: Passkey) => void) | null;
}) {
  const text = useText('admin/security');
  const formats = useFormats();
  const button = (passkey: Passkey) => (
    <Button
      size="small"
      aria-label={text('removePasskeyOf', { address: visibleText(passkey.address) })}
      onClick={() => onRemove?.(passkey)}
    >
      {text('removePasskey')}
    </Button>
  );
  const headers = [text('address'), text('passkeyName'), text('createdAt'), text('lastUsedAt')];
  return (
    <PlainTable
      caption={text('passkeysCaption')}
      headers={onRemove === null ? headers : [...headers, text('actions')]}
      rows={passkeys.map((passkey) => ({
        id: passkey.id,
        cells: [
          visibleText(passkey.address),
          visibleText(passkey.name),
          formats.dateTime(passkey.created_at),
          passkey.last_used_at === null ? text('neverUsed') : formats.dateTime(passkey.last_used_at),
          ...(onRemove === null ? [] : [button(passkey)]),
        ],
      }))}
    />
  );
}

function Removal({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const text = useText('admin/security');
  const change = useApiChange('removeRecipientPasskey', ['admin']);
  const address = visibleText(passkey.address);
  const onSuccess = () => {
    onClose();
    announce(text('passkeyRemoved', { address }));
  };
  return (
    <ReasonDialog
      isDanger
      title={text('removePasskeyOf', { address })}
      confirmLabel={text('removePasskey')}
      change={change}
      onConfirm={(reason) =>
        change.mutate({ params: { id: passkey.id }, body: { passkey: { reason } } }, { onSuccess })
      }
      onClose={onClose}
    >
      {text('removePasskeyText', { address })}
    </ReasonDialog>
  );
}
