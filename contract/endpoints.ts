// Every call of the HTTP API: method, path, who may call, what goes in, what comes out. The server registers from this
// list, tests check replies against it, and OpenAPI is made from it. A call without `auth` does not compile.

import { accountEndpoints } from './account.ts';
import { brandingEndpoints } from './admin/branding.ts';
import { downloadLogEndpoints } from './admin/downloads.ts';
import { eventEndpoints } from './admin/events.ts';
import { systemDropEndpoints } from './admin/filedrops.ts';
import { groupEndpoints } from './admin/groups.ts';
import { handOverEndpoints } from './admin/hand-overs.ts';
import { legalHoldEndpoints } from './admin/legal-holds.ts';
import { mailDeliveryEndpoints } from './admin/mail-delivery.ts';
import { mailTemplateEndpoints } from './admin/mail-templates.ts';
import { overviewEndpoints } from './admin/overview.ts';
import { policyEndpoints } from './admin/policy.ts';
import { reviewEndpoints } from './admin/reviews.ts';
import { scanningEndpoints } from './admin/scanning.ts';
import { scimEndpoints } from './admin/scim.ts';
import { consoleSearchEndpoints } from './admin/search.ts';
import { securityEndpoints } from './admin/security.ts';
import { setupChecklistEndpoints } from './admin/setup-checklist.ts';
import { signInServiceEndpoints } from './admin/sign-in.ts';
import { statementEndpoints } from './admin/statements.ts';
import { storageEndpoints } from './admin/storage.ts';
import { systemEndpoints } from './admin/system.ts';
import { taskEndpoints } from './admin/tasks.ts';
import { transferEndpoints } from './admin/transfers.ts';
import { userActionEndpoints } from './admin/user-actions.ts';
import { userBulkEndpoints } from './admin/user-bulk.ts';
import { userListEndpoints } from './admin/user-lists.ts';
import { userEndpoints } from './admin/users.ts';
import { webhookEndpoints } from './admin/webhooks.ts';
import { appAccountEndpoints } from './app/account.ts';
import { appContactEndpoints } from './app/contacts.ts';
import { appDownloadEndpoints } from './app/downloads.ts';
import { appFileLinkEndpoints } from './app/file-links.ts';
import { appFileRequestEndpoints } from './app/file-requests.ts';
import { appFiledropEndpoints } from './app/filedrops.ts';
import { appFileEndpoints } from './app/files.ts';
import { appLiveEndpoints } from './app/live.ts';
import { appMeEndpoints } from './app/me.ts';
import { appMessageActionEndpoints } from './app/message-actions.ts';
import { appMessageEndpoints } from './app/messages.ts';
import { appPasskeyEndpoints } from './app/passkeys.ts';
import { appReceivedEndpoints } from './app/received.ts';
import { appSearchEndpoints } from './app/search.ts';
import { appSecurityEndpoints } from './app/security.ts';
import { attachmentEndpoints } from './attachments.ts';
import { downloadEndpoints } from './downloads.ts';
import type { Endpoint } from './endpoint.ts';
import { evidenceEndpoints } from './evidence.ts';
import { fileLinkEndpoints } from './file-links.ts';
import { fileRequestEndpoints } from './file-requests.ts';
import { filedropEndpoints } from './filedrops.ts';
import { messageEndpoints } from './messages.ts';
import { pairingEndpoints } from './pairings.ts';
import { receiptEndpoints } from './receipts.ts';

export type { Endpoint } from './endpoint.ts';

export const endpoints = {
  ...attachmentEndpoints,
  ...messageEndpoints,
  ...receiptEndpoints,
  ...downloadEndpoints,
  ...fileRequestEndpoints,
  ...filedropEndpoints,
  ...fileLinkEndpoints,
  ...accountEndpoints,
  ...pairingEndpoints,
  ...userEndpoints,
  ...userListEndpoints,
  ...userActionEndpoints,
  ...signInServiceEndpoints,
  ...scimEndpoints,
  ...userBulkEndpoints,
  ...overviewEndpoints,
  ...setupChecklistEndpoints,
  ...systemDropEndpoints,
  ...downloadLogEndpoints,
  ...groupEndpoints,
  ...policyEndpoints,
  ...transferEndpoints,
  ...eventEndpoints,
  ...webhookEndpoints,
  ...statementEndpoints,
  ...handOverEndpoints,
  ...legalHoldEndpoints,
  ...reviewEndpoints,
  ...scanningEndpoints,
  ...evidenceEndpoints,
  ...taskEndpoints,
  ...storageEndpoints,
  ...mailTemplateEndpoints,
  ...mailDeliveryEndpoints,
  ...systemEndpoints,
  ...securityEndpoints,
  ...brandingEndpoints,
  ...consoleSearchEndpoints,
  ...appMeEndpoints,
  ...appLiveEndpoints,
  ...appMessageEndpoints,
  ...appMessageActionEndpoints,
  ...appAccountEndpoints,
  ...appDownloadEndpoints,
  ...appFileLinkEndpoints,
  ...appFileRequestEndpoints,
  ...appFiledropEndpoints,
  ...appFileEndpoints,
  ...appContactEndpoints,
  ...appReceivedEndpoints,
  ...appSearchEndpoints,
  ...appSecurityEndpoints,
  ...appPasskeyEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
