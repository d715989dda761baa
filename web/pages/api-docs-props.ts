// The texts are English and come from the OpenAPI document.

export type DocsBlock =
  | { is: 'heading'; level: 2 | 3; id: string; text: string }
  /** Text in backquotes is code. */
  | { is: 'text'; text: string }
  | { is: 'call'; method: string; path: string }
  | { is: 'table'; head: string[]; rows: string[][] }
  | { is: 'examples'; examples: { language: string; code: string }[] };

export interface ApiDocsPage {
  kind: 'api-docs';
  title: string;
  sections: { href: string; label: string; isCurrent: boolean }[];
  blocks: DocsBlock[];
}
