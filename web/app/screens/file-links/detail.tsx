import { useNavigate, useParams } from '@tanstack/react-router';
import { ExternalLink, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { AppLinkDetailBody } from '#contract/app/file-links.ts';
import { downloadCommand } from '../../../download-command.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { useMe, useZone } from '../../me.ts';
import { ReceiptButton } from '../../parts/receipt-button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { NotForYourGroup, ScreenLoaded } from '../../parts/screen-states.tsx';
import { useText } from '../../texts.ts';
import { Button, ButtonAnchor, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Columns, Pairs, Stack } from '../../ui/layout.tsx';
import { ShareCode } from '../../ui/qr-code.tsx';
import { Notice } from '../../ui/states.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { LinkDownloads } from './downloads.tsx';
import classes from './file-links.module.css';
import { LinkSettings, UntilSetting } from './settings.tsx';

export default function FileLinkDetailScreen() {
  const text = useText('file-links');
  const { features } = useMe();
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useApi('getAppLink', { params: { id }, query: { zone: useZone() } }, { isEnabled: features.links });
  if (!features.links) return <NotForYourGroup title={text('detailTitle')} />;
  return <ScreenLoaded query={query}>{({ link }) => <LinkDetail link={link} />}</ScreenLoaded>;
}

function LinkDetail({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const formats = useFormats();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  useArrivalPart();
  const name = visibleText(link.filename);
  const isLive = link.state === 'active' || link.state === 'ending';
  const lead = isLive ? 'detailLead' : link.state === 'expired' ? 'detailExpired' : 'detailDeleted';
  const downloads = (
    <section id="downloads" tabIndex={-1} className={classes.part}>
      <Card title={text('downloads')}>
        <LinkDownloads link={link} />
      </Card>
    </section>
  );
  return (
    <Screen
      title={name}
      heading={<bdi>{name}</bdi>}
      lead={text(lead, { size: formats.size(link.size), date: formats.longDate(link.expires_at) })}
      back={{ to: '/links', label: text('back') }}
      actions={
        <>
          <ReceiptButton kind="link" id={link.id} />
          {link.state === 'deleted' ? null : (
            <Button icon={Trash2} onClick={() => setAsking(true)}>
              {text('actionDelete')}
            </Button>
          )}
        </>
      }
    >
      {isLive ? null : <Ended link={link} />}
      <Columns
        main={isLive ? <AddressCard link={link} name={name} /> : downloads}
        side={
          <>
            {isLive ? (
              <section id="settings" tabIndex={-1} className={classes.part}>
                <Card title={text('settings')}>
                  <LinkSettings link={link} />
                </Card>
              </section>
            ) : null}
            <AboutFile link={link} />
          </>
        }
        rest={isLive ? downloads : undefined}
      />
      {isAsking ? (
        <DeleteDialog
          link={link}
          onClose={() => setAsking(false)}
          onDeleted={() => void navigate({ to: '/links', replace: true })}
        />
      ) : null}
    </Screen>
  );
}

/** Scrolls to `#settings` or `#downloads`. */
function useArrivalPart(): void {
  useEffect(() => {
    const part = document.getElementById(location.hash.slice(1));
    part?.scrollIntoView();
    part?.focus();
  }, []);
}

function AddressCard({ link, name }: { link: AppLinkDetailBody; name: string }) {
  const text = useText('file-links');
  return (
    <Card
      title={text('link')}
      actions={
        <ButtonAnchor href={link.url} target="_blank" rel="noopener" size="small" variant="quiet" icon={ExternalLink}>
          {text('openPage')}
        </ButtonAnchor>
      }
    >
      <Stack>
        <CopyField label={text('address')} value={link.url} announcement={text('copiedSaid')} />
        <ShareCode address={link.url} title={name} />
        {link.has_password || link.require_authentication ? null : (
          <CopyField
            label={text('forScripts')}
            help={text('forScriptsHelp')}
            value={downloadCommand(`${link.url}/download`)}
          />
        )}
      </Stack>
    </Card>
  );
}

function Ended({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const formats = useFormats();
  const { filelink_can_change_expiration: mayReopen } = useMe().policy;
  if (link.state === 'deleted') return <Notice title={text('deletedNotice')}>{text('deletedText')}</Notice>;
  return (
    <>
      <Notice
        tone="warning"
        title={text('expiredNotice', { date: formats.longDate(link.expires_at) })}
        action={
          <ButtonLink to="/links" search={{ new: '1', again: link.id } as never} size="small">
            {text('makeNew')}
          </ButtonLink>
        }
      >
        {mayReopen ? text('expiredText') : undefined}
      </Notice>
      {mayReopen ? (
        <Card>
          <UntilSetting link={link} label={text('newDate')} announcement={text('openedAgain')} />
        </Card>
      ) : null}
    </>
  );
}

function AboutFile({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const formats = useFormats();
  return (
    <Card title={text('about')}>
      <Pairs
        pairs={[
          { name: text('created_at'), value: formats.dateOf(link.created_at) },
          { name: text('type'), value: link.content_type },
          { name: text('checksum'), value: <code>{link.checksum}</code> },
        ]}
      />
    </Card>
  );
}
