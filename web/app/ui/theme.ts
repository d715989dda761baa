// Mantine's theme: every colour is a variable of web/tokens.css.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Mantine needs ten shades per colour; we have one tone per role. */
function tones(name: string): MantineColorsTuple {
  const tone = `var(--color-${name})`;
  return [tone, tone, tone, tone, tone, tone, tone, tone, tone, tone];
}

export const theme = createTheme({
  fontFamily: 'var(--font-sans)',
  fontFamilyMonospace: 'var(--font-mono)',
  headings: { fontFamily: 'var(--font-sans)' },
  primaryColor: 'primary',
  colors: { primary: tones('primary'), danger: tones('danger') },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '4px', md: '8px', lg: '12px', xl: '999px' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.125rem', xl: '1.5rem' },
  lineHeights: { xs: '1rem', sm: '1.25rem', md: '1.375rem', lg: '1.625rem', xl: '2rem' },
  breakpoints: { xs: '30em', sm: '48em', md: '48em', lg: '64em', xl: '80em' },
  shadows: { md: 'var(--shadow-card)', lg: 'var(--shadow-menu)' },
  focusRing: 'auto',
  respectReducedMotion: true,
  cursorType: 'pointer',
});

const roles = {
  '--mantine-color-body': 'var(--color-surface)',
  '--mantine-color-text': 'var(--color-text)',
  '--mantine-color-bright': 'var(--color-text)',
  '--mantine-color-dimmed': 'var(--color-text-muted)',
  '--mantine-color-error': 'var(--color-danger)',
  '--mantine-color-placeholder': 'var(--color-text-subtle)',
  '--mantine-color-anchor': 'var(--color-primary)',
  '--mantine-color-default': 'var(--color-surface)',
  '--mantine-color-default-hover': 'var(--color-band)',
  '--mantine-color-default-color': 'var(--color-text)',
  '--mantine-color-default-border': 'var(--color-border-strong)',
  '--mantine-color-disabled': 'var(--color-band)',
  '--mantine-color-disabled-color': 'var(--color-text-subtle)',
  '--mantine-color-disabled-border': 'var(--color-border)',
  '--mantine-primary-color-contrast': 'var(--color-on-primary)',
  '--mantine-primary-color-filled': 'var(--color-primary)',
  '--mantine-primary-color-filled-hover': 'var(--color-primary-hover)',
  '--mantine-primary-color-light': 'var(--color-primary-soft)',
  '--mantine-primary-color-light-hover': 'var(--color-primary-soft)',
  '--mantine-primary-color-light-color': 'var(--color-on-primary-soft)',
};

/** Tokens follow the colour scheme themselves. */
export const variables: CSSVariablesResolver = () => ({ variables: {}, light: roles, dark: roles });
