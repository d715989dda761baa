// With `?new=1` a drawer, on phones a page, creates a request.
import { FolderInput, Plus } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { visibleText } from '../../../visible.ts';
import { useFormats } from '../../formats.ts';
import { useMe } from '../../me.ts';
import { Screen } from '../../parts/screen.tsx';
import { NotForYourGroup } from '../../parts/screen-states.tsx';
import { useSearchParams } from '../../search-params.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { useIsNarrow } from '../../ui/narrow.ts';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { NewRequest } from './new-request.tsx';
import { useNewRequest } from './new-request-form.ts';
import { RequestsTable } from './table.tsx';

export default function FileRequestsScreen() {
  const text = useText('file-requests');
  const { features } = useMe();
  const { params, change } = useSearchParams();
  const isNarrow = useIsNarrow();
  const form = useNewRequest();
  const [recipients, setRecipients] = useState<string[]>([]);
  useEffect(() => {
    // Closed by navigation: do not show the result again.
    if (params.new === undefined && form.isLink) form.startOver();
  });
  if (!features.requests) return <NotForYourGroup title={text('title')} />;
  const close = () => {
    change({ new: undefined });
    if (form.created.length > 0 || !form.hasInput) form.startOver();
  };
  const sent = (people: string[]) => {
    setRecipients(people);
    change({ new: undefined });
    form.startOver();
  };
  const title = form.isLink ? text('linkTitle', { n: form.created.length }) : text('newTitle');
  if (params.new !== undefined && isNarrow)
    return (
      <Screen key={title} title={title} back={{ to: '/requests', label: text('back') }}>
        <NewRequest form={form} isPage onClose={close} onSent={sent} />
      </Screen>
    );
  return (
    <Requests recipients={recipients} onRead={() => setRecipients([])}>
      <Drawer title={title} isOpen={params.new !== undefined} onClose={close} hasInput={form.hasInput}>
        <NewRequest form={form} onClose={close} onSent={sent} />
      </Drawer>
    </Requests>
  );
}

interface Props {
  recipients: string[];
  onRead: () => void;
  children: ReactNode;
}

function Requests({ recipients, onRead, children }: Props) {
  const text = useText('file-requests');
  const formats = useFormats();
  const { change } = useSearchParams();
  const openNew = () => change({ new: '1' }, { isNewEntry: true });
  return (
    <Screen
      title={text('title')}
      lead={text('lead')}
      actions={
        <Button variant="primary" icon={Plus} onClick={openNew}>
          {text('newRequest')}
        </Button>
      }
    >
      {recipients.length === 0 ? null : (
        <Notice tone="success" onDismiss={onRead}>
          {text('sentTo', { people: formats.list(recipients.map(visibleText)) })}
        </Notice>
      )}
      <RequestsTable
        empty={
          <EmptyState icon={FolderInput} action={<Button onClick={openNew}>{text('newRequest')}</Button>}>
            {text('empty')}
          </EmptyState>
        }
      />
      {children}
    </Screen>
  );
}
