// A test runs the commands of these guides.
import type { DocsBlock } from '#web/pages/api-docs-props.ts';

function heading(id: string, text: string): DocsBlock {
  return { is: 'heading', level: 2, id, text };
}

function text(words: string): DocsBlock {
  return { is: 'text', text: words };
}

function shell(language: string, code: string): DocsBlock {
  return { is: 'examples', examples: [{ language, code }] };
}

export function overviewBlocks(baseUrl: string): DocsBlock[] {
  return [
    text(
      `Everything the pages and the app do can be done by a script: upload files, send them as a message or a link, ask for files, and see who downloaded what. The address is \`${baseUrl}\`; requests and answers are JSON unless said otherwise.`,
    ),
    heading('keys', 'Signing in'),
    text(
      'Every request carries your API key: `Authorization: Bearer KEY`, or HTTP Basic with the key as user name and any password. You make keys in your account, under API keys. A key can do what you can do; keep it out of command lines and repositories.',
    ),
    heading('errors', 'Errors'),
    text(
      'A refusal is JSON: `errors` (sentences that may be shown to people), `code` (stable, for programs), `field` (when one field is to blame) and `request_id` (for your administrator). Status 401: the key is not known. 403: your role may not do it. 404: there is no such thing, or it is not yours. 409: someone else has changed it since. 422: refused by a rule, or the input is wrong. 429 and 503: later; `Retry-After` says in how many seconds. All codes are on the page “Errors”.',
    ),
    heading('retries', 'Lost answers'),
    text(
      'Send an `Idempotency-Key` header with `POST /message`, `/link` and `/requests`: a text of your own with up to 255 characters. The same key with the same body returns the same answer for 24 hours and makes nothing twice; with another body it is refused with 422. After a cut line simply send the same request again.',
    ),
    heading('document', 'The OpenAPI document'),
    text(`A machine-readable description is at \`${baseUrl}/openapi.json\` and \`${baseUrl}/openapi.yaml\`.`),
  ];
}

export function guideBlocks(baseUrl: string): DocsBlock[] {
  return [
    heading('send', 'Send a file from a script'),
    text(
      'Two calls: upload the file, then send a message with the id from the answer. `send_email` decides whether we write to the recipients or you pass the link on.',
    ),
    shell(
      'Upload and send',
      `ID=$(curl -sS --fail-with-body -H "Authorization: Bearer $WAYBILL_API_KEY" \\
  --data-binary @report.pdf '${baseUrl}/message/attachments/upload?filename=report.pdf' \\
  | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -sS --fail-with-body -H "Authorization: Bearer $WAYBILL_API_KEY" \\
  -H 'Content-Type: application/json' -H "Idempotency-Key: report-$ID" \\
  -d '{"message":{"recipients":["ben@example.com"],"subject":"Report","message":"Here it is.",
       "send_email":true,"attachments":["'$ID'"]}}' \\
  '${baseUrl}/message'`,
    ),
    text(
      'Large files travel in pieces: `chunks` is their number, `chunk` counts from 0, `upload_id=new` with the first piece asks for an id, which comes back in the header `Upload-Id` and is sent with the others. Pieces may be sent side by side and again. `GET /uploads/ID` says which have arrived.',
    ),
    shell(
      'In pieces',
      `split -b 8388608 -d report.pdf piece.
COUNT=$(ls piece.* | wc -l); NUMBER=0; UPLOAD=new
for PIECE in piece.*; do
  PLACE="filename=report.pdf&chunks=$COUNT&chunk=$NUMBER&upload_id=$UPLOAD"
  UPLOAD=$(curl -sS --fail-with-body -o answer.json -D - \\
    -H "Authorization: Bearer $WAYBILL_API_KEY" --data-binary "@$PIECE" \\
    "${baseUrl}/message/attachments/upload?$PLACE" \\
    | tr -d '\\r' | sed -n 's/^upload-id: //Ip')
  NUMBER=$((NUMBER + 1))
done
cat answer.json`,
    ),
    heading('receive', 'Take files in'),
    text(
      'A file request gives you an address. Anyone who has it can upload there without an account; the files arrive as a message to you.',
    ),
    shell(
      'Ask, then read what came',
      `curl -sS --fail-with-body -H "Authorization: Bearer $WAYBILL_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"request":{"recipient":"ben@example.com","subject":"The signed contract",
       "message":"Please upload it here.","send_email":false}}' \\
  '${baseUrl}/requests'
curl -sS --fail-with-body -H "Authorization: Bearer $WAYBILL_API_KEY" \\
  '${baseUrl}/messages/inbox'`,
    ),
    heading('follow', 'Follow what happened'),
    text(
      'The download log has one line for each download: who, when, from where, how much. Ask with `after` for what is new since a date.',
    ),
    shell(
      'Who downloaded',
      `curl -sS --fail-with-body -H "Authorization: Bearer $WAYBILL_API_KEY" \\
  '${baseUrl}/downloads?after=2026-01-01'`,
    ),
  ];
}
