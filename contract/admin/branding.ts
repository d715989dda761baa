// Branding: name, colour, logo, contact, footers. For administrators. Additive.
import { z } from 'zod';
import { derived, named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { optional, optionalOr } from '../wire.ts';

const colour = z.string().regex(/^#[0-9a-f]{6}$/);

const tones = wire({
  primary: colour,
  primary_hover: named('primary-hover', colour),
  primary_active: named('primary-active', colour),
  on_primary: named('on-primary', colour),
  primary_soft: named('primary-soft', colour),
  on_primary_soft: named('on-primary-soft', colour),
}).meta({ id: 'BrandTones', description: 'Made from the colour: its hue in a lightness that can be read.' });

const logo = wire({
  url: z.string(),
  type: z.enum(['image/svg+xml', 'image/png']),
  width: z.number(),
  height: z.number(),
  size: named('sizeBytes', z.number().int()),
  is_in_mails: derived(
    z.boolean().describe('PNG only: many mail programs do not show SVG.'),
    ({ type }: { type: string }) => type === 'image/png',
  ),
}).meta({ id: 'BrandLogo' });

export const branding = wire({
  organisation_name: z.string(),
  colour: colour.nullable().describe('Null: the colour of the product.'),
  contact_address: z
    .string()
    .nullable()
    .describe('Where recipients report problems; replies to automatic mails go there.'),
  privacy_url: z.string().nullable(),
  page_footer: z.string(),
  mail_footer: z.string(),
  logo: z.object({ light: logo.nullable(), dark: logo.nullable() }),
  tones: z.object({ light: tones, dark: tones }),
  is_tone_changed: z.boolean().describe('Buttons and links look visibly different from the colour that was given.'),
}).meta({ id: 'Branding' });

export const brandingInput = z.object({
  branding: wire({
    organisation_name: optional(z.string()).describe(
      'Name of the organisation, for pages and mails. Invisible and directional characters are refused.',
    ),
    colour: z
      .string()
      .nullable()
      .optional()
      .describe('`#rrggbb`; null or empty goes back to the colour of the product.'),
    contact_address: z.string().nullable().optional(),
    privacy_url: z.string().nullable().optional(),
    page_footer: optional(z.string()),
    mail_footer: optional(z.string()),
  }),
});

export const brandingAnswer = z.object({ branding });

export const logoQuery = z.object({
  variant: optionalOr(z.enum(['light', 'dark']), 'light').describe('For light pages unless said otherwise.'),
});

export const brandingPageQuery = wire({
  view: z.enum(['page', 'mail']).optional().describe('The page of a message, or its mail; the page when left out.'),
  scheme: z.enum(['light', 'dark']).optional().describe('As the reader’s device asks for it; light when left out.'),
  organisation_name: optional(z.string().max(1000)),
  colour: optional(z.string().max(100)),
  contact_address: optional(z.string().max(1000)),
  privacy_url: optional(z.string().max(2000)),
  page_footer: optional(z.string().max(2000)),
  mail_footer: optional(z.string().max(2000)),
});

export const brandingEndpoints = {
  getBranding: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/branding',
    summary: 'How pages and mails look',
    answer: brandingAnswer,
    origin: 'additive',
  }),
  changeBranding: define({
    ...adminCall,
    right: 'console.change',
    method: 'PUT',
    path: '/admin/branding',
    summary: 'Change how pages and mails look',
    body: brandingInput,
    answer: brandingAnswer,
    origin: 'additive',
  }),
  showBranding: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/branding/page',
    summary: 'A page or a mail with sample data and these values, for a frame of the console; nothing is saved',
    query: brandingPageQuery,
    // A frame of our own page, with which browsers send no header.
    sessionProof: 'own_page',
    answer: 'file',
    origin: 'additive',
  }),
  changeLogo: define({
    ...adminCall,
    right: 'console.change',
    method: 'PUT',
    path: '/admin/branding/logo',
    summary: 'Set the logo: SVG or PNG, at most 256 KB',
    query: logoQuery,
    body: 'bytes',
    answer: brandingAnswer,
    origin: 'additive',
  }),
  deleteLogo: define({
    ...adminCall,
    right: 'console.change',
    method: 'DELETE',
    path: '/admin/branding/logo',
    summary: 'Remove the logo',
    query: logoQuery,
    answer: brandingAnswer,
    origin: 'additive',
  }),
} as const;
