// What people of the group read about their rules, computed by the server. Sentences that the changes alter are marked.
import { Check, Minus, PencilLine } from 'lucide-react';
import type { RulesBody } from '#contract/app/account.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { type RuleGroup, ruleGroups } from '../../../rule-sentences.ts';
import { useLocale, useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Note, Stack } from '../../../ui/layout.tsx';
import { Loaded } from '../../../ui/states.tsx';
import type { Changes, Draft } from './draft.ts';
import classes from './groups.module.css';
import { type MarkedSentence, markChanges } from './marked-sentences.ts';

/** In the order of `ruleGroups`. */
const groupSections = ['messages', 'links', 'requests', 'drop', 'files', 'people'];

interface Props {
  draft: Draft;
  isPossible: boolean;
  /** Null while a search is shown. */
  section: string | null;
}

export function RulesPreview({ draft, isPossible, section }: Props) {
  const text = useText('admin/group-editor');
  const params = { id: draft.base.id };
  const before = useApi('previewGroup', { params, body: { preview: { group: {} } } }, { keepsLast: true });
  const body = { preview: { group: settingsOf(draft.changes) } };
  const after = useApi('previewGroup', { params, body }, { keepsLast: true, isEnabled: isPossible });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <aside className={classes.preview} aria-label={text('seeTitle')} tabIndex={0}>
      <Card title={text('seeTitle')}>
        <Loaded query={before} lines={8}>
          {({ rules: now }) => <Sentences now={now} then={after.data?.rules ?? now} section={section} />}
        </Loaded>
      </Card>
    </aside>
  );
}

function Sentences({ now, then, section }: { now: RulesBody; then: RulesBody; section: string | null }) {
  const text = useText('admin/group-editor');
  const groupsOf = useRuleGroups();
  const earlier = groupsOf(now);
  const groups = groupsOf(then).map(({ title, sentences }, index) => ({
    title,
    section: groupSections[index],
    sentences: markChanges(earlier[index]!.sentences, sentences),
  }));
  const own = groups.find((group) => group.section === section);
  const elsewhere = groups
    .filter((group) => group.section !== section)
    .map((group) => ({ ...group, sentences: group.sentences.filter(({ mark }) => mark === 'changed') }))
    .filter(({ sentences }) => sentences.length > 0);
  return (
    <Stack gap={16}>
      {own === undefined ? <Muted>{text('seeNothing')}</Muted> : <List sentences={own.sentences} />}
      {elsewhere.map(({ title, sentences }) => (
        <div key={title}>
          <h3>{title}</h3>
          <List sentences={sentences} />
        </div>
      ))}
    </Stack>
  );
}

function List({ sentences }: { sentences: readonly MarkedSentence[] }) {
  const text = useText('admin/group-editor');
  return (
    <ul className={classes.sentences}>
      {sentences.map(({ sentence, isOff, mark }) => (
        <li key={`${mark} ${sentence}`} data-mark={mark}>
          {mark === 'removed' ? (
            <del>{sentence}</del>
          ) : (
            <Note
              as="span"
              icon={mark === 'changed' ? PencilLine : isOff ? Minus : Check}
              tone={isOff && mark === 'same' ? 'muted' : 'plain'}
            >
              {mark === 'changed' ? <span className="visually-hidden">{text('seeChanged')} </span> : null}
              {sentence}
            </Note>
          )}
        </li>
      ))}
    </ul>
  );
}

function useRuleGroups(): (rules: RulesBody) => RuleGroup[] {
  const text = useText('admin/group-editor');
  const say = useText('account');
  const locale = useLocale();
  const formats = useFormats();
  return (rules) => {
    const groups = ruleGroups(rules, say, locale);
    const quota = rules.account.storage_quota_mb;
    const sentence =
      quota === null ? text('seeQuotaNone') : text('seeQuota', { limit: formats.size(quota * 1024 * 1024) });
    // The first sentence of the account has the use of one person.
    const account = groups.at(-1)!;
    return [
      ...groups.slice(0, -1),
      { ...account, sentences: [{ sentence, isOff: false }, ...account.sentences.slice(1)] },
    ];
  };
}

/** Omits properties that do not affect sending. */
export function settingsOf(changes: Changes): Record<string, unknown> {
  const { name: _, role: __, match_domains: ___, match_groups: ____, ...settings } = changes;
  return settings;
}
