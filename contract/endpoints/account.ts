// Calls of the API: account.
import { accountAnswer, apiKeyAnswer, apiKeyQuery, login } from '../account.ts';
import { define } from '../endpoint.ts';

export const accountEndpoints = {
  getAccount: define({
    method: 'GET',
    path: '/account',
    tag: 'Account',
    summary: "The caller's account and group settings",
    auth: 'key',
    answer: accountAnswer,
  }),
  getAccountByPost: define({
    method: 'POST',
    path: '/account',
    tag: 'Account',
    summary: 'The same, for an old client that posts',
    auth: 'key',
    answer: accountAnswer,
    origin: 'compatibility',
  }),
  getApiKey: define({
    method: 'GET',
    path: '/account/api_key',
    tag: 'Account',
    summary: "Read a user's API key (administrators)",
    auth: 'key',
    query: apiKeyQuery,
    answer: apiKeyAnswer,
  }),
  login: define({
    method: 'POST',
    path: '/login',
    tag: 'Account',
    summary: 'The API key for an address and a password',
    auth: 'none',
    body: login,
    answer: apiKeyAnswer,
    origin: 'compatibility',
  }),
} as const;
