// Account: which mails the person wants. In force at once.
import type { NoticesBody } from '#contract/app/account.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { ProblemNotice } from '../../ui/error-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Switch } from '../../ui/switch.tsx';
import classes from './account.module.css';
import { useChosen } from './chosen.ts';
import { SavedMark, useSaved } from './saved-mark.tsx';

export function AccountNotices() {
  const text = useText('account');
  return (
    <Loaded query={useApi('getNotices', {})} lines={6}>
      {({ notices }) => (
        <>
          <Receipts notices={notices} />
          <OneNotice
            notices={notices}
            of="reminders"
            title={text('endings')}
            label={text('endingNotices')}
            help={text('endingNoticesHelp')}
          />
          <OneNotice
            notices={notices}
            of="requests"
            title={text('arrivals')}
            label={text('requestNotices')}
            help={text('requestNoticesHelp')}
          />
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

interface OneProps {
  notices: NoticesBody;
  of: 'reminders' | 'requests';
  title: string;
  label: string;
  help: string;
}

/** One kind of mail, on or off. */
function OneNotice({ notices, of, title, label, help }: OneProps) {
  const change = useApiChange('changeNotices', ['account']);
  const saved = useSaved<'it'>();
  const { shown, choose, undo } = useChosen(notices[of]);
  const save = (isOn: boolean) => {
    choose(isOn);
    change.mutate({ body: { [of]: isOn } }, { onSuccess: () => saved.note('it'), onError: undo });
  };
  return (
    <Card title={title} actions={<SavedMark isShown={saved.what === 'it'} />}>
      <div className={classes.form}>
        <Switch label={label} help={help} checked={shown} onChange={save} />
        <ProblemNotice error={change.error} />
      </div>
    </Card>
  );
}
