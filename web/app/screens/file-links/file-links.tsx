// S6 of the experience brief: the list of links. A new one is made in a drawer, on phones on a page of its own; both stand
// in the address as `?new=1`.
import { useNavigate } from '@tanstack/react-router';
import { Link2, Plus } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { AppLinkBody } from '#contract/app/file-links.ts';
import { visibleText } from '../../../visible.ts';
import { useAddress } from '../../address.ts';
import { useList } from '../../list.ts';
import { useMe } from '../../me.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Screen } from '../../parts/screen.tsx';
import { NotForYourGroup } from '../../parts/screen-states.tsx';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useIsNarrow } from '../../ui/narrow.ts';
import { Notice } from '../../ui/notice.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { NewLink } from './new-link.tsx';
import { useNewLink } from './new-link-form.ts';
import { ExpiredLinks, LinksTable } from './table.tsx';

export default function FileLinksScreen() {
  const text = useText('file-links');
  const { features } = useMe();
  const { words, change } = useAddress();
  const isNarrow = useIsNarrow();
  // Up here, so that nothing is lost when a window is made smaller or a phone is turned.
  const form = useNewLink();
  useEffect(() => {
    // Left by another way than its buttons: what was made is not shown a second time.
    if (words.new === undefined && form.isDone) form.startOver();
  });
  if (!features.links) return <NotForYourGroup title={text('title')} />;
  const title = form.isDone ? text('createdTitle', { n: form.created.length }) : text('newTitle');
  const close = () => {
    change({ new: undefined, again: undefined });
    form.startOver();
  };
  if (words.new !== undefined && isNarrow)
    return (
      <Screen key={title} title={title} back={<BackLink to="/links">{text('back')}</BackLink>}>
        <NewLink form={form} isPage onClose={close} />
      </Screen>
    );
  return (
    <LinksList>
      <Drawer title={title} isOpen={words.new !== undefined} onClose={close} holdsWork={form.holdsWork}>
        <NewLink form={form} onClose={close} />
      </Drawer>
    </LinksList>
  );
}

function LinksList({ children }: { children: ReactNode }) {
  const text = useText('file-links');
  const navigate = useNavigate();
  const { change } = useAddress();
  const list = useList({ filters: ['q'], sort: '-created_at' });
  const [doomed, setDoomed] = useState<AppLinkBody | null>(null);
  const [told, setTold] = useState<{ sentence: string; isGone: boolean } | null>(null);
  const openNew = () => change({ new: '1' }, { isNewEntry: true });
  const button = (
    <Button variant="primary" icon={Plus} onClick={openNew}>
      {text('newLink')}
    </Button>
  );
  return (
    <Screen title={text('title')} lead={text('lead')} actions={button}>
      {told === null ? null : (
        <Notice tone={told.isGone ? 'info' : 'success'} onDismiss={() => setTold(null)}>
          {told.sentence}
        </Notice>
      )}
      <LinksTable
        list={list}
        empty={
          <EmptyState icon={Link2} action={<Button onClick={openNew}>{text('newLink')}</Button>}>
            {text('empty')}
          </EmptyState>
        }
        onOpen={(id, part) => void navigate({ to: '/links/$id', params: { id }, hash: part })}
        onDelete={setDoomed}
      />
      <ExpiredLinks />
      {children}
      {doomed === null ? null : (
        <DeleteDialog
          link={doomed}
          onKept={() => setDoomed(null)}
          onDeleted={(isGone) => {
            setTold({
              sentence: text(isGone ? 'goneAlready' : 'deleted', { file: visibleText(doomed.filename) }),
              isGone,
            });
            setDoomed(null);
          }}
        />
      )}
    </Screen>
  );
}
