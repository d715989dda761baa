// Tests changed rules on past sends of a group. Each send is judged twice from stored facts, by its policy at that time
// and with the change applied, so an empty change finds nothing (docs/adr/0057).
import { findGroup } from '../../db/groups/groups.ts';
import { type ListedSend, listSendsOfGroup } from '../../db/messages/sends.ts';
import { findEnrolledAddresses } from '../../db/passkeys/passkeys.ts';
import { findFindingsOfSends } from '../../db/scanning/file-contents.ts';
import { refuseExtension } from '../../domain/attachments.ts';
import { levelOf } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { blockedByContent, type Findings } from '../../domain/content-rules.ts';
import { assertMayUseLinks } from '../../domain/file-links.ts';
import { assertPermittedSize, isReviewed } from '../../domain/messages.ts';
import type { Policy, PolicyKey } from '../../domain/policy.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { type LinkSend, type MessageSend, maxReplayDays, type RequestSend, type SentFile } from '../../domain/sends.ts';
import type { Ctx, RuleContext } from '../context.ts';
import { resolveLink } from '../file-links/settings.ts';
import { applyRequestRules } from '../file-requests/file-requests.ts';
import { type GroupChange, resolvePolicy } from '../groups/policies.ts';
import { applyMessageRules, type MessageInput } from '../messages/rules.ts';
import { openRules, type Rules, type Verdict } from '../rules.ts';
import { checkContents } from '../scanning/contents.ts';
import { referencesOf } from '../transfers/references.ts';

export interface ChangedValue {
  /** The wire name. */
  field: string;
  from: unknown;
  to: unknown;
}

export interface Replay {
  sends: number;
  /** False when a limit was reached. */
  isComplete: boolean;
  refused: { send: ListedSend; rules: Verdict[] }[];
  changed: { send: ListedSend; values: ChangedValue[] }[];
}

export interface NamedSend extends Omit<ListedSend, 'id'> {
  reference: string;
}

export interface NamedReplay extends Pick<Replay, 'sends' | 'isComplete'> {
  refused: (NamedSend & { rules: Verdict[] })[];
  changed: (NamedSend & { values: ChangedValue[] })[];
}

const pageSize = 500;
const mostSends = 20_000;
const maxListed = 1_000;
const dayMs = 86_400_000;

export async function replayGroup(
  ctx: Ctx,
  caller: UserCaller,
  groupId: string,
  input: GroupChange & { days: number },
): Promise<NamedReplay> {
  requireRight(caller, 'system.read');
  const { days } = input;
  if (!Number.isInteger(days) || days < 1 || days > maxReplayDays)
    throw invalid('replay.bad_days', `Choose from 1 to ${maxReplayDays} days.`, 'days').withValues({
      n: maxReplayDays,
    });
  const group = await findGroup(ctx.db.read, groupId);
  if (group === undefined) throw notFound('group');
  const change = differenceOf(group.policy, resolvePolicy(group.policy, input.changes, input.isLocal ?? group.isLocal));
  const found: Replay = { sends: 0, isComplete: true, refused: [], changed: [] };
  let before: ListedSend | null = null;
  for (;;) {
    const since = ctx.clock.now() - days * dayMs;
    const page: ListedSend[] = await listSendsOfGroup(ctx.db.read, { groupId, since, before, limit: pageSize });
    const findings = await findFindingsOfSends(
      ctx.db.read,
      page.map(({ id }) => id),
    );
    const enrolled = change.recipient_passkey === undefined ? none : await findEnrolled(ctx, page);
    for (const send of page)
      await compare(ctx, { send, findings: findings.get(send.id) ?? [], enrolled }, change, found);
    found.sends += page.length;
    if (page.length < pageSize) return named(ctx, found);
    if (found.sends >= mostSends) return named(ctx, { ...found, isComplete: false });
    before = page.at(-1)!;
  }
}

async function named(ctx: Ctx, { refused, changed, ...found }: Replay): Promise<NamedReplay> {
  const references = await referencesOf(
    ctx,
    [...refused, ...changed].map(({ send }) => send.id),
  );
  const nameOf = ({ id, ...send }: ListedSend) => ({ ...send, reference: references.get(id) ?? '' });
  return {
    ...found,
    refused: refused.map(({ send, rules }) => ({ ...nameOf(send), rules })),
    changed: changed.map(({ send, values }) => ({ ...nameOf(send), values })),
  };
}

