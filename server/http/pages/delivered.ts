import { humanSize } from '#contract/sizes.ts';
import type { DeliveredFile, DeliveredPage, ReceivedFile, UploadLimits } from '#web/pages/delivery-props.ts';
import { getAttachments } from '../../actions/attachments/attachments.ts';
import type { FileCheck } from '../../actions/scanning/file-checks.ts';
import { findReceipt, findReceiptChecks } from '../../actions/submissions/uploader-receipts.ts';
import { maxFilesTogether } from '../../domain/attachments.ts';
import type { Policy } from '../../domain/policy.ts';
import type { SubmissionPlace, UploaderReceipt } from '../../domain/submissions.ts';
import { isoInstant } from '../../lib/dates.ts';
import type { HttpDeps } from '../deps.ts';
import { sendPage } from '../identity/pre-session.ts';
import type { Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import type { SubmittedForm } from '../uploads/submitted-files.ts';
import { checkProgress } from './check-progress.ts';
import { notFoundPage } from './not-found.ts';

export function serveDeliveredPages(deps: HttpDeps, router: Router): void {
  router.page('GET', '/delivered/:id', async (exchange) => {
    const receipt = await findReceipt(deps.ctx, exchange.params.id!);
    if (receipt === null) return sendPage(deps, exchange, notFoundPage);
    const files = await describeFiles(deps, receipt);
    sendPage(deps, exchange, deliveredPage(deps, receipt, files), { reference: receipt.reference });
  });
}

export function deliveredUrl(deps: HttpDeps, receiptId: string): string {
  return `${basePath(deps)}/delivered/${receiptId}`;
}

async function describeFiles(deps: HttpDeps, receipt: UploaderReceipt): Promise<DeliveredFile[]> {
  const checks = await findReceiptChecks(deps.ctx, receipt);
  return receipt.files.map(({ name, sizeBytes, sha256 }, index) => ({
    name,
    sizeText: humanSize(sizeBytes),
    sha256: sha256 === '' ? null : sha256,
    check: checkOf(deps, checks[index]),
  }));
}

function checkOf(deps: HttpDeps, check: FileCheck | undefined): DeliveredFile['check'] {
  if (check === undefined) return null;
  if (check.state === 'held') return { is: 'held', isInfected: check.verdict === 'infected' };
  return { is: 'waiting', ...checkProgress(deps, check) };
}

function deliveredPage(deps: HttpDeps, receipt: UploaderReceipt, files: DeliveredFile[]): DeliveredPage {
  const { receiver, mailedTo } = receipt;
  return {
    kind: 'delivered',
    recipient: { name: receiver.name === '' ? receiver.email : receiver.name, address: null },
    deliveredAt: isoInstant(receipt.deliveredAt),
    files,
    checkAgainUrl: files.some(({ check }) => check?.is === 'waiting') ? deliveredUrl(deps, receipt.id) : null,
    reference: receipt.reference,
    sendMoreUrl: moreUrl(deps, receipt.place),
    receipt: mailedTo === null ? null : { is: 'sent', address: mailedTo },
  };
}

/** A single-use request is closed now. */
function moreUrl(deps: HttpDeps, place: SubmissionPlace): string | null {
  if (place.is === 'filedrop') return `${basePath(deps)}/filedrop/${encodeURIComponent(place.name)}`;
  return place.isReusable ? `${basePath(deps)}/requests/${place.id}` : null;
}

const emptySubmission: SubmittedForm = { fields: new Map(), attachmentIds: [], refusals: [] };

export interface KeptSubmission {
  fields: Record<string, string>;
  attachmentIds: string[];
}

export function keptSubmission({ fields, attachmentIds }: SubmittedForm, names: string[]): KeptSubmission {
  const values = names.flatMap((name) => (fields.has(name) ? [[name, fields.get(name)!] as const] : []));
  return { fields: Object.fromEntries(values), attachmentIds };
}

export function submittedOf(kept: KeptSubmission | null): SubmittedForm {
  if (kept === null) return emptySubmission;
  return { fields: new Map(Object.entries(kept.fields)), attachmentIds: kept.attachmentIds, refusals: [] };
}

export function limitsOf(deps: HttpDeps, policy: Policy, megabytes: number): UploadLimits {
  const list = (text: string) => text.split(',').filter((item) => item !== '');
  return {
    maxTotalBytes: megabytes * 1024 * 1024,
    maxFiles: maxFilesTogether,
    permittedExtensions: list(policy.permitted_extensions),
    blockedExtensions: list(policy.blocked_extensions),
    formMaxBytes: deps.ctx.settings.surroundings.formUploadMaxBytes,
  };
}

/** A typing error must not cost the files of an earlier attempt. */
export async function receivedFiles(
  deps: HttpDeps,
  submitted: SubmittedForm,
  source: string | null,
): Promise<ReceivedFile[]> {
  const files = source === null ? [] : await getAttachments(deps.ctx, submitted.attachmentIds, source);
  return files.map((file) => ({ id: file.id, name: file.fileName, sizeText: humanSize(file.sizeBytes) }));
}
