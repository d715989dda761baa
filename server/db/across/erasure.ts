// Erases what is stored about a deleted person outside of events; docs/trust/erasure.md lists it by table. Each function may
// run again.
import { type SqlBool, sql } from 'kysely';
import { type Erasure, erasedDomain, namesAny, withoutPerson, withoutWords } from '../../domain/erasures.ts';
import { forgetAllDays } from '../downloads/download-days.ts';
import { erasedTexts } from '../messages/messages.ts';
import type { LegalHoldsTable, Query, Tables, Tx } from '../schema/schema.ts';
import { escapeLike } from '../users/users.ts';

export async function countWrittenBy(db: Query, userId: string): Promise<{ requests: number }> {
  const row = await db
    .selectFrom('file_requests')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow();
  return { requests: Number(row.count) };
}

/** Empties subjects and texts of their messages and requests and names of their files, and ends requests. */
export async function blankTextsOf(tx: Tx, userId: string, now: number): Promise<void> {
  const messages = await tx.selectFrom('messages').select('id').where('owner_id', '=', userId).execute();
  for (const { id } of messages)
    await tx
      .updateTable('messages')
      .set({ ...erasedTexts(tx.keys, id), sender: '', sender_name: '', updated_at: now })
      .where('id', '=', id)
      .execute();
  for (const { id } of messages) await tx.deleteFrom('message_visits').where('message_id', '=', id).execute();
  const requests = await tx.selectFrom('file_requests').select('id').where('owner_id', '=', userId).execute();
  for (const { id } of requests)
    await tx
      .updateTable('file_requests')
      .set({
        subject_sealed: tx.keys.sealText('text', '', `${id}/subject`),
        body_sealed: tx.keys.sealText('text', '', `${id}/body`),
        state: 'closed',
        updated_at: now,
      })
      .where('id', '=', id)
      .execute();
  const files = await tx.selectFrom('attachments').select('id').where('owner_id', '=', userId).execute();
  for (const { id } of files)
    await tx
      .updateTable('attachments')
      .set({ name_sealed: tx.keys.sealText('name', 'erased', id), sha256: '', crc32: '', checksums_sealed: null })
      .where('id', '=', id)
      .execute();
}

type Column = { [Table in keyof Tables]: readonly [Table, keyof Tables[Table] & string] }[keyof Tables];

/** Rows that are useless without the person are deleted. */
const deletedWithId: readonly Column[] = [
  ['account_access', 'user_id'],
  ['account_access', 'given_by'],
  ['api_keys', 'user_id'],
  ['attempts', 'about'],
  ['sessions', 'user_id'],
  ['sign_in_networks', 'user_id'],
  ['preferences', 'user_id'],
  ['one_time_tokens', 'user_id'],
  ['passkeys', 'user_id'],
  ['pairings', 'user_id'],
  ['contact_names', 'owner_id'],
  ['download_days', 'owner_id'],
  ['drop_keys', 'owner_id'],
  ['hand_over_confirmations', 'asked_by'],
  ['hand_over_confirmations', 'new_owner_id'],
  ['idempotency', 'owner_id'],
  ['outbox', 'owner_id'],
  ['receipt_lines', 'owner_id'],
  ['recovery_codes', 'user_id'],
  ['remembered_browsers', 'user_id'],
  ['reservations', 'owner_id'],
  ['sends', 'user_id'],
  ['statements', 'about_user_id'],
  ['tickets', 'owner_id'],
  ['tickets', 'account_id'],
  ['uploader_receipts', 'owner_id'],
];

/** Rows that others or the log need remain, with the new id. */
const renamed: readonly Column[] = [
  ['attachments', 'owner_id'],
  ['downloads', 'owner_id'],
  ['download_requests', 'owner_id'],
  ['file_links', 'owner_id'],
  ['file_requests', 'owner_id'],
  ['hand_over_confirmations', 'confirmed_by'],
  ['legal_holds', 'lifted_by'],
  ['legal_holds', 'owner_id'],
  ['legal_holds', 'set_by'],
  ['legal_holds', 'target_id'],
  ['messages', 'owner_id'],
  ['statements', 'made_by'],
  ['tasks', 'started_by'],
  ['uploads', 'owner_id'],
];

/** The columns that contain this value. One statement, because most do not. */
async function findColumns(tx: Tx, columns: readonly Column[], value: string): Promise<Column[]> {
  const looks = columns.map(
    ([table, column], place) => sql`select ${sql.lit(place)} as place
      where exists (select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${value})`,
  );
  const { rows } = await sql<{ place: number }>`${sql.join(looks, sql` union all `)}`.execute(tx);
  return rows.map(({ place }) => columns[place]!);
}

