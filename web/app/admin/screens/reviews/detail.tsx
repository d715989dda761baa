import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Muted, Pairs, Row, Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Notice } from '../../../ui/states.tsx';
import { ReasonDialog } from '../../parts/reason.tsx';
import { useReason, verdicts } from '../../parts/scan-names.ts';

export type Review = CallAnswer<'listReviews'>['reviews'][number];
type Transfer = Review['transfer'];

export function senderOf({ owner }: Transfer): string {
  return visibleText(owner.name === '' ? owner.email : owner.name);
}

export function useRecipients(): (transfer: Transfer) => string {
  const text = useText('admin/reviews');
  const formats = useFormats();
  return ({ recipients, recipient_count: count }) => {
    const more = count - recipients.length;
    const shown = recipients.map(visibleText);
    return formats.list(more > 0 ? [...shown, text('toMore', { n: more })] : shown);
  };
}

interface Props {
  review: Review;
  mayDecide: boolean;
  onClose: () => void;
}

export function ReviewDetail({ review, mayDecide, onClose }: Props) {
  const text = useText('admin/reviews');
  const [decision, setDecision] = useState<'release' | 'refuse' | null>(null);
  const { transfer } = review;
  return (
    <Stack gap={24}>
      <div>
        <Button onClick={onClose}>{text('back')}</Button>
      </div>
      <Card title={transfer.reference}>
        <Stack gap={16}>
          <Facts transfer={transfer} />
          {review.own ? <Notice>{text('own')}</Notice> : null}
          {mayDecide && !review.own ? (
            <Row>
              <Button variant="primary" onClick={() => setDecision('release')}>
                {text('release')}
              </Button>
              <Button variant="danger" onClick={() => setDecision('refuse')}>
                {text('refuse')}
              </Button>
            </Row>
          ) : null}
        </Stack>
      </Card>
      <Files files={review.files} />
      {decision === null ? null : (
        <DecisionDialog
          review={review}
          decision={decision}
          onClose={() => setDecision(null)}
          onDone={() => {
            setDecision(null);
            announce(text(decision === 'release' ? 'released' : 'refused'));
            onClose();
          }}
        />
      )}
    </Stack>
  );
}

function Facts({ transfer }: { transfer: Transfer }) {
  const text = useText('admin/reviews');
  const formats = useFormats();
  const recipients = useRecipients();
  const { reference } = transfer;
  return (
    <Pairs
      pairs={[
        {
          name: text('sender'),
          value: <bdi>{`${senderOf(transfer)} · ${visibleText(transfer.owner.email)}`}</bdi>,
        },
        { name: text('group'), value: <bdi>{visibleText(transfer.owner.group_name)}</bdi> },
        { name: text('to'), value: <bdi>{recipients(transfer)}</bdi> },
        { name: text('sent'), value: formats.dateTime(transfer.created_at) },
        { name: text('until'), value: formats.longDate(transfer.expires_at) },
        {
          name: text('transfer'),
          value: (
            <Link to="/admin/transfers" search={{ id: reference } as never}>
              {text('showTransfer')}
            </Link>
          ),
        },
      ]}
    />
  );
}

function Files({ files }: Pick<Review, 'files'>) {
  const text = useText('admin/reviews');
  const formats = useFormats();
  return (
    <Card title={text('files')}>
      {files.length === 0 ? (
        <Muted>{text('noFiles')}</Muted>
      ) : (
        <PlainTable
          caption={text('fileTable')}
          isCaptionHidden
          headers={[text('file'), text('size'), text('state')]}
          rows={files.map((file, index) => ({
            id: String(index),
            cells: [
              <bdi key="name">{visibleText(file.filename)}</bdi>,
              formats.size(file.size),
              <FileState key="state" file={file} />,
            ],
          }))}
        />
      )}
    </Card>
  );
}

function FileState({ file }: { file: Review['files'][number] }): ReactNode {
  const text = useText('admin/reviews');
  const scanText = useText('admin/scanning');
  const reasonOf = useReason();
  if (file.scan_state === 'waiting') return <Pill tone="progress">{text('fileChecking')}</Pill>;
  if (file.scan_state === 'free' || file.verdict === null) return <Pill tone="success">{text('fileFree')}</Pill>;
  const { label, tone, icon } = verdicts[file.verdict];
  return (
    <>
      <Pill tone={tone} icon={icon}>
        {scanText(label)}
      </Pill>{' '}
      <bdi>{reasonOf(file)}</bdi>
    </>
  );
}

interface DecisionProps {
  review: Review;
  decision: 'release' | 'refuse';
  onDone: () => void;
  onClose: () => void;
}

function DecisionDialog({ review: { transfer, files }, decision, onDone, onClose }: DecisionProps) {
  const text = useText('admin/reviews');
  const release = useApiChange('releaseMessage', ['admin']);
  const refuse = useApiChange('refuseMessage', ['admin']);
  const isRelease = decision === 'release';
  const change = isRelease ? release : refuse;
  const go = (reason: string) =>
    change.mutate({ params: { id: transfer.reference }, body: { review: { reason } } }, { onSuccess: onDone });
  const isInfected = files.some(({ scan_state, verdict }) => scan_state === 'held' && verdict === 'infected');
  return (
    <ReasonDialog
      title={text(isRelease ? 'releaseTitle' : 'refuseTitle', { name: senderOf(transfer) })}
      confirmLabel={text(decision)}
      isDanger={!isRelease}
      change={change}
      help={text('reasonHelp')}
      onConfirm={go}
      onClose={onClose}
    >
      <p>{text(isRelease ? 'releaseText' : 'refuseText')}</p>
      {isRelease && isInfected ? <Notice tone="warning">{text('releaseInfected')}</Notice> : null}
    </ReasonDialog>
  );
}
