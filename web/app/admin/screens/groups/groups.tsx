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
import type { Column } from '../../../ui/columns.ts';
import { Note, Stack } from '../../../ui/layout.tsx';
import { CardTable } from '../../../ui/plain-table.tsx';
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
  const list = useRef<HTMLDivElement>(null);
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
  const order = (group: GroupBody) => {
    const index = groups.indexOf(group);
    const button = (direction: 'up' | 'down', place: number) => (
      <IconButton
        icon={direction === 'up' ? ArrowUp : ArrowDown}
        label={text(direction, { name: visibleText(group.name) })}
        data-group={group.id}
        data-to={direction}
        onClick={() => moveTo(group.id, place, direction)}
      />
    );
    return (
      <span className={classes.order}>
        {index === 0 ? null : button('up', index)}
        {index === groups.length - 1 ? null : button('down', index + 2)}
      </span>
    );
  };
  const columns = useColumns(differsBy);
  return (
    <div ref={list}>
      <CardTable
        caption={text('title')}
        columns={
          mayChange
            ? [...columns, { id: 'order', header: text('order'), width: 'date', small: 'mark', cell: order }]
            : columns
        }
        rows={groups}
        rowName={({ name }) => visibleText(name)}
      />
      <Claims groups={groups} />
      <ProblemNotice error={move.error} />
    </div>
  );
}

function useColumns(differsBy: (group: GroupBody) => number): Column<GroupBody>[] {
  const text = useText('admin/groups');
  const formats = useFormats();
  return [
    {
      id: 'group',
      header: text('group'),
      cell: ({ id, name }) => (
        <Link to="/admin/groups/$id" params={{ id }}>
          <bdi>{visibleText(name)}</bdi>
        </Link>
      ),
      under: ({ match_domains: domains }) =>
        domains.length === 0 ? null : text('domains', { domains: formats.list(domains) }),
    },
    {
      id: 'people',
      header: text('members'),
      small: 'line',
      width: 'date',
      cell: ({ members }) => text('people', { n: members }),
    },
    {
      id: 'rights',
      header: text('rights'),
      width: 'quarter',
      cell: ({ role }) => text(roleNames[role]),
      under: ({ is_local: isLocal }) => text(isLocal ? 'local' : 'outside'),
    },
    { id: 'differences', header: text('differences'), isNumeric: true, width: 'mark', cell: differsBy },
  ];
}

/** Domains that a group never gets, because an earlier one claims them. */
function Claims({ groups }: { groups: readonly GroupBody[] }) {
  const text = useText('admin/groups');
  const claims = groups.flatMap(({ name, match_domains: domains }, index) =>
    domains
      .filter((domain) => groups.slice(0, index).some((earlier) => earlier.match_domains.includes(domain)))
      .map((domain) => text('claimed', { group: visibleText(name), domain })),
  );
  if (claims.length === 0) return null;
  return (
    <div className={classes.claims}>
      {claims.map((sentence) => (
        <Note key={sentence} icon={TriangleAlert} tone="warning">
          {sentence}
        </Note>
      ))}
    </div>
  );
}
