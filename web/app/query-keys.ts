// Query keys: [topic, call, input]. Invalidating a topic invalidates all of its calls.
import type { Topic } from '#contract/app/live.ts';
import type { EndpointName } from '#contract/endpoints.ts';
import { routes } from '#contract/routes.gen.ts';

/** Unlisted calls belong to `account`, or to `admin`. */
const topics: Partial<Record<EndpointName, Topic>> = {
  getMe: 'me',
  listSentMessages: 'messages',
  getSentMessage: 'messages',
  listMessageActivity: 'messages',
  getExposure: 'messages',
  listAppFiles: 'messages',
  getStorage: 'messages',
  listContacts: 'messages',
  listReceived: 'received',
  getReceived: 'received',
  listAppLinks: 'links',
  getAppLink: 'links',
  listAppRequests: 'requests',
  getAppRequest: 'requests',
  getAppDrop: 'drop',
  listAppLog: 'downloads',
  getAppLogFigures: 'downloads',
};

export function queryKey(name: EndpointName, input: object): readonly [Topic, EndpointName, object] {
  const topic = topics[name] ?? (routes[name][1].startsWith('/admin/') ? 'admin' : 'account');
  return [topic, name, input];
}
