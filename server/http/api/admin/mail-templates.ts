// Words of the mails, for System Administrators.
import { changeMailWords, getMailWords, listMailWords, type MailWords } from '../../../actions/mail/templates.ts';
import type { Serve } from '../../endpoint.ts';

export function serveMailTemplates(serve: Serve): void {
  serve('listMailTemplates', async ({ ctx, caller }) => ({
    mail_templates: listMailWords(ctx, caller).map(templateBody),
  }));
  serve('getMailTemplate', async ({ ctx, caller, params }) => ({
    mail_template: templateBody(getMailWords(ctx, caller, params.kind!)),
  }));
  serve('changeMailTemplate', async ({ ctx, caller, params, body }) => ({
    mail_template: templateBody(await changeMailWords(ctx, caller, params.kind!, body.mail_template)),
  }));
}

function templateBody(words: MailWords) {
  return {
    kind: words.kind,
    is_changed: words.isChanged,
    subject: words.subject,
    intro: words.intro,
    closing: words.closing,
    variables: words.variables,
  };
}
