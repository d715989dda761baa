// What the group permits, for users and for support.

import { Check, Minus } from 'lucide-react';
import { useApi } from '../../api.ts';
import { ruleGroups } from '../../rule-sentences.ts';
import { useLocale, useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { Muted, Note, Stack } from '../../ui/layout.tsx';
import { Loaded } from '../../ui/states.tsx';

export function AccountRules() {
  const text = useText('account');
  const locale = useLocale();
  return (
    <Loaded query={useApi('getRules', {})} lines={10}>
      {({ rules }) => (
        <>
          {ruleGroups(rules, text, locale).map(({ title, sentences }) => (
            <Card key={title} title={title}>
              <Stack as="ul" gap={8}>
                {sentences.map(({ sentence, isOff }) => (
                  <Note key={sentence} as="li" icon={isOff ? Minus : Check} tone={isOff ? 'muted' : 'plain'}>
                    {sentence}
                  </Note>
                ))}
              </Stack>
            </Card>
          ))}
          <Muted>{text('rulesAsk')}</Muted>
        </>
      )}
    </Loaded>
  );
}
