// The actions of the calls of the rank model, and the endpoints behind them, so that new endpoints are covered.
import { readBackApiKey } from '#server/actions/api-keys/api-keys.ts';
import type { Ctx } from '#server/actions/context.ts';
import {
  changeSystemDrop,
  createSystemDrop,
  deleteSystemDrop,
  getSystemDrop,
  listSystemDrops,
  type ManagedDrop,
} from '#server/actions/filedrops/system-drops.ts';
import { changeGroup, createGroup, deleteGroup } from '#server/actions/groups/groups.ts';
import { restoreGroup } from '#server/actions/groups/history.ts';
import { moveGroup } from '#server/actions/groups/order.ts';
import { setHold } from '#server/actions/legal-holds/legal-holds.ts';
import { stopRunning } from '#server/actions/overview/stopping.ts';
import { explainMessage, findGroupOfAddress } from '#server/actions/policy/explain.ts';
import { getReceiptByReference } from '#server/actions/receipts/receipts.ts';
import { removeLock } from '#server/actions/security/locks.ts';
import { stateExposure } from '#server/actions/statements/exposure.ts';
import { leave } from '#server/actions/statements/leave.ts';
import { getTask, listRecentTasks, stopTask } from '#server/actions/tasks/tasks.ts';
import { type BulkInput, planBulk, startBulk, stepBulk } from '#server/actions/transfers/bulk.ts';
import { extendTransfer, stopTransfer } from '#server/actions/transfers/changes.ts';
import { handOverTransfer } from '#server/actions/transfers/hand-over.ts';
import { referencesOf } from '#server/actions/transfers/references.ts';
import { readSubject } from '#server/actions/transfers/subject.ts';
import { describeTransfer, listAllTransfers } from '#server/actions/transfers/transfers.ts';
import {
  endSessionsOf,
  inviteAgain,
  readKeyOf,
  renewClientKeyOf,
  resetSecondStep,
} from '#server/actions/users/access.ts';
import { type PeopleBulk, planPeopleBulk, stepPeopleBulk } from '#server/actions/users/bulk.ts';
import { getPerson } from '#server/actions/users/details.ts';
import { erasePerson, planErasure } from '#server/actions/users/erasure-requests.ts';
import { exportPerson } from '#server/actions/users/exports.ts';
import { importPeople } from '#server/actions/users/imports.ts';
import { startLeaving } from '#server/actions/users/leavers.ts';
import { listPeople } from '#server/actions/users/lists.ts';
import {
  changeUser,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  removeSecondFactor,
} from '#server/actions/users/users.ts';
import type { UserCaller } from '#server/domain/caller.ts';
import { notFound } from '#server/domain/problem.ts';
import type { Role } from '#server/domain/roles.ts';
import type { Task } from '#server/domain/tasks.ts';
import type { GroupName, RankCall } from './rank-model.ts';
import type { ReachCall } from './rank-reach.ts';

export const groupIds: Record<GroupName, string> = {
  chiefs: 'system-administrators',
  admins: 'administrators',
  auditors: 'auditors',
  locals: 'local-users',
  outside: 'external-users',
  team: 'team',
};

/** A person of the model in the service, with one of each object that calls concern. */
export interface Body {
  id: string;
  email: string;
  sessionName: string;
  linkId: string;
  uploadId: string;
  taskId: string;
  lockId: string;
  dropId: string;
}

export interface Stage {
  bodies: readonly Body[];
  /** A person outside all worlds who can be the new owner. */
  successorId: string;
  laterDay: string;
  /** Entries in the history of the team that would set this role again. */
  entries: ReadonlyMap<Role, number>;
}

/** The context of a call. `ctx` rolls back writes; `counting` permits the first transaction, which only counts. */
export interface Scene {
  ctx: Ctx;
  counting: Ctx;
  caller: UserCaller;
  stage: Stage;
}

/** Calls that read. All others must write something, or be refused. */
export const reading: ReadonlySet<string> = new Set<(RankCall | ReachCall)['is']>([
  'look_up',
  'look_closer',
  'find_in_users',
  'find_in_people',
  'find_in_transfers',
  'find_in_tasks',
  'explain',
  'plan_erasure',
  'export_person',
  'plan_import',
  'plan_bulk',
  'plan_people_bulk',
  'read_transfer',
  'read_receipt',
  'read_task',
  'which_group',
  'read_drop_page',
  'find_in_drop_pages',
]);

const nothing = { rights: {}, policy: {} };

