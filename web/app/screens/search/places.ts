// Screens, settings and help texts of the app that search finds without the server.
import { CircleQuestionMark, CircleUser, type LucideIcon, Settings } from 'lucide-react';
import type { Me } from '../../me.ts';
import { navItemsOf } from '../../navigation.ts';
import { showShortcuts } from '../../shortcuts.ts';
import type { TextKey } from '../../texts.ts';
import { textOf } from '../../texts.ts';
import type { SearchItem } from './items.ts';
import { rankOf } from './words.ts';

export interface Place extends SearchItem {
  part: 'screens' | 'settings' | 'help';
  /** Found, but not shown. */
  more?: readonly string[];
}

/** Settings of the account by section: name, then help if it has one. */
const settings: readonly [section: string, name: TextKey<'account'>, help?: TextKey<'account'>][] = [
  ['you', 'details', 'nameHelp'],
  ['you', 'region', 'timeZoneHelp'],
  ['you', 'appearance'],
  ['you', 'keyboard', 'shortcutKeysHelp'],
  ['addresses', 'sendAs', 'sendAsHelp'],
  ['addresses', 'receiveAt', 'receiveAtText'],
  ['addresses', 'askAddress', 'askAddressText'],
  ['notices', 'receipts', 'receiptsAtOnceHelp'],
  ['notices', 'endings', 'endingNoticesHelp'],
  ['notices', 'arrivals', 'requestNoticesHelp'],
  ['security', 'changePassword', 'changePasswordHelp'],
  ['security', 'secondStep', 'secondStepText'],
  ['security', 'devices'],
  ['security', 'signIns', 'signInsText'],
  ['keys', 'keysOwn', 'keysEmpty'],
  ['keys', 'examples', 'examplesText'],
];

const sections = ['you', 'addresses', 'notices', 'security', 'keys', 'rules'] as const;

export function placesOf(me: Me, locale: string): Place[] {
  const shell = textOf(locale, 'shell');
  const account = textOf(locale, 'account');
  const screens = navItemsOf(me).map(({ to, label, icon }) => placeOf('screens', { to, title: shell(label), icon }));
  const icon = CircleUser;
  return [
    ...screens,
    placeOf('screens', { to: '/account', title: shell('account'), icon }),
    ...sections.map((section) =>
      placeOf('screens', { to: `/account/${section}`, title: account(section), detail: shell('account'), icon }),
    ),
    ...settings.map(([section, name, help]) =>
      placeOf('settings', {
        to: `/account/${section}`,
        search: { at: account(name) },
        title: account(name),
        detail: help === undefined ? account(section as 'you') : account(help, { zone: me.time_zone }),
        icon: Settings,
      }),
    ),
    placeOf('help', { title: shell('shortcuts'), act: showShortcuts, icon: CircleQuestionMark }),
  ];
}

interface PlaceFields extends Partial<Omit<Place, 'part' | 'icon' | 'title'>> {
  title: string;
  icon: LucideIcon;
}

export function placeOf(part: Place['part'], fields: PlaceFields): Place {
  const { title, to, detail = '' } = fields;
  return { id: `${part} ${to ?? ''} ${title}`, detail, state: null, part, ...fields };
}

const mostShown = 6;

/** Names before other texts. */
export function findPlaces(places: readonly Place[], q: string): Place[] {
  return places
    .flatMap((place) => {
      const rank = rankOf(q, place.title, [place.detail, ...(place.more ?? [])]);
      return rank === null ? [] : [{ place, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ place }) => place)
    .slice(0, mostShown);
}
