import './styles.css';
import {
  DirectionProvider,
  localStorageColorSchemeManager,
  MantineProvider,
  useMantineColorScheme,
} from '@mantine/core';
import { DatesProvider } from '@mantine/dates';
import type { ReactNode } from 'react';
import { Announcer } from './announcer.tsx';
import { theme, variables } from './theme.ts';

const schemes = localStorageColorSchemeManager({ key: 'waybill:scheme' });

interface Props {
  locale: string;
  direction: 'ltr' | 'rtl';
  styleNonce: string;
  children: ReactNode;
}

export function UiProvider({ locale, direction, styleNonce, children }: Props) {
  // Mantine's scroll lock reads the nonce here.
  (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = styleNonce;
  return (
    <DirectionProvider key={direction} initialDirection={direction} detectDirection={false}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        colorSchemeManager={schemes}
        defaultColorScheme="auto"
        getStyleNonce={() => styleNonce}
        withGlobalClasses={false}
      >
        <DatesProvider settings={{ locale, firstDayOfWeek: 1 }}>
          {children}
          <Announcer />
        </DatesProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}

export type Scheme = 'light' | 'dark' | 'auto';

/** Stored in this browser. */
export function useScheme(): [Scheme, (scheme: Scheme) => void] {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return [colorScheme, setColorScheme];
}
