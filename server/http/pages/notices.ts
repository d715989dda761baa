// The List-Unsubscribe address of notices. Mail programs post to it (RFC 8058), without cookies and from any origin.
import { stopNotice } from '../../actions/mail/notices.ts';
import { isNotice } from '../../domain/preferences.ts';
import { notFound } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { sendEmpty } from '../transport/answers.ts';
import { readForm } from '../transport/body.ts';
import type { Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { seeOther } from './forms.ts';

export function serveNotices(deps: HttpDeps, router: Router): void {
  router.page('GET', '/notices/:notice/:token', async ({ response }) =>
    seeOther(response, `${basePath(deps)}/app/account/notices`),
  );
  router.page('POST', '/notices/:notice/:token', async (exchange) => {
    const { notice = '', token = '' } = exchange.params;
    const form = await readForm(exchange.raw, exchange.response);
    if (!isNotice(notice) || form.get('List-Unsubscribe') !== 'One-Click')
      throw notFound('page', 'There’s nothing at this address.');
    await stopNotice(deps.ctx, anonymousCaller(deps, exchange), notice, token);
    sendEmpty(exchange);
  });
}
