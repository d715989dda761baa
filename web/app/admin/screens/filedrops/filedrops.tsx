// Drop pages of functions, such as "Accounts payable".
import { Link } from '@tanstack/react-router';
import { Inbox, Plus } from 'lucide-react';
import { useState } from 'react';
import type { SystemDropBody } from '#contract/admin/filedrops.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { administrators } from '../../roles.ts';
import { DropState, useReceiverName } from './labels.tsx';
import { NewDrop } from './new-drop.tsx';

export default function FiledropsScreen() {
  const text = useText('admin/filedrops');
  const console = useText('admin/console');
  const mayChange = administrators.includes(useMe().role);
  const query = useApi('listSystemDrops', {});
  const [isMaking, setMaking] = useState(false);
  const add = mayChange ? (
    <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
      {text('new')}
    </Button>
  ) : undefined;
  return (
    <ScreenLoaded query={query}>
      {({ filedrops }) => (
        <Screen title={text('title')} lead={text('lead')} actions={filedrops.length === 0 ? undefined : add}>
          {mayChange ? null : <Muted>{console('readOnly')}</Muted>}
          {filedrops.length === 0 ? (
            <EmptyState icon={Inbox} action={add}>
              {text('empty')}
            </EmptyState>
          ) : (
            <DropTable drops={filedrops} />
          )}
          {isMaking ? <NewDrop onClose={() => setMaking(false)} /> : null}
        </Screen>
      )}
    </ScreenLoaded>
  );
}

function DropTable({ drops }: { drops: readonly SystemDropBody[] }) {
  const text = useText('admin/filedrops');
  const receiverName = useReceiverName();
  const formats = useFormats();
  return (
    <Card isFlush>
      <PlainTable
        caption={text('title')}
        isCaptionHidden
        headers={[text('name'), text('address'), text('receivers'), text('state'), text('deliveries'), text('last')]}
        rows={drops.map((drop) => ({
          id: drop.id,
          cells: [
            <Link key="title" to="/admin/drop-pages/$id" params={{ id: drop.id }}>
              <bdi>{visibleText(drop.title)}</bdi>
            </Link>,
            drop.name,
            <bdi key="receivers">{formats.list(drop.receivers.map(receiverName))}</bdi>,
            <DropState key="state" drop={drop} />,
            formats.number(drop.deliveries),
            drop.last_delivery_at === null ? text('never') : formats.dateTime(drop.last_delivery_at),
          ],
        }))}
      />
    </Card>
  );
}
