// Adds files by buttons, drag and drop anywhere in the window, and paste.
import { FileUp, FolderUp } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { acceptDrops, chooseFilesWithHandles, type Picked } from '../../uploads/pick.ts';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import classes from './drop-zone.module.css';

interface Props {
  onFiles: (picked: Picked[]) => void;
  id?: string;
  /** `Up to 5 GB per message`. */
  help?: ReactNode;
  allowsFolders?: boolean;
  more?: ReactNode;
}

export function DropZone({ onFiles, id, help, allowsFolders = true, more }: Props) {
  const text = useText('ui');
  const overlay = useRef<HTMLDivElement>(null);
  const take = useRef(onFiles);
  useEffect(() => {
    take.current = onFiles;
  });
  useEffect(() => {
    const end = new AbortController();
    if (overlay.current) acceptDrops(overlay.current, (picked) => take.current(picked), end.signal);
    return () => end.abort();
  }, []);
  return (
    <div className={classes.zone}>
      <p className={classes.title}>{text('dropHere')}</p>
      <div className={classes.buttons}>
        <Button
          {...(id === undefined ? {} : { id })}
          variant="quiet"
          icon={FileUp}
          onClick={() => chooseFilesWithHandles(false, onFiles)}
        >
          {text('chooseFiles')}
        </Button>
        {allowsFolders ? (
          <Button variant="quiet" icon={FolderUp} onClick={() => chooseFilesWithHandles(true, onFiles)}>
            {text('chooseFolder')}
          </Button>
        ) : null}
        {more}
      </div>
      {help === undefined ? null : <div className={classes.help}>{help}</div>}
      {createPortal(
        <div ref={overlay} hidden className={classes.overlay}>
          {text('dropToAdd')}
        </div>,
        document.body,
      )}
    </div>
  );
}
