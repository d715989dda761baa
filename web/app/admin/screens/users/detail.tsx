import { useParams } from '@tanstack/react-router';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { Screen } from '../../../parts/screen.tsx';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Columns, Pairs, Row, Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { Access } from './access.tsx';
import { Identities } from './identities.tsx';
import { Keys } from './keys.tsx';
import { UserState, useRoleName } from './labels.tsx';
import { Profile } from './profile.tsx';
import { AccountRemoval } from './removal.tsx';
import { Sessions } from './sessions.tsx';

export default function UserScreen() {
  const text = useText('admin/users');
  const { id } = useParams({ from: '/admin/people/$id' });
  const query = useApi('getPerson', { params: { id } });
  return (
    <ScreenLoaded query={query}>
      {({ person }) => {
        const name = visibleText(person.name === '' ? person.email : person.name);
        return (
          <Screen
            title={name}
            heading={<bdi>{name}</bdi>}
            lead={<bdi>{visibleText(person.email)}</bdi>}
            back={{ to: '/admin/people', label: text('title') }}
          >
            <Columns
              main={
                <>
                  <Profile key={person.id} person={person} />
                  <Addresses person={person} />
                  <Identities person={person} />
                  <Sessions person={person} />
                  <Keys person={person} />
                </>
              }
              side={
                <>
                  <PersonFacts person={person} />
                  <Access person={person} />
                  <AccountRemoval person={person} />
                </>
              }
            />
          </Screen>
        );
      }}
    </ScreenLoaded>
  );
}

const reasons = {
  chosen: 'whyChosen',
  default: 'whyDefault',
  moved: 'whyMoved',
  setup: 'whySetup',
  unknown: 'whyUnknown',
} as const;

function PersonFacts({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const formats = useFormats();
  const roleName = useRoleName();
  const { why, at, by } = person.group_reason;
  const when = at === null ? '' : formats.dateOf(at);
  const { storage_used: used, storage_quota: quota, last_seen_at: seen } = person;
  const storage =
    quota === null ? formats.size(used) : text('storageOf', { used: formats.size(used), quota: formats.size(quota) });
  return (
    <Card title={text('standing')}>
      <Stack>
        <Pairs
          pairs={[
            { name: text('state'), value: <UserState person={person} /> },
            { name: text('role'), value: person.is_local ? roleName(person.role) : text('outside') },
            { name: text('group'), value: <bdi>{visibleText(person.group.name)}</bdi> },
            {
              name: text('whyGroup'),
              value: text(
                by === '' && why !== 'default' ? (why === 'setup' ? 'whySetup' : 'whyUnknown') : reasons[why],
                {
                  name: visibleText(by),
                  date: when,
                },
              ),
            },
            { name: text('lastSeen'), value: seen === null ? text('neverSeen') : formats.dateTime(seen) },
            { name: text('created'), value: formats.dateOf(person.created_at) },
            { name: text('storage'), value: storage },
          ]}
        />
        {quota === null ? null : (
          <Progress share={quota === 0 ? 1 : used / quota} label={text('storage')} text={storage} showsText={false} />
        )}
      </Stack>
    </Card>
  );
}

function Addresses({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  return (
    <Card title={text('addresses')}>
      <PlainTable
        caption={text('addressTable', { name: visibleText(person.name === '' ? person.email : person.name) })}
        isCaptionHidden
        headers={[text('address'), text('use'), text('proof')]}
        rows={person.addresses.map(({ address, is_own, is_sender, is_recipient, is_confirmed }) => ({
          id: address,
          cells: [
            <bdi key="address">{visibleText(address)}</bdi>,
            is_own ? (
              text('useOwn')
            ) : (
              <Row key="use">{text(is_sender ? (is_recipient ? 'useBoth' : 'useSender') : 'useRecipient')}</Row>
            ),
            <Pill key="proof" tone={is_confirmed ? 'success' : 'warning'}>
              {text(is_confirmed ? 'confirmed' : 'unconfirmed')}
            </Pill>,
          ],
        }))}
      />
    </Card>
  );
}
