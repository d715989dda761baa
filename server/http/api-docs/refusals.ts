// The refusals of each operation: statuses that follow from the contract, and the codes that the tests have seen.
import type { Endpoint } from '#contract/endpoints.ts';
import seen from './refusals.json' with { type: 'json' };

/** Statuses with their codes, ascending. `default` describes those that any request can meet, such as 429 and 503. */
export function refusalsOf(name: string, definition: Endpoint): [status: string, codes: string[]][] {
  const codes: Record<string, string[]> = (seen as Record<string, Record<string, string[]>>)[name] ?? {};
  const statuses = new Set([...statusesOf(definition), ...Object.keys(codes)]);
  return [...statuses].toSorted().map((status) => [status, codes[status] ?? usual[status] ?? []]);
}

const usual: Record<string, string[]> = { '401': ['credentials.invalid'], '413': ['request.too_large'] };

function statusesOf({ method, auth, right, path, query, body }: Endpoint): string[] {
  return [
    ...(auth === 'none' ? [] : ['401', '403']),
    ...(right === undefined ? [] : ['403']),
    ...(path.includes(':') || path.includes('*') ? ['404'] : []),
    ...(body === undefined ? [] : ['413']),
    ...(query === undefined && body === undefined && method === 'GET' ? [] : ['422']),
    '429',
  ];
}
