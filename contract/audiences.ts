// Who may open a message. Imports nothing, because the domain uses it.

/** `authorization` on the wire, and the number in the database, is the index. */
export const audiences = [
  'anyone',
  'anyoneSignedIn',
  'recipientsAndLocal',
  'recipientsOnly',
  'recipientsAndDomains',
] as const;
export type Audience = (typeof audiences)[number];

export const audienceDescriptions: Record<Audience, string> = {
  anyone: 'Anyone (with access to the randomized link) can access',
  anyoneSignedIn: 'Anyone can access after authentication',
  recipientsAndLocal: 'Specified Recipients and local users can access',
  recipientsOnly: 'Only Specified Recipients can access',
  recipientsAndDomains: 'Specified Recipients and Recipient Domains can access',
};
