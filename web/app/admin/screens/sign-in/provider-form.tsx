// One sign-in service. Its fields come from the server, so that a new kind needs no code here.
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select, Switch } from '../../../ui/choice.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { PasswordField, TextArea, TextField } from '../../../ui/field.tsx';
import { Muted, Pairs, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, Notice, ProblemNotice } from '../../../ui/states.tsx';
import { FormCard } from '../../parts/form-card.tsx';
import { type SealedForm, useSealedForm } from '../../parts/sealed-form.ts';
import { TestCard } from './service-test.tsx';

type Listed = CallAnswer<'listSignInServices'>;
type Service = Listed['sign_in_services'][number];
type Kind = Listed['kinds'][number];
type Field = Kind['fields'][number];
type Values = Record<string, string>;

interface Props {
  /** Null for a new one. */
  service: Service | null;
  kind: Kind;
  mayChange: boolean;
  onSaved: (id: string) => void;
  onClose: () => void;
}

export function ServiceForm(props: Props) {
  const { service, kind, mayChange, onClose } = props;
  const text = useText('admin/sign-in-services');
  return (
    <Stack gap={24}>
      <div>
        <Button onClick={onClose}>{text('back')}</Button>
      </div>
      {mayChange && service?.source !== 'environment' ? (
        <Editor {...props} />
      ) : (
        <Fixed service={service!} kind={kind} />
      )}
      {service === null ? null : (
        <>
          <Sync service={service} mayChange={mayChange} />
          <Addresses service={service} />
          {mayChange && service.source === 'environment' ? <FixedTest service={service} /> : null}
          <Attempts id={service.id} />
        </>
      )}
    </Stack>
  );
}

function useFieldLabel(): (field: Field) => string {
  const text = useText('admin/sign-in-services');
  return ({ name, meaning }) => {
    const key = `field_${name}`;
    return text.has(key) ? text(key) : meaning;
  };
}

const shownValue = (service: Service, name: string) => String((service as Record<string, unknown>)[name] ?? '');

/** From the environment, or for people who may not change it. */
function Fixed({ service, kind }: { service: Service; kind: Kind }) {
  const text = useText('admin/sign-in-services');
  const labelOf = useFieldLabel();
  const values = kind.fields.map((field) => ({
    name: labelOf(field),
    value: (
      <>
        {field.is_secret
          ? service.secrets.includes(field.name)
            ? '•••'
            : '–'
          : shownValue(service, field.name) || '–'}
        {service.source === 'environment' ? <Muted>{field.variable}</Muted> : null}
      </>
    ),
  }));
  return (
    <Card title={service.name}>
      <Stack>
        {service.source === 'environment' ? <Notice tone="info">{text('fromEnvironment')}</Notice> : null}
        <Pairs pairs={values} />
      </Stack>
    </Card>
  );
}

function valuesOf(service: Service | null, kind: Kind): Values {
  return Object.fromEntries(
    kind.fields.map(({ name, default: fallback, is_secret }) => [
      name,
      is_secret ? '' : service === null ? fallback : shownValue(service, name),
    ]),
  );
}

function Editor({ service, kind, onSaved, onClose }: Props) {
  const text = useText('admin/sign-in-services');
  const create = useApiChange('createSignInService', ['admin']);
  const save = useApiChange('changeSignInService', ['admin']);
  const change = service === null ? create : save;
  const test = useApiChange('startSignInTest', []);
  const form = useSealedForm<Values>({
    saved: valuesOf(service, kind),
    secrets: service?.secrets ?? [],
    error: test.error ?? change.error,
  });
  const [isEnabled, setEnabled] = useState(service?.enabled ?? false);
  const input = () => {
    // An empty secret stays; other empty fields are cleared.
    const secrets = kind.fields.filter(({ is_secret }) => is_secret).map(({ name }) => name);
    const filled = Object.entries(form.values).filter(([name, value]) => value !== '' || !secrets.includes(name));
    return Object.fromEntries(filled);
  };
  const submit = () => {
    test.reset();
    const body = { sign_in_service: { enabled: isEnabled, ...input() } };
    const onSuccess = ({ sign_in_service: { id } }: { sign_in_service: Service }) => onSaved(id);
    if (service === null) {
      create.mutate({ body: { sign_in_service: { kind: kind.kind, ...body.sign_in_service } } }, { onSuccess });
      return;
    }
    save.mutate({ params: { id: service.id }, body }, { onSuccess });
  };
  return (
    <>
      <FormCard
        title={service?.name ?? text('newService')}
        change={change}
        otherError={test.error === null ? form.otherError : null}
        submitLabel={text('save')}
        savedText={text('saved')}
        onSubmit={submit}
        actions={service === null ? null : <Remove service={service} onRemoved={onClose} />}
      >
        <Switch label={text('enabled')} help={text('enabledHelp')} checked={isEnabled} onChange={setEnabled} />
        {kind.fields.map((field) => (
          <FieldInput key={field.name} field={field} form={form} />
        ))}
      </FormCard>
      <TestCard
        kind={kind.kind}
        test={test}
        input={() => ({ ...(service === null ? { kind: kind.kind } : { id: service.id }), ...input() })}
        error={test.error === null ? null : form.otherError}
      />
    </>
  );
}

