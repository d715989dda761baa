// Shows only what the user may choose; a sentence lists the rest.

import { Lock } from 'lucide-react';
import { useState } from 'react';
import { languageOf, shippedLanguages } from '#language/locale.ts';
import { languageName } from '../../../../formats.ts';
import { addDays } from '../../../dates.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, FoldedCard } from '../../../ui/card.tsx';
import { Checkbox, RadioGroup, Select } from '../../../ui/choice.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { NumberField } from '../../../ui/field.tsx';
import { Note, Stack } from '../../../ui/layout.tsx';
import { domainOf } from './address-typos.ts';
import { choicesOf, type Draft, firstLevels, type Level, levelsOf, peopleOf } from './draft.ts';
import { changeDraft } from './outgoing.ts';

export function SendDelivery({ draft, isLinkOnly }: { draft: Draft; isLinkOnly: boolean }) {
  const text = useText('send');
  const formats = useFormats();
  const { policy, organisation_name: organisation, today } = useMe();
  const choices = choicesOf(policy);
  const day = draft.until === null ? '' : formats.date(draft.until);
  const summary = text('summary', { who: text(`who${draft.level}`, { organisation }), date: day });
  const most = policy.message_max_expires_after;
  const lastDay = addDays(today, policy.message_max_expiration);
  const help = draft.level === 0 ? 'downloadsHelpAll' : 'downloadsHelp';
  if (!Object.values(choices).includes(true))
    return (
      <Card title={text('delivery')}>
        <Stack>
          <Rest draft={draft} isLinkOnly={isLinkOnly} />
        </Stack>
      </Card>
    );
  return (
    <FoldedCard title={text('delivery')} summary={summary} openLabel={text('openDelivery')}>
      <Stack>
        {choices.level ? <Levels draft={draft} /> : null}
        {choices.until ? (
          <DateField
            label={text('until')}
            help={text('untilHelp', { date: formats.longDate(lastDay) })}
            value={draft.until}
            onChange={(until) => changeDraft({ until })}
            today={today}
            max={lastDay}
          />
        ) : null}
        {choices.downloads ? (
          <NumberField
            label={text('downloads')}
            help={most === 0 ? text(help) : text(`${help}Most`, { n: most })}
            value={draft.downloads}
            onChange={(downloads) => changeDraft({ downloads: downloads === 0 ? null : downloads })}
            min={1}
            max={most === 0 ? undefined : most}
          />
        ) : null}
        {choices.copy && !isLinkOnly ? (
          <Checkbox label={text('copy')} checked={draft.isCopied} onChange={(isCopied) => changeDraft({ isCopied })} />
        ) : null}
        {choices.privacy ? (
          <Checkbox
            label={text('private')}
            help={text(draft.level === 0 ? 'privateOff' : 'privateHelp')}
            checked={draft.isPrivate && draft.level !== 0}
            isDisabled={draft.level === 0}
            onChange={(isPrivate) => changeDraft({ isPrivate })}
          />
        ) : null}
        <Rest draft={draft} isLinkOnly={isLinkOnly} />
      </Stack>
    </FoldedCard>
  );
}

function Rest({ draft, isLinkOnly }: { draft: Draft; isLinkOnly: boolean }) {
  return (
    <>
      {isLinkOnly ? null : <MailLanguage draft={draft} />}
      <LockSentence draft={draft} isLinkOnly={isLinkOnly} />
    </>
  );
}

/** Applies to recipients whose language is unknown. */
function MailLanguage({ draft }: { draft: Draft }) {
  const text = useText('send');
  const { language } = useMe();
  const usual = languageOf(language);
  return (
    <Select
      label={text('mailLanguage')}
      choices={shippedLanguages.map((tag) => ({ value: tag, label: languageName(tag) }))}
      value={draft.language === '' ? usual : draft.language}
      onChange={(tag) => changeDraft({ language: tag === usual ? '' : tag })}
    />
  );
}

function Levels({ draft }: { draft: Draft }) {
  const text = useText('send');
  const formats = useFormats();
  const { policy, organisation_name: organisation } = useMe();
  const all = levelsOf(policy);
  const first = firstLevels(policy);
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen || !first.includes(draft.level) ? all : first;
  const domains = [...new Set(peopleOf(draft).map(({ address }) => domainOf(address)))].filter((one) => one !== '');
  const lineOf = (level: Level) => {
    if (level !== 4) return text(`who${level}Line`);
    const list = formats.list(domains.slice(0, 3), 'unit');
    return domains.length === 0 ? text('who4LineEmpty') : text('who4Line', { domains: list });
  };
  return (
    <RadioGroup
      label={text('who')}
      choices={shown.map((level) => ({
        value: String(level),
        label: text(`who${level}`, { organisation }),
        help: lineOf(level),
      }))}
      value={String(draft.level)}
      onChange={(level) => changeDraft({ level: Number(level) as Level })}
    >
      {shown.length === all.length ? null : (
        <span>
          <Button variant="quiet" size="small" onClick={() => setOpen(true)}>
            {text('moreChoices', { n: all.length - shown.length })}
          </Button>
        </span>
      )}
    </RadioGroup>
  );
}

/** `Set by your administrator: 3 downloads per person, copy to you.` */
function LockSentence({ draft, isLinkOnly }: { draft: Draft; isLinkOnly: boolean }) {
  const text = useText('send');
  const formats = useFormats();
  const { policy, organisation_name: organisation } = useMe();
  const choices = choicesOf(policy);
  const limit = policy.message_default_expires_after || policy.message_max_expires_after;
  const downloads =
    limit === 0 ? text('lockNoLimit') : text(draft.level === 0 ? 'lockDownloadsAll' : 'lockDownloads', { n: limit });
  const items = [
    choices.level ? '' : text(`lock${draft.level}`, { organisation }),
    choices.until ? '' : text('lockUntil', { n: policy.message_default_expiration }),
    choices.downloads ? '' : downloads,
    choices.copy || isLinkOnly ? '' : text(policy.message_default_bcc_myself ? 'lockCopy' : 'lockNoCopy'),
    choices.privacy ? '' : text(policy.message_default_private_message ? 'lockPrivate' : 'lockNotPrivate'),
  ].filter((item) => item !== '');
  if (items.length === 0) return null;
  return (
    <Note icon={Lock} tone="muted">
      {text('lock', { list: formats.list(items, 'unit') })}
    </Note>
  );
}
