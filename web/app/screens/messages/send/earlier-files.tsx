// Files of earlier messages and links that are still stored, to be chosen again without another upload.
import { History } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { sizeIn } from '#language/sizes.ts';
import { dayOf } from '../../../../formats.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { dateText } from '../../../dates.ts';
import { useZone } from '../../../me.ts';
import { useLocale, useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import classes from '../../file-links/new-link.module.css';
import type { StoredFile } from '../../file-links/new-link-form.ts';

interface Props {
  chosen: readonly StoredFile[];
  onChange: (files: StoredFile[]) => void;
}

export function EarlierFiles({ chosen, onChange }: Props) {
  const text = useText('file-links');
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div>
        <Button size="small" icon={History} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {text(isOpen ? 'earlierHide' : 'earlier')}
        </Button>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen ? <Choices chosen={chosen} onChange={onChange} /> : null}
      </div>
    </>
  );
}

const pauseMs = 250;

function Choices({ chosen, onChange }: Props) {
  const text = useText('file-links');
  const locale = useLocale();
  const time_zone = useZone();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const query = { size: '8', ...(asked === '' ? {} : { q: asked }) };
  const files = useApi('listAppFiles', { query }, { keepsLast: true });
  const items = files.data?.items;
  const toggle = (file: StoredFile, isOn: boolean) =>
    onChange(isOn ? [...chosen, file] : chosen.filter(({ id }) => id !== file.id));
  return (
    <div className={classes.earlier}>
      <TextField label={text('earlierSearch')} type="search" value={typed} onChange={setTyped} maxLength={200} />
      {files.error ? (
        <ErrorState error={files.error} onRetry={() => void files.refetch()} />
      ) : items === undefined ? (
        <Skeleton lines={4} onRetry={() => void files.refetch()} />
      ) : items.length === 0 ? (
        <p className={classes.note}>{text(asked === '' ? 'earlierEmpty' : 'earlierNone')}</p>
      ) : (
        <ul className={classes.earlierList} aria-label={text('earlierLabel')}>
          {items.map(({ id, filename, size, created_at }) => (
            <li key={id}>
              <Checkbox
                label={visibleText(filename)}
                help={text('earlierLine', {
                  size: sizeIn(locale, size),
                  date: dateText(locale, dayOf(time_zone, created_at)),
                })}
                checked={chosen.some((file) => file.id === id)}
                onChange={(isOn) => toggle({ id, filename, size }, isOn)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
