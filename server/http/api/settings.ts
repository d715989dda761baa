// Settings of a group on the wire, where they go by their own names: the contract decides which of them an answer holds.
import type { z } from 'zod';
import type { Policy, PolicyKey } from '../../domain/policy.ts';

/** The fields of a body that are settings of the group under their own names, with values the body can hold. */
export type SettingOf<Body> = {
  [Name in keyof Body & PolicyKey]: Policy[Name] extends Body[Name] ? Name : never;
}[keyof Body & PolicyKey];

/** Makes bodies with every field of a schema, in its order: as given, or else the setting of that name. */
export function bodyWithSettings<Schema extends z.ZodObject>(schema: Schema) {
  type Body = z.output<Schema>;
  const names = Object.keys(schema.shape);
  return (policy: Policy, given: Omit<Body, SettingOf<Body>>): Body => {
    const fields: Record<string, unknown> = given;
    const body: Record<string, unknown> = {};
    for (const name of names) body[name] = Object.hasOwn(fields, name) ? fields[name] : policy[name as PolicyKey];
    return body as Body;
  };
}
