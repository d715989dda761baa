import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { systemAdministrators } from '../../roles.ts';
import { RecipientPasskeys } from './recipient-passkeys.tsx';

type Lock = CallAnswer<'listLocks'>['locks'][number];
type Security = CallAnswer<'getSecuritySettings'>['security'];

export default function SecurityScreen() {
  const text = useText('admin/security');
  const mayChange = systemAdministrators.includes(useMe().role);
  const settings = useApi('getSecuritySettings', {});
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
      <Stack gap={24}>
        <Locks mayChange={mayChange} />
        <RecipientPasskeys mayChange={mayChange} />
        <Rules />
        <Clients />
        <Card title={text('networks')}>
          <Loaded query={settings}>
            {({ security }) => (
              <Networks key={security.console_networks.join()} security={security} mayChange={mayChange} />
            )}
          </Loaded>
        </Card>
        <GroupNetworks />
      </Stack>
    </ConsoleScreen>
  );
}

const kinds = {
  sign_in: 'kindSignIn',
  sign_in_network: 'kindSignInNetwork',
  slowed: 'kindSlowed',
  second_step: 'kindSecondStep',
  password_again: 'kindPasswordAgain',
  link_password: 'kindLinkPassword',
  reset: 'kindReset',
} as const;

/** The person or thing that is locked. */
function useLockName(): (lock: Lock) => string {
  const text = useText('admin/security');
  return ({ kind, user, link }) => {
    if (user !== null) return visibleText(user.email);
    if (link !== null) return text('linkNamed', { id: link });
    return text(kind === 'reset' || kind === 'sign_in_network' ? 'anybody' : 'nobody');
  };
}

function Rules() {
  const text = useText('admin/security');
  return (
    <Card title={text('rules')}>
      <Stack gap={8}>
        <p>{text('rulePassword')}</p>
        <p>{text('ruleSession')}</p>
        <Muted>{text('ruleFixed')}</Muted>
      </Stack>
    </Card>
  );
}

function Locks({ mayChange }: { mayChange: boolean }) {
  const text = useText('admin/security');
  const formats = useFormats();
  const locks = useApi('listLocks', {}, { everyMs: 15_000 });
  const unlock = useApiChange('removeLock', ['admin']);
  const nameOf = useLockName();
  const submit = (lock: Lock) =>
    unlock.mutate({ params: { id: lock.id } }, { onSuccess: () => announce(text('unlocked', { who: nameOf(lock) })) });
  const button = (lock: Lock) => (
    <Button size="small" aria-label={text('unlockFor', { who: nameOf(lock) })} onClick={() => submit(lock)}>
      {text('unlock')}
    </Button>
  );
  return (
    <Card title={text('locks')}>
      <Stack gap={16}>
        <p>{text('locksHelp')}</p>
        <ProblemNotice error={unlock.error} />
        <Loaded query={locks}>
          {({ locks: found }) =>
            found.length === 0 ? (
              <Muted>{text('noLocks')}</Muted>
            ) : (
              <PlainTable
                caption={text('locksCaption')}
                headers={[
                  text('who'),
                  text('what'),
                  text('network'),
                  text('until'),
                  ...(mayChange ? [text('actions')] : []),
                ]}
                rows={found.map((lock) => ({
                  id: lock.id,
                  cells: [
                    nameOf(lock),
                    text(kinds[lock.kind]),
                    lock.network ?? text('everywhere'),
                    formats.dateTime(lock.until),
                    ...(mayChange ? [button(lock)] : []),
                  ],
                }))}
              />
            )
          }
        </Loaded>
      </Stack>
    </Card>
  );
}

function Networks({ security, mayChange }: { security: Security; mayChange: boolean }) {
  const text = useText('admin/security');
  const [typed, setTyped] = useState(security.console_networks.join('\n'));
  const save = useApiChange('changeSecuritySettings', ['admin']);
  const problem = problemAt(save.error, 'console_networks');
  const submit = () => {
    const console_networks = typed.split(/[\s,]+/).filter((network) => network !== '');
    save.mutate({ body: { security: { console_networks } } }, { onSuccess: () => announce(text('saved')) });
  };
  return (
    <Stack gap={16} isForm>
      <TextArea
        label={text('networksLabel')}
        help={text('networksHelp', { address: security.your_address })}
        value={typed}
        onChange={setTyped}
        readOnly={!mayChange}
        spellCheck={false}
        problem={problem}
      />
      {problem === null ? <ProblemNotice error={save.error} /> : null}
      {mayChange ? (
        <Row>
          <Button variant="primary" isBusy={save.isPending} onClick={submit}>
            {text('save')}
          </Button>
        </Row>
      ) : null}
    </Stack>
  );
}

/** Allowed networks per group; changed in the group editor. */
function GroupNetworks() {
  const text = useText('admin/security');
  const groups = useApi('listGroups', {});
  return (
    <Card title={text('groupNetworks')}>
      <Stack gap={16}>
        <p>{text('groupNetworksHelp')}</p>
        <Loaded query={groups}>
          {(answer) => (
            <PlainTable
              caption={text('groupNetworksCaption')}
              isCaptionHidden
              headers={[text('group'), text('networksOf')]}
              rows={answer.groups.map(({ id, name, allowed_networks: networks }) => ({
                id,
                cells: [
                  <Link key="group" to="/admin/groups/$id" params={{ id }}>
                    <bdi>{visibleText(name)}</bdi>
                  </Link>,
                  Array.isArray(networks) && networks.length > 0 ? networks.join(', ') : text('everywhere'),
                ],
              }))}
            />
          )}
        </Loaded>
      </Stack>
    </Card>
  );
}

function Clients() {
  const text = useText('admin/security');
  const formats = useFormats();
  const clients = useApi('listClients', {});
  return (
    <Card title={text('clients')}>
      <Loaded query={clients}>
        {({ clients: found }) =>
          found.length === 0 ? (
            <Muted>{text('noClients')}</Muted>
          ) : (
            <PlainTable
              caption={text('clientsCaption')}
              headers={[text('program'), text('version'), text('calls'), text('refusals'), text('lastOn')]}
              rows={found.map(({ client, version, calls, errors, last_on }) => ({
                id: `${client} ${version}`,
                cells: [
                  client === '' ? text('unnamed') : visibleText(client),
                  version === '' ? '–' : visibleText(version),
                  formats.number(calls),
                  errors.length === 0
                    ? '–'
                    : errors.map(({ code, calls: times }) => `${code}: ${formats.number(times)}`).join(', '),
                  formats.shortDate(last_on),
                ],
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
