// Sign-in services that administrators have set up, with sealed secrets.
import type { SignInService } from '../../domain/sign-in-service-fields.ts';
import { readService } from '../../domain/sign-in-service-fields.ts';
import { toFlag } from '../flag.ts';
import type { Query, SignInServicesTable, Tx } from '../schema/schema.ts';

/** The fields as they were entered. */
export type ServiceValues = Readonly<Record<string, string>>;

export interface StoredService {
  service: SignInService;
  values: ServiceValues;
}

/** In the order of the sign-in page. */
export async function listStoredServices(db: Query): Promise<StoredService[]> {
  const rows = await db.selectFrom('sign_in_services').selectAll().orderBy('position').orderBy('id').execute();
  return rows.map((row) => serviceOf(db, row));
}

export async function findStoredService(db: Query, id: string): Promise<StoredService | undefined> {
  const row = await db.selectFrom('sign_in_services').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : serviceOf(db, row);
}

function serviceOf(db: Query, row: SignInServicesTable): StoredService {
  const secrets = JSON.parse(db.keys.openText('sign-in-service', row.secrets_sealed, row.id)) as ServiceValues;
  const values = { ...(JSON.parse(row.settings) as ServiceValues), ...secrets };
  const { service } = readService(row.kind, row.id, values);
  return { values, service: { ...service, position: row.position, isEnabled: row.is_enabled === 1 } };
}

export interface SavedService {
  service: SignInService;
  settings: ServiceValues;
  secrets: ServiceValues;
  now: number;
}

export async function saveService(tx: Tx, { service, settings, secrets, now }: SavedService): Promise<void> {
  const { id, kind, name, position, isEnabled } = service;
  const values = {
    name,
    position,
    is_enabled: toFlag(isEnabled),
    settings: JSON.stringify(settings),
    secrets_sealed: tx.keys.sealText('sign-in-service', JSON.stringify(secrets), id),
    updated_at: now,
  };
  await tx
    .insertInto('sign_in_services')
    .values({ id, kind, ...values, created_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

export async function deleteService(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('sign_in_services').where('id', '=', id).execute();
}
