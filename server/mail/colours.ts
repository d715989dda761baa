// The stripe has the organisation's colour itself, text and buttons a readable tone of its hue.
import { brandColours } from '#contract/brand-colour.ts';
import { parseHexColour } from '#contract/colour.ts';

export interface MailColours {
  /** The exact colour; for the stripe only. */
  stripe: string;
  /** Light: text and button on white. */
  primary: string;
  onPrimary: string;
  primaryDark: string;
  onPrimaryDark: string;
}

/** The product's colours if `brandColour` is invalid. */
export function mailColours(brandColour?: string): MailColours {
  const { brand, light, dark } = brandColours(brandColour === undefined ? null : parseHexColour(brandColour));
  return {
    stripe: brand,
    primary: light.primary,
    onPrimary: light['on-primary'],
    primaryDark: dark.primary,
    onPrimaryDark: dark['on-primary'],
  };
}
