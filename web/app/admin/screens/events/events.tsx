import { Download } from 'lucide-react';
import { useCursorList } from '../../../cursor-list.ts';
import { basePath } from '../../../host-page.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import { ButtonAnchor } from '../../../ui/button.tsx';
import { EventsTable } from './table.tsx';

const filterNames = ['object', 'person', 'action', 'days'] as const;

export default function EventsScreen() {
  const text = useText('admin/events');
  const list = useCursorList({ filters: filterNames, sort: '-at' });
  return (
    <Screen
      title={text('title')}
      lead={text('lead')}
      actions={
        <ButtonAnchor
          icon={Download}
          download=""
          href={`${basePath}/admin/events/export?${new URLSearchParams(list.filters)}`}
        >
          {text('export')}
        </ButtonAnchor>
      }
    >
      <EventsTable list={list} />
    </Screen>
  );
}
