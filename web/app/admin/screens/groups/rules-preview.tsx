// The server computes the preview.
import { Check, Minus } from 'lucide-react';
import { useApi } from '../../../api.ts';
import { ruleGroups } from '../../../rule-sentences.ts';
import { useLocale, useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Note, Stack } from '../../../ui/layout.tsx';
import { Loaded } from '../../../ui/states.tsx';
import type { Changes, Draft } from './draft.ts';

export function RulesPreview({ draft, isPossible }: { draft: Draft; isPossible: boolean }) {
  const text = useText('admin/group-editor');
  const say = useText('account');
  const locale = useLocale();
  const body = { preview: { group: settingsOf(draft.changes) } };
  const query = useApi(
    'previewGroup',
    { params: { id: draft.base.id }, body },
    { keepsLast: true, isEnabled: isPossible },
  );
  return (
    <Card title={text('seeTitle')}>
      <Muted>{text('seeHelp')}</Muted>
      <Loaded query={query} lines={8}>
        {({ rules }) =>
          ruleGroups(rules, say, locale)
            .slice(0, -1)
            .map(({ title, sentences }) => (
              <div key={title}>
                <h3>{title}</h3>
                <Stack as="ul" gap={4}>
                  {sentences.map(({ sentence, isOff }) => (
                    <Note key={sentence} as="li" icon={isOff ? Minus : Check} tone={isOff ? 'muted' : 'plain'}>
                      {sentence}
                    </Note>
                  ))}
                </Stack>
              </div>
            ))
        }
      </Loaded>
    </Card>
  );
}

/** Omits properties that do not affect sending. */
export function settingsOf(changes: Changes): Record<string, unknown> {
  const { name: _, role: __, match_domains: ___, ...settings } = changes;
  return settings;
}
