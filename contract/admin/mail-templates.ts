// Wording of mails, for System Administrators. Additive.
import { z } from 'zod';
import { wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { optional } from '../wire.ts';
import { mailTestAnswer } from './mail-delivery.ts';

const words = z.object({ subject: z.string(), intro: z.string(), closing: z.string() });

export const mailTemplate = wire({
  kind: z.string(),
  is_changed: z.boolean(),
  subject: z.string(),
  intro: z.string(),
  closing: z.string(),
  variables: z.array(z.string()).describe('What the words may name, as `{{ variable }}`.'),
  shipped: words.describe('The words of the product, in the language of the installation.'),
  shipped_when_changed: words
    .nullable()
    .describe('The words of the product when these were saved, if the product has other ones now.'),
}).meta({ id: 'MailTemplate', description: 'Liquid; an empty part uses the shipped words.' });

export const mailTemplateInput = wire({
  mail_template: z.object({
    subject: optional(z.string()),
    intro: optional(z.string()),
    closing: optional(z.string()),
  }),
});

export const mailTemplateAnswer = wire({ mail_template: mailTemplate });
export const mailTemplatesAnswer = wire({ mail_templates: z.array(mailTemplate) });

export const mailPreviewAnswer = z.object({
  preview: z
    .object({
      subject: z.string(),
      text: z.string(),
      html: z.string(),
      problems: z
        .array(z.string())
        .describe('Why these words cannot be saved; what is shown then has the shipped ones.'),
    })
    .meta({ id: 'MailPreview' }),
});

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
  previewMailTemplate: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/mail_templates/:kind/preview',
    summary: 'A mail with these words and sample data; nothing is saved',
    body: mailTemplateInput,
    answer: mailPreviewAnswer,
    origin: 'additive',
  }),
  showMailTemplate: define({
    ...adminCall,
    right: 'system.change',
    method: 'GET',
    path: '/admin/mail_templates/:kind/page',
    summary: 'The same as a page that runs nothing and loads nothing, for a frame of the console',
    query: z.object({
      subject: z.string().max(1000).optional(),
      intro: z.string().max(10_000).optional(),
      closing: z.string().max(10_000).optional(),
      scheme: z.enum(['light', 'dark']).optional().describe('As the reader’s device asks for it; light when left out.'),
    }),
    // A frame of our own page, with which browsers send no header.
    sessionProof: 'own_page',
    answer: 'file',
    origin: 'additive',
  }),
  testMailTemplate: define({
    ...adminCall,
    right: 'system.change',
    method: 'POST',
    path: '/admin/mail_templates/:kind/test',
    summary: 'Send a mail with these words and sample data to the caller; nothing is saved',
    body: mailTemplateInput,
    answer: mailTestAnswer,
    origin: 'additive',
  }),
} as const;
