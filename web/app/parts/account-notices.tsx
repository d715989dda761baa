// Account: which mails the person wants. In force at once.
import type { NoticesBody } from '#contract/app/account.ts';
import { useApi, useApiChange } from '../api.ts';
import { useChosen } from '../chosen.ts';
import { useText } from '../texts.ts';
import { Card } from '../ui/card.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { ProblemNotice } from '../ui/error-state.tsx';
import { Switch } from '../ui/switch.tsx';
import classes from './account.module.css';
import { Loaded } from './loaded.tsx';
import { SavedMark, useSaved } from './saved-mark.tsx';

export function AccountNotices() {
  const text = useText('account');
  return (
    <Loaded query={useApi('getNotices', {})} lines={6}>
      {({ notices }) => (
        <>
          <Receipts notices={notices} />
          <Arrivals notices={notices} />
          <p className={classes.muted}>{text('alwaysSent')}</p>
        </>
      )}
    </Loaded>
  );
}

function Receipts({ notices }: { notices: NoticesBody }) {
  const text = useText('account');
  const change = useApiChange('changeNotices', ['account']);
  const saved = useSaved<'receipts'>();
  const { shown, choose, undo } = useChosen(notices.receipts);
  const save = (receipts: NoticesBody['receipts']) => {
    choose(receipts);
    change.mutate({ body: { receipts } }, { onSuccess: () => saved.note('receipts'), onError: undo });
  };
  return (
    <Card title={text('receipts')} actions={<SavedMark isShown={saved.what === 'receipts'} />}>
      <div className={classes.form}>
        <RadioGroup
          label={text('receipts')}
          isLabelHidden
          value={shown}
          onChange={save}
          choices={[
            { value: 'at_once', label: text('receiptsAtOnce'), help: text('receiptsAtOnceHelp') },
            { value: 'hourly', label: text('receiptsHourly'), help: text('receiptsHourlyHelp') },
            { value: 'daily', label: text('receiptsDaily'), help: text('receiptsDailyHelp') },
            { value: 'off', label: text('receiptsOff'), help: text('receiptsOffHelp') },
          ]}
        />
        <ProblemNotice error={change.error} />
      </div>
    </Card>
  );
}

function Arrivals({ notices }: { notices: NoticesBody }) {
  const text = useText('account');
  const change = useApiChange('changeNotices', ['account']);
  const saved = useSaved<'requests'>();
  const { shown, choose, undo } = useChosen(notices.requests);
  const save = (requests: boolean) => {
    choose(requests);
    change.mutate({ body: { requests } }, { onSuccess: () => saved.note('requests'), onError: undo });
  };
  return (
    <Card title={text('arrivals')} actions={<SavedMark isShown={saved.what === 'requests'} />}>
      <div className={classes.form}>
        <Switch label={text('requestNotices')} help={text('requestNoticesHelp')} checked={shown} onChange={save} />
        <ProblemNotice error={change.error} />
      </div>
    </Card>
  );
}
