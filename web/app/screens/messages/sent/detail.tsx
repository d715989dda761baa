import { useParams } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { useApi } from '../../../api.ts';
import { NamesContext } from '../../../names.ts';
import { PartBoundary } from '../../../parts/part-boundary.tsx';
import { ReceiptButton } from '../../../parts/receipt-button.tsx';
import { Screen } from '../../../parts/screen.tsx';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { everyMsWhileChecking, FileChecks, isAnyChecked } from '../file-checks.tsx';
import { SentActivity } from './activity.tsx';
import type { SentDialogState } from './dialog-props.ts';
import { SentDialog } from './dialogs.tsx';
import { SentFiles } from './files.tsx';
import { SentMessage } from './message.tsx';
import { SentPeople } from './people.tsx';
import { SentProblems } from './problems.tsx';
import { useSentFormats, useStateSentences } from './sent-formats.ts';
import { SentSummary } from './summary.tsx';

/** The end of a download is not an event. */
const everyMsWhileRunning = 2_000;

export default function SentDetailScreen() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const [everyMs, setEveryMs] = useState<number | undefined>(undefined);
  const query = useApi('getSentMessage', { params: { id } }, everyMs === undefined ? {} : { everyMs });
  const message = query.data?.message;
  const nextMs = message === undefined ? undefined : intervalOf(message);
  useEffect(() => setEveryMs(nextMs), [nextMs]);
  return (
    <ScreenLoaded query={query}>
      {({ message: known }) => (
        <NamesContext value={known.names}>
          <Detail key={id} message={known} />
        </NamesContext>
      )}
    </ScreenLoaded>
  );
}

function intervalOf(message: SentMessageBody): number | undefined {
  if (isAnyRunning(message)) return everyMsWhileRunning;
  return isAnyChecked(message) ? everyMsWhileChecking : undefined;
}

function isAnyRunning({ people, others }: SentMessageBody): boolean {
  return (
    people.some(({ files, removed_files: removed }) =>
      [...files, ...removed].some(({ downloads }) => downloads.some((one) => one.is_running)),
    ) || others.some(({ downloads }) => downloads.some(({ download }) => download.is_running))
  );
}

function Detail({ message }: { message: SentMessageBody }) {
  const text = useText('sent');
  const formats = useSentFormats();
  const [dialog, setDialog] = useState<SentDialogState | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const sentences = useStateSentences(message);
  const notifiedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const notify = (sentence: string | null) => {
    setNotice(sentence);
    if (sentence === null) return;
    notifiedAtMs.current = performance.now();
    announce(sentence);
  };
  useChangeAnnouncement(sentences.join(' '), notifiedAtMs);
  useFixParam(message, setDialog);
  const common = { message, openDialog: setDialog, notify };
  const back = { to: '/sent', label: text('back') } as const;
  return (
    <Screen
      title={formats.subject(message.subject)}
      lead={useLead(message)}
      back={back}
      actions={<ReceiptButton kind="message" id={message.id} />}
    >
      <SentProblems {...common} />
      <FileChecks message={message} />
      <SentSummary {...common} sentences={sentences} notice={notice} />
      <Tabs
        label={text('tabs')}
        tabs={[
          { value: 'people', label: text('tabPeople'), content: () => inPart(<SentPeople {...common} />) },
          { value: 'files', label: text('tabFiles'), content: () => inPart(<SentFiles {...common} />) },
          { value: 'activity', label: text('tabActivity'), content: () => inPart(<SentActivity message={message} />) },
          { value: 'message', label: text('tabMessage'), content: () => inPart(<SentMessage message={message} />) },
        ]}
      />
      {dialog === null ? null : <SentDialog {...common} open={dialog} onClose={() => setDialog(null)} />}
    </Screen>
  );
}

function inPart(part: ReactNode) {
  return <PartBoundary>{part}</PartBoundary>;
}

function useLead(message: SentMessageBody): string {
  const text = useText('sent');
  const formats = useSentFormats();
  const values = {
    time: formats.dateTime(message.sent_at),
    files: text('filesAndSize', { n: message.files.length, size: formats.size(message.size) }),
    date: formats.longDate(message.expires_at),
    relative: formats.relative(message.expires_at),
  };
  return text(
    message.is_open
      ? 'sentLead'
      : message.state === 'stopped' || message.state === 'refused'
        ? 'sentLeadStopped'
        : 'sentLeadEnded',
    values,
  );
}

const ownChangeMs = 3_000;

/** Skips the initial state and the user's own actions. */
function useChangeAnnouncement(state: string, notifiedAtMs: RefObject<number>): void {
  const before = useRef(state);
  useEffect(() => {
    if (before.current === state) return;
    before.current = state;
    if (performance.now() - notifiedAtMs.current > ownChangeMs) announce(state);
  }, [state, notifiedAtMs]);
}

/** The mail about a refused address links here with `?fix`. */
function useFixParam(message: SentMessageBody, openDialog: (state: SentDialogState) => void): void {
  const { params, change } = useSearchParams();
  const isFixRequested = params.fix !== undefined;
  const wrong = message.people.find(({ state }) => state === 'problem');
  useEffect(() => {
    if (!isFixRequested) return;
    change({ fix: undefined });
    if (wrong !== undefined && message.is_open) openDialog({ kind: 'correct', address: wrong.address });
  }, [isFixRequested, wrong, message.is_open, change, openDialog]);
}
