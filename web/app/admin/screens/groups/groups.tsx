import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Plus, TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Muted, Note, Row, Stack } from '../../../ui/layout.tsx';
import { Loaded, ProblemNotice } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { roleNames } from '../../parts/group-settings.ts';
import { systemAdministrators } from '../../roles.ts';
import { type GroupBody, isSame } from './draft.ts';
import { GroupOfAddress } from './group-of-address.tsx';
import classes from './groups.module.css';
import { NewGroup } from './new-group.tsx';

export default function GroupsScreen() {
  const text = useText('admin/groups');
  const { role, features } = useMe();
  const groups = useApi('listGroups', {});
  const settings = useApi('listPolicySettings', {});
  const [isNew, setNew] = useState(false);
  const mayChange = systemAdministrators.includes(role);
  const defaults = settings.data?.settings ?? [];
  const differsBy = (group: GroupBody) =>
    defaults.filter(({ key, default: local, default_outside: outside }) => {
      return !isSame(group[key], group.is_local ? local : outside);
    }).length;
  return (
    <ConsoleScreen
      changers={systemAdministrators}
      title={text('title')}
      lead={text('lead')}
      actions={
        mayChange ? (
          <Button variant="primary" icon={Plus} onClick={() => setNew(true)}>
            {text('newGroup')}
          </Button>
        ) : undefined
      }
    >
      <Stack gap={24}>
        <Card isFlush>
          <Loaded query={groups}>
            {(answer) => <List groups={answer.groups} mayChange={mayChange} differsBy={differsBy} />}
          </Loaded>
        </Card>
        {features.administration ? <GroupOfAddress /> : null}
      </Stack>
      {isNew ? <NewGroup groups={groups.data?.groups ?? []} onClose={() => setNew(false)} /> : null}
    </ConsoleScreen>
  );
}

interface ListProps {
  groups: readonly GroupBody[];
  mayChange: boolean;
  differsBy: (group: GroupBody) => number;
}

function List({ groups, mayChange, differsBy }: ListProps) {
  const text = useText('admin/groups');
  const move = useApiChange('moveGroup', ['admin']);
  const list = useRef<HTMLUListElement>(null);
  const moveTo = (id: string, place: number, direction: 'up' | 'down') =>
    move.mutate(
      { params: { id }, body: { move: { to: place } } },
      {
        onSuccess() {
          announce(text('moved', { n: place }));
          // The button may disappear at the end of the list; then focus the other one.
          const buttons = () => list.current?.querySelectorAll<HTMLButtonElement>(`[data-group="${CSS.escape(id)}"]`);
          requestAnimationFrame(() => {
            const found = [...(buttons() ?? [])];
            (found.find((button) => button.dataset.to === direction) ?? found[0])?.focus();
          });
        },
      },
    );
  return (
    <>
      <ul ref={list}>
        {groups.map((group, index) => (
          <li key={group.id} className={classes.group}>
            <GroupSummary group={group} earlier={groups.slice(0, index)} n={differsBy(group)} />
            {mayChange ? (
              <Row>
                {index === 0 ? null : (
                  <IconButton
                    icon={ArrowUp}
                    label={text('up', { name: visibleText(group.name) })}
                    data-group={group.id}
                    data-to="up"
                    onClick={() => moveTo(group.id, index, 'up')}
                  />
                )}
                {index === groups.length - 1 ? null : (
                  <IconButton
                    icon={ArrowDown}
                    label={text('down', { name: visibleText(group.name) })}
                    data-group={group.id}
                    data-to="down"
                    onClick={() => moveTo(group.id, index + 2, 'down')}
                  />
                )}
              </Row>
            ) : null}
          </li>
        ))}
      </ul>
      <ProblemNotice error={move.error} />
    </>
  );
}

function GroupSummary({ group, earlier, n }: { group: GroupBody; earlier: readonly GroupBody[]; n: number }) {
  const text = useText('admin/groups');
  const formats = useFormats();
  const domains = group.match_domains;
  const shadowed = domains.filter((domain) => earlier.some((other) => other.match_domains.includes(domain)));
  return (
    <div className={classes.groupSummary}>
      <Link to="/admin/groups/$id" params={{ id: group.id }}>
        <bdi>{visibleText(group.name)}</bdi>
      </Link>
      <Muted>
        {[
          text('people', { n: group.members }),
          text(group.is_local ? 'local' : 'outside'),
          text(roleNames[group.role]),
          ...(n === 0 ? [] : [text('differs', { n })]),
        ].join(' · ')}
      </Muted>
      {domains.length === 0 ? null : <Muted>{text('domains', { domains: formats.list(domains) })}</Muted>}
      {shadowed.map((domain) => (
        <Note key={domain} icon={TriangleAlert} tone="warning">
          {text('claimed', { domain })}
        </Note>
      ))}
    </div>
  );
}