/** Replaces the id of the account; only a row without personal values remains. */
export async function replaceId(tx: Tx, { id, userId }: Erasure): Promise<void> {
  for (const [table, column] of await findColumns(tx, deletedWithId, userId))
    await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(tx);
  await tx
    .deleteFrom('uploads')
    .where('owner_id', '=', userId)
    .where('state', 'in', ['ready', 'abandoned', 'failed'])
    .execute();
  const row = await tx.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
  if (row !== undefined)
    await tx
      .insertInto('users')
      .values({
        ...row,
        id,
        drop_name: null,
        totp_sealed: null,
        totp_state: 'off',
        passkey_count: 0,
        language: null,
        last_seen_at: null,
        created_at: 0,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const [table, column] of await findColumns(tx, renamed, userId))
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${id} where ${sql.ref(column)} = ${userId}`.execute(
      tx,
    );
  await tx.deleteFrom('users').where('id', '=', userId).execute();
}

const goneWithAddress: readonly Column[] = [
  ['codes', 'address'],
  ['contact_names', 'address'],
  ['message_visits', 'address'],
  ['outbox', 'recipient'],
  ['passkeys', 'address'],
  ['proofs', 'address'],
  ['tickets', 'identity'],
  ['tickets', 'recipient'],
];

const readdressed: readonly Column[] = [
  ['counters', 'identity'],
  ['downloads', 'recipient'],
  ['file_requests', 'recipient'],
  ['message_recipients', 'address'],
  ['message_recipients', 'replaced_by'],
  ['messages', 'sender'],
  ['receipt_lines', 'recipient'],
];

const nowhere = {
  api_key_id: '',
  remote_ip: '',
  remote_host: '',
  user_agent: '',
  browser: '',
  os: '',
  platform: '',
  location: '',
  longitude: null,
  latitude: null,
  country_code: '',
  country_name: '',
  city: '',
  region_code: '',
  region_name: '',
} as const;

/**
 * Erasures of people about whom something was written after the first search, by a request or a mail that was running.
 */
export async function findLateTraces(db: Query, erasures: readonly Erasure[]): Promise<Set<Erasure>> {
  const found = new Set<Erasure>();
  const look = async (columns: readonly Column[], values: readonly string[], ownerOf: (value: string) => Erasure) => {
    if (values.length === 0) return;
    for (const [table, column] of columns) {
      const { rows } = await sql<{ value: string }>`select distinct ${sql.ref(column)} as value from ${sql.table(table)}
        where ${sql.ref(column)} in (${sql.join([...values])})`.execute(db);
      for (const { value } of rows) found.add(ownerOf(value));
    }
  };
  const byId = new Map(erasures.map((erasure) => [erasure.userId, erasure]));
  const byAddress = new Map(erasures.flatMap((erasure) => erasure.addresses.map((address) => [address, erasure])));
  await look([...deletedWithId, ...renamed, ['users', 'id']], [...byId.keys()], (id) => byId.get(id)!);
  await look([...goneWithAddress, ...readdressed], [...byAddress.keys()], (address) => byAddress.get(address)!);
  return found;
}

/** Replaces their addresses in rows of others, and revokes what was sent to them. */
export async function replaceAddresses(tx: Tx, erasure: Erasure, now: number): Promise<void> {
  await forgetAllDays(tx);
  const isTheirs = sql<SqlBool>`(downloads.recipient in (${sql.join([...erasure.addresses])})
    or (downloads.owner_id = ${erasure.id} and downloads.kind = 'owner'))`;
  await tx
    .updateTable('download_requests')
    .set({ remote_ip: '', user_agent: '', api_key_id: '', proof_id: '' })
    .where(sql<SqlBool>`exists (select 1 from downloads where downloads.owner_id = download_requests.owner_id
      and downloads.number = download_requests.number and ${isTheirs})`)
    .execute();
  await tx.updateTable('downloads').set(nowhere).where(isTheirs).execute();
  for (const [index, address] of erasure.addresses.entries()) {
    const substitute = erasure.substitutes[index]!;
    // A visitor who had not confirmed an address yet may have been this person.
    await tx
      .deleteFrom('message_visits')
      .where('address', '=', '')
      .where('message_id', 'in', (eb) =>
        eb.selectFrom('message_recipients').select('message_id').where('address', '=', address),
      )
      .execute();
    await tx.updateTable('messages').set({ sender_name: '' }).where('sender', '=', address).execute();
    await tx
      .updateTable('message_recipients')
      .set({ state: 'revoked', revoked_at: now, domain: erasedDomain })
      .where('address', '=', address)
      .execute();
    await tx
      .updateTable('file_requests')
      .set({ recipient_domain: erasedDomain, state: 'closed' })
      .where('recipient', '=', address)
      .execute();
    for (const [table, column] of await findColumns(tx, goneWithAddress, address))
      await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${address}`.execute(tx);
    for (const [table, column] of await findColumns(tx, readdressed, address))
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${substitute} where ${sql.ref(column)} = ${address}`.execute(
        tx,
      );
  }
}

/** Removes mentions inside longer texts: documents, reasons. */
export async function removeMentions(tx: Tx, erasure: Erasure): Promise<void> {
  const words = [erasure.userId, ...erasure.addresses];
  const sends = await tx.selectFrom('sends').select(['id', 'facts']).where(mentions('facts', erasure)).execute();
  for (const { id, facts } of sends)
    if (namesAny(facts, words)) await tx.deleteFrom('sends').where('id', '=', id).execute();
  await deleteProgramsOf(tx, erasure);
  await removeFromDocuments(tx, erasure);
  await removeFromHolds(tx, erasure);
  await deleteStatementsAbout(tx, erasure);
}

/** Programs name themselves, some after the person. */
async function deleteProgramsOf(tx: Tx, { userId, addresses, name }: Erasure): Promise<void> {
  const joined = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const words = [userId, ...addresses, ...(/\S\s+\S/.test(name.trim()) ? [name] : [])].map(joined);
  const rows = await tx.selectFrom('client_sightings').select('client').distinct().execute();
  for (const { client } of rows)
    if (words.some((word) => joined(client).includes(word)))
      await tx.deleteFrom('client_sightings').where('client', '=', client).execute();
}

async function removeFromDocuments(tx: Tx, erasure: Erasure): Promise<void> {
  const cleared = (text: string) => JSON.stringify(withoutPerson(JSON.parse(text), erasure));
  const tasks = await tx
    .selectFrom('tasks')
    .select(['id', 'input', 'progress'])
    .where((eb) => eb.or([mentions('input', erasure), mentions('progress', erasure)]))
    .execute();
  for (const { id, input, progress } of tasks)
    await tx
      .updateTable('tasks')
      .set({ input: cleared(input), progress: cleared(progress) })
      .where('id', '=', id)
      .execute();
  const drops = await tx
    .selectFrom('system_drops')
    .select(['id', 'receivers'])
    .where(mentions('receivers', erasure))
    .execute();
  for (const { id, receivers } of drops) {
    const left = (JSON.parse(receivers) as string[]).filter((each) => each !== erasure.userId);
    await tx
      .updateTable('system_drops')
      .set({ receivers: JSON.stringify(left) })
      .where('id', '=', id)
      .execute();
  }
}

async function removeFromHolds(tx: Tx, erasure: Erasure): Promise<void> {
  const holds: LegalHoldsTable[] = await tx
    .selectFrom('legal_holds')
    .selectAll()
    .where((eb) =>
      eb.or([mentions('reason', erasure), mentions('lift_reason', erasure), eb('target_id', '=', erasure.id)]),
    )
    .execute();
  for (const { id, reason, lift_reason, target_id } of holds) {
    const cleared = (text: string) => withoutWords(text, erasure, target_id === erasure.id);
    await tx
      .updateTable('legal_holds')
      .set({ reason: cleared(reason), lift_reason: cleared(lift_reason) })
      .where('id', '=', id)
      .execute();
  }
}

/** Statements about one of their addresses; `replaceId` has deleted those about the account. */
async function deleteStatementsAbout(tx: Tx, { addresses }: Erasure): Promise<void> {
  const rows = await tx
    .selectFrom('statements')
    .select(['id', 'document_sealed'])
    .where('kind', '=', 'exposure')
    .where('about_user_id', '=', '')
    .execute();
  for (const { id, document_sealed } of rows) {
    const text = tx.keys.openText('text', document_sealed, `statement/${id}`);
    const { about } = JSON.parse(text) as { about?: { address?: string } };
    if (addresses.includes(about?.address ?? '')) await tx.deleteFrom('statements').where('id', '=', id).execute();
  }
}

/** Rows that may name the person; `namesAny` finds those that do. */
function mentions(column: string, { userId, addresses }: Erasure) {
  const any = [userId, ...addresses].map(
    (word) => sql`lower(${sql.ref(column)}) like ${`%${escapeLike(word.toLowerCase())}%`} escape '!'`,
  );
  return sql<boolean>`(${sql.join(any, sql` or `)})`;
}
