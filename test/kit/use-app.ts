// Starts the service before a suite and stops it afterwards. Use inside `describe`; the result is valid once hooks have run.
import { after, before } from 'node:test';
import type { StartOptions, TestApp } from './app.ts';
import { ApiClient } from './client.ts';

export function useApp(start: (options?: StartOptions) => Promise<TestApp>, options: StartOptions = {}): TestApp {
  const app = {} as TestApp;
  before(() => start({ ...options, into: app }));
  after(() => app.close?.());
  return app;
}

export function usePerson(app: TestApp, name: string, options: Parameters<TestApp['person']>[1] = {}): ApiClient {
  const person: ApiClient = Object.create(ApiClient.prototype);
  before(async () => void Object.assign(person, await app.person(name, options)));
  return person;
}
