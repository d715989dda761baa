// Branding of the installation: changes by administrators, and the public logo.
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

export interface InstallationBranding extends Branding {
  organisationName: string;
}

export interface Logo {
  facts: LogoFacts;
  bytes: Buffer;
}

export function getBranding(ctx: Ctx, caller: UserCaller): InstallationBranding {
  requireRight(caller, 'console.read');
  return brandingOf(ctx.settings.current());
}

export function changeBranding(ctx: Ctx, caller: UserCaller, changes: BrandingChanges): Promise<InstallationBranding> {
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
    const facts = { fields, changes: brandingChanges(settings, changed) };
    await record(ctx, tx, caller, { ...about, action: 'branding.changed', facts });
    return changed;
  });
}

/** Old and new value of each changed field. */
function brandingChanges(before: Settings, after: Settings): Record<string, { from: unknown; to: unknown }> {
  const flat = ({ organisationName, branding: { logo: _, ...rest } }: Settings) => ({ organisationName, ...rest });
  const old: Record<string, unknown> = flat(before);
  const different = Object.entries(flat(after)).filter(([name, value]) => old[name] !== value);
  return Object.fromEntries(different.map(([name, to]) => [name, { from: old[name], to }]));
}

export function changeLogo(
  ctx: Ctx,
  caller: UserCaller,
  variant: LogoVariant,
  input: Buffer,
): Promise<InstallationBranding> {
  requireRight(caller, 'console.change');
  const { facts, bytes } = cleanLogo(input);
  return change(ctx, async (tx, settings) => {
    await saveLogoBytes(tx, variant, bytes);
    await record(ctx, tx, caller, { ...about, action: 'branding.logo_changed', facts: { variant, ...facts } });
    return withLogo(settings, variant, facts);
  });
}

/** Idempotent. */
export function deleteLogo(ctx: Ctx, caller: UserCaller, variant: LogoVariant): Promise<InstallationBranding> {
  requireRight(caller, 'console.change');
  return change(ctx, async (tx, settings) => {
    await deleteLogoBytes(tx, variant);
    await record(ctx, tx, caller, { ...about, action: 'branding.logo_removed', facts: { variant } });
    return withLogo(settings, variant, null);
  });
}

/** Public: the logo with this hash, or null. Reads the database because another process may have changed it. */
export async function findLogo(ctx: Ctx, variant: LogoVariant, hash: string): Promise<Buffer | null> {
  const bytes = await findLogoBytes(ctx.db.read, variant);
  return bytes !== null && hashOf(bytes) === hash ? bytes : null;
}

/** PNG only; a dark variant only with a light one. */
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

function brandingOf(settings: Settings): InstallationBranding {
  return { ...settings.branding, organisationName: settings.organisationName };
}

function withLogo(settings: Settings, variant: LogoVariant, facts: LogoFacts | null): Settings {
  const logo = { ...settings.branding.logo, [variant]: facts };
  return { ...settings, branding: { ...settings.branding, logo } };
}

async function change(
  ctx: Ctx,
  work: (tx: Tx, settings: Settings) => Promise<Settings>,
): Promise<InstallationBranding> {
  return brandingOf(await changeSettings(ctx, work));
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
}

function cleanLogo(input: Buffer): Logo {
  if (input.length === 0) throw invalid('logo.missing', 'Send the picture as the body of the request.');
  if (input.length > logoMaxBytes) {
    throw new Problem('too_large', 'logo.too_large', `A logo may have at most ${logoMaxBytes / 1024} KB.`).withValues({
      size: { bytes: logoMaxBytes },
    });
  }
  try {
    return isPng(input) ? pngLogo(input) : svgLogo(input);
  } catch (error) {
    if (error instanceof SvgProblem || error instanceof PngProblem) throw invalid('logo.not_usable', error.message);
    throw error;
  }
}

function pngLogo(input: Buffer): Logo {
  const { bytes, width, height } = cleanPng(input);
  return { bytes, facts: { hash: hashOf(bytes), type: 'image/png', width, height, sizeBytes: bytes.length } };
}

function svgLogo(input: Buffer): Logo {
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch {
    throw invalid('logo.not_usable', 'A logo is an SVG or a PNG picture; this is neither.');
  }
  const { text, width, height } = cleanSvg(source);
  const bytes = Buffer.from(text);
  return { bytes, facts: { hash: hashOf(bytes), type: 'image/svg+xml', width, height, sizeBytes: bytes.length } };
}
