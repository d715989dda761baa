import { useParams } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, CircleSlash, Clock, ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { AppRequestDetailBody } from '#contract/app/file-requests.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { useMe } from '../../me.ts';
import { NamesContext, useNames } from '../../names.ts';
import { ReceiptButton } from '../../parts/receipt-button.tsx';
import { Screen } from '../../parts/screen.tsx';
import { NotForYourGroup, ScreenLoaded } from '../../parts/screen-states.tsx';
import { type TextKey, useText } from '../../texts.ts';
import { ButtonAnchor } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Columns, Muted, Row, Stack } from '../../ui/layout.tsx';
import { ShareCode } from '../../ui/qr-code.tsx';
import { Notice } from '../../ui/states.tsx';
import { Timeline } from '../../ui/timeline.tsx';
import { RequestActions } from './actions.tsx';
import { RequestDeliveries } from './deliveries.tsx';
import classes from './file-requests.module.css';
import { RequestState, useRequestName } from './state.tsx';

export default function FileRequestDetailScreen() {
  const text = useText('file-requests');
  const { features } = useMe();
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useApi('getAppRequest', { params: { id } }, { isEnabled: features.requests });
  if (!features.requests) return <NotForYourGroup title={text('detailTitle')} />;
  return (
    <ScreenLoaded query={query}>
      {({ request }) => (
        <NamesContext value={request.names}>
          <RequestDetail request={request} />
        </NamesContext>
      )}
    </ScreenLoaded>
  );
}

function RequestDetail({ request }: { request: AppRequestDetailBody }) {
  const text = useText('file-requests');
  const formats = useFormats();
  const nameOf = useRequestName();
  const names = useNames();
  const [notice, setNotice] = useState('');
  const name = visibleText(nameOf(request));
  const isOpen = request.state === 'waiting' || request.state === 'open';
  const refused = request.mails[0]?.state === 'refused' ? request.mails[0] : null;
  return (
    <Screen
      title={name}
      heading={<bdi>{name}</bdi>}
      lead={text('detailLead', {
        person: names.full(request.recipient),
        date: formats.longDate(formats.dayOf(request.created_at)),
      })}
      back={{ to: '/requests', label: text('back') }}
      actions={<ReceiptButton kind="request" id={request.id} />}
    >
      {notice === '' ? null : (
        <Notice tone="success" onDismiss={() => setNotice('')}>
          {notice}
        </Notice>
      )}
      {refused === null || !isOpen ? null : (
        <Notice tone="danger" title={text('refusedNotice', { address: visibleText(refused.address) })}>
          {text('refusedText')}
        </Notice>
      )}
      <Columns
        main={
          <>
            <Card>
              <Stack>
                <Row>
                  <RequestState request={request} />
                  <StateSentence request={request} />
                </Row>
                <RequestActions request={request} onDone={setNotice} />
              </Stack>
            </Card>
            <Card title={text('deliveries')}>
              <RequestDeliveries request={request} />
            </Card>
          </>
        }
        side={
          <>
            {isOpen ? <LinkCard request={request} name={name} /> : null}
            <MailCard request={request} />
          </>
        }
        rest={<AskedCard request={request} />}
      />
    </Screen>
  );
}

function StateSentence({ request }: { request: AppRequestDetailBody }) {
  const text = useText('file-requests');
  const formats = useFormats();
  const names = useNames();
  const files = text('fileCount', { n: request.files });
  const last = request.last_delivery_at;
  const values: Record<string, string | number> = {
    person: names.of(request.recipient),
    n: request.deliveries,
    files,
    date: formats.longDate(request.state === 'received' && last !== null ? formats.dayOf(last) : request.expires_at),
  };
  return <span>{text(`${request.state}Line` as TextKey<'file-requests'>, values)}</span>;
}

function LinkCard({ request, name }: { request: AppRequestDetailBody; name: string }) {
  const text = useText('file-requests');
  return (
    <Card
      title={text('linkCard')}
      actions={
        <ButtonAnchor
          href={request.url}
          target="_blank"
          rel="noopener"
          size="small"
          variant="quiet"
          icon={ExternalLink}
        >
          {text('preview')}
        </ButtonAnchor>
      }
    >
      <Stack>
        <CopyField label={text('address')} value={request.url} announcement={text('linkCopied')} />
        <ShareCode address={request.url} title={name} />
      </Stack>
    </Card>
  );
}

function AskedCard({ request }: { request: AppRequestDetailBody }) {
  const text = useText('file-requests');
  const formats = useFormats();
  const { policy, organisation_name: organisation } = useMe();
  return (
    <Card title={text('request')}>
      <Stack>
        {request.message === '' ? (
          <Muted>{text('noMessage')}</Muted>
        ) : (
          <p className={classes.message}>{request.message.split('\n').map(visibleText).join('\n')}</p>
        )}
        <Muted>
          {text('untilLine', { date: formats.longDate(request.expires_at) })}{' '}
          {text('zone', { zone: formats.zoneOn(request.expires_at) })}{' '}
          {text(request.multiuse ? 'manyFact' : 'onceFact')}{' '}
          {policy.file_request_permission === 2 ? text('forwardFact', { organisation }) : null}
        </Muted>
      </Stack>
    </Card>
  );
}

const mailStates = {
  waiting: { icon: Clock, tone: 'plain', key: 'mailWaiting' },
  accepted: { icon: CircleCheck, tone: 'success', key: 'mailAccepted' },
  refused: { icon: CircleAlert, tone: 'danger', key: 'mailRefused' },
  cancelled: { icon: CircleSlash, tone: 'plain', key: 'mailCancelled' },
} as const;

function MailCard({ request }: { request: AppRequestDetailBody }) {
  const { can_send_mail: canMail } = useMe();
  const text = useText('file-requests');
  const formats = useFormats();
  return (
    <Card title={text('mails')}>
      {request.mails.length === 0 ? (
        <Muted>{text('mailsNone')}</Muted>
      ) : (
        <Timeline
          label={text('mails')}
          events={request.mails.map((mail) => {
            const { icon, tone, key } = mailStates[mail.state];
            const at = mail.finished_at ?? mail.created_at;
            return {
              id: `${mail.created_at} ${mail.address} ${mail.kind}`,
              icon,
              tone,
              sentence: text(mail.state === 'waiting' && !canMail ? 'mailHeld' : key, {
                kind: mail.kind,
                address: visibleText(mail.address),
              }),
              time: formats.dateTime(at),
              instant: at,
              details:
                mail.state === 'refused' && mail.server_text !== '' ? (
                  <Muted>{text('mailServerSaid', { words: visibleText(mail.server_text) })}</Muted>
                ) : null,
            };
          })}
        />
      )}
    </Card>
  );
}