export function runRankCall(scene: Scene, call: RankCall): Promise<unknown> {
  const { ctx, counting, caller, stage } = scene;
  const { id = '', email = '' } = 'target' in call ? stage.bodies[call.target]! : {};
  switch (call.is) {
    case 'move':
      return changeUser(ctx, caller, id, { groupId: groupIds[call.to] });
    case 'disable':
    case 'enable':
      return changeUser(ctx, caller, id, { isDisabled: call.is === 'disable' });
    case 'leave':
      return leave(ctx, caller, id, { handOverTo: null, reason: 'a reason' });
    case 'rename':
      return changeUser(ctx, caller, id, { name: 'Somebody Else' });
    case 'delete':
      return deleteUser(ctx, caller, id);
    case 'reset_second_step':
      return removeSecondFactor(ctx, caller, id);
    case 'give_address':
      return changeUser(ctx, caller, id, { recipientAliases: [stage.bodies[call.of]!.email] });
    case 'read_key':
      return readBackApiKey(counting, caller, email);
    case 'create':
      return createUser(ctx, caller, { email: 'new@example.com', groupId: groupIds[call.into] });
    case 'import':
    case 'plan_import':
      return importOne(scene, groupIds[call.into], call.is === 'plan_import');
    default:
      return runOnGroup(scene, call);
  }
}

function runOnGroup({ ctx, caller, stage }: Scene, call: RankCall): Promise<unknown> {
  switch (call.is) {
    case 'change_team':
      return changeGroup(ctx, caller, 'team', { ...nothing, rights: { role: call.role } });
    case 'restore_team': {
      const number = stage.entries.get(call.role)!;
      return restoreGroup(ctx, caller, 'team', { number, settings: ['role'], version: undefined });
    }
    case 'raise_shipped':
      return changeGroup(ctx, caller, 'local-users', { ...nothing, rights: { role: 'administrator' } });
    case 'rename_group':
      return changeGroup(ctx, caller, 'local-users', { ...nothing, name: 'Everybody' });
    case 'create_group':
      return createGroup(ctx, caller, { ...nothing, name: 'One more' });
    case 'delete_team':
      return deleteGroup(ctx, caller, 'team');
    case 'order_groups':
      return moveGroup(ctx, caller, 'team', 1);
    default:
      throw new Error(`unknown call ${call.is}`);
  }
}

async function importOne({ ctx, caller }: Scene, group: string, isDryRun: boolean): Promise<void> {
  const lines = [{ line: 1, email: 'new@example.com', name: 'New', group }];
  const [outcome] = await importPeople(ctx, caller, { lines, groupId: undefined, isInvited: true, isDryRun });
  if (outcome!.problem !== null) throw outcome!.problem;
}

export function runReachCall(scene: Scene, call: ReachCall): Promise<unknown> {
  const { ctx, counting, caller, stage } = scene;
  const { id, email, sessionName } = stage.bodies[call.target]!;
  switch (call.is) {
    case 'look_up':
      return getUser(ctx, caller, email);
    case 'look_closer':
      return getPerson(ctx, caller, id);
    case 'find_in_users':
      return findIn(listUsers(ctx, caller), (one) => one.id === id);
    case 'find_in_people':
      return listPeople(ctx, caller, allPeople).then(({ items }) => assertAny(items, (one) => one.id === id));
    case 'explain':
      return explainMessage(ctx, caller, email, aMessage);
    case 'state_exposure':
      return stateExposure(ctx, caller, { user: id, from: '2026-01-01', to: '2027-01-01' });
    case 'set_hold':
      return setHold(ctx, caller, { user: id, reason: 'a reason' });
    case 'which_group':
      return findGroupOfAddress(ctx, caller, email);
    case 'read_key_with_reason':
      return readKeyOf(counting, caller, id, 'a reason');
    case 'invite_again':
      return inviteAgain(ctx, caller, id);
    case 'end_sessions':
      return endSessionsOf(ctx, caller, id, null);
    case 'end_session':
      return endSessionsOf(ctx, caller, id, sessionName);
    case 'reset_second_step_with_reason':
      return resetSecondStep(ctx, caller, id, 'a reason');
    case 'export_person':
      return exportPerson(ctx, caller, id);
    case 'plan_erasure':
      return planErasure(ctx, caller, id);
    case 'erase':
      return erasePerson(ctx, caller, id, { email, reason: 'a reason' });
    case 'renew_client_key':
      return renewClientKeyOf(ctx, caller, id, 'a reason');
    case 'hand_on_and_delete':
      return startLeaving(ctx, caller, id, { email, to: stage.successorId, reason: 'a reason' });
    case 'plan_people_bulk':
      return planPeopleBulk(ctx, caller, suspensionOf(id)).then(({ sample }) =>
        assertAny(sample, (user) => user.id === id),
      );
    case 'carry_people_bulk_on':
      return carryPeopleBulkOn(ctx, caller, id);
    default:
      return runOnBelongings(scene, call);
  }
}

const aMessage: Parameters<typeof explainMessage>[3] = {
  to: ['somebody@example.com'],
  cc: [],
  bcc: [],
  sender: undefined,
  subject: 'Plans',
  body: '',
  bodyFormat: undefined,
  expiresOn: undefined,
  downloadLimit: undefined,
  sendEmail: false,
  language: undefined,
  copyToSender: undefined,
  isPrivate: undefined,
  authorization: undefined,
  files: [],
};

