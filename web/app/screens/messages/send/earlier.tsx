// Files of earlier messages and links that are still stored, to be sent again without an upload.
import { useState } from 'react';
import { sizeIn } from '#language/sizes.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useLocale, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FileList, FileRow } from '../../../ui/file-row.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { Draft } from './draft.ts';
import { changeDraft } from './outgoing.ts';
import classes from './send.module.css';

const shownCount = 20;

interface Props {
  draft: Draft;
  isOpen: boolean;
  onClose: () => void;
}

export function EarlierFiles({ draft, isOpen, onClose }: Props) {
  const text = useText('send');
  const [q, setQ] = useState('');
  return (
    <Dialog
      title={text('earlierTitle')}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          {text('close')}
        </Button>
      }
    >
      <p>{text('earlierText')}</p>
      <TextField label={text('earlierSearch')} type="search" value={q} onChange={setQ} isFocusedFirst />
      <div className={classes.earlier}>{isOpen ? <List draft={draft} q={q.trim()} /> : null}</div>
    </Dialog>
  );
}

function List({ draft, q }: { draft: Draft; q: string }) {
  const text = useText('send');
  const locale = useLocale();
  const query = { size: String(shownCount), ...(q === '' ? {} : { q }) };
  const { data, error, refetch } = useApi('listAppFiles', { query }, { keepsLast: true });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={4} />;
  if (data.items.length === 0)
    return <EmptyState>{q === '' ? text('earlierEmpty') : text('earlierNone', { q })}</EmptyState>;
  const add = (id: string, name: string, sizeBytes: number) => {
    changeDraft({ earlier: [...draft.earlier, { id, name, sizeBytes }] });
    announce(text('addedSaid', { file: visibleText(name) }));
  };
  return (
    <>
      <FileList label={text('earlierList')}>
        {data.items.map(({ id, filename, size, used_in }) => {
          const title = used_in[0]?.title ?? '';
          const isIn = draft.earlier.some((one) => one.id === id);
          const words = { size: sizeIn(locale, size), title: visibleText(title) };
          return (
            <FileRow
              key={id}
              name={filename}
              state={text(title === '' ? 'earlierBare' : 'earlierLine', words)}
              actions={
                <Button
                  size="small"
                  isDisabled={isIn}
                  aria-label={text('addName', { file: visibleText(filename) })}
                  onClick={() => add(id, filename, size)}
                >
                  {text(isIn ? 'added' : 'add')}
                </Button>
              }
            />
          );
        })}
      </FileList>
      {data.total > data.items.length ? <p className={classes.note}>{text('earlierMore', { n: shownCount })}</p> : null}
    </>
  );
}
