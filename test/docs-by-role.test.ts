// The documentation by role: each page is in the navigation, commands are tested or marked as examples, pages for people exist in
// five languages and name what the screens show, and operators and users need not read more than 25,000 words.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pagesOfSite } from '#scripts/docs-pages.ts';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const pages = listFiles(repositoryRoot, ['docs']).filter((path) => path.endsWith('.md'));
const languages = ['de', 'es', 'fr', 'sv'];
const longestPart = 25_000;

/** `npm run test:package` runs `sh system`, test/operations the others, test/docs.test.ts `sh` of the README. */
const kinds = ['sh run', 'sh recipe', 'sh system', 'sh example', 'ini', 'sql', 'json', 'toml', 'js', 'text', ''];
const commandPattern =
  /^(?:waybill|waybill-server|curl|npm|npx|node|apt|apt-get|podman|docker|helm|kubectl|systemctl) /m;

interface Block {
  kind: string;
  text: string;
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^ *```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(([, kind, text]) => ({
    kind: kind!,
    text: text!,
  }));
}

/** Blocks of an unknown kind, and commands that are neither tested nor marked. */
function unmarkedIn(markdown: string): string[] {
  return blocksOf(markdown)
    .filter(({ kind, text }) => !kinds.includes(kind) || (!kind.startsWith('sh ') && commandPattern.test(text)))
    .map(({ kind, text }) => `${kind}: ${text.split('\n')[0]}`);
}

/** Bold words are names of buttons, fields and sections. */
function namesIn(markdown: string): string[] {
  return [...markdown.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name!.replace(/\s*\n\s*/g, ' '));
}

/** Every text of a language; of one with plurals, each form. */
function textsOf(language: string): Set<string> {
  const texts = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) add(inner);
    if (typeof value !== 'string') return;
    texts.add(value);
    for (const [, form] of value.matchAll(/\b(?:one|many|other) \{([^{}]*)\}/g)) texts.add(form!);
  };
  for (const path of listFiles(repositoryRoot, [`locales/${language}`]).filter((name) => name.endsWith('.json')))
    add(JSON.parse(read(path)));
  return texts;
}

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

describe('the documentation by role', () => {
  test('has every page in the navigation, and no other', () => {
    const listed = [...read('tools/docs/.vitepress/contents.mts').matchAll(/\['[^']+', '(\/[^']*)'\]/g)].map(
      ([, link]) => (link!.endsWith('/') ? `${link}index` : link!),
    );
    const translated = languages.flatMap((language) =>
      ['index', 'receive', 'send', 'request', 'account'].map((name) => `/${language}/${name}`),
    );
    const placed = pagesOfSite()
      .map(({ path }) => `/${path.replace(/\.md$/, '')}`)
      .filter((path) => !/^\/adr\/\d/.test(path));
    assert.deepEqual([...listed, ...translated].toSorted(), placed.toSorted());
  });

  test('finds blocks and names that are wrong', () => {
    assert.deepEqual(unmarkedIn('```\nwaybill-server gc\n```\n```sh\nls\n```\n```text\nok\n```'), [
      ': waybill-server gc',
      'sh: ls',
    ]);
    assert.deepEqual(namesIn('**Send\n  code** and **Links**'), ['Send code', 'Links']);
    assert.equal(textsOf('en').has('Send code'), true);
    assert.equal(textsOf('en').has('No such button'), false);
  });

  test('marks each command as tested or as an example', () => {
    const ofContributors = /^docs\/(adr|contribute)\//;
    const wrong = pages
      .filter((path) => !ofContributors.test(path))
      .flatMap((path) => unmarkedIn(read(path)).map((line) => `${path}: ${line}`));
    assert.deepEqual(wrong, []);
  });

  test('pages for people exist in five languages, with their pictures', () => {
    const names = pages
      .filter((path) => path.startsWith('docs/people/'))
      .map((path) => path.slice('docs/people/'.length));
    assert.equal(names.length, 5);
    for (const language of languages)
      for (const name of names) {
        const [text, english] = [read(`docs/${language}/${name}`), read(`docs/people/${name}`)];
        const picturesIn = (markdown: string) =>
          [...markdown.matchAll(/!\[[^\]]+\]\(\.\.\/pictures\/(?:\w+\/)?([\w-]+\.png)\)/g)].map(
            ([, picture]) => picture!,
          );
        assert.deepEqual(picturesIn(text), picturesIn(english), `${language}/${name}`);
        for (const picture of picturesIn(text))
          assert.ok(existsSync(join(repositoryRoot, 'docs', 'pictures', language, picture)), picture);
        const headings = (markdown: string) => [...markdown.matchAll(/^#+ /gm)].length;
        assert.equal(headings(text), headings(english), `${language}/${name}`);
      }
  });

  for (const language of ['en', ...languages])
    test(`pages for people name what the screens show (${language})`, () => {
      const texts = textsOf(language);
      const folder = language === 'en' ? 'docs/people/' : `docs/${language}/`;
      const wrong = pages
        .filter((path) => path.startsWith(folder))
        .flatMap((path) => namesIn(read(path)).map((name) => ({ path, name })))
        .filter(({ name }) => !texts.has(name));
      assert.deepEqual(wrong, []);
    });

  test('gives operators and users at most 25,000 words', () => {
    const ofRoles = pages.filter((path) => /^docs\/(start|people|administer|operate)\//.test(path));
    const words = ofRoles.reduce((sum, path) => sum + wordsIn(read(path)), 0);
    assert.ok(words > 10_000 && words <= longestPart, `${words} words`);
  });

  test('begins with a README of about 500 words', () => {
    const words = wordsIn(read('README.md').replace(/^```[\s\S]*?^```/gm, ''));
    assert.ok(words > 350 && words <= 600, `${words} words`);
  });
});
