// S6 of the experience brief: one link with its address, settings and downloads.
import { useNavigate, useParams } from '@tanstack/react-router';
import { ExternalLink, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { AppLinkDetailBody } from '#contract/app/file-links.ts';
import { sizeIn } from '#language/sizes.ts';
import { dayOf, longDate } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { dateText } from '../../dates.ts';
import { useMe, useZone } from '../../me.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Columns, Stack } from '../../parts/columns.tsx';
import { Screen } from '../../parts/screen.tsx';
import { NotForYourGroup, ScreenFailed, ScreenLoading } from '../../parts/screen-states.tsx';
import { ShareCode } from '../../parts/share-code.tsx';
import { useLocale, useText } from '../../texts.ts';
import { Button, ButtonAnchor, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { LinkDownloads } from './downloads.tsx';
import classes from './file-links.module.css';
import { LinkSettings, UntilSetting } from './settings.tsx';

export default function FileLinkDetailScreen() {
  const text = useText('file-links');
  const { features } = useMe();
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useApi('getAppLink', { params: { id } }, { isWanted: features.links });
  if (!features.links) return <NotForYourGroup title={text('detailTitle')} />;
  if (query.data !== undefined) return <LinkDetail link={query.data.link} />;
  if (query.error) return <ScreenFailed error={query.error} reset={query.refetch} />;
  return <ScreenLoading />;
}

function LinkDetail({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const locale = useLocale();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  useArrivalPart();
  const name = visibleText(link.filename);
  const size = sizeIn(locale, link.size);
  const isLive = link.state === 'active' || link.state === 'ending';
  const lead = isLive ? 'detailLead' : link.state === 'expired' ? 'detailExpired' : 'detailDeleted';
  return (
    <Screen
      title={name}
      heading={<bdi>{name}</bdi>}
      lead={text(lead, { size, date: longDate(locale, link.expires_at) })}
      back={<BackLink to="/links">{text('back')}</BackLink>}
      actions={
        link.state === 'deleted' ? undefined : (
          <Button icon={Trash2} onClick={() => setAsking(true)}>
            {text('actionDelete')}
          </Button>
        )
      }
    >
      {isLive ? null : <Ended link={link} />}
      <Columns
        main={isLive ? <AddressCard link={link} name={name} /> : <Downloads link={link} />}
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
        rest={isLive ? <Downloads link={link} /> : undefined}
      />
      {isAsking ? (
        <DeleteDialog
          link={link}
          onKept={() => setAsking(false)}
          onDeleted={() => void navigate({ to: '/links', replace: true })}
        />
      ) : null}
    </Screen>
  );
}

function Downloads({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  return (
    <section id="downloads" tabIndex={-1} className={classes.part}>
      <Card title={text('downloads')}>
        <LinkDownloads link={link} />
      </Card>
    </section>
  );
}

/** Rows of the list lead to a part of this screen: `#settings`, `#downloads`. */
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
        <CopyField label={text('address')} value={link.url} said={text('copiedSaid')} />
        <ShareCode address={link.url} title={name} />
      </Stack>
    </Card>
  );
}

function Ended({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const locale = useLocale();
  const { policy } = useMe();
  if (link.state === 'deleted') return <Notice title={text('deletedNotice')}>{text('deletedText')}</Notice>;
  return (
    <>
      <Notice
        tone="warning"
        title={text('expiredNotice', { date: longDate(locale, link.expires_at) })}
        action={
          <ButtonLink to="/links" search={{ new: '1', again: link.id } as never} size="small">
            {text('makeNew')}
          </ButtonLink>
        }
      >
        {policy.filelink_can_change_expiration ? text('expiredText') : undefined}
      </Notice>
      {policy.filelink_can_change_expiration ? (
        <Card>
          <UntilSetting link={link} label={text('newDate')} said={text('openedAgain')} />
        </Card>
      ) : null}
    </>
  );
}

function AboutFile({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const locale = useLocale();
  const time_zone = useZone();
  const facts = [
    { name: text('created_at'), value: dateText(locale, dayOf(time_zone, link.created_at)), isCode: false },
    { name: text('type'), value: link.content_type, isCode: false },
    { name: text('checksum'), value: link.checksum, isCode: true },
  ];
  return (
    <Card title={text('about')}>
      <dl className={classes.facts}>
        {facts.map(({ name, value, isCode }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={isCode ? classes.mono : undefined}>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
