import {
  changeMailTemplate,
  getMailTemplate,
  listMailTemplates,
  previewMail,
  testMailTemplate,
} from '../../../actions/mail/templates.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { inScheme, previewHeaders } from '../../pages/previews.ts';
import { describeChecks } from '../../transport/check-texts.ts';

const pageHeaders = previewHeaders('sandbox; img-src data:');

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
