// One catalogue per screen, typed by the English file. Never creates markup.
import { createContext, useContext } from 'react';
import { type Catalogue, createCatalogue, type TextValues } from '#language/catalogue.ts';
import { directionOf, languageOf, nearestLocale } from '#language/locale.ts';
import englishShell from '../../locales/en/app/shell.json' with { type: 'json' };
import englishUi from '../../locales/en/app/ui.json' with { type: 'json' };
import englishUpload from '../../locales/en/app/upload.json' with { type: 'json' };
import { createStore } from './store.ts';

/** For a new catalogue, add a file in locales/en/app/ and a line here. */
interface Catalogues {
  account: typeof import('../../locales/en/app/account.json');
  'admin/branding': typeof import('../../locales/en/app/admin/branding.json');
  'admin/console': typeof import('../../locales/en/app/admin/console.json');
  'admin/downloads': typeof import('../../locales/en/app/admin/downloads.json');
  'admin/events': typeof import('../../locales/en/app/admin/events.json');
  'admin/evidence': typeof import('../../locales/en/app/admin/evidence.json');
  'admin/filedrops': typeof import('../../locales/en/app/admin/filedrops.json');
  'admin/group-editor': typeof import('../../locales/en/app/admin/group-editor.json');
  'admin/groups': typeof import('../../locales/en/app/admin/groups.json');
  'admin/legal-holds': typeof import('../../locales/en/app/admin/legal-holds.json');
  'admin/mail-delivery': typeof import('../../locales/en/app/admin/mail-delivery.json');
  'admin/mail-templates': typeof import('../../locales/en/app/admin/mail-templates.json');
  'admin/names': typeof import('../../locales/en/app/admin/names.json');
  'admin/setup-checklist': typeof import('../../locales/en/app/admin/setup-checklist.json');
  'admin/overview': typeof import('../../locales/en/app/admin/overview.json');
  'admin/webhooks': typeof import('../../locales/en/app/admin/webhooks.json');
  'admin/reviews': typeof import('../../locales/en/app/admin/reviews.json');
  'admin/scanning': typeof import('../../locales/en/app/admin/scanning.json');
  'admin/security': typeof import('../../locales/en/app/admin/security.json');
  'admin/sign-in-services': typeof import('../../locales/en/app/admin/sign-in-services.json');
  'admin/storage': typeof import('../../locales/en/app/admin/storage.json');
  'admin/system': typeof import('../../locales/en/app/admin/system.json');
  'admin/transfers': typeof import('../../locales/en/app/admin/transfers.json');
  'admin/users': typeof import('../../locales/en/app/admin/users.json');
  downloads: typeof import('../../locales/en/app/downloads.json');
  'file-checks': typeof import('../../locales/en/app/file-checks.json');
  'file-links': typeof import('../../locales/en/app/file-links.json');
  'file-requests': typeof import('../../locales/en/app/file-requests.json');
  filedrops: typeof import('../../locales/en/app/filedrops.json');
  received: typeof import('../../locales/en/app/received.json');
  search: typeof import('../../locales/en/app/search.json');
  send: typeof import('../../locales/en/app/send.json');
  sent: typeof import('../../locales/en/app/sent.json');
  shell: typeof import('../../locales/en/app/shell.json');
  ui: typeof import('../../locales/en/app/ui.json');
  upload: typeof import('../../locales/en/app/upload.json');
}

export type CatalogueName = keyof Catalogues;
export type TextKey<Name extends CatalogueName> = keyof Catalogues[Name] & string;
export type Messages = Record<string, string>;

type FrameName = 'shell' | 'ui' | 'upload';
type FrameTexts = Record<FrameName, Messages>;

const englishFrame: FrameTexts = { shell: englishShell, ui: englishUi, upload: englishUpload };
/** English is bundled; other languages have one file each. */
const frames = import.meta.glob<FrameTexts>('./frame-texts/*.ts');
const files: CatalogueFiles = import.meta.glob<Messages>(
  ['../../locales/*/app/*.json', '!../../locales/*/app/{noscript,shell,ui,upload}.json'],
  { import: 'default' },
);

