// Each endpoint for administrators: the calls of the rank search that cover it, or why rank does not matter.
import type { EndpointName } from '#contract/endpoints.ts';
import type { RankCall } from './rank-model.ts';
import type { ReachCall } from './rank-reach.ts';

type CallName = (RankCall | ReachCall)['is'];

export const callsBehind: Partial<Record<EndpointName, CallName[]>> = {
  getApiKey: ['read_key'],
  listUsers: ['find_in_users'],
  createUser: ['create'],
  getUser: ['look_up'],
  changeUser: ['move', 'disable', 'enable', 'rename', 'give_address'],
  deleteUser: ['delete'],
  leaveUser: ['leave'],
  stateExposure: ['state_exposure'],
  setHold: ['set_hold'],
  removeSecondFactor: ['reset_second_step'],
  listPeople: ['find_in_people'],
  getPerson: ['look_closer'],
  endPersonSession: ['end_session'],
  endPersonSessions: ['end_sessions'],
  resetSecondStep: ['reset_second_step_with_reason'],
  readPersonKey: ['read_key_with_reason'],
  renewClientKey: ['renew_client_key'],
  invitePerson: ['invite_again'],
  planErasure: ['plan_erasure'],
  exportPerson: ['export_person'],
  erasePerson: ['erase'],
  bulkPeople: ['plan_people_bulk', 'carry_people_bulk_on'],
  deletePerson: ['hand_on_and_delete'],
  importPeople: ['import', 'plan_import'],
  createGroup: ['create_group'],
  changeGroup: ['change_team', 'raise_shipped', 'rename_group'],
  restoreGroup: ['restore_team'],
  deleteGroup: ['delete_team'],
  moveGroup: ['order_groups'],
  explainPolicy: ['explain'],
  whichGroup: ['which_group'],
  listTransfers: ['find_in_transfers'],
  getTransfer: ['read_transfer'],
  getTransferReceipt: ['read_receipt'],
  stopTransfer: ['stop_transfer'],
  extendTransfer: ['extend_transfer'],
  handOverTransfer: ['hand_over'],
  readTransferSubject: ['read_subject'],
  bulkTransfers: ['plan_bulk', 'begin_bulk', 'carry_bulk_on'],
  listTasks: ['find_in_tasks'],
  getTask: ['read_task'],
  stopTask: ['stop_task'],
  stopRunning: ['stop_upload'],
  removeLock: ['unlock'],
  listSystemDrops: ['find_in_drop_pages'],
  createSystemDrop: ['make_drop_page'],
  getSystemDrop: ['read_drop_page'],
  changeSystemDrop: ['change_drop_page'],
  deleteSystemDrop: ['delete_drop_page'],
};

const ofInstallation = 'about the installation, not about people: only its right decides, and roles.test.ts tests each';
const ofGroups = 'shows settings of groups, which all holders of the right may see; changes nothing';
const ofLog = 'all who may read the log, mainly auditors, see all of it; changes nothing';
const ofEvidence = 'hashes of the log and signatures of witnesses: names no people and changes nothing';
const inFigures = 'statistics of the installation; overview.test.ts tests which people it names';
const ofDomains = 'counts by domain outside, over the same transfers as listTransfers; names no people';

const ofConfirmations = 'about accounts within the caller’s reach; who may confirm is tested in handover.test.ts';

const ofHolds = 'only holds on people within reach are there; tested in legal-holds.test.ts';
const ofStatements = 'leaves out statements about people out of reach; tested in admin-statements.test.ts';

const ofDownloads = 'leaves out downloads from people out of reach; tested in admin-downloads.test.ts; changes nothing';

export const withoutRank: Partial<Record<EndpointName, string>> = {
  getOverview: inFigures,
  getReadableBytes: inFigures,
  listDownloadLog: ofDownloads,
  getDownloadFigures: ofDownloads,
  exportDownloadLog: ofDownloads,
  listOutside: ofDomains,
  listEvents: ofLog,
  getEvidence: ofEvidence,
  getEvidenceCheckpoint: ofEvidence,
  getEvidenceTile: ofEvidence,
  listEvidenceKeys: ofEvidence,
  addCosignature: ofEvidence,
  exportEvents: ofLog,
  listHandOverConfirmations: ofConfirmations,
  requestHandOver: ofConfirmations,
  confirmHandOver: ofConfirmations,
  listHolds: ofHolds,
  liftHold: ofHolds,
  listStatements: ofStatements,
  getStatement: ofStatements,
  listGroups: ofGroups,
  getGroup: ofGroups,
  listGroupHistory: ofGroups,
  listPolicySettings: ofGroups,
  previewGroup: ofGroups,
  replayGroup: ofGroups,
  listLocks: 'auditors and System Administrators see all locks; lifting one is in the search',
  getStorageOverview: ofInstallation,
  deleteExpired: ofInstallation,
  checkFiles: ofInstallation,
  listMailTemplates: ofInstallation,
  getMailTemplate: ofInstallation,
  changeMailTemplate: ofInstallation,
  previewMailTemplate: ofInstallation,
  showMailTemplate: ofInstallation,
  testMailTemplate: ofInstallation,
  getMailDelivery: ofInstallation,
  testMail: ofInstallation,
  checkMailDomain: ofInstallation,
  listMails: ofInstallation,
  retryMail: ofInstallation,
  dropMail: ofInstallation,
  listMailRefusals: ofInstallation,
  getSystem: ofInstallation,
  testConnection: ofInstallation,
  getSupportText: ofInstallation,
  listJobs: ofInstallation,
  runJob: ofInstallation,
  beginMaintenance: ofInstallation,
  endMaintenance: ofInstallation,
  listClients: ofInstallation,
  getSecuritySettings: ofInstallation,
  changeSecuritySettings: ofInstallation,
  getBranding: ofInstallation,
  changeBranding: ofInstallation,
  changeLogo: ofInstallation,
  deleteLogo: ofInstallation,
};
