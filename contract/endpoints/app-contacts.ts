// Calls of the web app: people to write to.
import { checkRecipients, checkRecipientsAnswer, peopleAnswer, peopleQuery } from '../app/contacts.ts';
import { define } from '../endpoint.ts';

export const appPeopleEndpoints = {
  listPeople: define({
    method: 'GET',
    path: '/app-api/people',
    tag: 'App',
    summary: 'Addresses the caller wrote to',
    auth: 'key',
    query: peopleQuery,
    answer: peopleAnswer,
    origin: 'additive',
  }),
  checkRecipients: define({
    method: 'POST',
    path: '/app-api/recipients/check',
    tag: 'App',
    summary: 'Which of these addresses the group may send to',
    auth: 'key',
    body: checkRecipients,
    answer: checkRecipientsAnswer,
    origin: 'additive',
  }),
} as const;
