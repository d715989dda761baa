import { Link } from '@tanstack/react-router';
import { ArrowDownToLine } from 'lucide-react';
import { useState } from 'react';
import type { AppDropBody } from '#contract/app/filedrops.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { Screen } from '../../parts/screen.tsx';
import { ScreenLoaded } from '../../parts/screen-states.tsx';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Columns, Muted, Stack } from '../../ui/layout.tsx';
import { EmptyState, Notice, ProblemNotice } from '../../ui/states.tsx';
import { DropAddress } from './address.tsx';
import classes from './filedrops.module.css';
import { DropSignature } from './signature.tsx';

export default function FiledropScreen() {
  const text = useText('filedrops');
  return (
    <ScreenLoaded query={useApi('getAppDrop', {})}>
      {({ drop }) => (
        <Screen title={text('title')} lead={drop.is_available ? text('lead') : undefined}>
          {drop.is_available ? (
            <DropPage drop={drop} />
          ) : (
            <EmptyState icon={ArrowDownToLine} title={text('none')}>
              {text('noneText')}
            </EmptyState>
          )}
        </Screen>
      )}
    </ScreenLoaded>
  );
}

function DropPage({ drop }: { drop: AppDropBody }) {
  const text = useText('filedrops');
  const [isNew, setNew] = useState(false);
  return (
    <>
      {drop.is_open ? null : (
        <Notice tone="warning" title={text('closedNotice')}>
          {text('closedText')}
        </Notice>
      )}
      {isNew ? (
        <Notice tone="success" onDismiss={() => setNew(false)}>
          {text('resetNotice')}
        </Notice>
      ) : null}
      <Columns
        main={
          <>
            {drop.random_url === '' ? null : (
              <DropAddress
                title={text('randomTitle')}
                help={text('randomHelp')}
                address={drop.random_url}
                isOpen={drop.is_open}
                actions={<ResetAddress onDone={() => setNew(true)} />}
              />
            )}
            {drop.email_url === '' ? null : (
              <DropAddress
                title={text('emailTitle')}
                help={text('emailHelp')}
                address={drop.email_url}
                isOpen={drop.is_open}
              />
            )}
          </>
        }
        side={
          <>
            <SwitchCard drop={drop} />
            <DropSignature drop={drop} />
          </>
        }
      />
    </>
  );
}

function SwitchCard({ drop }: { drop: AppDropBody }) {
  const text = useText('filedrops');
  const formats = useFormats();
  const change = useApiChange('changeAppDrop', ['drop', 'me']);
  // Optimistic.
  const isOpen = change.isPending ? change.variables.body.is_open : drop.is_open;
  const turn = (isOn: boolean) =>
    change.mutate({ body: { is_open: isOn } }, { onSuccess: () => announce(text(isOn ? 'opened' : 'closedSaid')) });
  return (
    <Card title={text('rules')}>
      <Stack>
        <Switch label={text('onLabel')} help={text('onHelp')} checked={isOpen} onChange={turn} />
        <ProblemNotice error={change.error} />
        <ul className={classes.rules}>
          <li>{text('ruleSize', { size: formats.size(drop.max_size * 1024 * 1024) })}</li>
          <li>{text(drop.confirm_sender ? 'ruleConfirm' : 'ruleNoConfirm')}</li>
        </ul>
        <Muted>
          {text('deliveries', { n: drop.deliveries })}{' '}
          {drop.deliveries === 0 ? null : (
            <Link to="/received" search={{ kind: 'drop' } as never}>
              {text('seeReceived')}
            </Link>
          )}
        </Muted>
      </Stack>
    </Card>
  );
}

function ResetAddress({ onDone }: { onDone: () => void }) {
  const text = useText('filedrops');
  const [isAsking, setAsking] = useState(false);
  const change = useApiChange('resetAppDrop', ['drop', 'me']);
  const onSuccess = () => {
    setAsking(false);
    announce(text('resetDone'));
    onDone();
  };
  return (
    <>
      <Button size="small" onClick={() => setAsking(true)}>
        {text('reset')}
      </Button>
      {isAsking ? (
        <ConfirmDialog
          isDanger
          title={text('resetAsk')}
          cancelLabel={text('resetKeep')}
          confirmLabel={text('resetGo')}
          change={change}
          onConfirm={() => change.mutate({}, { onSuccess })}
          onClose={() => setAsking(false)}
        >
          {text('resetText')}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
