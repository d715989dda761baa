// SCIM: its address, tokens, the service it belongs to, and mass changes that wait for permission.
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { Loaded, Notice, ProblemNotice, problemAt } from '../../../ui/states.tsx';

type Service = CallAnswer<'listSignInServices'>['sign_in_services'][number];
type Scim = CallAnswer<'getScim'>['scim'];

export function ScimCard({ services, mayChange }: { services: readonly Service[]; mayChange: boolean }) {
  const text = useText('admin/sign-in-services');
  const query = useApi('getScim', {});
  return (
    <Card title="SCIM 2.0">
      <Loaded query={query}>
        {({ scim }) => (
          <Stack gap={16} isForm>
            <p>{text('scimHelp')}</p>
            <CopyField label={text('scimAddress')} value={`${window.location.origin}/scim/v2`} />
            {scim.is_stopped ? <Stopped mayChange={mayChange} /> : null}
            {mayChange ? <BelongsTo scim={scim} services={services} /> : null}
            <Tokens scim={scim} mayChange={mayChange} />
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

function Stopped({ mayChange }: { mayChange: boolean }) {
  const text = useText('admin/sign-in-services');
  const permit = useApiChange('permitScimChange', ['admin']);
  return (
    <Notice tone="warning">
      <Stack>
        <p>{text('scimStopped')}</p>
        {mayChange ? (
          <div>
            <Button isBusy={permit.isPending} onClick={() => permit.mutate({})}>
              {text('scimPermit')}
            </Button>
          </div>
        ) : null}
        <ProblemNotice error={permit.error} />
      </Stack>
    </Notice>
  );
}

function BelongsTo({ scim, services }: { scim: Scim; services: readonly Service[] }) {
  const text = useText('admin/sign-in-services');
  const consoleText = useText('admin/console');
  const change = useApiChange('changeScim', ['admin']);
  if (scim.service_source === 'environment')
    return <Muted>{consoleText('fixedBy', { variable: 'WAYBILL_SCIM_SERVICE' })}</Muted>;
  return (
    <Select
      label={text('scimService')}
      help={text('scimServiceHelp')}
      choices={[
        { value: '', label: text('scimOnly') },
        ...services.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={scim.service ?? ''}
      problem={problemAt(change.error, 'service')}
      onChange={(service) => change.mutate({ body: { scim: { service: service === '' ? null : service } } })}
    />
  );
}

function Tokens({ scim, mayChange }: { scim: Scim; mayChange: boolean }) {
  const text = useText('admin/sign-in-services');
  const formats = useFormats();
  const remove = useApiChange('deleteScimToken', ['admin']);
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack>
      {scim.has_environment_token ? <Muted>{text('scimEnvironmentToken')}</Muted> : null}
      {scim.tokens.length === 0 ? null : (
        <ul>
          {scim.tokens.map(({ id, name, created_at, last_used_at }) => (
            <li key={id}>
              <Row>
                <span>
                  {name} ·{' '}
                  {last_used_at === null
                    ? text('tokenCreated', { date: formats.dateOf(created_at) })
                    : text('tokenUsed', { date: formats.dateTime(last_used_at) })}
                </span>
                {mayChange ? (
                  <Button
                    size="small"
                    aria-label={text('tokenRemoveNamed', { name })}
                    onClick={() => remove.mutate({ params: { id } })}
                  >
                    {text('remove')}
                  </Button>
                ) : null}
              </Row>
            </li>
          ))}
        </ul>
      )}
      <ProblemNotice error={remove.error} />
      {mayChange ? (
        <div>
          <Button onClick={() => setOpen(true)}>{text('tokenCreate')}</Button>
        </div>
      ) : null}
      {isOpen ? <CreateToken onClose={() => setOpen(false)} /> : null}
    </Stack>
  );
}

function CreateToken({ onClose }: { onClose: () => void }) {
  const text = useText('admin/sign-in-services');
  const create = useApiChange('createScimToken', ['admin']);
  const [name, setName] = useState('');
  if (create.data !== undefined)
    return (
      <Dialog title={text('tokenTitle')} hasInput actions={<Button onClick={onClose}>{text('tokenKept')}</Button>}>
        <p>{text('tokenOnce')}</p>
        <CopyField label={text('tokenTitle')} value={create.data.token.token} isLong />
      </Dialog>
    );
  return (
    <ConfirmDialog
      title={text('tokenCreate')}
      confirmLabel={text('tokenCreate')}
      change={create}
      fields={['name']}
      hasInput
      onConfirm={() => create.mutate({ body: { token: { name } } })}
      onClose={onClose}
    >
      <TextField
        label={text('tokenName')}
        value={name}
        onChange={setName}
        problem={problemAt(create.error, 'name')}
        isFocusedFirst
      />
    </ConfirmDialog>
  );
}
