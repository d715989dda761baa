// What most suites begin with: a service that is there before the first test and gone after the last one, and people in
// it. For use inside a `describe`; what is returned may be used as soon as the hooks have run.
import { after, before } from 'node:test';
import type { StartOptions, TestApp } from './app.ts';
import { ApiClient } from './client.ts';

/** `start` is what `onEachEngine` and its neighbours hand to a suite. */
export function useApp(start: (options?: StartOptions) => Promise<TestApp>, options: StartOptions = {}): TestApp {
  const app = {} as TestApp;
  before(() => start({ ...options, into: app }));
  after(() => app.close?.());
  return app;
}

/** A person with their own key. */
export function usePerson(app: TestApp, name: string, options: Parameters<TestApp['person']>[1] = {}): ApiClient {
  const person: ApiClient = Object.create(ApiClient.prototype);
  before(async () => void Object.assign(person, await app.person(name, options)));
  return person;
}
