import type { ApiDocsPage, DocsBlock } from '#web/pages/api-docs-props.ts';
import { notFound } from '../../domain/problem.ts';
import { type DocsSection, docsSections } from '../api-docs/sections.ts';
import type { HttpDeps } from '../deps.ts';
import { requireUser } from '../identity/credentials.ts';
import { sendPage } from '../identity/pre-session.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';

export function serveApiDocs(deps: HttpDeps, router: Router): void {
  const show = async (exchange: Exchange, address: string) => {
    if (deps.openapi === 'off') throw notFound('page', 'There’s nothing at this address.');
    if (deps.openapi === 'signed-in') await requireUser(deps, exchange, { method: 'GET', sessionProof: 'own_page' });
    const sections = docsSections(deps.ctx.settings.surroundings.baseUrl);
    const section = sections.find((one) => one.address === address);
    if (section === undefined) throw notFound('page', 'There’s nothing at this address.');
    sendPage(deps, exchange, pageOf(deps, sections, section, section.blocks()));
  };
  router.page('GET', '/docs/api', (exchange) => show(exchange, ''));
  router.page('GET', '/docs/api/:section', (exchange) => show(exchange, exchange.params.section!));
}

function pageOf(deps: HttpDeps, sections: DocsSection[], current: DocsSection, blocks: DocsBlock[]): ApiDocsPage {
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
