import {
  changeMailTemplate,
  getMailTemplate,
  listMailTemplates,
  previewMail,
  testMailTemplate,
} from '../../../actions/mail/templates.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { jsonHeaders } from '../../transport/answers.ts';
import { describeChecks } from '../../transport/check-texts.ts';

/** Previews are self-contained, and links lead nowhere. */
const pageHeaders = {
  ...jsonHeaders,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'self'",
  'referrer-policy': 'no-referrer',
} as const;

export function serveMailTemplates(serve: Serve): void {
  serve('listMailTemplates', async ({ ctx, caller }) => ({
    mailTemplates: listMailTemplates(ctx, caller),
  }));
  serve('getMailTemplate', async ({ ctx, caller, params }) => ({
    mailTemplate: getMailTemplate(ctx, caller, params.kind),
  }));
  serve('changeMailTemplate', async ({ ctx, caller, params, body }) => ({
    mailTemplate: await changeMailTemplate(ctx, caller, params.kind, body.mailTemplate),
  }));
  serve('previewMailTemplate', async ({ ctx, caller, params, body }) => ({
    preview: await previewMail(ctx, caller, params.kind, body.mailTemplate),
  }));
  serve('showMailTemplate', async ({ ctx, caller, params, query, response, requestId }) => {
    const { scheme = 'light', ...words } = query;
    const { html } = await previewMail(ctx, caller, params.kind, words);
    response.writeHead(200, { ...pageHeaders, 'x-request-id': requestId });
    response.end(inScheme(html, scheme));
    return alreadySent;
  });
  serve('testMailTemplate', async ({ ctx, deps, caller, raw, params, body }) => {
    const words = { kind: params.kind, parts: body.mailTemplate };
    const { to, steps } = await testMailTemplate(ctx, caller, deps.mail, words);
    return { mailTest: { to, steps: describeChecks(deps, raw, steps) } };
  });
}

/** Independently of the administrator's own color scheme. */
function inScheme(html: string, scheme: 'light' | 'dark'): string {
  const applies = scheme === 'dark' ? 'all' : 'not all';
  return html.replaceAll(/@media\s*\(prefers-color-scheme:\s*dark\)/g, `@media ${applies}`);
}
