import type { ReactNode } from 'react';
import type { Choice } from './choice.tsx';

export interface Filter {
  /** Names the URL parameter and the parameter of the call. */
  name: string;
  label: string;
  hint?: string;
  /** Always shown, as a search field. */
  isMain?: boolean;
  /** Without choices the value is typed. */
  choices?: readonly Choice<string>[];
  /** Parameters that are removed together with it. */
  also?: readonly string[];
  /** Below the choices. */
  more?: ReactNode;
  /** The chip's text for a value without a choice. */
  valueLabel?: string | undefined;
  /** Set by a link; it can only be removed. */
  isFixed?: boolean;
}
