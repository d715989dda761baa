// Changelog of the API for callers.
import type { DocsBlock } from '#web/pages/api-docs-props.ts';

const changes: { version: string; sentences: string[] }[] = [
  {
    version: '3.7, with this server',
    sentences: [
      'The whole specification, and in addition: `upload_id` and `GET /uploads/ID` for resuming, `Idempotency-Key` for creations, `dry_run` inside `message`, `link` and `request`, `POST /requests/ID/deliveries` for programs that answer a request, `POST /login/pairings` for signing a program in through a browser, and everything under `/admin/`.',
      'A key that comes twice in an object of JSON is refused, and so is `dry_run` anywhere else, also in the query, in a form or in a header. Other unknown fields are refused by name, except by the calls that existing clients make. Of what is written back as it was read, read-only fields are accepted when they are unchanged.',
      'Refusals carry `code`, `field` and `request_id` in addition to `errors`.',
      '`limited_extensions` is `permitted_extensions`; the old name is gone from `/account`.',
    ],
  },
  {
    version: '3.2 to 3.5, in the specification',
    sentences: [
      'Settings of messages in `/account` begin with `message_`, those of clients with `client_`; the old names were removed with 3.4.',
    ],
  },
];

export function changeBlocks(): DocsBlock[] {
  return changes.flatMap(({ version, sentences }): DocsBlock[] => [
    { is: 'heading', level: 2, id: version.split(/[, ]/)[0]!.replace('.', '-'), text: version },
    ...sentences.map((text): DocsBlock => ({ is: 'text', text })),
  ]);
}
