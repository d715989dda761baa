// Account: what the group permits, as sentences for people and for support.
import { Check, Minus } from 'lucide-react';
import { useApi } from '../../api.ts';
import { useLocale, useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import classes from './account.module.css';
import { ruleGroups } from './rule-sentences.ts';

export function AccountRules() {
  const text = useText('account');
  const locale = useLocale();
  return (
    <Loaded query={useApi('getRules', {})} lines={10}>
      {({ rules }) => (
        <>
          {ruleGroups(rules, text, locale).map(({ title, sentences }) => (
            <Card key={title} title={title}>
              <ul className={classes.plain}>
                {sentences.map(({ sentence, isOff }) => (
                  <li key={sentence} className={classes.sentence} data-off={isOff}>
                    <Icon of={isOff ? Minus : Check} sizePx={18} />
                    <span>{sentence}</span>
                  </li>
                ))}
              </ul>
            </Card>
          ))}
          <p className={classes.muted}>{text('rulesAsk')}</p>
        </>
      )}
    </Loaded>
  );
}
