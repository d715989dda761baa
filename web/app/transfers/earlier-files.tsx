// Reuses stored files of earlier messages and links without an upload.
import { History } from 'lucide-react';
import { useState } from 'react';
import { visibleText } from '../../visible.ts';
import { useApi } from '../api.ts';
import { useFormats } from '../formats.ts';
import { useText } from '../texts.ts';
import { announce } from '../ui/announcer.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FileList, FileRow } from '../ui/file-row.tsx';
import { Muted } from '../ui/layout.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import classes from './earlier-files.module.css';

export interface EarlierFile {
  id: string;
  name: string;
  sizeBytes: number;
}

interface Props {
  chosen: readonly EarlierFile[];
  onAdd: (file: EarlierFile) => void;
}

export function EarlierFiles({ chosen, onAdd }: Props) {
  const text = useText('upload');
  const ui = useText('ui');
  const [isOpen, setOpen] = useState(false);
  const [q, setQ] = useState('');
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="quiet" icon={History} onClick={() => setOpen(true)}>
        {text('upload.earlier')}
      </Button>
      {isOpen ? (
        <Dialog
          title={text('upload.earlierTitle')}
          onClose={close}
          actions={
            <Button variant="primary" onClick={close}>
              {ui('done')}
            </Button>
          }
        >
          <p>{text('upload.earlierText')}</p>
          <TextField label={text('upload.earlierSearch')} type="search" value={q} onChange={setQ} isFocusedFirst />
          <div className={classes.list}>
            <StoredFiles q={q.trim()} chosen={chosen} onAdd={onAdd} />
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

const shownCount = 20;

function StoredFiles({ q, chosen, onAdd }: Props & { q: string }) {
  const text = useText('upload');
  const formats = useFormats();
  const query = { size: String(shownCount), ...(q === '' ? {} : { q }) };
  const files = useApi('listAppFiles', { query }, { keepsLast: true });
  const add = (file: EarlierFile) => {
    onAdd(file);
    announce(text('upload.addedSaid', { file: visibleText(file.name) }));
  };
  return (
    <Loaded query={files} lines={4}>
      {({ items, total }) =>
        items.length === 0 ? (
          <EmptyState>{q === '' ? text('upload.earlierEmpty') : text('upload.earlierNone', { q })}</EmptyState>
        ) : (
          <>
            <FileList label={text('upload.earlierList')}>
              {items.map(({ id, filename: name, size: sizeBytes, used_in: [use] }) => {
                const isIn = chosen.some((one) => one.id === id);
                const values = { size: formats.size(sizeBytes), title: visibleText(use?.title ?? '') };
                return (
                  <FileRow
                    key={id}
                    name={name}
                    state={text(values.title === '' ? 'upload.earlierBare' : 'upload.earlierLine', values)}
                    actions={
                      <Button
                        size="small"
                        isDisabled={isIn}
                        aria-label={text('upload.addName', { file: visibleText(name) })}
                        onClick={() => add({ id, name, sizeBytes })}
                      >
                        {text(isIn ? 'upload.addedAlready' : 'upload.add')}
                      </Button>
                    }
                  />
                );
              })}
            </FileList>
            {total > items.length ? <Muted>{text('upload.earlierMore', { n: shownCount })}</Muted> : null}
          </>
        )
      }
    </Loaded>
  );
}

export function EarlierRow({ file, onRemove }: { file: EarlierFile; onRemove?: (() => void) | undefined }) {
  const text = useText('upload');
  const formats = useFormats();
  return (
    <FileRow
      name={file.name}
      tone="success"
      state={text('upload.earlierRow', { size: formats.size(file.sizeBytes) })}
      actions={
        onRemove === undefined ? undefined : (
          <Button
            size="small"
            variant="quiet"
            aria-label={text('upload.removeName', { file: visibleText(file.name) })}
            onClick={onRemove}
          >
            {text('upload.remove')}
          </Button>
        )
      }
    />
  );
}
