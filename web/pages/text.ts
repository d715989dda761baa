import { createCatalogue } from '#language/catalogue.ts';
import german from '../../locales/de/pages.json' with { type: 'json' };
import english from '../../locales/en/pages.json' with { type: 'json' };
import spanish from '../../locales/es/pages.json' with { type: 'json' };
import french from '../../locales/fr/pages.json' with { type: 'json' };
import swedish from '../../locales/sv/pages.json' with { type: 'json' };

export type { TextValues } from '#language/catalogue.ts';
export type TextKey = keyof typeof english;

export const pageTexts = createCatalogue<TextKey>(english, { de: german, es: spanish, fr: french, sv: swedish });
