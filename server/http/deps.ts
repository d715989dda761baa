// What the HTTP edge needs besides the actions' context. Made in app.ts.
import type { BuiltApp } from '#web/app/load.ts';
import type { Ctx } from '../actions/context.ts';
import type { MailDesk } from '../actions/mail/desk.ts';
import type { ClientCounts } from '../actions/security/clients.ts';
import type { SystemFacts } from '../actions/system/system.ts';
import type { Trusted } from '../lib/client-address.ts';
import type { Geo } from '../lib/geo.ts';
import type { HostNames } from '../lib/host-names.ts';
import type { PageRenderer } from './pages/page-renderer.ts';
import type { Limits } from './transport/limits.ts';
import type { Meters } from './transport/meters.ts';

export interface HttpDeps {
  ctx: Ctx;
  /** The name of this process in the database. */
  processId: string;
  baseUrl: URL;
  trustProxy: Trusted;
  allowInsecureHttp: boolean;
  openapi: 'public' | 'signed-in' | 'off';
  geo: Geo;
  /** Null: names of visitors' machines are not asked for. */
  hostNames: HostNames | null;
  limits: Limits;
  meters: Meters;
  pages: PageRenderer;
  builtApp: BuiltApp;
  /** False: mails are written to files, because no mail server is set. */
  canSendMail: boolean;
  mail: MailDesk;
  system: SystemFacts;
  clients: ClientCounts;
  /** Names of the checks that fail; empty when everything is ready. */
  failingChecks(): Promise<string[]>;
  setup: {
    /** Shown on the setup page: where the token can be found. */
    tokenSource: { is: 'file'; path: string } | { is: 'environment'; variable: string };
    /** Called once the first administrator exists. */
    done(): Promise<void>;
    masterKeyFile: string | null;
  };
}
