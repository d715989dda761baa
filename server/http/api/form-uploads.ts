// The multipart upload of old scripts: field `Filedata`, other fields in any order. Returns the bare id as text unless
// JSON was requested.
import { endpoints } from '#contract/endpoints.ts';
import { findUploadAccess } from '../../actions/filedrops/filedrops.ts';
import type { UploadResult } from '../../actions/uploads/received-bytes.ts';
import { ownUploader, type Uploader } from '../../domain/caller.ts';
import { cleanFileName } from '../../lib/file-name.ts';
import { alreadySent, type Call, type Serve } from '../endpoint.ts';
import { keyOf, requireUser } from '../identity/credentials.ts';
import { watchAccount } from '../live/account-watch.ts';
import { jsonHeaders, jsonText } from '../transport/answers.ts';
import { watchPace } from '../transport/body.ts';
import { asksForJson } from '../transport/negotiation.ts';
import { receiveForm } from '../uploads/form-uploads.ts';
import { encodeAttachment, enter } from '../uploads/uploads.ts';

type FormCall = Call<(typeof endpoints)['uploadForm']>;

export function serveFormUpload(serve: Serve): void {
  serve('uploadForm', async (call) => {
    const { raw, query } = call;
    const uploader = await requireUploader(call);
    const name = query.filename ?? query.name;
    const leave = enter(call.deps, uploader);
    const unwatch = watchPace(raw);
    const unwatchAccount = watchAccount(call.deps, raw, uploader.ownerId);
    try {
      const fileName = name === undefined ? null : cleanFileName(name);
      const form = { family: 'message', query, fileName, field: 'Filedata' } as const;
      sendFormAnswer(call, await receiveForm(call, uploader, form));
      return alreadySent;
    } finally {
      unwatch();
      unwatchAccount();
      leave();
    }
  });
}

/** A drop key uploads to its drop page; any other key must be an API key. */
async function requireUploader(call: FormCall): Promise<Uploader> {
  const { ctx, deps, caller, raw } = call;
  const key = keyOf(raw);
  const access = key === null ? null : await findUploadAccess(ctx, caller, key);
  return access?.uploader ?? ownUploader(await requireUser(deps, call, endpoints.uploadForm));
}

/** Empty for a chunk that does not complete the file. */
function sendFormAnswer({ raw, response, requestId }: FormCall, { uploadId, attachment }: UploadResult): void {
  const isJson = asksForJson(raw);
  const text =
    attachment === null ? '' : isJson ? jsonText({ attachment: encodeAttachment(attachment) }) : attachment.id;
  response.writeHead(200, {
    ...jsonHeaders,
    ...(isJson ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
    'content-length': Buffer.byteLength(text),
    'upload-id': uploadId,
    'x-request-id': requestId,
  });
  response.end(text);
}
