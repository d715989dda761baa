// Generates `contract/routes.gen.ts`: method and path of each endpoint, without schemas, for the client at run time.
import { type Endpoint, endpoints } from '../contract/endpoints.ts';

export async function makeClientRoutes(): Promise<string> {
  const lines = (Object.entries(endpoints) as [string, Endpoint][]).map(
    ([name, endpoint]) =>
      `  ${name}: ['${endpoint.method}', '${endpoint.path}', '${sentBy(endpoint)}', '${answeredBy(endpoint)}'],`,
  );
  return [
    '// biome-ignore-all format: made by a program.',
    '// Made by `npm run generate` from contract/endpoints.ts; not to be edited. Method, path, what is sent, what comes back.',
    'export const routes = {',
    ...lines,
    '} as const;',
    '',
  ].join('\n');
}

function sentBy({ body }: Endpoint): 'nothing' | 'json' | 'raw' {
  if (body === undefined) return 'nothing';
  return typeof body === 'string' ? 'raw' : 'json';
}

function answeredBy({ answer }: Endpoint): 'json' | 'raw' | 'events' {
  if (answer === 'events') return 'events';
  return answer === 'file' || answer === 'id' ? 'raw' : 'json';
}
