// The documentation site. scripts/docs.ts prepares `dist/source` and calls VitePress.
import { readFileSync } from 'node:fs';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { contents, type Section, searchWords, siteWords } from './contents.mts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const root = new URL('../', import.meta.url).pathname;

/** Without colours: these are style attributes, which the content security policy forbids. */
const plainCode = (code: string) =>
  `<pre><code>${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{', '&#123;')}</code></pre>`;

export default defineConfig({
  base: '/docs/',
  title: 'Waybill',
  description: 'Self-hosted secure file transfer',
  lang: 'en',
  srcDir: `${root}dist/source`,
  outDir: `${root}dist/site`,
  cacheDir: `${root}dist/cache`,
  metaChunk: true,
  lastUpdated: false,
  markdown: { html: false, highlight: plainCode },
  themeConfig: {
    siteTitle: `Waybill ${version.replace(/\.0$/, '')}`,
    nav: Object.entries(contents.en).map(([path, { title }]) => ({
      text: title,
      link: path,
      activeMatch: `^${path === '/' ? '/(start/|$)' : path}`,
    })),
    sidebar: sidebarOf(contents.en),
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: { locales: searchWords, miniSearch: { searchOptions: { combineWith: 'AND' } } },
    },
    docFooter: { prev: 'Previous page', next: 'Next page' },
  },
  locales: {
    root: { label: 'English', lang: 'en' },
    ...Object.fromEntries(
      (['de', 'es', 'fr', 'sv'] as const).map((lang) => [
        lang,
        {
          label: siteWords[lang].language,
          lang,
          themeConfig: {
            nav: [
              ...Object.entries(contents[lang]).map(([path, { title }]) => ({ text: title, link: path })),
              { text: siteWords[lang].more, link: '/' },
            ],
            sidebar: sidebarOf(contents[lang]),
            ...siteWords[lang].theme,
          },
        },
      ]),
    ),
  },
});

function sidebarOf(sections: Record<string, Section>): DefaultTheme.SidebarMulti {
  return Object.fromEntries(
    Object.entries(sections).map(([path, { title, pages }]) => [
      path,
      [{ text: title, items: pages.map(([text, link]) => ({ text, link })) }],
    ]),
  );
}
