import { Link2, Send } from 'lucide-react';
import { totalsOf } from '../../../../../transfer/states.ts';
import { useFormats } from '../../../formats.ts';
import { type Me, useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { isAllPaused, isRunning } from '../../../transfers/running.ts';
import { transfers, useTransfers } from '../../../transfers/transfers.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import type { Draft } from './draft.ts';
import { totalBytesOf } from './mistakes.ts';
import { type Outgoing, type SendMethod, undo } from './outgoing.ts';
import classes from './send.module.css';

interface Props {
  outgoing: Outgoing;
  isLinkOnly: boolean;
  /** False if a field shows the refusal. */
  showsProblem: boolean;
  onClick: (method: SendMethod) => void;
}

export function SendActions({ outgoing, isLinkOnly, showsProblem, onClick }: Props) {
  const text = useText('send');
  const me = useMe();
  const { phase } = outgoing;
  const { files } = useTransfers('send');
  const isTravelling = files.some(isRunning);
  if (phase.is !== 'writing') return <Waiting outgoing={outgoing} />;
  const main = mainMethod(outgoing.draft, me);
  const label = isLinkOnly ? (main === 'links' ? 'links' : 'linkOnly') : isTravelling ? 'sendLater' : 'send';
  return (
    <div className={classes.actions}>
      <div className={classes.notices}>
        {phase.failedFile === null ? null : (
          <Notice tone="danger">{text('failedFile', { file: phase.failedFile })}</Notice>
        )}
        {showsProblem ? <ProblemNotice error={phase.problem} /> : null}
      </div>
      <div className={classes.bar}>
        {isTravelling ? <WholeProgress /> : null}
        {main === null ? null : (
          <Button variant="primary" icon={isLinkOnly ? Link2 : Send} isWide onClick={() => onClick(main)}>
            {text(label)}
          </Button>
        )}
        <Meter outgoing={outgoing} />
      </div>
      {isLinkOnly ? null : (
        <Button icon={Link2} isWide onClick={() => onClick('link')}>
          {text('link')}
        </Button>
      )}
    </div>
  );
}

/** Without mail no code arrives, so only what opens without one is offered; null if there is nothing. */
export function mainMethod(
  { level }: Pick<Draft, 'level'>,
  me: Pick<Me, 'can_send_mail' | 'features'>,
): SendMethod | null {
  if (me.can_send_mail) return 'mail';
  if (level === 0) return 'link';
  return me.features.links ? 'links' : null;
}

export function NoMail({ draft }: { draft: Draft }) {
  const text = useText('send');
  const me = useMe();
  const main = mainMethod(draft, me);
  const setUp = me.features.system_administration ? (
    <ButtonLink to="/admin/mail" size="small">
      {text('setUpMail')}
    </ButtonLink>
  ) : null;
  return (
    <Notice tone="warning" action={setUp}>
      {text(main === 'link' ? 'noMail' : main === 'links' ? 'noMailCode' : 'noMailNothing')}
    </Notice>
  );
}

/** `3 files · 1.15 GB of 5 GB`. */
function Meter({ outgoing: { draft } }: { outgoing: Outgoing }) {
  const text = useText('send');
  const formats = useFormats();
  const { policy } = useMe();
  const { files } = useTransfers('send');
  const limitBytes = policy.message_max_size * 1024 * 1024;
  const totalBytes = totalBytesOf(draft, files);
  const n = files.filter(({ state }) => state !== 'not-allowed').length + draft.earlier.length;
  const values = { n, size: formats.size(totalBytes), limit: formats.size(limitBytes) };
  const isOver = totalBytes > limitBytes;
  return (
    <p className={classes.meter} data-over={isOver}>
      {text(isOver ? 'tooLarge' : 'meter', values)}
    </p>
  );
}

function WholeProgress() {
  const text = useText('send');
  const uploadText = useText('upload');
  const { files, estimate } = useTransfers('send');
  const { texts } = transfers();
  const { sentBytes, totalBytes } = totalsOf(files);
  const isPaused = isAllPaused(files);
  const values = {
    percent: texts.percent(sentBytes, totalBytes),
    sent: texts.size(Math.floor(sentBytes)),
    size: texts.size(totalBytes),
    rate: estimate === null ? '' : texts.size(Math.round(estimate.bytesPerSecond)),
    left: estimate?.secondsLeft == null ? '' : texts.left(estimate.secondsLeft),
  };
  const key =
    estimate?.secondsLeft == null ? 'upload.total' : estimate.isSlower ? 'upload.totalSlower' : 'upload.totalLeft';
  return (
    <div className={classes.whole}>
      <Progress
        share={totalBytes === 0 ? 0 : sentBytes / totalBytes}
        label={text('whole')}
        text={uploadText(key, values)}
        isPaused={isPaused}
      />
      <Button size="small" variant="quiet" onClick={() => (isPaused ? transfers().resume() : transfers().pause())}>
        {text(isPaused ? 'goOn' : 'pauseAll')}
      </Button>
    </div>
  );
}

/** Submit can be undone until the last file is ready. */
function Waiting({ outgoing: { phase } }: { outgoing: Outgoing }) {
  const text = useText('send');
  const { files } = useTransfers('send');
  if (phase.is === 'writing' || phase.is === 'done') return null;
  const back = () => {
    undo();
    announce(text('undone'));
  };
  return (
    <div className={classes.bar} data-waiting="">
      {files.some(isRunning) ? <WholeProgress /> : null}
      {phase.is === 'posting' ? (
        <>
          <p>{text(phase.isConnectionLost ? 'postingLine' : 'posting')}</p>
          <Button variant="primary" isBusy isWide>
            {text(phase.method === 'mail' ? 'send' : 'linkOnly')}
          </Button>
        </>
      ) : (
        <>
          <p>{text(isAllPaused(files) ? 'waitingPaused' : phase.method === 'mail' ? 'waiting' : 'waitingLink')}</p>
          <Button isWide onClick={back}>
            {text('undo')}
          </Button>
        </>
      )}
    </div>
  );
}