const allPeople: Parameters<typeof listPeople>[2] = {
  q: '',
  role: null,
  groupId: null,
  state: null,
  seen: null,
  order: { by: 'email', direction: 'asc' },
  after: '',
  size: 100,
};

function runOnBelongings(scene: Scene, call: ReachCall): Promise<unknown> {
  const { ctx, caller, stage } = scene;
  const { id, linkId, uploadId, taskId, lockId } = stage.bodies[call.target]!;
  const reason = 'a reason';
  switch (call.is) {
    case 'read_transfer':
      return describeTransfer(ctx, caller, linkId);
    case 'read_receipt':
      return referencesOf(ctx, [linkId]).then((found) => getReceiptByReference(ctx, caller, found.get(linkId)!));
    case 'find_in_transfers':
      return listAllTransfers(ctx, caller, {}, { before: null, size: 100 }).then(({ transfers }) =>
        assertAny(transfers, (transfer) => transfer.id === linkId),
      );
    case 'stop_transfer':
      return stopTransfer(ctx, caller, linkId, { reason });
    case 'extend_transfer':
      return extendTransfer(ctx, caller, linkId, { expiresOn: stage.laterDay, reason });
    case 'hand_over':
      return handOverTransfer(ctx, caller, linkId, { to: stage.bodies[call.to]!.id, reason });
    case 'read_subject':
      return readSubject(ctx, caller, linkId, { reason });
    case 'begin_bulk':
      return startBulk(ctx, caller, stopAllOf(id));
    case 'plan_bulk':
      return planBulk(ctx, caller, stopAllOf(id));
    case 'carry_bulk_on':
      return carryBulkOn(ctx, caller, id);
    case 'stop_upload':
      return stopRunning(ctx, caller, `upload.${uploadId}`);
    case 'read_task':
      return getTask(ctx, caller, taskId);
    case 'find_in_tasks':
      return listRecentTasks(ctx, caller).then((tasks) => assertAny(tasks, (task) => task.id === taskId));
    case 'stop_task':
      return stopTask(ctx, caller, taskId);
    case 'unlock':
      return removeLock(ctx, caller, lockId);
    default:
      return runOnDropPage(scene, call);
  }
}

function runOnDropPage({ ctx, caller, stage }: Scene, call: ReachCall): Promise<unknown> {
  const { id, dropId } = stage.bodies[call.target]!;
  const receivesAt = (drop: ManagedDrop) => drop.id === dropId && drop.receivers.some((one) => one.id === id);
  switch (call.is) {
    case 'make_drop_page':
      return createSystemDrop(ctx, caller, { name: 'one-more', title: 'One more', receivers: [id], isOpen: false });
    case 'read_drop_page':
      return getSystemDrop(ctx, caller, dropId).then((drop) => assertAny([drop], receivesAt));
    case 'find_in_drop_pages':
      return listSystemDrops(ctx, caller).then((drops) => assertAny(drops, receivesAt));
    case 'change_drop_page':
      return changeSystemDrop(ctx, caller, dropId, { title: 'Another title' });
    case 'delete_drop_page':
      return deleteSystemDrop(ctx, caller, dropId);
    default:
      throw new Error(`unknown call ${call.is}`);
  }
}

function stopAllOf(person: string): BulkInput {
  return { action: 'stop', filter: { person }, expiresOn: '', to: '', reason: '' };
}

/** A task begun while its owner was within reach continues with the present rank of the caller. */
async function carryBulkOn(ctx: Ctx, caller: UserCaller, ownerId: string): Promise<void> {
  const filter = { kinds: ['link'], ownerId, groupId: null, recipient: null, domain: null, state: 'open' };
  const input = { ...stopAllOf(ownerId), filter: { ...filter, createdFrom: null, createdBefore: null, ids: null } };
  const step = await stepBulk(ctx, caller, { input, progress: {}, total: 1, done: 0, failed: 0 } as unknown as Task);
  if (step.done === 0) throw notFound('transfer');
}

function suspensionOf(id: string): PeopleBulk {
  const filter = { q: '', role: null, groupId: null, state: null, seen: null };
  return { action: 'suspend', ids: [id], wishes: filter, groupId: '', reason: '' };
}

/** The same for a task about people. */
async function carryPeopleBulkOn(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  const input = { ...suspensionOf(id), askedAt: ctx.clock.now() };
  const task = { input, progress: {}, total: 1, done: 0, failed: 0 } as unknown as Task;
  if ((await stepPeopleBulk(ctx, caller, task)).done === 0) throw notFound('user');
}

async function findIn<One>(pages: AsyncGenerator<One[]>, isIt: (one: One) => boolean): Promise<void> {
  const found: One[] = [];
  for await (const page of pages) found.push(...page);
  assertAny(found, isIt);
}

function assertAny<One>(all: readonly One[], isIt: (one: One) => boolean): void {
  if (!all.some(isIt)) throw notFound('user');
}