function FieldInput({ field, form }: { field: Field; form: SealedForm<Values> }) {
  const text = useText('admin/sign-in-services');
  const label = useFieldLabel()(field);
  const { name, choices, is_secret, is_long, is_needed } = field;
  const choiceName = (value: string) => {
    const key = `choice_${value}`;
    return text.has(key) ? text(key) : value;
  };
  if (is_secret) return <PasswordField label={label} {...form.secret(name)} />;
  const { problem, value } = form.field(name);
  if (choices !== null)
    return (
      <Select
        label={label}
        choices={choices.map((one) => ({ value: one, label: choiceName(one) }))}
        value={value}
        problem={problem}
        onChange={(chosen) => form.set({ [name]: chosen })}
      />
    );
  if (is_long) return <TextArea label={label} isOptional rows={3} {...form.field(name)} />;
  return <TextField label={label} isOptional={!is_needed} {...form.field(name)} />;
}

function Sync({ service: { id, last_sync: sync }, mayChange }: { service: Service; mayChange: boolean }) {
  const text = useText('admin/sign-in-services');
  const formats = useFormats();
  const permit = useApiChange('permitSync', ['admin']);
  if (sync === null) return null;
  return (
    <Card title={text('sync')}>
      {sync.outcome === 'stopped' ? (
        <Notice tone="warning">
          <Stack>
            <p>{text('syncStopped', { note: sync.note })}</p>
            {mayChange ? (
              <div>
                <Button isBusy={permit.isPending} onClick={() => permit.mutate({ params: { id } })}>
                  {text('syncPermit')}
                </Button>
              </div>
            ) : null}
            <ProblemNotice error={permit.error} />
          </Stack>
        </Notice>
      ) : (
        <Muted>{text('syncLast', { time: formats.dateTime(sync.at), note: visibleText(sync.note) })}</Muted>
      )}
    </Card>
  );
}

function Addresses({ service: { addresses } }: { service: Service }) {
  const text = useText('admin/sign-in-services');
  if (addresses.callback === null) return null;
  return (
    <Card title={text('addresses')}>
      <Stack gap={16}>
        <CopyField label={text('callback')} value={addresses.callback} />
        {addresses.metadata === null ? null : <CopyField label={text('ownMetadata')} value={addresses.metadata} />}
      </Stack>
    </Card>
  );
}

function FixedTest({ service: { id, kind } }: { service: Service }) {
  const test = useApiChange('startSignInTest', []);
  return <TestCard kind={kind} test={test} input={() => ({ id })} error={test.error} />;
}

const outcomes = {
  signed_in: 'outcomeSignedIn',
  proof_needed: 'outcomeProofNeeded',
  refused: 'outcomeRefused',
  tested: 'outcomeTested',
} as const;

function Attempts({ id }: { id: string }) {
  const text = useText('admin/sign-in-services');
  const formats = useFormats();
  const query = useApi('listSignInAttempts', { params: { id } });
  return (
    <Card title={text('attempts')}>
      <Loaded query={query}>
        {({ attempts }) =>
          attempts.length === 0 ? (
            <Muted>{text('noAttempts')}</Muted>
          ) : (
            <PlainTable
              caption={text('attempts')}
              isCaptionHidden
              headers={[text('when'), text('outcome'), text('claims')]}
              rows={attempts.map((attempt, index) => ({
                id: `${attempt.at}-${index}`,
                cells: [
                  formats.dateTime(attempt.at),
                  attempt.words === '' ? text(outcomes[attempt.outcome]) : attempt.words,
                  Object.entries(attempt.claims)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join(', '),
                ],
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function Remove({ service, onRemoved }: { service: Service; onRemoved: () => void }) {
  const text = useText('admin/sign-in-services');
  const remove = useApiChange('deleteSignInService', ['admin']);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{text('remove')}</Button>
      {isOpen ? (
        <ConfirmDialog
          isDanger
          title={text('removeTitle', { name: service.name })}
          confirmLabel={text('remove')}
          change={remove}
          onConfirm={() => remove.mutate({ params: { id: service.id } }, { onSuccess: onRemoved })}
          onClose={() => setOpen(false)}
        >
          <p>{text('removeText')}</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
