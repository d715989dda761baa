// The URL has the shown message (`?reference=…`).
import { Link } from '@tanstack/react-router';
import { ClipboardCheck } from 'lucide-react';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import type { Column } from '../../../ui/columns.ts';
import { Pill } from '../../../ui/pill.tsx';
import { CardTable } from '../../../ui/plain-table.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { administrators } from '../../roles.ts';
import { type Review, ReviewDetail, senderOf, useRecipients } from './detail.tsx';

export default function ReviewsScreen() {
  const text = useText('admin/reviews');
  const mayDecide = administrators.includes(useMe().role);
  const { params, change } = useSearchParams();
  const query = useApi('listReviews', {}, { everyMs: 10_000 });
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={administrators}>
      <Loaded query={query}>
        {({ reviews }) => {
          const shown = reviews.find(({ transfer }) => transfer.reference === params.reference);
          const close = () => change({ reference: undefined });
          if (shown !== undefined) return <ReviewDetail review={shown} mayDecide={mayDecide} onClose={close} />;
          return reviews.length === 0 ? (
            <EmptyState icon={ClipboardCheck}>{text('empty')}</EmptyState>
          ) : (
            <Waiting reviews={reviews} />
          );
        }}
      </Loaded>
    </ConsoleScreen>
  );
}

function Waiting({ reviews }: { reviews: readonly Review[] }) {
  const text = useText('admin/reviews');
  return (
    <Card isFlush>
      <CardTable
        caption={text('title')}
        columns={useColumns()}
        rows={reviews.map((review) => ({ ...review, id: review.transfer.reference }))}
        rowName={({ transfer }) => transfer.reference}
      />
    </Card>
  );
}

function useColumns(): Column<Review & { id: string }>[] {
  const text = useText('admin/reviews');
  const formats = useFormats();
  const recipients = useRecipients();
  return [
    {
      id: 'message',
      header: text('message'),
      cell: ({ transfer: { reference } }) => (
        <Link to="/admin/reviews" search={{ reference } as never}>
          {reference}
        </Link>
      ),
      under: ({ transfer: { files, size } }) => text('filesAndSize', { n: files, size: formats.size(size) }),
    },
    {
      id: 'sender',
      header: text('sender'),
      width: 'quarter',
      small: 'line',
      cell: ({ transfer }) => <bdi>{senderOf(transfer)}</bdi>,
      under: ({ transfer: { owner } }) => <bdi>{visibleText(owner.group_name)}</bdi>,
    },
    {
      id: 'to',
      header: text('to'),
      width: 'quarter',
      small: 'line',
      cell: ({ transfer }) => <bdi>{recipients(transfer)}</bdi>,
      under: ({ requested_at }) => text('since', { time: formats.dateTime(requested_at) }),
    },
    { id: 'why', header: text('why'), width: 'quarter', small: 'mark', cell: (review) => <Why review={review} /> },
  ];
}

function Why({ review: { files } }: { review: Review }) {
  const text = useText('admin/reviews');
  const held = files.filter(({ scan_state }) => scan_state === 'held').length;
  if (held > 0) return <Pill tone="warning">{text('whyHeld', { n: held })}</Pill>;
  if (files.some(({ scan_state }) => scan_state === 'waiting'))
    return <Pill tone="progress">{text('whyChecking')}</Pill>;
  return <Pill>{text('whyAll')}</Pill>;
}