export type CatalogueFiles = Record<string, () => Promise<Messages>>;

/** The console registers its own files, so that senders do not load even their paths. */
export function addCatalogueFiles(more: CatalogueFiles, root: string): void {
  for (const [path, load] of Object.entries(more)) files[`../../locales/${path.slice(root.length)}`] = load;
}

function isFrameName(name: CatalogueName): name is FrameName {
  return Object.hasOwn(englishFrame, name);
}

interface Loaded {
  english: Messages;
  /** Null without a file for the language. */
  others: Record<string, Messages | null>;
  catalogue: Catalogue<string>;
}

const loaded = new Map<CatalogueName, Loaded>();

/** English if the app has no texts in the language. */
export function localeWithTexts(requested: string): string {
  return nearestLocale(requested, (language) => `./frame-texts/${language}.ts` in frames);
}

/** Called by routes before a screen is shown. Always includes English. */
export async function loadTexts(locale: string, names: readonly CatalogueName[]): Promise<void> {
  const language = languageOf(locale);
  await Promise.all(
    names.map(async (name) => {
      const known = loaded.get(name);
      if (known !== undefined && (language === 'en' || language in known.others)) return;
      const english = known?.english ?? (await read('en', name)) ?? {};
      const others = {
        ...known?.others,
        ...(language === 'en' ? {} : { [language]: await read(language, name) }),
      };
      loaded.set(name, { english, others, catalogue: createCatalogue(english, withoutGaps(others)) });
    }),
  );
}

async function read(language: string, name: CatalogueName): Promise<Messages | null> {
  if (isFrameName(name))
    return language === 'en'
      ? englishFrame[name]
      : ((await frames[`./frame-texts/${language}.ts`]?.())?.[name] ?? null);
  return (await files[`../../locales/${language}/app/${name}.json`]?.()) ?? null;
}

function withoutGaps(others: Loaded['others']): Record<string, Messages> {
  return Object.fromEntries(
    Object.entries(others).flatMap(([language, one]) => (one === null ? [] : [[language, one]])),
  );
}

const current = createStore('en');

export const currentLocale = current.read;
export const onLocale = current.listen;

/** Loads all loaded catalogues in the language, then re-renders. */
export async function setLocale(
  requested: string,
  names: readonly CatalogueName[] = [...loaded.keys()],
): Promise<void> {
  const locale = localeWithTexts(requested);
  await loadTexts(locale, names);
  document.documentElement.lang = locale;
  document.documentElement.dir = directionOf(locale);
  current.change(() => locale);
}

export const LocaleContext = createContext('en');

export function useLocale(): string {
  return useContext(LocaleContext);
}

export interface Text<Name extends CatalogueName> {
  (key: TextKey<Name>, values?: TextValues): string;
  /** `text.parts('sentTo', { name: <b>Ben</b> })`, in reading order. */
  parts<T>(key: TextKey<Name>, values: Record<string, string | number | T>): (string | T)[];
  /** For keys built from values of the server. */
  has(key: string): key is TextKey<Name>;
}

/** `const text = useText('sent'); text('empty')`. The route must have loaded the catalogue. */
export function useText<Name extends CatalogueName>(name: Name): Text<Name> {
  return textOf(useLocale(), name);
}

export function textOf<Name extends CatalogueName>(locale: string, name: Name): Text<Name> {
  const { catalogue, english } = loaded.get(name) ?? {};
  if (!catalogue || !english) throw new Error(`the sentences of ${name} are not loaded: name them in routes.ts`);
  const text = (key: TextKey<Name>, values?: TextValues) => catalogue.text(locale, key, values);
  return Object.assign(text, {
    parts: <T>(key: TextKey<Name>, values: Record<string, string | number | T>) => catalogue.parts(locale, key, values),
    has: (key: string): key is TextKey<Name> => Object.hasOwn(english, key),
  });
}
