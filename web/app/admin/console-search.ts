// What search finds in the console: its screens, cards and settings, and the people, groups and transfers of the server.
import { Boxes, FileStack, Settings, User } from 'lucide-react';
import type { CallAnswer } from '#contract/client.ts';
import { dayOf } from '../../formats.ts';
import { visibleText } from '../../visible.ts';
import { dateText } from '../dates.ts';
import type { SearchGroup, SearchTexts } from '../screens/search/items.ts';
import { type Place, placeOf } from '../screens/search/places.ts';
import { type CatalogueName, loadTexts, type TextKey, textOf } from '../texts.ts';
import { addConsoleTexts } from './catalogues.ts';
import { itemNamed, sectionsFor } from './navigation.ts';
import { sections } from './parts/group-settings.ts';
import type { Role } from './roles.ts';

type ConsoleFound = CallAnswer<'searchConsole'>;
type OperatorSettings = CallAnswer<'getSystem'>['system']['settings'];

interface Card<Name extends CatalogueName> {
  screen: TextKey<'admin/console'>;
  texts: Name;
  /** Title, then help if it has one. */
  cards: readonly [title: TextKey<Name>, help?: TextKey<Name>][];
}

const card = <Name extends CatalogueName>(fields: Card<Name>): Card<CatalogueName> => fields as never;

const cards: readonly Card<CatalogueName>[] = [
  card({
    screen: 'system',
    texts: 'admin/system',
    cards: [
      ['connection', 'connectionHelp'],
      ['maintenance', 'maintenanceHelp'],
      ['backups'],
      ['jobs'],
      ['about'],
      ['support', 'supportHelp'],
      ['configuration'],
      ['licences'],
    ],
  }),
  card({
    screen: 'security',
    texts: 'admin/security',
    cards: [
      ['locks', 'locksHelp'],
      ['passkeys', 'passkeysHelp'],
      ['rules'],
      ['clients'],
      ['networks'],
      ['groupNetworks'],
    ],
  }),
  card({ screen: 'mailDelivery', texts: 'admin/mail-delivery', cards: [['way'], ['test'], ['queue'], ['refusals']] }),
  card({ screen: 'branding', texts: 'admin/branding', cards: [['words', 'colourHelp'], ['preview'], ['logo']] }),
  card({ screen: 'storage', texts: 'admin/storage', cards: [['now'], ['days'], ['breakdown', 'readableHelp']] }),
  card({ screen: 'scanner', texts: 'admin/scanning', cards: [['settings', 'testAndSaveHelp'], ['notScanned']] }),
  card({ screen: 'legalHolds', texts: 'admin/legal-holds', cards: [['newHold']] }),
  card({
    screen: 'webhooks',
    texts: 'admin/webhooks',
    cards: [['webhooks'], ['newWebhook'], ['streams', 'streamsHelp']],
  }),
  card({
    screen: 'evidence',
    texts: 'admin/evidence',
    cards: [['state'], ['statements'], ['exposure', 'exposureHelp']],
  }),
];

/** Call before the functions below. */
export async function prepareConsoleSearch(locale: string): Promise<void> {
  addConsoleTexts();
  const names = cards.map(({ texts }) => texts);
  await loadTexts(locale, ['admin/console', 'admin/group-editor', 'admin/transfers', ...names]);
}

export function consolePlaces(role: Role, locale: string): Place[] {
  const text = textOf(locale, 'admin/console');
  const screens = sectionsFor(role).flatMap(({ label, items }) =>
    items.map((item) =>
      placeOf('screens', {
        to: String(item.to),
        title: text(item.label),
        detail: label === null ? '' : text(label),
        icon: item.icon,
      }),
    ),
  );
  return [...screens, ...cardPlaces(role, locale), ...groupSettings(role, locale)];
}

function cardPlaces(role: Role, locale: string): Place[] {
  const console = textOf(locale, 'admin/console');
  return cards.flatMap(({ screen, texts, cards: list }) => {
    const item = itemNamed(screen, role);
    if (item === null) return [];
    const text = textOf(locale, texts) as unknown as (key: string, values?: Record<string, string>) => string;
    return list.map(([title, help]) =>
      placeOf('settings', {
        to: String(item.to),
        search: { at: text(title) },
        title: text(title),
        detail: console(screen),
        more: help === undefined ? [] : [text(help, { url: '' })],
        icon: item.icon,
      }),
    );
  });
}

function groupSettings(role: Role, locale: string): Place[] {
  if (itemNamed('groups', role) === null) return [];
  const text = textOf(locale, 'admin/group-editor');
  const say = textOf(locale, 'search');
  return sections.flatMap(({ id, label, rows }) =>
    rows.map((row) =>
      placeOf('settings', {
        title: text(row.label),
        detail: say('groupSetting', { section: text(label) }),
        more: [row.key, ...(row.help === undefined ? [] : [text(row.help)])],
        group: { section: id, at: row.key },
        icon: Settings,
      }),
    ),
  );
}

/** Settings that the operator makes before the start. */
export function operatorPlaces(settings: OperatorSettings, locale: string): Place[] {
  const console = textOf(locale, 'admin/console');
  return settings.map(({ name, meaning }) =>
    placeOf('settings', {
      to: '/admin/system',
      search: { at: name },
      title: name,
      detail: console('system'),
      more: [meaning],
      icon: Settings,
    }),
  );
}

export function consoleGroups(found: ConsoleFound, { say, locale, zone }: SearchTexts): SearchGroup[] {
  const kinds = textOf(locale, 'admin/transfers');
  const kindNames = {
    message: 'kindMessage',
    answer: 'kindAnswer',
    drop: 'kindDrop',
    link: 'kindLink',
    request: 'kindRequest',
  } as const;
  const nameOf = ({ name, email }: { name: string; email: string }) => visibleText(name === '' ? email : name);
  return [
    {
      title: say('people'),
      items: found.people.map((person) => ({
        id: `account ${person.id}`,
        to: `/admin/people/${person.id}`,
        icon: User,
        title: nameOf(person),
        detail: `${visibleText(person.email)} · ${visibleText(person.group_name)}`,
        state: null,
      })),
    },
    {
      title: say('groups'),
      items: found.groups.map(({ id, name }) => ({
        id: `group ${id}`,
        to: `/admin/groups/${id}`,
        icon: Boxes,
        title: visibleText(name),
        detail: '',
        state: null,
      })),
    },
    {
      title: say('transfers'),
      items: found.transfers.map((transfer) => ({
        id: `transfer ${transfer.reference}`,
        to: '/admin/transfers',
        search: { id: transfer.reference },
        icon: FileStack,
        title: kinds('rowName', {
          kind: kinds(kindNames[transfer.kind]),
          person: nameOf(transfer.owner),
          date: dateText(locale, dayOf(zone, transfer.created_at)),
        }),
        detail: [transfer.reference, ...transfer.recipients.map(visibleText)].join(' · '),
        state: null,
      })),
    },
  ];
}
