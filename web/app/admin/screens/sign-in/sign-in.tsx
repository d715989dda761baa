// Sign-in services: the list, the form of one, passwords of this installation, and SCIM.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { CallAnswer } from '#contract/client.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Switch } from '../../../ui/choice.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { CardTable } from '../../../ui/plain-table.tsx';
import { Loaded, ProblemNotice } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { systemAdministrators } from '../../roles.ts';
import { ServiceForm } from './provider-form.tsx';
import { ScimCard } from './scim.tsx';
import { TestWindow } from './service-test.tsx';

type Listed = CallAnswer<'listSignInServices'>;
type Service = Listed['sign_in_services'][number];

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export default function SignInServicesScreen() {
  const text = useText('admin/sign-in-services');
  const mayChange = systemAdministrators.includes(useMe().role);
  const listed = useApi('listSignInServices', {});
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const open = (to: Record<string, string>) => navigate({ to: '/admin/sign-in-services', search: to as never });
  if (isText(search.test))
    return (
      <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
        <TestWindow id={search.test} />
      </ConsoleScreen>
    );
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
      <Loaded query={listed}>
        {(found) => {
          const service = found.sign_in_services.find(({ id }) => id === search.service) ?? null;
          const kind = found.kinds.find((one) => one.kind === (service?.kind ?? search.add));
          if (kind !== undefined && (service !== null || isText(search.add)))
            return (
              <ServiceForm
                key={service?.id ?? kind.kind}
                service={service}
                kind={kind}
                mayChange={mayChange}
                onSaved={(id) => open({ service: id })}
                onClose={() => open({})}
              />
            );
          return (
            <Stack gap={24}>
              <Services found={found} mayChange={mayChange} onOpen={open} />
              <Passwords found={found} mayChange={mayChange} />
              <ScimCard services={found.sign_in_services} mayChange={mayChange} />
            </Stack>
          );
        }}
      </Loaded>
    </ConsoleScreen>
  );
}

interface ServicesProps {
  found: Listed;
  mayChange: boolean;
  onOpen: (search: Record<string, string>) => void;
}

function Services({ found: { sign_in_services: services, kinds }, mayChange, onOpen }: ServicesProps) {
  const text = useText('admin/sign-in-services');
  const kindName = useKindName();
  return (
    <>
      <Card title={text('services')} isFlush={services.length > 0}>
        {services.length === 0 ? (
          <Muted>{text('noServices')}</Muted>
        ) : (
          <CardTable
            caption={text('services')}
            rows={services}
            rowName={({ name }) => name}
            columns={[
              {
                id: 'name',
                header: text('name'),
                cell: (service: Service) => (
                  <Link to="/admin/sign-in-services" search={{ service: service.id }}>
                    {service.name}
                  </Link>
                ),
              },
              { id: 'kind', header: text('kind'), cell: (service: Service) => kindName(service.kind) },
              {
                id: 'source',
                header: text('source'),
                cell: (service: Service) => text(service.source === 'environment' ? 'environment' : 'console'),
              },
              {
                id: 'state',
                header: text('state'),
                cell: ({ enabled, last_sync: sync }: Service) =>
                  enabled && sync?.outcome === 'stopped' ? (
                    <Pill tone="danger">{text('stopped')}</Pill>
                  ) : (
                    <Pill tone={enabled ? 'success' : 'neutral'}>{text(enabled ? 'on' : 'off')}</Pill>
                  ),
              },
            ]}
          />
        )}
      </Card>
      {mayChange ? (
        <Row>
          {kinds.map(({ kind }) => (
            <Button key={kind} onClick={() => onOpen({ add: kind })}>
              {text('add', { kind: kindName(kind) })}
            </Button>
          ))}
        </Row>
      ) : null}
    </>
  );
}

/** A kind without a text keeps its own name. */
export function useKindName(): (kind: string) => string {
  const text = useText('admin/sign-in-services');
  return (kind) => {
    const key = `kind_${kind}`;
    return text.has(key) ? text(key) : kind.toUpperCase();
  };
}

function Passwords({ found: { password_sign_in: state }, mayChange }: { found: Listed; mayChange: boolean }) {
  const text = useText('admin/sign-in-services');
  const consoleText = useText('admin/console');
  const change = useApiChange('changePasswordSignIn', ['admin']);
  const isFixed = state.source === 'environment';
  return (
    <Card title={text('passwords')}>
      <Stack>
        <p>{text('passwordsHelp')}</p>
        {isFixed || !mayChange ? (
          <p>
            <Pill tone="neutral">{text(state.enabled ? 'on' : 'off')}</Pill>
          </p>
        ) : (
          <Switch
            label={text('passwordsLabel')}
            checked={state.enabled}
            onChange={(enabled) => change.mutate({ body: { password_sign_in: { enabled } } })}
          />
        )}
        {isFixed ? <Muted>{consoleText('fixedBy', { variable: 'WAYBILL_PASSWORD_SIGN_IN' })}</Muted> : null}
        <ProblemNotice error={change.error} />
      </Stack>
    </Card>
  );
}
