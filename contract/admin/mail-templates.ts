// Words of the mails, for System Administrators. Additive.
import { z } from 'zod';
import { adminCall, define } from '../endpoint.ts';
import { optional } from '../wire.ts';

export const mailTemplate = z
  .object({
    kind: z.string(),
    is_changed: z.boolean(),
    subject: z.string(),
    intro: z.string(),
    closing: z.string(),
    variables: z.array(z.string()).describe('What the words may name, as `{{ variable }}`.'),
  })
  .meta({ id: 'MailTemplate', description: 'Liquid; an empty part uses the shipped words.' });

export const mailTemplateInput = z.object({
  mail_template: z.object({
    subject: optional(z.string()),
    intro: optional(z.string()),
    closing: optional(z.string()),
  }),
});

export const mailTemplateAnswer = z.object({ mail_template: mailTemplate });
export const mailTemplatesAnswer = z.object({ mail_templates: z.array(mailTemplate) });

export const mailTemplateEndpoints = {
  listMailTemplates: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/mail_templates',
    summary: 'Words of all mails',
    answer: mailTemplatesAnswer,
    origin: 'additive',
  }),
  getMailTemplate: define({
    ...adminCall,
    right: 'system.read',
    method: 'GET',
    path: '/admin/mail_templates/:kind',
    summary: 'Words of one kind of mail',
    answer: mailTemplateAnswer,
    origin: 'additive',
  }),
  changeMailTemplate: define({
    ...adminCall,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/mail_templates/:kind',
    summary: 'Change the words of one kind of mail',
    body: mailTemplateInput,
    answer: mailTemplateAnswer,
    origin: 'additive',
  }),
} as const;
