// Sample props of the page of a mail in another language.
import type { MailPage } from '#web/pages/mail-props.ts';

const languages = ['en', 'de', 'es', 'fr', 'sv'].map((locale) => ({
  locale,
  url: `/mail/9fQ2mZ7tKx4VbN8sLrWc3d?lang=${locale}`,
}));

const message: MailPage = {
  kind: 'mail',
  subject: 'Drawings for the Harbour tender',
  heading: 'Alice Smith sent you 3 files',
  pieces: [
    {
      is: 'quote',
      by: 'Alice Smith',
      address: 'alice@northlight.example',
      text: 'Hi Ben,\nhere are the revised sections.\n\nAlice',
    },
    {
      is: 'list',
      items: [
        { title: 'Harbour-sections-rev-C.pdf', detail: '48.2 MB' },
        { title: `${'W'.repeat(250)}.tiff`, detail: '1.1 GB' },
      ],
      more: 'and 14 more',
    },
    { is: 'facts', facts: [{ label: null, text: 'Available until Monday 30 November 2026.' }] },
  ],
  why: 'You got this because alice@northlight.example sent you files with the file service of Northlight Architects.',
  languages,
};

export const mailSamples: Record<string, MailPage> = {
  mail: message,
  'mail, with labels': {
    ...message,
    subject: '••••-•••• is your code',
    heading: 'Your code',
    pieces: [
      { is: 'text', text: 'Enter it on the page that asked for it.' },
      { is: 'facts', facts: [{ label: 'Reason given', text: '<script>alert(1)</script>' }] },
    ],
  },
};
