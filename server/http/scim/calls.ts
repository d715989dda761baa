// One request of SCIM and its answer.
import type { ScimCaller } from '../../actions/scim/scim-identity.ts';
import type { Complex } from '../../lib/scim/paths.ts';
import type { HttpDeps } from '../deps.ts';
import type { Exchange } from '../transport/router.ts';

export interface ScimCall {
  deps: HttpDeps;
  caller: ScimCaller;
  id: string;
  query: URLSearchParams;
  headers: Exchange['raw']['headers'];
  /** Of all resources. */
  base: string;
  readBody(): Promise<unknown>;
}

export interface ScimAnswer {
  status?: 200 | 201 | 204 | 304;
  body?: Complex;
  etag?: string;
  location?: string;
}

export type ServeScim = (method: string, path: string, answer: (call: ScimCall) => Promise<ScimAnswer>) => void;
