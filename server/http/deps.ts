import type { BuiltApp } from '#web/app/load.ts';
import type { Ctx } from '../actions/context.ts';
import type { MailConnection } from '../actions/mail/mail-connection.ts';
import type { ClientCounts } from '../actions/security/clients.ts';
import type { SystemFacts } from '../actions/system/system.ts';
import type { Trusted } from '../lib/client-address.ts';
import type { Geo } from '../lib/geo.ts';
import type { HostNames } from '../lib/host-names.ts';
import type { PageRenderer } from './pages/page-renderer.ts';
import type { Limits } from './transport/limits.ts';
import type { Meters } from './transport/meters.ts';
import type { CertificateSource } from './transport/tls.ts';

export interface HttpDeps {
  ctx: Ctx;
  processId: string;
  baseUrl: URL;
  /** Null without built-in TLS. */
  certificate: CertificateSource | null;
  trustProxy: Trusted;
  allowInsecureHttp: boolean;
  openapi: 'public' | 'signed-in' | 'off';
  geo: Geo;
  /** Null: visitors' addresses are not resolved to host names. */
  hostNames: HostNames | null;
  limits: Limits;
  meters: Meters;
  pages: PageRenderer;
  builtApp: BuiltApp;
  mail: MailConnection;
  system: SystemFacts;
  clients: ClientCounts;
  failingChecks(): Promise<string[]>;
  /** Faults that do not keep the service from serving. */
  readinessWarnings(): Promise<object>;
  setup: {
    /** The setup page says where to find the token. */
    tokenSource: { is: 'file'; path: string } | { is: 'environment'; variable: string };
    done(): Promise<void>;
    masterKeyFile: string | null;
  };
}
