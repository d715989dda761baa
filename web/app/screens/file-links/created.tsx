// What came of a new link: its address with Copy and a QR code, or all of them; its password for the last time.
import { Link } from '@tanstack/react-router';
import { Check, Copy } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { visibleText } from '../../../visible.ts';
import { FormBar } from '../../parts/form-bar.tsx';
import { ShareCode } from '../../parts/share-code.tsx';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField, useCopy } from '../../ui/copy-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import classes from './new-link.module.css';
import type { NewLinkForm } from './new-link-form.ts';

interface Props {
  form: NewLinkForm;
  isPage: boolean;
  onClose: () => void;
}

export function CreatedLinks({ form, isPage, onClose }: Props) {
  const text = useText('file-links');
  const ref = useRef<HTMLDivElement>(null);
  const { created, wasCopied, settings } = form;
  const all = useCopy(text('allCopied'));
  useEffect(() => ref.current?.focus(), []);
  return (
    <div className={`${classes.form} ${classes.result}`} data-page={isPage} ref={ref} tabIndex={-1}>
      {wasCopied ? <Notice tone="success">{text('createdInfo', { n: created.length })}</Notice> : null}
      {created.map(({ id, filename, url }) => (
        <CopyField
          key={id}
          label={text('linkTo', { file: visibleText(filename) })}
          value={url}
          said={text('copiedSaid')}
        />
      ))}
      {settings.password === '' ? null : (
        <CopyField
          label={text('passwordOnce', { n: created.length })}
          help={text('passwordOnceHelp')}
          value={settings.password}
          said={text('passwordCopied')}
        />
      )}
      {created.length === 1 ? <ShareCode address={created[0]!.url} title={visibleText(created[0]!.filename)} /> : null}
      {created.length === 1 ? (
        <p>
          <Link to="/links/$id" params={{ id: created[0]!.id }}>
            {text('seeLink')}
          </Link>
        </p>
      ) : null}
      <FormBar>
        {created.length > 1 ? (
          <Button
            variant="primary"
            icon={all.state === 'copied' ? Check : Copy}
            onClick={() => void all.copy(created.map(({ url }) => url).join('\n'))}
          >
            {text(all.state === 'copied' ? 'copied' : 'copyAll')}
          </Button>
        ) : null}
        <Button variant={created.length > 1 ? 'secondary' : 'primary'} onClick={onClose}>
          {text('done')}
        </Button>
        <Button variant="quiet" onClick={form.startOver}>
          {text('another')}
        </Button>
      </FormBar>
    </div>
  );
}
