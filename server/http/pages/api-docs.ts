import type { ApiDocsPage, DocsBlock } from '#web/pages/api-docs-props.ts';
import { notFound } from '../../domain/problem.ts';
import { changeBlocks } from '../api-docs/changes.ts';
import { errorBlocks } from '../api-docs/errors.ts';
import { guideBlocks, overviewBlocks } from '../api-docs/guides.ts';
import { openApiDocument } from '../api-docs/openapi.ts';
import { type OpenApi, referenceOf, tagAddress } from '../api-docs/reference.ts';
import type { HttpDeps } from '../deps.ts';
import { requireUser } from '../identity/credentials.ts';
import { sendPage } from '../identity/pre-session.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';

interface Section {
  address: string;
  label: string;
  make(): DocsBlock[];
}

export function serveApiDocs(deps: HttpDeps, router: Router): void {
  let sections: Section[] | null = null;
  const made = new Map<string, DocsBlock[]>();
  const show = async (exchange: Exchange, address: string) => {
    if (deps.openapi === 'off') throw notFound('page', 'There’s nothing at this address.');
    if (deps.openapi === 'signed-in') await requireUser(deps, exchange, { method: 'GET', sessionProof: 'own_page' });
    // Created on demand: most installations never show them.
    sections ??= sectionsOf(deps.ctx.settings.surroundings.baseUrl);
    const section = sections.find((one) => one.address === address);
    if (section === undefined) throw notFound('page', 'There’s nothing at this address.');
    const blocks = made.get(address) ?? section.make();
    made.set(address, blocks);
    sendPage(deps, exchange, pageOf(deps, sections, section, blocks));
  };
  router.page('GET', '/docs/api', (exchange) => show(exchange, ''));
  router.page('GET', '/docs/api/:section', (exchange) => show(exchange, exchange.params.section!));
}

function sectionsOf(baseUrl: string): Section[] {
  const document = openApiDocument(baseUrl) as unknown as OpenApi;
  return [
    { address: '', label: 'The API', make: () => overviewBlocks(baseUrl) },
    { address: 'guides', label: 'Guides', make: () => guideBlocks(baseUrl) },
    ...document.tags.map(({ name }) => ({
      address: tagAddress(name),
      label: name,
      make: () => referenceOf(document, name, baseUrl),
    })),
    { address: 'errors', label: 'Errors', make: errorBlocks },
    { address: 'changes', label: 'Changes', make: changeBlocks },
  ];
}

function pageOf(deps: HttpDeps, sections: Section[], current: Section, blocks: DocsBlock[]): ApiDocsPage {
  const base = `${basePath(deps)}/docs/api`;
  return {
    kind: 'api-docs',
    title: current.label,
    sections: sections.map(({ address, label }) => ({
      href: address === '' ? base : `${base}/${address}`,
      label,
      isCurrent: address === current.address,
    })),
    blocks,
  };
}
