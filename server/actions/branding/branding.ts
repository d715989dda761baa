// The looks of the installation: changing them, for administrators, and handing the logo out, to anybody.
import { createHash } from 'node:crypto';
import { deleteLogoBytes, findLogoBytes, saveLogoBytes } from '../../db/branding/branding.ts';
import type { Tx } from '../../db/schema/schema.ts';
import {
  type Branding,
  type BrandingChanges,
  changedBranding,
  type LogoFacts,
  type LogoVariant,
  logoMaxBytes,
  readOrganisationName,
} from '../../domain/branding.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Settings } from '../../domain/settings.ts';
import { cleanPng, isPng, PngProblem } from '../../lib/png.ts';
import { cleanSvg, SvgProblem } from '../../lib/svg/svg.ts';
import type { MailLogo } from '../../mail/render.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { changeSettings } from '../settings.ts';

export interface Looks extends Branding {
  organisationName: string;
}

export interface Logo {
  facts: LogoFacts;
  bytes: Buffer;
}

export function getBranding(ctx: Ctx, caller: UserCaller): Looks {
  requireRight(caller, 'console.read');
  return looksOf(ctx.settings.current());
}

export function changeBranding(ctx: Ctx, caller: UserCaller, changes: BrandingChanges): Promise<Looks> {
  requireRight(caller, 'console.change');
  const fields = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  return change(ctx, async (tx, settings) => {
    const { organisationName } = changes;
    const changed = {
      ...settings,
      branding: changedBranding(settings.branding, changes),
      ...(organisationName === undefined
        ? {}
        : { organisationName: readOrganisationName(organisationName, 'organisation_name') }),
    };
    const facts = { fields, changes: lookChanges(settings, changed) };
    await record(ctx, tx, caller, { ...about, action: 'branding.changed', facts });
    return changed;
  });
}

/** Old and new value of what is different. */
function lookChanges(before: Settings, after: Settings): Record<string, { from: unknown; to: unknown }> {
  const flat = ({ organisationName, branding: { logo: _, ...rest } }: Settings) => ({ organisationName, ...rest });
  const known: Record<string, unknown> = flat(before);
  const different = Object.entries(flat(after)).filter(([name, value]) => known[name] !== value);
  return Object.fromEntries(different.map(([name, to]) => [name, { from: known[name], to }]));
}

export function changeLogo(ctx: Ctx, caller: UserCaller, variant: LogoVariant, given: Buffer): Promise<Looks> {
  requireRight(caller, 'console.change');
  const { facts, bytes } = cleanLogo(given);
  return change(ctx, async (tx, settings) => {
    await saveLogoBytes(tx, variant, bytes);
    await record(ctx, tx, caller, { ...about, action: 'branding.logo_changed', facts: { variant, ...facts } });
    return withLogo(settings, variant, facts);
  });
}

/** Removing what is not there is no fault. */
export function deleteLogo(ctx: Ctx, caller: UserCaller, variant: LogoVariant): Promise<Looks> {
  requireRight(caller, 'console.change');
  return change(ctx, async (tx, settings) => {
    await deleteLogoBytes(tx, variant);
    await record(ctx, tx, caller, { ...about, action: 'branding.logo_removed', facts: { variant } });
    return withLogo(settings, variant, null);
  });
}

/** For anybody: the logo with exactly this hash, or null. Asks the database, because another process may have changed it. */
export async function findLogo(ctx: Ctx, variant: LogoVariant, hash: string): Promise<Buffer | null> {
  const bytes = await findLogoBytes(ctx.db.read, variant);
  return bytes !== null && hashOf(bytes) === hash ? bytes : null;
}

/** What mails show: PNG alone, and a dark variant only beside a light one. */
export async function findMailLogo(ctx: Ctx): Promise<MailLogo | null> {
  const { logo } = ctx.settings.current().branding;
  const read = async (variant: LogoVariant) => {
    const facts = logo[variant];
    if (facts === null || facts.type !== 'image/png') return null;
    const bytes = await findLogo(ctx, variant, facts.hash);
    return bytes === null ? null : { name: `logo-${variant}`, bytes, width: facts.width, height: facts.height };
  };
  const light = await read('light');
  return light === null ? null : { light, dark: await read('dark') };
}

const about = { object: { kind: 'branding', id: 'installation' }, ownerId: '' } as const;

function looksOf(settings: Settings): Looks {
  return { ...settings.branding, organisationName: settings.organisationName };
}

function withLogo(settings: Settings, variant: LogoVariant, facts: LogoFacts | null): Settings {
  const logo = { ...settings.branding.logo, [variant]: facts };
  return { ...settings, branding: { ...settings.branding, logo } };
}

async function change(ctx: Ctx, work: (tx: Tx, settings: Settings) => Promise<Settings>): Promise<Looks> {
  return looksOf(await changeSettings(ctx, work));
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
}

function cleanLogo(given: Buffer): Logo {
  if (given.length === 0) throw invalid('logo.missing', 'Send the picture as the body of the request.');
  if (given.length > logoMaxBytes) {
    throw new Problem('too_large', 'logo.too_large', `A logo may have at most ${logoMaxBytes / 1024} KB.`).withValues({
      size: { bytes: logoMaxBytes },
    });
  }
  try {
    return isPng(given) ? pngLogo(given) : svgLogo(given);
  } catch (error) {
    if (error instanceof SvgProblem || error instanceof PngProblem) throw invalid('logo.not_usable', error.message);
    throw error;
  }
}

function pngLogo(given: Buffer): Logo {
  const { bytes, width, height } = cleanPng(given);
  return { bytes, facts: { hash: hashOf(bytes), type: 'image/png', width, height, sizeBytes: bytes.length } };
}

function svgLogo(given: Buffer): Logo {
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(given);
  } catch {
    throw invalid('logo.not_usable', 'A logo is an SVG or a PNG picture; this is neither.');
  }
  const { text, width, height } = cleanSvg(source);
  const bytes = Buffer.from(text);
  return { bytes, facts: { hash: hashOf(bytes), type: 'image/svg+xml', width, height, sizeBytes: bytes.length } };
}
