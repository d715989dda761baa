// The settings of a group as facts for documents: kind, unit, default and meaning, read from the catalogue.
import { defaultPolicy, type PolicyKey, policyCatalogue, type SettingKind } from './policy.ts';
import { policyMeanings } from './policy-meanings.ts';

export interface SettingFacts {
  name: PolicyKey;
  meaning: string;
  /** What it takes, with its unit and limits. */
  takes: string;
  default: unknown;
  /** In groups of outside people, where it differs. */
  outsideDefault?: unknown;
  schema: Record<string, unknown>;
}

export function listSettingFacts(): SettingFacts[] {
  const outside = defaultPolicy(false);
  return (Object.entries(policyCatalogue) as [PolicyKey, SettingKind][]).map(([name, kind]) => ({
    name,
    meaning: policyMeanings[name],
    default: kind.default,
    ...(outside[name] === kind.default ? {} : { outsideDefault: outside[name] }),
    ...describe(kind),
  }));
}

function describe(setting: SettingKind): Pick<SettingFacts, 'takes' | 'schema'> {
  switch (setting.kind) {
    case 'flag':
      return { takes: 'true or false', schema: { type: 'boolean' } };
    case 'number': {
      const { min, max, unit } = setting;
      return { takes: `${min} to ${max} ${unit}`, schema: { type: 'integer', minimum: min, maximum: max } };
    }
    case 'choice':
      return { takes: setting.choices.join(', '), schema: { type: 'integer', enum: [...setting.choices] } };
    case 'word':
      return { takes: setting.choices.join(', '), schema: { type: 'string', enum: [...setting.choices] } };
    case 'text':
      return {
        takes: `text, ${setting.maxLength} characters`,
        schema: { type: 'string', maxLength: setting.maxLength },
      };
    case 'extensions':
      return { takes: 'endings with commas', schema: { type: 'string' } };
    case 'domains':
    case 'networks':
      return { takes: `list of ${setting.kind}`, schema: { type: 'array', items: { type: 'string' } } };
    case 'custom':
      return { takes: 'text or JSON', schema: {} };
  }
}
