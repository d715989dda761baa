// The sections of the API documentation, built on demand: most installations never show them.
import type { DocsBlock } from '#web/pages/api-docs-props.ts';
import { createWordRanking } from '../../lib/text-search.ts';
import { changeBlocks } from './changes.ts';
import { errorBlocks } from './errors.ts';
import { guideBlocks, overviewBlocks } from './guides.ts';
import { openApiDocument } from './openapi.ts';
import { type OpenApi, referenceOf, tagAddress } from './reference.ts';

export interface DocsSection {
  address: string;
  label: string;
  blocks(): DocsBlock[];
}

const built = new Map<string, DocsSection[]>();

export function docsSections(baseUrl: string): DocsSection[] {
  const sections = built.get(baseUrl) ?? buildSections(baseUrl);
  built.set(baseUrl, sections);
  return sections;
}

function buildSections(baseUrl: string): DocsSection[] {
  const document = openApiDocument(baseUrl) as unknown as OpenApi;
  const section = (address: string, label: string, build: () => DocsBlock[]): DocsSection => {
    let blocks: DocsBlock[] | null = null;
    return { address, label, blocks: () => (blocks ??= build()) };
  };
  return [
    section('', 'The API', () => overviewBlocks(baseUrl)),
    section('guides', 'Guides', () => guideBlocks(baseUrl)),
    ...document.tags.map(({ name }) => section(tagAddress(name), name, () => referenceOf(document, name, baseUrl))),
    section('errors', 'Errors', errorBlocks),
    section('changes', 'Changes', changeBlocks),
  ];
}

interface FoundHeading {
  title: string;
  section: string;
  url: string;
}

const mostFound = 5;

/** Sections and headings that have the words. */
export function searchDocs(baseUrl: string, basePath: string, q: string): FoundHeading[] {
  const rank = createWordRanking(q);
  const headings = docsSections(baseUrl).flatMap(({ address, label, blocks }) => {
    const url = `${basePath}/docs/api${address === '' ? '' : `/${address}`}`;
    const inside = blocks().flatMap((block) =>
      block.is === 'heading' ? [{ title: block.text, section: label, url: `${url}#${block.id}` }] : [],
    );
    return [{ title: label, section: label, url }, ...inside];
  });
  return headings.filter(({ title }) => rank(title, []) === 0).slice(0, mostFound);
}
