import type { StorageBody } from '#contract/admin/storage.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';

export function StorageTables({ storage }: { storage: StorageBody }) {
  const text = useText('admin/storage');
  const { size, number, dateOf } = useFormats();
  if (storage.files === 0) return <Muted>{text('nothing')}</Muted>;
  const tables = [
    {
      title: text('byGroup'),
      headers: [text('group'), text('people'), text('used')],
      rows: storage.groups.map(({ id, name, people, used }) => ({
        id,
        cells: [<bdi key="name">{visibleText(name)}</bdi>, number(people), size(used)],
      })),
    },
    {
      title: text('byPerson'),
      headers: [text('person'), text('used')],
      rows: storage.people.map(({ id, email, used }) => ({
        id,
        cells: [<bdi key="email">{visibleText(email)}</bdi>, size(used)],
      })),
    },
    {
      title: text('byAge'),
      headers: [text('age'), text('files'), text('used')],
      rows: storage.by_age.map(({ up_to_days: days, files, used }) => ({
        id: String(days),
        cells: [days === null ? text('ageOlder') : text('ageUpTo', { n: days }), number(files), size(used)],
      })),
    },
    {
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
  return tables.map(({ title, headers, rows }) => (
    <Card key={title}>
      <PlainTable caption={title} isNumeric headers={headers} rows={rows} />
    </Card>
  ));
}
