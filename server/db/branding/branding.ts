// Logos of the installation, stored apart from the settings, which are read every other second.
import type { LogoVariant } from '../../domain/branding.ts';
import type { Query, Tx } from '../schema/schema.ts';
import { deleteMeta, findMeta, setMeta } from '../system/installation.ts';
import type { MetaKey } from '../system/instants.ts';

export async function findLogoBytes(db: Query, variant: LogoVariant): Promise<Buffer | null> {
  const stored = await findMeta(db, keyOf(variant));
  return stored === null ? null : Buffer.from(stored, 'base64');
}

export async function saveLogoBytes(tx: Tx, variant: LogoVariant, bytes: Buffer): Promise<void> {
  await setMeta(tx, keyOf(variant), bytes.toString('base64'));
}

export async function deleteLogoBytes(tx: Tx, variant: LogoVariant): Promise<void> {
  await deleteMeta(tx, keyOf(variant));
}

function keyOf(variant: LogoVariant): MetaKey {
  return `logo_${variant}`;
}
