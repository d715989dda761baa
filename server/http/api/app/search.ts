import { search } from '../../../actions/search/search.ts';
import { searchDocs } from '../../api-docs/sections.ts';
import type { Serve } from '../../endpoint.ts';
import { basePath } from '../../transport/urls.ts';

export function serveSearch(serve: Serve): void {
  serve('search', async ({ ctx, caller, query: { q }, deps }) => ({
    ...(await search(ctx, caller, q)),
    help: deps.openapi === 'off' ? [] : searchDocs(ctx.settings.surroundings.baseUrl, basePath(deps), q),
  }));
}
