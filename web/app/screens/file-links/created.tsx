// Shows the password for the last time.
import { Link } from '@tanstack/react-router';
import { Check, Copy } from 'lucide-react';
import { visibleText } from '../../../visible.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField, useCopy } from '../../ui/copy-field.tsx';
import { DrawerForm } from '../../ui/drawer.tsx';
import { ShareCode } from '../../ui/qr-code.tsx';
import { Notice } from '../../ui/states.tsx';
import type { CreatedLink, NewLinkForm } from './new-link-form.ts';

interface Props {
  form: NewLinkForm;
  isPage: boolean;
  onClose: () => void;
}

export function CreatedLinks({ form, isPage, onClose }: Props) {
  const text = useText('file-links');
  const ui = useText('ui');
  const { created, wasCopied, settings } = form;
  const { length: n } = created;
  const all = useCopy(text('allCopied'));
  const only = n === 1 ? created[0] : undefined;
  return (
    <DrawerForm
      isPage={isPage}
      isResult
      actions={
        <>
          <Button variant="quiet" onClick={form.startOver}>
            {text('another')}
          </Button>
          <Button variant={only === undefined ? 'secondary' : 'primary'} onClick={onClose}>
            {ui('done')}
          </Button>
          {only === undefined ? (
            <Button
              variant="primary"
              icon={all.state === 'copied' ? Check : Copy}
              onClick={() => void all.copy(created.map(({ url }) => url).join('\n'))}
            >
              {text(all.state === 'copied' ? 'copied' : 'copyAll')}
            </Button>
          ) : null}
        </>
      }
    >
      {wasCopied ? <Notice tone="success">{text('createdInfo', { n })}</Notice> : null}
      {created.map(({ id, filename, url }) => (
        <CopyField
          key={id}
          label={text('linkTo', { file: visibleText(filename) })}
          value={url}
          announcement={text('copiedSaid')}
        />
      ))}
      {settings.password === '' ? null : (
        <CopyField
          label={text('passwordOnce', { n })}
          help={text('passwordOnceHelp')}
          value={settings.password}
          announcement={text('passwordCopied')}
        />
      )}
      {only === undefined ? null : <OnlyLink link={only} />}
    </DrawerForm>
  );
}

function OnlyLink({ link }: { link: CreatedLink }) {
  const text = useText('file-links');
  return (
    <>
      <ShareCode address={link.url} title={visibleText(link.filename)} />
      <p>
        <Link to="/links/$id" params={{ id: link.id }}>
          {text('seeLink')}
        </Link>
      </p>
    </>
  );
}
