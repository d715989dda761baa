// With `?new=1` a drawer, on phones a page, creates a link.
import { Link2, Plus } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { AppLinkBody } from '#contract/app/file-links.ts';
import { visibleText } from '../../../visible.ts';
import { useMe } from '../../me.ts';
import { Screen } from '../../parts/screen.tsx';
import { NotForYourGroup } from '../../parts/screen-states.tsx';
import { useSearchParams } from '../../search-params.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { useIsNarrow } from '../../ui/narrow.ts';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { ExpiredLinks } from './expired.tsx';
import { NewLink } from './new-link.tsx';
import { useNewLink } from './new-link-form.ts';
import { LinksTable } from './table.tsx';

export default function FileLinksScreen() {
  const text = useText('file-links');
  const { features } = useMe();
  const { params, change } = useSearchParams();
  const isNarrow = useIsNarrow();
  // Kept in the parent, so that input survives a change of width.
  const form = useNewLink();
  useEffect(() => {
    // Closed by navigation: do not show the result again.
    if (params.new === undefined && form.isDone) form.startOver();
  });
  if (!features.links) return <NotForYourGroup title={text('title')} />;
  const title = form.isDone ? text('createdTitle', { n: form.created.length }) : text('newTitle');
  const close = () => {
    change({ new: undefined, again: undefined });
    form.startOver();
  };
  if (params.new !== undefined && isNarrow)
    return (
      <Screen key={title} title={title} back={{ to: '/links', label: text('back') }}>
        <NewLink form={form} isPage onClose={close} />
      </Screen>
    );
  return (
    <Links>
      <Drawer title={title} isOpen={params.new !== undefined} onClose={close} hasInput={form.hasInput}>
        <NewLink form={form} onClose={close} />
      </Drawer>
    </Links>
  );
}

function Links({ children }: { children: ReactNode }) {
  const text = useText('file-links');
  const { change } = useSearchParams();
  const [doomed, setDoomed] = useState<AppLinkBody | null>(null);
  const [notice, setNotice] = useState<{ sentence: string; isGone: boolean } | null>(null);
  const openNew = () => change({ new: '1' }, { isNewEntry: true });
  return (
    <Screen
      title={text('title')}
      lead={text('lead')}
      actions={
        <Button variant="primary" icon={Plus} onClick={openNew}>
          {text('newLink')}
        </Button>
      }
    >
      {notice === null ? null : (
        <Notice tone={notice.isGone ? 'info' : 'success'} onDismiss={() => setNotice(null)}>
          {notice.sentence}
        </Notice>
      )}
      <LinksTable
        empty={
          <EmptyState icon={Link2} action={<Button onClick={openNew}>{text('newLink')}</Button>}>
            {text('empty')}
          </EmptyState>
        }
        onDelete={setDoomed}
      />
      <ExpiredLinks />
      {children}
      {doomed === null ? null : (
        <DeleteDialog
          link={doomed}
          onClose={() => setDoomed(null)}
          onDeleted={(isGone) => {
            const sentence = text(isGone ? 'goneAlready' : 'deleted', { file: visibleText(doomed.filename) });
            setNotice({ sentence, isGone });
            setDoomed(null);
          }}
        />
      )}
    </Screen>
  );
}
