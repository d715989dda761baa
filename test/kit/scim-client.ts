// A SCIM client for tests.
import assert from 'node:assert/strict';
import type { TestApp } from './app.ts';

export const scimToken = 'a token of the directory, long enough';

interface ScimReply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: resources are documents
  body: any;
}

export class ScimClient {
  readonly #app: Pick<TestApp, 'url'>;
  readonly #token: string;

  constructor(app: Pick<TestApp, 'url'>, token = scimToken) {
    this.#app = app;
    this.#token = token;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ScimReply> {
    const reply = await fetch(`${this.#app.url}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text === '' ? null : JSON.parse(text) };
  }

  async expect(status: number, method: string, path: string, body?: unknown) {
    const reply = await this.send(method, path, body);
    assert.equal(reply.status, status, `${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  patch(status: number, path: string, ...Operations: unknown[]) {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
    return this.expect(status, 'PATCH', path, { schemas, Operations });
  }

  /** As Entra creates a person. */
  create(name: string, more: Record<string, unknown> = {}) {
    return this.expect(201, 'POST', '/Users', {
      schemas: [
        'urn:ietf:params:scim:schemas:core:2.0:User',
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
      ],
      externalId: `oid-${name}`,
      userName: `${name}@example.com`,
      active: true,
      displayName: `${name} Example`,
      emails: [{ primary: true, type: 'work', value: `${name}@example.com` }],
      meta: { resourceType: 'User' },
      name: { formatted: `${name} Example`, familyName: 'Example', givenName: name },
      ...more,
    });
  }

  group(displayName: string, members: string[] = []) {
    const body = { displayName, members: members.map((value) => ({ value })) };
    return this.expect(201, 'POST', '/Groups', body);
  }
}
