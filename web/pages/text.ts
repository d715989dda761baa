// The sentences of the pages, in every language they are in.
import { createCatalogue } from '#language/catalogue.ts';
import english from '../../locales/en/pages.json' with { type: 'json' };

export type { TextValues } from '#language/catalogue.ts';
export type TextKey = keyof typeof english;

export const pageTexts = createCatalogue<TextKey>(english);
