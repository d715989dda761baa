// Messages, file links, file requests and drop pages.
import { type RawBuilder, sql } from 'kysely';
import type { ColumnTypes } from './0001-baseline-types.ts';

export function transferTables({ bytes, withoutRowid }: ColumnTypes): RawBuilder<unknown>[] {
  return [
    sql`create table messages (
      id text primary key, owner_id text not null references users (id), origin text not null,
      sender text not null, sender_name text not null, is_sender_confirmed integer not null,
      subject_sealed ${bytes} not null, body_sealed ${bytes} not null, audience integer not null,
      download_limit integer, is_private integer not null, send_receipts integer not null,
      expires_on text not null, expires_at bigint not null, size_bytes bigint not null, state text not null,
      request_id text, created_at bigint not null, updated_at bigint not null, html_sealed ${bytes},
      expiry_told_at bigint, mail_language text not null default '', system_drop_id text)`,
    sql`create index messages_by_system_drop on messages (system_drop_id, created_at)
      where system_drop_id is not null`,
    sql`create index messages_expiry on messages (state, expires_at)`,
    sql`create index messages_handed_in on messages (origin, created_at, id) where origin <> 'sent'`,
    sql`create index messages_owner on messages (owner_id, created_at)`,
    sql`create index messages_request on messages (request_id) where request_id is not null`,
    sql`create index messages_stopped on messages (created_at, id) where state = 'revoked'`,
    // Has the columns that lists filter by, so rows that do not match are not read.
    sql`create index messages_time on messages (created_at, id, owner_id, origin, state, expires_at)`,
    sql`create table message_recipients (
      message_id text not null references messages (id), address text not null, role text not null,
      position integer not null, state text not null, read_at bigint, read_count integer not null,
      revoked_at bigint, replaced_by text not null default '', download_limit integer,
      reminder_count integer not null default 0, reminded_at bigint, domain text not null default '',
      sent_at bigint not null default 0, primary key (message_id, address))`,
    sql`create index message_recipients_address on message_recipients (address, sent_at, message_id)`,
    sql`create index message_recipients_domain on message_recipients (domain, sent_at, message_id)`,
    sql`create table message_attachments (
      message_id text not null references messages (id),
      attachment_id text not null references attachments (id), position integer not null,
      primary key (message_id, attachment_id))`,
    sql`create index message_attachments_file on message_attachments (attachment_id)`,
    sql`create table removed_message_files (
      message_id text not null references messages (id),
      attachment_id text not null references attachments (id), position integer not null,
      removed_at bigint not null, primary key (message_id, attachment_id))`,
    sql`create table message_visits (
      message_id text not null, visitor text not null, address text not null, first_at bigint not null,
      last_at bigint not null, count integer not null, browser text not null, device text not null,
      network text not null, country text not null, is_scanner integer not null,
      primary key (message_id, visitor))`,
    sql`create index message_visits_last on message_visits (last_at)`,
    sql`create table counters (
      message_id text not null, attachment_id text not null, identity text not null, used integer not null,
      primary key (message_id, attachment_id, identity))`,
    sql`create table file_links (
      id text primary key, owner_id text not null references users (id),
      attachment_id text not null references attachments (id), expires_on text not null,
      expires_at bigint not null, password_hash text, send_receipt integer not null,
      require_sign_in integer not null, state text not null, created_at bigint not null,
      updated_at bigint not null, password_version integer not null default 0)`,
    sql`create index file_links_attachment on file_links (attachment_id)`,
    sql`create index file_links_expiry on file_links (state, expires_at)`,
    sql`create index file_links_owner on file_links (owner_id, created_at)`,
    sql`create index file_links_stopped on file_links (created_at, id) where state = 'deleted'`,
    sql`create index file_links_time on file_links (created_at, id, owner_id, state, expires_at)`,
    sql`create table file_requests (
      id text primary key, owner_id text not null references users (id), recipient text not null,
      subject_sealed ${bytes} not null, body_sealed ${bytes} not null, is_reusable integer not null,
      expires_on text not null, expires_at bigint not null, state text not null, answered_at bigint,
      created_at bigint not null, updated_at bigint not null, recipient_domain text not null default '')`,
    sql`create index file_requests_domain on file_requests (recipient_domain, created_at, id)`,
    sql`create index file_requests_open on file_requests (expires_at) where state = 'open'`,
    sql`create index file_requests_owner on file_requests (owner_id, created_at)`,
    sql`create index file_requests_recipient on file_requests (recipient, created_at, id)`,
    sql`create index file_requests_stopped on file_requests (created_at, id) where state = 'closed'`,
    sql`create index file_requests_time on file_requests (created_at, id, owner_id, state, expires_at)`,
    sql`create table drop_keys (
      id text primary key, lookup ${bytes} not null unique, owner_id text not null, drop_name text not null,
      pending_sealed ${bytes}, state text not null, created_at bigint not null, expires_at bigint not null,
      network text not null default '', opened_at bigint, active_at bigint not null default 0)`,
    sql`create index drop_keys_expiry on drop_keys (expires_at)`,
    sql`create index drop_keys_network on drop_keys (network, opened_at)`,
    sql`create index drop_keys_page on drop_keys (drop_name, opened_at)`,
    sql`create table system_drops (
      id text primary key, name text not null unique, title text not null, intro text not null,
      receivers text not null, max_size integer, file_types text not null, confirms_sender integer not null,
      is_open integer not null, created_at bigint not null, updated_at bigint not null)`,
    sql`create table uploader_receipts (
      id text primary key, submission_hash ${bytes} not null unique,
      owner_id text not null references users (id), receipt_sealed ${bytes} not null,
      created_at bigint not null, expires_at bigint not null)`,
    sql`create index uploader_receipts_by_end on uploader_receipts (expires_at)`,
    sql`create index uploader_receipts_by_owner on uploader_receipts (owner_id)`,
    sql`create table transfer_references (transfer_id text not null primary key, reference text not null unique)`,
    sql`create table policy_documents (
      id text not null primary key, is_local integer not null, document text not null)`,
    // Its key is the order in which sends are read, because each further index slows every send.
    sql`create table sends (
      id text not null, kind text not null, user_id text not null, group_id text not null,
      policy_id text not null, facts text not null, sent_at bigint not null, primary key (group_id, sent_at, id))
      ${withoutRowid}`,
  ];
}
