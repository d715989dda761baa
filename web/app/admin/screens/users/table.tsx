import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { PersonBody } from '#contract/admin/user-lists.ts';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useCursorList } from '../../../cursor-list.ts';
import { useFormats } from '../../../formats.ts';
import type { List } from '../../../list.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Row } from '../../../ui/layout.tsx';
import type { MenuGroup } from '../../../ui/menu.tsx';
import { BulkDialog, PeopleTask, type Whom } from './bulk.tsx';
import { useUserFilters } from './filters.ts';
import { UserState, useRoleName } from './labels.tsx';

export const userFilters = ['q', 'role', 'group', 'state', 'seen'] as const;

export function UsersTable({ empty }: { empty: ReactNode }) {
  const text = useText('admin/users');
  const list = useCursorList({ filters: userFilters, sort: 'email' });
  const people = useApi('listPeople', { query: list.query }, { keepsLast: true });
  const { params, change } = useSearchParams();
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [whom, setWhom] = useState<Whom | null>(null);
  const items = people.data?.items ?? [];
  // People on other pages are not changed.
  const chosen = items.map(({ id }) => id).filter((id) => selected.has(id));
  return (
    <>
      {params.task === undefined ? null : <PeopleTask id={params.task} onClose={() => change({ task: undefined })} />}
      <Counts counts={people.data?.counts} list={list} />
      <DataTable
        name="people"
        caption={text('caption')}
        columns={useColumns()}
        list={list}
        query={people}
        rows={people.data?.items}
        total={people.data?.total}
        next={people.data?.next}
        rowName={nameOf}
        actions={useActions()}
        filters={useUserFilters()}
        empty={empty}
        selection={{
          ids: new Set(chosen),
          onChange: setSelected,
          actions: (
            <Button size="small" variant="quiet" onClick={() => setWhom({ people: chosen })}>
              {text('bulkChosen')}
            </Button>
          ),
          ...(list.isFiltered
            ? {
                more: (
                  <Button size="small" variant="quiet" onClick={() => setWhom({ filter: list.filters })}>
                    {text('bulkAll')}
                  </Button>
                ),
              }
            : {}),
        }}
      />
      {whom === null ? null : (
        <BulkDialog
          whom={whom}
          onClose={() => setWhom(null)}
          onStarted={(task) => {
            setWhom(null);
            setSelected(new Set());
            change({ task });
          }}
        />
      )}
    </>
  );
}

function Counts({ counts, list }: { counts: CallAnswer<'listPeople'>['counts'] | undefined; list: List }) {
  const text = useText('admin/users');
  if (counts === undefined) return null;
  const links = [
    { label: text('countNever', { n: counts.never }), n: counts.never, filter: { seen: 'never', state: undefined } },
    {
      label: text('countInactive', { n: counts.inactive }),
      n: counts.inactive,
      filter: { seen: '90', state: undefined },
    },
    {
      label: text('countDisabled', { n: counts.disabled }),
      n: counts.disabled,
      filter: { state: 'disabled', seen: undefined },
    },
  ];
  const shown = links.filter(({ n }) => n > 0);
  if (shown.length === 0) return null;
  return (
    <Row>
      {shown.map(({ label, filter }) => (
        <Button key={label} size="small" variant="quiet" onClick={() => list.filter(filter)}>
          {label}
        </Button>
      ))}
    </Row>
  );
}

function useActions(): (person: PersonBody) => MenuGroup[] {
  const text = useText('admin/users');
  const navigate = useNavigate();
  return ({ id, email }) => [
    {
      items: [
        { label: text('menuOpen'), onClick: () => void navigate({ to: '/admin/people/$id', params: { id } }) },
        {
          label: text('menuTransfers'),
          onClick: () => void navigate({ to: '/admin/transfers', search: { person: email } as never }),
        },
        {
          label: text('menuActivity'),
          onClick: () => void navigate({ to: '/admin/activity', search: { person: email } as never }),
        },
      ],
    },
  ];
}

function nameOf({ name, email }: PersonBody): string {
  return visibleText(name === '' ? email : name);
}

function useColumns(): Column<PersonBody>[] {
  const text = useText('admin/users');
  const formats = useFormats();
  const roleName = useRoleName();
  return [
    {
      id: 'person',
      header: text('person'),
      sort: 'email',
      cell: (person) => (
        <Link to="/admin/people/$id" params={{ id: person.id }}>
          <bdi>{nameOf(person)}</bdi>
        </Link>
      ),
      under: ({ name, email }) => (name === '' ? null : <bdi>{visibleText(email)}</bdi>),
    },
    {
      id: 'group',
      header: text('group'),
      width: 'quarter',
      small: 'line',
      cell: ({ group }) => <bdi>{visibleText(group.name)}</bdi>,
      under: ({ role, is_local }) => (is_local ? roleName(role) : text('outside')),
    },
    {
      id: 'state',
      header: text('state'),
      width: 'mark',
      small: 'mark',
      cell: (person) => <UserState person={person} />,
    },
    {
      id: 'seen',
      header: text('lastSeen'),
      sort: 'seen',
      width: 'date',
      small: 'line',
      cell: ({ last_seen_at: seen }) => (seen === null ? text('neverSeen') : formats.shortDate(formats.dayOf(seen))),
    },
    {
      id: 'storage',
      header: text('storage'),
      sort: 'storage',
      width: 'date',
      isNumeric: true,
      cell: ({ storage_used }) => formats.size(storage_used),
    },
  ];
}
