import { type GroupSetting, unitOf } from '#contract/group-settings.ts';
import { listGroupSettings, type PolicyKey } from './policy.ts';

export interface SettingFacts {
  name: PolicyKey;
  meaning: string;
  /** Type, unit and limits. */
  takes: string;
  default: unknown;
  /** If different. */
  outsideDefault?: unknown;
  schema: Record<string, unknown>;
}

export function listSettingFacts(): SettingFacts[] {
  return listGroupSettings().map(([name, setting]) => ({
    name,
    meaning: setting.meaning,
    default: setting.default,
    ...(setting.outside === undefined ? {} : { outsideDefault: setting.outside }),
    ...describe(setting),
  }));
}

function describe(setting: GroupSetting): Pick<SettingFacts, 'takes' | 'schema'> {
  switch (setting.kind) {
    case 'flag':
      return { takes: 'true or false', schema: { type: 'boolean' } };
    case 'number': {
      const { min, max } = setting;
      return { takes: `${min} to ${max} ${unitOf(setting)}`, schema: { type: 'integer', minimum: min, maximum: max } };
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
