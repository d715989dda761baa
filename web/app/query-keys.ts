// What the app remembers of the server's answers, and under which names. A key is [topic, call, input]; forgetting a topic
// forgets all of its calls, which is how a change, or the server's word that something changed, reaches the screens.
import type { Topic } from '#contract/app/live.ts';
import type { EndpointName } from '#contract/endpoints.ts';
import { routes } from '#contract/routes.gen.ts';

/** Calls that read. One that is not here belongs to `account`, or to `admin` if it is for administrators. */
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
