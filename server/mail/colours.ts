// The colours of a mail that depend on the organisation: the stripe shows its own colour, buttons and links a tone of
// the same hue that can be read in light and dark. Everything else is fixed in the layouts.
import { brandColours } from '../domain/brand-colour.ts';
import { parseHexColour } from '../lib/colour.ts';

export interface MailColours {
  /** The organisation's colour as it is; for the stripe only. */
  stripe: string;
  /** Light: text and button on white. */
  primary: string;
  onPrimary: string;
  /** Dark: text and button on the dark surface. */
  primaryDark: string;
  onPrimaryDark: string;
}

/** The product's own colours for anything that is no colour. */
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
