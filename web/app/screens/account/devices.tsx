// Ends one session or all other ones.

import { useState } from 'react';
import type { AppSessionBody } from '#contract/app/security.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Muted } from '../../ui/layout.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Loaded, ProblemNotice } from '../../ui/states.tsx';
import classes from './account.module.css';

export function Devices() {
  const text = useText('account');
  const query = useApi('listSessions', {});
  const end = useApiChange('endSession', ['account']);
  const sessions = query.data?.sessions ?? [];
  const others = sessions.filter(({ is_current }) => !is_current);
  return (
    <Card title={text('devices')} isFlush actions={<EndOthers count={others.length} />}>
      {query.data === undefined ? (
        <div className={classes.inset}>
          <Loaded query={query}>{() => null}</Loaded>
        </div>
      ) : (
        <ul>
          {sessions
            .toSorted((one, other) => Number(other.is_current) - Number(one.is_current))
            .map((session) => (
              <Device
                key={session.id}
                session={session}
                isBusy={end.isPending && end.variables.params?.id === session.id}
                onEnd={(name) =>
                  end.mutate(
                    { params: { id: session.id } },
                    { onSuccess: () => announce(text('deviceEnded', { device: name })) },
                  )
                }
              />
            ))}
        </ul>
      )}
      {query.data !== undefined && others.length === 0 ? (
        <div className={classes.inset}>
          <Muted>{text('noOthers')}</Muted>
        </div>
      ) : null}
      {end.error === null ? null : (
        <div className={classes.inset}>
          <ProblemNotice error={end.error} />
        </div>
      )}
    </Card>
  );
}

interface DeviceProps {
  session: AppSessionBody;
  isBusy: boolean;
  onEnd: (name: string) => void;
}

function Device({ session, isBusy, onEnd }: DeviceProps) {
  const text = useText('account');
  const formats = useFormats();
  const { browser, os, is_current: isCurrent, is_kept: isKept } = session;
  const name =
    browser === '' && os === ''
      ? text('deviceUnknown')
      : browser === '' || os === ''
        ? browser + os
        : text('device', { browser, system: os });
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <span className={classes.rowTitle}>
          {name}
          {isCurrent ? <Pill tone="success">{text('thisDevice')}</Pill> : null}
        </span>
        <span className={classes.facts}>
          <span>
            {isCurrent ? text('deviceActiveNow') : text('deviceActive', { at: formats.dateTime(session.active_at) })}
          </span>
          <span>{text('deviceFacts', { ip: session.remote_ip, since: formats.dateTime(session.created_at) })}</span>
          {isKept ? <span>{text('deviceUntil', { date: formats.dateOf(session.expires_at) })}</span> : null}
        </span>
      </div>
      {isCurrent ? null : (
        <Button
          size="small"
          isBusy={isBusy}
          onClick={() => onEnd(name)}
          aria-label={text('signOutDeviceName', { device: name })}
        >
          {text('signOutDevice')}
        </Button>
      )}
    </li>
  );
}

function EndOthers({ count }: { count: number }) {
  const text = useText('account');
  const [isOpen, setOpen] = useState(false);
  const change = useApiChange('endOtherSessions', ['account']);
  const onSuccess = () => {
    setOpen(false);
    announce(text('othersEnded'));
  };
  return (
    <>
      {count === 0 ? null : (
        <Button size="small" onClick={() => setOpen(true)}>
          {text('signOutOthers')}
        </Button>
      )}
      {isOpen ? (
        <ConfirmDialog
          isDanger
          title={text('signOutOthersTitle', { n: count })}
          cancelLabel={text('keepOthers')}
          confirmLabel={text('signOutOthers')}
          change={change}
          onConfirm={() => change.mutate({}, { onSuccess })}
          onClose={() => setOpen(false)}
        >
          {text('signOutOthersText')}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
