import type { ReactNode } from 'react';
import type { StorageBody } from '#contract/admin/storage.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Segments } from '../../../ui/choice.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Readable } from './readable.tsx';

export function StorageTables({ storage }: { storage: StorageBody }) {
  const text = useText('admin/storage');
  const { params, change } = useSearchParams();
  const tables = useTables(storage);
  if (storage.files === 0) return <Muted>{text('nothing')}</Muted>;
  const isShared = params.by === 'shared';
  const { id, title, headers, rows } = tables.find((table) => table.id === params.by) ?? tables[0]!;
  const choices = [...tables, { id: 'shared', title: text('readable') }];
  return (
    <Card title={text('breakdown')}>
      <Stack>
        <Segments
          label={text('breakdown')}
          choices={choices.map((choice) => ({ value: choice.id, label: choice.title }))}
          value={isShared ? 'shared' : id}
          onChange={(by) => change({ by })}
        />
        {isShared ? (
          <Readable />
        ) : (
          <PlainTable caption={title} isCaptionHidden isNumeric headers={headers} rows={rows} />
        )}
      </Stack>
    </Card>
  );
}

interface Table {
  id: string;
  title: string;
  headers: string[];
  rows: { id: string; cells: ReactNode[] }[];
}

function useTables(storage: StorageBody): Table[] {
  const text = useText('admin/storage');
  const { size, number, dateOf } = useFormats();
  return [
    {
      id: 'group',
      title: text('byGroup'),
      headers: [text('group'), text('people'), text('used')],
      rows: storage.groups.map(({ id, name, people, used }) => ({
        id,
        cells: [<bdi key="name">{visibleText(name)}</bdi>, number(people), size(used)],
      })),
    },
    {
      id: 'person',
      title: text('byPerson'),
      headers: [text('person'), text('used')],
      rows: storage.people.map(({ id, email, used }) => ({
        id,
        cells: [<bdi key="email">{visibleText(email)}</bdi>, size(used)],
      })),
    },
    {
      id: 'age',
      title: text('byAge'),
      headers: [text('age'), text('files'), text('used')],
      rows: storage.by_age.map(({ up_to_days: days, files, used }) => ({
        id: String(days),
        cells: [days === null ? text('ageOlder') : text('ageUpTo', { n: days }), number(files), size(used)],
      })),
    },
    {
      id: 'file',
      title: text('largest'),
      headers: [text('id'), text('person'), text('created'), text('size')],
      rows: storage.largest.map((file) => ({
        id: file.id,
        cells: [
          file.id,
          <bdi key="email">{visibleText(file.owner_email)}</bdi>,
          dateOf(file.created_at),
          size(file.size),
        ],
      })),
    },
  ];
}
