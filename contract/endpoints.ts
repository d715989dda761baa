// Every call of the HTTP API: method, path, who may call, what goes in, what comes out. The server registers from this
// list, tests check replies against it, and OpenAPI is made from it. A call without `auth` does not compile.
import type { Endpoint } from './endpoint.ts';
import { accountEndpoints } from './endpoints/account.ts';
import { adminEndpoints } from './endpoints/admin.ts';
import { appAccountEndpoints } from './endpoints/app-account.ts';
import { appPeopleEndpoints } from './endpoints/app-contacts.ts';
import { appDownloadEndpoints } from './endpoints/app-downloads.ts';
import { appFileLinkEndpoints } from './endpoints/app-file-links.ts';
import { appFileRequestEndpoints } from './endpoints/app-file-requests.ts';
import { appFiledropEndpoints } from './endpoints/app-filedrops.ts';
import { appFileEndpoints } from './endpoints/app-files.ts';
import { appMeEndpoints } from './endpoints/app-me.ts';
import { appMessageEndpoints } from './endpoints/app-messages.ts';
import { appReceivedEndpoints } from './endpoints/app-received.ts';
import { appSearchEndpoints } from './endpoints/app-search.ts';
import { appSecurityEndpoints } from './endpoints/app-security.ts';
import { attachmentEndpoints } from './endpoints/attachments.ts';
import { downloadEndpoints } from './endpoints/downloads.ts';
import { fileLinkEndpoints } from './endpoints/file-links.ts';
import { fileRequestEndpoints } from './endpoints/file-requests.ts';
import { filedropEndpoints } from './endpoints/filedrops.ts';
import { messageEndpoints } from './endpoints/messages.ts';

export type { Endpoint } from './endpoint.ts';

export const endpoints = {
  ...attachmentEndpoints,
  ...messageEndpoints,
  ...downloadEndpoints,
  ...fileRequestEndpoints,
  ...filedropEndpoints,
  ...fileLinkEndpoints,
  ...accountEndpoints,
  ...adminEndpoints,
  ...appMeEndpoints,
  ...appMessageEndpoints,
  ...appAccountEndpoints,
  ...appDownloadEndpoints,
  ...appFileLinkEndpoints,
  ...appFileRequestEndpoints,
  ...appFiledropEndpoints,
  ...appFileEndpoints,
  ...appPeopleEndpoints,
  ...appReceivedEndpoints,
  ...appSearchEndpoints,
  ...appSecurityEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