/** Drops settings that already have the given value. */
function differenceOf(before: Policy, after: Policy): Partial<Policy> {
  const keys = (Object.keys(after) as PolicyKey[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  return Object.fromEntries(keys.map((key) => [key, after[key]]));
}

/** A send, and what its files contain as far as they were inspected. */
interface Judged {
  send: ListedSend;
  findings: Findings[];
  /** Recipients who have a passkey now. */
  enrolled: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

function findEnrolled(ctx: Ctx, page: readonly ListedSend[]): Promise<Set<string>> {
  const addresses = new Set(page.flatMap(({ facts }) => (facts.kind === 'message' ? recipientsOf(facts) : [])));
  return findEnrolledAddresses(ctx.db.read, [...addresses]);
}

const recipientsOf = ({ to, cc, bcc }: MessageSend): string[] => [...to, ...cc, ...bcc];

async function compare(ctx: Ctx, judged: Judged, change: Partial<Policy>, found: Replay): Promise<void> {
  const { send } = judged;
  const moment: RuleContext = { clock: { ...ctx.clock, now: () => send.sentAt }, settings: ctx.settings };
  const was = await judge(moment, judged, send.policy);
  const would = await judge(moment, judged, { ...send.policy, ...change });
  const known = new Set(was.refusals.map(({ code }) => code));
  const rules = would.refusals.filter(({ code }) => !known.has(code));
  noteFindings(found, send, { rules, values: differencesIn(was.outcome, would.outcome) });
}

/** Anything beyond the limit makes the replay incomplete. */
export function noteFindings(
  found: Omit<Replay, 'sends'>,
  send: ListedSend,
  { rules, values }: { rules: Verdict[]; values: ChangedValue[] },
): void {
  const isFull = found.refused.length + found.changed.length >= maxListed;
  if (isFull) found.isComplete = found.isComplete && rules.length === 0 && values.length === 0;
  else if (rules.length > 0) found.refused.push({ send, rules });
  else if (values.length > 0) found.changed.push({ send, values });
}

function differencesIn(was: Outcome, would: Outcome): ChangedValue[] {
  return Object.keys(was)
    .filter((field) => was[field] !== undefined && would[field] !== undefined && was[field] !== would[field])
    .map((field) => ({ field, from: was[field], to: would[field] }));
}

/** Resulting values by wire name; undefined where a rule refused. */
type Outcome = Record<string, unknown>;

interface Judgement {
  refusals: Verdict[];
  outcome: Outcome;
}

async function judge(moment: RuleContext, { send, findings, enrolled }: Judged, policy: Policy): Promise<Judgement> {
  const { facts } = send;
  const rules = openRules();
  const outcome =
    facts.kind === 'message'
      ? await judgeSentMessage(moment, facts, policy, rules)
      : facts.kind === 'link'
        ? await judgeSentLink(moment, facts, policy, rules)
        : await judgeSentRequest(moment, facts, policy, rules);
  if (facts.kind !== 'request') await checkContents(rules, policy, findings);
  const held = findings.filter((one) => blockedByContent(one, policy) !== null).length;
  if (facts.kind !== 'request') outcome.held_files = held;
  if (facts.kind === 'message') {
    outcome.message_review = isReviewed(policy, held > 0);
    const isRequired = policy.recipient_passkey === 'required_once_enrolled';
    outcome.passkey_recipients = isRequired ? recipientsOf(facts).filter((each) => enrolled.has(each)).length : 0;
  }
  return { refusals: rules.verdicts().filter(({ isAllowed }) => !isAllowed), outcome };
}

/** Texts are not stored, only whether they were formatted. */
const [someSubject, someText, someMarkup] = ['-', '-', '<p>-</p>'];

async function judgeSentMessage(
  moment: RuleContext,
  send: MessageSend,
  policy: Policy,
  rules: Rules,
): Promise<Outcome> {
  await checkFiles(send.files, policy, rules);
  const data = {
    ctx: moment,
    localAddresses: async () => new Set(send.localAddresses),
    sender: async () => '',
  };
  const message = await applyMessageRules(data, policy, inputOf(send), rules);
  const sizeBytes = send.files.reduce((sum, file) => sum + file.sizeBytes, 0);
  await rules.check({ code: 'message.too_large', source: 'message_max_size' }, () =>
    assertPermittedSize(policy, sizeBytes),
  );
  return {
    authorization: message.audience === undefined ? undefined : levelOf(message.audience),
    private_message: message.isPrivate,
    bcc_myself: message.copyToSender,
    expires_at: message.expiry?.on,
    // The group's setting writes "no limit" as 0.
    expires_after: message.downloadLimit === undefined ? undefined : (message.downloadLimit ?? 0),
    message_format: message.texts === undefined ? undefined : message.texts.bodyHtml === null ? 'plain' : 'html',
  };
}

function inputOf(send: MessageSend): MessageInput {
  const { to, cc, bcc, expiresOn, downloadLimit, copyToSender, isPrivate, authorization } = send;
  return {
    ...{ to, cc, bcc, expiresOn, downloadLimit, copyToSender, isPrivate, authorization },
    bodyFormat: send.format,
    sender: undefined,
    subject: someSubject,
    body: send.isFormatted ? someMarkup : someText,
    sendEmail: send.isMailed,
    language: undefined,
  };
}

async function judgeSentLink(moment: RuleContext, send: LinkSend, policy: Policy, rules: Rules): Promise<Outcome> {
  await rules.check({ code: 'link.not_permitted', source: 'can_use_filelinks' }, () => assertMayUseLinks(policy));
  await checkFiles([send.file], policy, rules);
  const { expiresOn, sendReceipt, requireSignIn } = send;
  const input = { expiresOn, sendReceipt, requireSignIn, password: send.hasPassword ? '-' : undefined };
  const link = await resolveLink(moment, { policy }, input, rules);
  return {
    expires_at: link.expiresOn,
    require_authentication: link.requireSignIn,
    download_receipt: link.sendReceipt,
  };
}

async function judgeSentRequest(
  moment: RuleContext,
  send: RequestSend,
  policy: Policy,
  rules: Rules,
): Promise<Outcome> {
  const { recipient, expiresOn, isReusable } = send;
  const texts = { subject: someSubject, body: someText };
  const input = { recipient, expiresOn, isReusable, ...texts, names: [], sendEmail: false, copyToSender: false };
  const request = await applyRequestRules(moment, { policy }, input, rules);
  return { expires_at: request.expiry?.on, multiuse: request.isReusable };
}

async function checkFiles(files: SentFile[], policy: Policy, rules: Rules): Promise<void> {
  const source = policy.permitted_extensions === '' ? 'blocked_extensions' : 'permitted_extensions';
  await rules.check({ code: 'attachment.extension_not_permitted', source }, () => {
    for (const { extension } of files) {
      const refusal = refuseExtension(policy, extension === '' ? 'file' : `file.${extension}`);
      if (refusal !== null) throw refusal;
    }
  });
}
