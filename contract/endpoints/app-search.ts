// Calls of the web app: search.
import { searchAnswer, searchQuery } from '../app/search.ts';
import { define } from '../endpoint.ts';

export const appSearchEndpoints = {
  search: define({
    method: 'GET',
    path: '/app-api/search',
    tag: 'App',
    summary: 'Messages, links, requests, files and people',
    auth: 'key',
    query: searchQuery,
    answer: searchAnswer,
    origin: 'additive',
  }),
} as const;
